package draw

import (
	"fmt"
	"slices"
	"strings"
)

// Focus keeps what is at most depth steps from what want names: an edge's name
// (or scope/name), or a state by its lines, field=value[,field=value]. The first
// step from a name is its own edges, the first from a state all that touch it. If
// there is no such thing, the error is an UnknownFocus.
func Focus(g Graph, want string, depth int) (Graph, error) {
	g = whole(g).begin()
	kept := make([]bool, len(g.Edges))
	near := map[string]bool{}
	for i, e := range g.Edges {
		if e.Name != "" && (want == e.Name || want == e.Scope+"/"+e.Name) {
			kept[i] = true
			near[e.From], near[e.To] = true, true
		}
	}
	steps := depth - 1 // the first was taken
	if len(near) == 0 {
		steps = depth
		lines, err := wantedLines(g, want)
		if err != nil {
			return Graph{}, err
		}
		for _, n := range g.Nodes {
			if n.has(lines) {
				near[n.ID] = true
			}
		}
		if len(near) == 0 {
			return Graph{}, &UnknownFocus{Want: want, Apart: true}
		}
	}
	for range steps {
		had := len(near)
		reach(g.Edges, near, kept)
		if len(near) == had { // all that can be reached
			break
		}
	}
	g.Edges = keptEdges(g.Edges, kept)
	g.Nodes = only(g.Nodes, func(id string) bool { return near[id] })
	rule := "focus " + want
	if depth != 1 {
		rule += fmt.Sprintf(", depth %d", depth)
	}
	return g.say(rule), nil
}

// reach takes one step from near: it keeps what touches it and adds the other ends.
func reach(edges []Edge, near map[string]bool, kept []bool) {
	var ends []string
	for i, e := range edges {
		if near[e.From] || near[e.To] {
			kept[i] = true
			ends = append(ends, e.From, e.To)
		}
	}
	for _, id := range ends {
		near[id] = true
	}
}

func keptEdges(edges []Edge, kept []bool) []Edge {
	out := make([]Edge, 0, len(edges))
	for i, e := range edges {
		if kept[i] {
			out = append(out, e)
		}
	}
	return out
}

// has tells whether a state of the node has all the lines.
func (n Node) has(lines []string) bool {
	return slices.ContainsFunc(n.states(), func(have []string) bool {
		return !slices.ContainsFunc(lines, func(l string) bool { return !slices.Contains(have, l) })
	})
}

// wantedLines parts field=value,field=value where lines of g say so: a value may
// hold a comma.
func wantedLines(g Graph, want string) ([]string, error) {
	have := map[string]bool{}
	for _, n := range g.Nodes {
		for _, lines := range n.states() {
			for _, l := range lines {
				have[l] = true
			}
		}
	}
	var lines []string
	parts := strings.Split(want, ",")
	for len(parts) > 0 {
		n := len(parts)
		for n > 0 && !have[strings.TrimSpace(strings.Join(parts[:n], ","))] {
			n--
		}
		if n == 0 {
			return nil, unknownFocus(g, want, strings.TrimSpace(parts[0]), have)
		}
		lines = append(lines, strings.TrimSpace(strings.Join(parts[:n], ",")))
		parts = parts[n:]
	}
	return lines, nil
}
