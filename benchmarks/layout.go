package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"mcpg/report/draw"
)

// layoutFigures measures drawing in this process, as the page and mcpg view do, and
// Graphviz's dot as a process on the very same DOT.
func layoutFigures(b *bench) []figure {
	self := func(name string) string { return "go run . layout --only " + name }
	return []figure{
		{name: "20-states", about: "SVG of 20 states and 60 edges, in memory", command: self("20-states"), unit: "s", limit: atMost(0.3), measure: b.draws(20, 60)},
		{name: "200-states", about: "SVG of 200 states and 600 edges, with its cut stated, in memory", command: self("200-states"), unit: "s", limit: atMost(2), measure: b.draws(200, 600)},
		{name: "against-dot", about: "the time of 20 states and 60 edges against that of dot -Tsvg, a process", command: self("against-dot"), unit: "times", limit: told, measure: b.againstDot(20, 60)},
		{name: "against-dot-wide", about: "likewise of 150 states and 180 edges, which aren't cut", command: self("against-dot-wide"), unit: "times", limit: told, measure: b.againstDot(150, 180)},
	}
}

// mesh has arrows between states at random.
func mesh(states, edges int) draw.Graph {
	var g draw.Graph
	r := rand.New(rand.NewPCG(1, 2))
	for i := range states {
		g.Nodes = append(g.Nodes, draw.Node{ID: fmt.Sprint("s", i), Lines: []string{fmt.Sprint("status=S", i), "tests_passed=false", fmt.Sprint("approvals=", i%4)}, Group: "server/class"})
	}
	for i := range edges {
		g.Edges = append(g.Edges, draw.Edge{From: fmt.Sprint("s", r.IntN(states)), To: fmt.Sprint("s", r.IntN(states)),
			Scope: "server", Name: fmt.Sprint("tool_", i%20), Calls: edges - i, Did: "ok", Remark: "needs tests_passed=true", Tone: draw.Tone(i % 5), Dashed: i%3 == 0})
	}
	return g
}

func (b *bench) drawn(g draw.Graph) (time.Duration, error) {
	begun := time.Now()
	err := draw.SVG(b.ctx, io.Discard, g)
	return time.Since(begun), err
}

func (b *bench) draws(states, edges int) func() (sample, error) {
	g := mesh(states, edges)
	return func() (sample, error) {
		took, err := b.drawn(g)
		return sample{value: took.Seconds()}, err
	}
}

func (b *bench) againstDot(states, edges int) func() (sample, error) {
	g := mesh(states, edges)
	return func() (sample, error) {
		ours, err := b.drawn(g)
		if err != nil {
			return sample{}, err
		}
		var text bytes.Buffer
		if err := draw.DOT(&text, g); err != nil {
			return sample{}, err
		}
		file := filepath.Join(b.dir, "graph.dot")
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			return sample{}, err
		}
		dot, err := exec.LookPath("dot")
		if err != nil {
			return sample{}, fmt.Errorf("this figure needs Graphviz: apt-get install graphviz: %w", err)
		}
		theirs, err := finish("dot", exec.CommandContext(b.ctx, dot, "-Tsvg", "-o", os.DevNull, file))
		return sample{value: ours.Seconds() / theirs.Wall.Seconds()}, err
	}
}
