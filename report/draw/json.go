package draw

import (
	"encoding/json"
	"io"
)

// Version is the version of what JSON writes.
const Version = 2

// JSON writes g as it is, uncut and unbundled, its edges in their order. Text that isn't
// UTF-8 gets U+FFFD; <, > and & are escaped, so that a page can hold it.
func JSON(w io.Writer, g Graph) error {
	out := struct {
		Version int `json:"version"`
		Graph
	}{Version, listed(whole(g))}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// listed makes lists of what JSON would write as null.
func listed(g Graph) Graph {
	if g.Nodes == nil {
		g.Nodes = []Node{}
	}
	if g.Edges == nil {
		g.Edges = []Edge{}
	}
	for i, n := range g.Nodes {
		g.Nodes[i].Lines = n.text()
	}
	for i, e := range g.Edges {
		if g.Edges[i].Label = e.lines(); g.Edges[i].Label == nil {
			g.Edges[i].Label = []string{}
		}
	}
	return g
}
