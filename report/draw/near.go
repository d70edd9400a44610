package draw

import "slices"

// Near keeps the marked edges and nodes, and what touches them, pale: one step of
// what didn't change.
func Near(g Graph) Graph {
	g = whole(g).begin()
	changed, kept := map[string]bool{}, map[string]bool{}
	for _, n := range g.Nodes {
		if n.Mark != Unmarked {
			changed[n.ID] = true
		}
	}
	for _, e := range g.Edges {
		if e.Mark != Unmarked {
			changed[e.From], changed[e.To] = true, true
		}
	}
	g.Edges = slices.DeleteFunc(g.Edges, func(e Edge) bool { return !changed[e.From] && !changed[e.To] })
	for i, e := range g.Edges {
		kept[e.From], kept[e.To] = true, true
		g.Edges[i].Pale = e.Mark == Unmarked
	}
	n := len(g.Nodes)
	g.Nodes = only(g.Nodes, func(id string) bool { return kept[id] || changed[id] })
	for i := range g.Nodes {
		g.Nodes[i].Pale = !changed[g.Nodes[i].ID]
	}
	if len(g.Nodes) == n {
		return g
	}
	return g.say("what changed and one step around it")
}
