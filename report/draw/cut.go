package draw

import "fmt"

// Bounds of a graph that is laid out: a layout that has begun can't be stopped,
// and its time grows with the density, to minutes for 600 edges among 200 nodes.
// Nobody reads more.
const (
	MaxNodes = 200
	MaxEdges = 300
	maxDense = 200 // edges, where more than 3 come on 2 nodes
)

// drawable is g cut so far that its layout takes less than about a second.
func drawable(g Graph) Graph {
	cut := Cut(g, MaxNodes, MaxEdges)
	links := 0
	for _, e := range cut.Edges {
		if e.From != e.To {
			links++
		}
	}
	if links > maxDense && 2*links > 3*len(cut.Nodes) {
		return Cut(g, MaxNodes, maxDense)
	}
	return cut
}

// Cut returns g with its named edges bundled and at most so many nodes and
// edges, and says what it left out. Edges are kept in their order, one only if
// both its ends still fit; nodes without a kept edge fill what room is left.
func Cut(g Graph, maxNodes, maxEdges int) Graph {
	g = bundle(whole(g))
	nodes, edges := len(g.Nodes), len(g.Edges)
	if nodes <= maxNodes && edges <= maxEdges {
		return g
	}
	g = g.begin()
	kept := map[string]bool{}
	g.Edges = cutEdges(g.Edges, kept, maxNodes, maxEdges)
	g.Nodes = cutNodes(g.Nodes, kept, maxNodes)
	if n := len(g.Edges); n < edges {
		return g.say(fmt.Sprintf("for drawing: %d arrows of %d", n, edges))
	}
	return g.say("for drawing")
}

// cutEdges returns the edges that fit and notes their ends in kept.
func cutEdges(edges []Edge, kept map[string]bool, maxNodes, maxEdges int) []Edge {
	var out []Edge
	for _, e := range edges {
		if len(out) == maxEdges {
			break
		}
		more := 0
		if !kept[e.From] {
			more++
		}
		if !kept[e.To] && e.To != e.From {
			more++
		}
		if len(kept)+more > maxNodes {
			continue
		}
		kept[e.From], kept[e.To] = true, true
		out = append(out, e)
	}
	return out
}

// cutNodes returns the kept nodes and as many others as fit, in their order.
func cutNodes(nodes []Node, kept map[string]bool, maxNodes int) []Node {
	room := maxNodes - len(kept)
	var out []Node
	for _, n := range nodes {
		if !kept[n.ID] {
			if room <= 0 {
				continue
			}
			room--
		}
		out = append(out, n)
	}
	return out
}

// maxLine and maxLines bound a label that is laid out.
const (
	maxLine  = 160 // characters
	maxLines = 16
)

// shorten cuts every label of g, in place: whole has copied its slices.
func shorten(g Graph) Graph {
	for i, n := range g.Nodes {
		g.Nodes[i].Lines = shortLines(n.text())
	}
	for i, e := range g.Edges {
		g.Edges[i].Label = shortLines(e.Label)
	}
	return g
}

func shortLines(lines []string) []string {
	var out []string
	for _, l := range split(lines) {
		if len(out) == maxLines {
			return append(out, "…")
		}
		out = append(out, shortLine(l))
	}
	return out
}

func shortLine(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxLine {
			return s[:i] + "…"
		}
	}
	return s
}
