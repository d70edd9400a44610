package draw

import "fmt"

// Support leaves out what fewer than n calls speak for: all edges of one name
// from one node, since one outcome of two would mislead. A node that loses all
// its edges goes too.
func Support(g Graph, n int) Graph {
	g = whole(g).begin()
	type source struct{ from, scope, name string }
	calls := map[source]int{}
	for _, e := range g.Edges {
		calls[source{e.From, e.Scope, e.Name}] += e.Calls
	}
	keep := make([]Edge, 0, len(g.Edges))
	lost, has := map[string]bool{}, map[string]bool{}
	for _, e := range g.Edges {
		side := lost
		if calls[source{e.From, e.Scope, e.Name}] >= n {
			keep = append(keep, e)
			side = has
		}
		side[e.From], side[e.To] = true, true
	}
	g.Edges = keep
	g.Nodes = only(g.Nodes, func(id string) bool { return has[id] || !lost[id] })
	return g.say(fmt.Sprintf("support >= %d", n))
}

// only keeps the nodes that keep names.
func only(nodes []Node, keep func(id string) bool) []Node {
	out := make([]Node, 0, len(nodes))
	for _, n := range nodes {
		if keep(n.ID) {
			out = append(out, n)
		}
	}
	return out
}
