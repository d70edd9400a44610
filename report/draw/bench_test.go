package draw

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// mesh has random arrows, as a graph of real states that all lead to each other.
func mesh(nodes, edges int) Graph {
	var g Graph
	r := rand.New(rand.NewPCG(1, 2))
	for i := range nodes {
		g.Nodes = append(g.Nodes, Node{ID: fmt.Sprint("s", i), Lines: []string{fmt.Sprint("status=S", i), "tests_passed=false", fmt.Sprint("approvals=", i%4)}, Group: "server/class"})
	}
	for i := range edges {
		g.Edges = append(g.Edges, Edge{From: fmt.Sprint("s", r.IntN(nodes)), To: fmt.Sprint("s", r.IntN(nodes)),
			Scope: "server", Name: fmt.Sprint("tool_", i%20), Calls: edges - i, Did: "ok", Remark: "needs tests_passed=true", Tone: Tone(i % 5), Dashed: i%3 == 0})
	}
	return g
}

// full has an arrow between any two of n states.
func full(n int) Graph {
	g := mesh(n, 0)
	for i := range n * n {
		g.Edges = append(g.Edges, Edge{From: fmt.Sprint("s", i/n), To: fmt.Sprint("s", i%n), Name: "call", Calls: 1, Did: "ok"})
	}
	return g
}

// star has all arrows go out from one state.
func star(nodes, edges int) Graph {
	g := mesh(nodes, edges)
	for i := range g.Edges {
		g.Edges[i].From = "s0"
	}
	return g
}

// ladder has two layers, with an arrow from any of one to any of the other.
func ladder(nodes, edges int) Graph {
	g := mesh(nodes, edges)
	for i := range g.Edges {
		g.Edges[i].From = fmt.Sprint("s", i%(nodes/2))
		g.Edges[i].To = fmt.Sprint("s", nodes/2+i*7%(nodes/2))
	}
	return g
}

// BenchmarkLayout holds the figures: 20 states in 0.3 s, 200 states with 600
// edges in 2 s or with a stated cut.
func BenchmarkLayout(b *testing.B) {
	for name, g := range map[string]Graph{
		"20-states": mesh(20, 60), "200-states-600-edges": mesh(200, 600), "200-chain": chain(600), "full-24": full(24),
		"star": star(200, 600), "ladder": ladder(200, 600), "2000-states": mesh(2000, 6000), "full-60": full(60),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := svg(io.Discard, g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
