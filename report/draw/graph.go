// Package draw turns a graph of states, as plain data, into DOT, Mermaid, JSON,
// SVG and PNG, and cuts it by named rules: one a file, pure, and stated in the
// picture. It knows nothing of what the states are about.
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
	// States and Cuts say what rules left out: how many states there were, and the
	// rules in their words. Without a cut they are empty.
	States int      `json:"states,omitempty"`
	Cuts   []string `json:"cuts,omitempty"`
	Nodes  []Node   `json:"nodes"`
	// Edges, the most important first: Cut drops from the end, of bundles those of
	// fewest calls. An end that Nodes doesn't list is drawn with its ID.
	Edges []Edge `json:"edges"`
}

// Node is a box. Of several with one ID the first counts.
type Node struct {
	ID    string   `json:"id"`
	Lines []string `json:"lines"`           // its text; the ID where there is none
	Group string   `json:"group,omitempty"` // nodes of one group are framed together
	Count int      `json:"count,omitempty"` // states that it stands for, if several
	Mark  Mark     `json:"mark,omitempty"`
	Pale  bool     `json:"pale,omitempty"`

	alike [][]string // lines of the states that it stands for
}

// Edge is an arrow.
type Edge struct {
	From   string   `json:"from"`
	To     string   `json:"to"`
	Label  []string `json:"label"` // its lines; made of what follows where there are none
	Tone   Tone     `json:"tone"`
	Dashed bool     `json:"dashed,omitempty"`
	Status string   `json:"status,omitempty"` // why it is dashed or not

	// Named edges that run and look alike are drawn as one, with a line each.
	Scope  string `json:"scope,omitempty"`
	Name   string `json:"name,omitempty"`
	Calls  int    `json:"calls,omitempty"`
	Did    string `json:"did,omitempty"`    // what the calls did
	Remark string `json:"remark,omitempty"` // a line below; said once where several have it
	Mark   Mark   `json:"mark,omitempty"`
	Pale   bool   `json:"pale,omitempty"`
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
		cmp.Compare(dashed(a), dashed(b)),
		cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Did, b.Did),
		cmp.Compare(a.Remark, b.Remark), cmp.Compare(a.Mark, b.Mark), cmp.Compare(b.Calls, a.Calls))
}

// counts is how many states a node stands for.
func (n Node) counts() int { return max(1, n.Count) }

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
