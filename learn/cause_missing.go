package learn

import (
	"cmp"
	"fmt"
	"slices"

	"mcpg/behavior"
	"mcpg/internal/hypothesis"
)

// missing looks for a path that cells leave out whose values go with the outcomes.
func (a *attribution) missing() *finding {
	type candidate struct {
		path   behavior.Path
		number bool
	}
	count := map[candidate]int{}
	for _, gr := range a.groups {
		for _, r := range gr.rows {
			for i, f := range r.left {
				if i == 0 || r.left[i-1].Path != f.Path {
					count[candidate{f.Path, f.IsNumber()}]++
				}
			}
		}
	}
	var candidates []candidate
	for c := range count {
		candidates = append(candidates, c)
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Or(a.path.Compare(b.path), compareBool(a.number, b.number)) })
	ps := make([]float64, len(candidates))
	for i, c := range candidates {
		if c.number {
			ps[i] = a.number(uint64(100+i), c.path)
			continue
		}
		ps[i] = a.information(uint64(100+i), a.token(c.path))
	}
	exactly := map[int]string{len(ps): "what exactly the arguments are", len(ps) + 1: "what exactly the state is"}
	symbols := map[int]func(*row) string{
		len(ps):     a.common(func(r *row) string { return fmt.Sprint(r.args) }),
		len(ps) + 1: a.common(func(r *row) string { return fmt.Sprint(r.state) }),
	}
	for i := range 2 {
		ps = append(ps, a.information(uint64(90+i), symbols[len(ps)]))
	}
	f := &finding{name: behavior.CauseMissing, p: 1, adjusted: 1, limit: chanceMissing, again: (*attribution).missing}
	for i, adjusted := range hypothesis.Holm(ps) {
		if adjusted < f.adjusted {
			f.p, f.adjusted = ps[i], adjusted
			if what := exactly[i]; what != "" {
				f.symbol, f.detail = symbols[i], "the outcomes go with "+what+": an id, a text or a number that is no part of what was compared"
				continue
			}
			f.symbol = a.token(candidates[i].path)
			f.detail = "the outcomes go with " + candidates[i].path.String() + ", which takes too many values to be part of the state"
		}
	}
	return f
}

func compareBool(a, b bool) int { return sideOf(a) - sideOf(b) }

func valueAt(r *row, p behavior.Path) (behavior.Value, bool) {
	for _, f := range r.left {
		if f.Path == p {
			return f.Value, true
		}
	}
	return behavior.Value{}, false
}

func (a *attribution) number(seed uint64, p behavior.Path) float64 {
	x := each(a, func(r *row) float64 { v, _ := valueAt(r, p); return v.Lo })
	up := a.rank(seed, x)
	for _, of := range x {
		for i := range of {
			of[i] = -of[i]
		}
	}
	return min(1, 2*min(up, a.rank(seed, x)))
}

// token is a path's values that stand in a few calls at least; the others are one.
func (a *attribution) token(p behavior.Path) func(*row) string {
	return a.common(func(r *row) string {
		if v, ok := valueAt(r, p); ok {
			return v.String()
		}
		return ""
	})
}
