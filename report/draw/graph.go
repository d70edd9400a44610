// Package draw turns a graph, as plain data, into DOT, Mermaid, JSON, SVG and
// PNG. It knows nothing of what the graph is about.
//
// Labels may hold anything: quotes, markup, control characters, bytes that
// aren't text. They are shown, never obeyed. The same graph gives the same
// bytes; the order of nodes doesn't matter, the order of edges only where a
// graph is cut.
//
// Importing this package costs a process about 20 ms at its start, and 400 ms
// where none ran before: the layout engine is compiled then and kept below the
// temporary directory, from where later processes load it as machine code.
package draw

import (
	"cmp"
	"fmt"
	"slices"
)

// Graph is a directed graph.
type Graph struct {
	Title string `json:"title"`
	Note  string `json:"note"` // a remark below the title
	Nodes []Node `json:"nodes"`
	// Edges, the most important first: Cut drops from the end. An end that
	// Nodes doesn't list is drawn with its ID.
	Edges []Edge `json:"edges"`
}

// Node is a box. Of several with one ID the first counts.
type Node struct {
	ID    string   `json:"id"`
	Lines []string `json:"lines"`           // its text; the ID where there is none
	Group string   `json:"group,omitempty"` // nodes of one group are framed together
}

// Edge is an arrow.
type Edge struct {
	From   string   `json:"from"`
	To     string   `json:"to"`
	Label  []string `json:"label"` // its lines
	Tone   Tone     `json:"tone"`
	Dashed bool     `json:"dashed,omitempty"`
}

// Tone is what an edge says, shown by its colour and its head.
type Tone uint8

const (
	Plain Tone = iota
	Works
	Fails
	Mixed
	Untried
)

// look is how a tone is drawn: a colour that reads on white, and a head, so
// that nothing rests on the colour alone.
type look struct {
	name  string
	color string
	head  string // in DOT
	link  string // in Mermaid; dashed below
	dash  string
}

var looks = [...]look{
	Plain:   {"plain", "#24292f", "vee", "-->", "-.->"},
	Works:   {"works", "#1a7f37", "normal", "-->", "-.->"},
	Fails:   {"fails", "#cf222e", "tee", "--x", "-.-x"},
	Mixed:   {"mixed", "#9a6700", "diamond", "--o", "-.-o"},
	Untried: {"untried", "#6e7781", "onormal", "-->", "-.->"},
}

func (t Tone) look() look {
	if int(t) < len(looks) {
		return looks[t]
	}
	return looks[Plain]
}

func (t Tone) String() string {
	if int(t) < len(looks) {
		return looks[t].name
	}
	return fmt.Sprintf("tone(%d)", uint8(t))
}

// MarshalText writes the tone's name.
func (t Tone) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// text is what a node shows.
func (n Node) text() []string {
	if len(n.Lines) == 0 {
		return []string{n.ID}
	}
	return n.Lines
}

// whole returns g with each node once and with a node for every end of an
// edge. It shares no slice with g.
func whole(g Graph) Graph {
	seen := map[string]bool{}
	var nodes []Node
	add := func(n Node) {
		if !seen[n.ID] {
			seen[n.ID] = true
			nodes = append(nodes, n)
		}
	}
	for _, n := range g.Nodes {
		add(n)
	}
	for _, e := range g.Edges {
		add(Node{ID: e.From})
		add(Node{ID: e.To})
	}
	g.Nodes, g.Edges = nodes, slices.Clone(g.Edges)
	return g
}

// sorted is whole in an order that doesn't depend on that of g.
func sorted(g Graph) Graph {
	g = whole(g)
	slices.SortFunc(g.Nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(g.Edges, compareEdges)
	return g
}

func compareEdges(a, b Edge) int {
	dashed := func(e Edge) int {
		if e.Dashed {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(a.From, b.From),
		cmp.Compare(a.To, b.To),
		slices.Compare(a.Label, b.Label),
		cmp.Compare(a.Tone, b.Tone),
		cmp.Compare(dashed(a), dashed(b)))
}

// groups returns the names of the groups, sorted; "" is none.
func groups(g Graph) []string {
	var names []string
	for _, n := range g.Nodes {
		if n.Group != "" {
			names = append(names, n.Group)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
