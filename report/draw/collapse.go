package draw

import (
	"fmt"
	"slices"
	"strings"
)

// Collapse makes one node of the states of a group that behave alike: the same
// names go out, with the same outcomes and statuses, wherever they lead. The node
// says what its states have in common and what differs.
func Collapse(g Graph) Graph {
	g = whole(g).begin()
	out := map[string][]string{}
	for _, e := range g.Edges {
		out[e.From] = append(out[e.From], strings.Join([]string{e.Scope, e.Name, e.Did, e.Tone.String(), e.Status, fmt.Sprint(e.Dashed)}, "\x00"))
	}
	behave := func(n Node) string {
		keys := out[n.ID]
		slices.Sort(keys)
		return n.Group + "\x01" + strings.Join(slices.Compact(keys), "\x01")
	}
	var classes [][]Node
	at := map[string]int{}
	first := map[string]string{} // of a node, that which stands for it
	for _, n := range g.Nodes {
		k := behave(n)
		i, ok := at[k]
		if !ok {
			i = len(classes)
			at[k] = i
			classes = append(classes, nil)
		}
		classes[i] = append(classes[i], n)
		first[n.ID] = classes[i][0].ID
	}
	g.Nodes = nil
	for _, c := range classes {
		g.Nodes = append(g.Nodes, merged(c))
	}
	g.Edges = rerouted(g.Edges, first)
	return g.say("alike states as one")
}

// rerouted moves edges to the nodes that stand for their ends, and adds up those
// that then are the same.
func rerouted(edges []Edge, first map[string]string) []Edge {
	type way struct {
		from, to, scope, name, did, remark, status, label string
		tone                                              Tone
		dashed                                            bool
	}
	var out []Edge
	at := map[way]int{}
	for _, e := range edges {
		e.From, e.To = first[e.From], first[e.To]
		k := way{e.From, e.To, e.Scope, e.Name, e.Did, e.Remark, e.Status, strings.Join(e.Label, "\n"), e.Tone, e.Dashed}
		if i, ok := at[k]; ok {
			out[i].Calls += e.Calls
			continue
		}
		at[k] = len(out)
		out = append(out, e)
	}
	return out
}

// mostValues is how many values of a field are listed; of more, their number.
const mostValues = 4

// merged is one node for several.
func merged(nodes []Node) Node {
	if len(nodes) == 1 {
		return nodes[0]
	}
	n := nodes[0]
	n.Lines, n.Count, n.alike = nil, 0, nil
	var fields []string
	values := map[string][]string{}
	for _, m := range nodes {
		n.Count += m.counts()
		n.alike = append(n.alike, m.states()...)
	}
	for _, lines := range n.alike {
		for _, l := range lines {
			field, value, _ := strings.Cut(l, "=")
			if values[field] == nil {
				fields = append(fields, field)
			}
			values[field] = append(values[field], value)
		}
	}
	slices.Sort(fields)
	for _, f := range fields {
		n.Lines = append(n.Lines, fieldLine(f, values[f], len(n.alike)))
	}
	n.Lines = append(n.Lines, fmt.Sprintf("(%d states)", n.Count))
	return n
}

// fieldLine says what values a field has in so many states.
func fieldLine(field string, values []string, states int) string {
	some := len(values) < states
	slices.Sort(values)
	values = slices.Compact(values)
	line := field
	switch {
	case len(values) > mostValues:
		line += fmt.Sprintf(": %d values", len(values))
	case len(values) > 1:
		line += "=" + strings.Join(values, " | ")
	case values[0] != "":
		line += "=" + values[0]
	}
	if some {
		line += " (some)"
	}
	return line
}

// states are the lines of the states that a node stands for.
func (n Node) states() [][]string {
	if n.alike == nil {
		return [][]string{n.text()}
	}
	return n.alike
}
