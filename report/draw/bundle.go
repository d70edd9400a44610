package draw

import (
	"cmp"
	"fmt"
	"slices"
)

// bundle draws as one the named edges that run and look alike: a line each, and
// the lines with one remark together, above it. What is pale comes last, what
// has most calls first.
func bundle(g Graph) Graph {
	type way struct {
		from, to string
		tone     Tone
		dashed   bool
		mark     Mark
		pale     bool
	}
	var out []Edge
	at := map[way]int{}
	parts := map[int][]Edge{}
	for _, e := range g.Edges {
		if e.Name == "" {
			out = append(out, e)
			continue
		}
		k := way{e.From, e.To, e.Tone, e.Dashed, e.Mark, e.Pale}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Edge{From: e.From, To: e.To, Tone: e.Tone, Dashed: e.Dashed, Mark: e.Mark, Pale: e.Pale})
		}
		out[i].Calls += e.Calls
		parts[i] = append(parts[i], e)
	}
	for i, es := range parts {
		out[i].Label = bundleLines(es)
	}
	slices.SortStableFunc(out, func(a, b Edge) int {
		switch {
		case a.Pale != b.Pale:
			return map[bool]int{true: 1, false: -1}[a.Pale]
		case a.Calls == 0 && b.Calls == 0:
			return 0
		}
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), compareEdges(a, b))
	})
	g.Edges = out
	return g
}

func bundleLines(es []Edge) []string {
	slices.SortFunc(es, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Remark, b.Remark), compareEdges(a, b))
	})
	var lines []string
	for i, e := range es {
		lines = append(lines, e.Mark.signed(e.lines())...)
		if e.Remark == "" || i+1 < len(es) && es[i+1].Remark == e.Remark {
			continue
		}
		n := 0
		for _, f := range es {
			if f.Remark == e.Remark {
				n++
			}
		}
		if n > 1 {
			lines = append(lines, fmt.Sprintf("(all %d: %s)", n, e.Remark))
		} else {
			lines = append(lines, "("+e.Remark+")")
		}
	}
	return lines
}

// lines is an edge's text without its remark.
func (e Edge) lines() []string {
	if len(e.Label) > 0 || e.Name == "" {
		return e.Label
	}
	return []string{fmt.Sprintf("%s: %d %s", e.Name, e.Calls, e.Did)}
}
