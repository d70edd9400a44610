package learn

import (
	"maps"
	"math"
	"slices"

	"mcpg/behavior"
)

// Arithmetic is tried only for failures whose other features successes have too,
// many of each, and must part the two without exception among the successes.

// maxOperands bounds how many numbers are tried with each other.
const maxOperands = 24

// minMultiples is how many different numbers must be multiples of one for that to
// be no chance.
const minMultiples = 10

// numbers are those of some states at some paths, in the order of the paths.
type numbers struct {
	of    [][]float64 // by state, then by path
	calls []int
	sum   int
}

// arithmetic finds the simplest comparison of numbers that nearly all failures
// meet and no success.
func arithmetic(failed, worked []observed) (behavior.Literal, bool) {
	if total(worked) < minContrast {
		return behavior.Literal{}, false
	}
	paths := operands(failed, worked)
	fs, ws := numbersAt(paths, failed), numbersAt(paths, worked)
	if fs.sum < enough(total(failed)) || ws.sum < minContrast || len(ws.of) < len(worked) {
		return behavior.Literal{}, false
	}
	if l, ok := multiples(paths, &fs, &ws); ok {
		return l, true
	}
	for _, form := range []behavior.Form{behavior.Difference, behavior.Sum, behavior.Product, behavior.SumTo, behavior.ProductTo} {
		for i := range paths {
			for j := range paths {
				if i == j || i > j && form != behavior.Difference {
					continue
				}
				if form.Operands() == 2 {
					if paths[i].NamesArgument() || paths[j].NamesArgument() {
						if l, ok := part(form, paths, [3]int{i, j}, &fs, &ws); ok {
							return l, true
						}
					}
					continue
				}
				for k := range paths {
					if k != i && k != j && (paths[i].NamesArgument() || paths[j].NamesArgument() || paths[k].NamesArgument()) {
						if l, ok := part(form, paths, [3]int{i, j, k}, &fs, &ws); ok {
							return l, true
						}
					}
				}
			}
		}
	}
	return behavior.Literal{}, false
}

// operands are the paths with a number in all states, or nearly all of the
// failures, arguments first; without those whose number is always the same.
func operands(failed, worked []observed) []behavior.Path {
	type tally struct {
		failed, worked int
		first          float64
		varies         bool
	}
	seen := map[behavior.Path]*tally{}
	count := func(os []observed, add func(*tally, int)) {
		for _, o := range os {
			for _, f := range o.Features {
				if x, ok := o.Number(f.Path); ok {
					t := seen[f.Path]
					if t == nil {
						t = &tally{first: x}
						seen[f.Path] = t
					}
					t.varies = t.varies || x != t.first
					add(t, o.calls)
				}
			}
		}
	}
	count(failed, func(t *tally, n int) { t.failed += n })
	count(worked, func(t *tally, n int) { t.worked += n })
	nf, nw := enough(total(failed)), total(worked)
	maps.DeleteFunc(seen, func(_ behavior.Path, t *tally) bool { return !t.varies || t.failed < nf || t.worked < nw })
	out := slices.SortedFunc(maps.Keys(seen), func(a, b behavior.Path) int {
		if a.NamesArgument() != b.NamesArgument() {
			if a.NamesArgument() {
				return -1
			}
			return 1
		}
		return a.Compare(b)
	})
	return out[:min(len(out), maxOperands)]
}

func numbersAt(paths []behavior.Path, os []observed) numbers {
	var out numbers
	for _, o := range os {
		row := make([]float64, len(paths))
		all := true
		for i, p := range paths {
			x, ok := o.Number(p)
			row[i], all = x, all && ok
		}
		if all {
			out.of, out.calls, out.sum = append(out.of, row), append(out.calls, o.calls), out.sum+o.calls
		}
	}
	return out
}

// part holds a form against all states. Failures are over what successes reach,
// or under; of three operands the form is held against nothing but zero.
func part(form behavior.Form, paths []behavior.Path, at [3]int, failed, worked *numbers) (behavior.Literal, bool) {
	l := behavior.Literal{Path: paths[at[0]], Form: form, With: [2]behavior.Path{paths[at[1]]}}
	if form.Operands() == 3 {
		l.With[1] = paths[at[2]]
	}
	s := split{form, at, 1}
	switch least, ok := s.least(failed, worked); {
	case ok && form.Operands() == 3:
		l.Op = behavior.Over
		return l, true
	case ok:
		l.Op, l.Bound = behavior.NoLess, least
		return l, true
	}
	s.sign = -1
	switch least, ok := s.least(failed, worked); {
	case ok && form.Operands() == 3:
		l.Op = behavior.Under
		return l, true
	case ok:
		l.Op, l.Bound = behavior.NoMore, -least
		return l, true
	}
	return l, false
}

// split is a form that may part failures from successes: over them with a sign of
// 1, under them with -1.
type split struct {
	form behavior.Form
	at   [3]int
	sign float64
}

func (s *split) compute(row []float64) (x, slack float64) {
	n := [3]float64{row[s.at[0]], row[s.at[1]]}
	if s.form.Operands() == 3 {
		n[2] = row[s.at[2]]
	}
	x, slack = s.form.Of(n)
	return s.sign * x, slack
}

// glance is how many states are looked at before all are.
const glance = 32

// least is the least of the failures that lie beyond all successes; false if these
// aren't nearly all.
func (s *split) least(failed, worked *numbers) (float64, bool) {
	few := min(glance, len(worked.of))
	start := math.Inf(-1)
	if s.form.Operands() == 3 {
		start = 0
	}
	top, ok := s.top(start, worked.of[:few])
	if !ok {
		return 0, false
	}
	if _, ok = s.beyond(top, failed); !ok {
		return 0, false
	}
	if top, ok = s.top(top, worked.of[few:]); !ok {
		return 0, false
	}
	return s.beyond(top, failed)
}

// top is what successes reach, rounding included; false if one is over zero where
// none may be.
func (s *split) top(from float64, rows [][]float64) (float64, bool) {
	zero := s.form.Operands() == 3
	top := from
	for _, row := range rows {
		x, slack := s.compute(row)
		if zero && x > slack {
			return 0, false
		}
		if !zero {
			top = max(top, x+slack)
		}
	}
	return top, true
}

func (s *split) beyond(top float64, failed *numbers) (least float64, ok bool) {
	least = math.Inf(1)
	spare := failed.sum - enough(failed.sum)
	for i, row := range failed.of {
		if x, slack := s.compute(row); x > top+slack {
			least = min(least, x)
		} else if spare -= failed.calls[i]; spare < 0 {
			return 0, false
		}
	}
	return least, true
}

// multiples finds a number of which all that worked are multiples, and failures
// are not.
func multiples(paths []behavior.Path, failed, worked *numbers) (behavior.Literal, bool) {
	for i, p := range paths {
		if !p.NamesArgument() {
			continue
		}
		of, different := 0.0, map[float64]bool{}
		for _, row := range worked.of {
			x := math.Abs(row[i])
			if x != math.Trunc(x) || x > 1<<53 {
				of = 1
				break
			}
			different[x] = true
			for x != 0 {
				of, x = x, math.Mod(of, x)
			}
		}
		if of < 2 || len(different) < minMultiples {
			continue
		}
		calls := 0
		for j, row := range failed.of {
			if math.Mod(row[i], of) != 0 {
				calls += failed.calls[j]
			}
		}
		if calls >= enough(failed.sum) {
			return behavior.Literal{Path: p, Op: behavior.NoMultiple, Bound: of}, true
		}
	}
	return behavior.Literal{}, false
}
