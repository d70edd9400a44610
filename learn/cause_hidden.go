package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpg/behavior"
)

// hidden tests whether what the session did before goes with the outcomes: its last
// calls; or what failed last, or a tool that had worked by then.
func (a *attribution) hidden() *finding {
	f := &finding{name: behavior.CauseHidden, p: 1, limit: chance, again: (*attribution).hidden, symbol: func(*row) string { return "" }}
	try := func(seed uint64, m int, detail string, symbol func(*row) string) {
		if p := float64(m) * a.information(seed, symbol); p < f.p {
			f.p, f.detail, f.symbol = p, "the outcomes go with "+detail, symbol
		}
	}
	try(4, 4, "the session's call before", func(r *row) string { return r.before[0] })
	try(7, 6, "the session's call before and its arguments", a.common(func(r *row) string { return r.exactly }))
	try(5, 4, "the session's two calls before", func(r *row) string { return strings.Join(r.before[:], "\x00") })
	if gap := each(a, func(r *row) float64 { return r.gap }); f.p > 0 {
		for _, of := range gap {
			for i := range of {
				of[i] = -of[i]
			}
		}
		if p := 6 * a.rank(8, gap); p < f.p {
			middle := median(gap)
			f.p, f.detail, f.symbol = p, "refusals come sooner after the session's call before", func(r *row) string { return fmt.Sprint(-r.gap > middle) }
		}
	}
	tools := a.earlier()
	m := 2 * (1 + len(tools))
	try(6, m, "how the tool failed last in the session", func(r *row) string { return r.lastErr })
	for i, tool := range tools {
		try(uint64(20+i), m, "whether "+tool+" had worked in the session before", func(r *row) string {
			_, had := slices.BinarySearch(r.earlier, tool)
			return fmt.Sprint(had)
		})
	}
	return f
}

// earlier lists the tools that had worked before some of the calls.
func (a *attribution) earlier() []string {
	n, all := map[string]int{}, 0
	for _, gr := range a.groups {
		for _, r := range gr.rows {
			all++
			for _, t := range r.earlier {
				n[t]++
			}
		}
	}
	var out []string
	for t, k := range n {
		if k >= minGroup && k <= all-minGroup {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	return out[:min(len(out), maxEarlier)]
}
