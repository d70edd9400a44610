// Package viz writes trees as pictures: Mermaid text, a plain description of the
// graph for renderers, and a page of HTML. It draws nothing by itself.
package viz

import (
	"slices"

	"mcpg/mcptree"
)

// Step is one entry of a walk: a node, and how it was left.
type Step struct {
	Node  string
	To    string // the next node; "" where the walk stands or ended
	Label string // of the way taken; "" if it isn't known, then all ways to To count

	// Shown in HTML only.
	Input     string // what was answered, as JSON
	Source    string
	Rationale string
}

// Graph is a tree as boxes and arrows, in the order of the document.
type Graph struct {
	Title string
	Nodes []Node
	Edges []Edge
}

// Node is a box.
type Node struct {
	ID    string
	Type  mcptree.NodeType
	Lines []string // its text: the id, and what it does
	Steps []int    // the steps of the path that were at it, from 1
}

// Edge is an arrow.
type Edge struct {
	From, To string
	Label    string
	Taken    bool // the path went this way

	labelled bool // it has a label, if only an empty one
}

// NewGraph describes a tree and the path taken in it, nil for none.
func NewGraph(t *mcptree.Tree, path []Step) Graph {
	g := Graph{Title: t.Title}
	for _, n := range t.Nodes {
		node := Node{ID: n.ID, Type: n.Type, Lines: []string{n.ID, does(n)}}
		for i, s := range path {
			if s.Node == n.ID {
				node.Steps = append(node.Steps, i+1)
			}
		}
		g.Nodes = append(g.Nodes, node)
		g.Edges = append(g.Edges, ways(n, path)...)
	}
	return g
}

// does says in a few words what a node is for.
func does(n *mcptree.Node) string {
	switch n.Type {
	case mcptree.Action:
		return "action: " + n.Tool
	case mcptree.Condition:
		return "on " + n.On
	case mcptree.Terminal:
		return n.Outcome
	}
	return string(n.Type)
}

func ways(n *mcptree.Node, path []Step) []Edge {
	var out []Edge
	for _, e := range n.Edges() {
		out = append(out, Edge{From: n.ID, To: e.To, Label: e.Label, labelled: e.Label != "" || len(n.Options) > 0})
	}
	for _, s := range path {
		if s.Node != n.ID || s.To == "" {
			continue
		}
		known := slices.ContainsFunc(out, func(e Edge) bool { return e.To == s.To && e.Label == s.Label })
		for i := range out {
			if out[i].To == s.To && (!known || out[i].Label == s.Label) {
				out[i].Taken = true
			}
		}
	}
	return out
}
