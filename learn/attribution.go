package learn

import (
	"slices"

	"mcpg/internal/hypothesis"
)

// attribution is the contradictions that are tried together.
type attribution struct {
	groups []*group
	y      hypothesis.Strata
	seed   uint64
}

func newAttribution(groups []*group, seed uint64) *attribution {
	a := &attribution{groups: groups, seed: seed}
	for _, gr := range groups {
		y := make([]bool, len(gr.rows))
		for i, r := range gr.rows {
			y[i] = r.failed
		}
		a.y = append(a.y, y)
	}
	return a
}

// given is the same calls, compared only where a symbol is the same.
func (a *attribution) given(symbol func(*row) string) *attribution {
	var parts []*group
	for _, gr := range a.groups {
		at := map[string]*group{}
		for i := range gr.rows {
			name := symbol(&gr.rows[i])
			if at[name] == nil {
				at[name] = &group{cell: gr.cell}
				parts = append(parts, at[name])
			}
			at[name].rows = append(at[name].rows, gr.rows[i])
		}
	}
	return newAttribution(parts, a.seed+50)
}

// finding is a cause that was tried.
type finding struct {
	name, detail string
	p, adjusted  float64
	limit        float64                     // up to which adjusted p it holds
	symbol       func(*row) string           // what it parts the calls by
	again        func(*attribution) *finding // tries it on other calls
}

// each makes a value of every row.
func each[T any](a *attribution, f func(*row) T) [][]T {
	out := make([][]T, len(a.groups))
	for i, gr := range a.groups {
		for j := range gr.rows {
			out[i] = append(out[i], f(&gr.rows[j]))
		}
	}
	return out
}

// varies tells whether there is a group in which not all are the same.
func varies[T comparable](xs [][]T) bool {
	return slices.ContainsFunc(xs, func(x []T) bool { return len(x) > 0 && slices.ContainsFunc(x, func(v T) bool { return v != x[0] }) })
}

// information tests whether a symbol of the rows goes with their outcomes.
func (a *attribution) information(seed uint64, symbol func(*row) string) float64 {
	names := each(a, symbol)
	if !varies(names) {
		return 1
	}
	symbols := make([][]int, len(names))
	for i, of := range names {
		ids := map[string]int{}
		for _, n := range of {
			if _, ok := ids[n]; !ok {
				ids[n] = len(ids)
			}
			symbols[i] = append(symbols[i], ids[n])
		}
	}
	return hypothesis.Permute(a.seed+seed, a.y, hypothesis.Information(symbols))
}

// rank tests whether failures have the larger numbers.
func (a *attribution) rank(seed uint64, x [][]float64) float64 {
	if !varies(x) {
		return 1
	}
	return hypothesis.Permute(a.seed+seed, a.y, hypothesis.Rank(x))
}

// common are texts that several calls have; the others are one.
func (a *attribution) common(text func(*row) string) func(*row) string {
	n := map[string]int{}
	for _, of := range each(a, text) {
		for _, t := range of {
			n[t]++
		}
	}
	return func(r *row) string {
		if t := text(r); n[t] >= minGroup {
			return t
		}
		return "\x00"
	}
}

func median(xs [][]float64) float64 {
	var all []float64
	for _, x := range xs {
		all = append(all, x...)
	}
	slices.Sort(all)
	if len(all) == 0 {
		return 0
	}
	return all[(len(all)-1)/2]
}
