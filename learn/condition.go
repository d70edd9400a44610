package learn

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"mcpg/behavior"
)

// What a failing condition must rest on: it has no proof as a guard has, and so
// wants many failures and many successes that it doesn't describe.
const (
	minDescribed = 20
	minContrast  = 20
	// shared is the share of a cluster's failures that a literal must be true
	// in: a few may be there for another reason.
	shared = 0.98
)

// byChance is how likely it may be that no call with a value worked though the
// value has no part in it.
const byChance = 0.001

// folds is into how many parts successes are split: what failures have in common
// must tell them from the successes of each part, with nothing known of these.
const folds = 5

// none is no part of them.
const none = -1

// observed is a state with calls of one kind that were made in it.
type observed struct {
	behavior.State
	calls  int
	sample behavior.Sample
	fold   uint32 // which part its successes belong to, told by what they are
}

// refusals are those with one text.
type refusals struct {
	behavior.Condition
	in          []observed
	fixed       []behavior.Literal        // that all have by the way they were chosen
	values      map[behavior.Path]*values // of in, once they are asked for
	unexplained int                       // of them, by any conjunction of needs
	slack       int                       // so many successes like them are disputed
}

// conditions finds for each text of failures what they have in common, if no
// success has all of it, nor any that was held back. The conjunction is the most
// specific one, so it rests on no choice among literals; where successes have all
// of it too, one comparison of sums or products may tell them apart.
func conditions(g *behavior.Guard, cells []joined) []behavior.Condition {
	worked, failed := sortOut(cells)
	if total(worked) < minContrast {
		return nil
	}
	allowed := allowedBy(g.Allowed)
	parts := newParts(cells, worked)
	var out []behavior.Condition
	for _, text := range slices.Sorted(maps.Keys(failed)) {
		r := failed[text]
		if r.Calls < minDescribed {
			continue
		}
		cluster, _ := g.ClusterOf(text)
		r.unexplained = cluster.Unexplained
		if total(worked) >= minSuccesses {
			r.slack = tolerated(r.Calls)
		}
		found := []*behavior.Condition{r.validated(allowed, worked, parts)}
		if found[0] == nil && r.unexplained >= minDescribed {
			found = r.byValue(allowed, worked, parts)
		}
		for _, c := range found {
			if c != nil {
				c.Reading = reading(c.Literals, worked)
				out = append(out, *c)
			}
		}
	}
	return out
}

// parts are the successes with one part of them held back, for each part.
type parts [folds]struct {
	allowed    func() map[behavior.Path]*behavior.Allowed // of those kept
	kept, rest []observed
}

func newParts(cells []joined, worked []observed) *parts {
	var p parts
	for i := range p {
		for _, o := range worked {
			if o.fold == uint32(i) {
				p[i].rest = append(p[i].rest, o)
			} else {
				p[i].kept = append(p[i].kept, o)
			}
		}
		p[i].allowed = sync.OnceValue(func() map[behavior.Path]*behavior.Allowed { return allowedBy(successes(cells, i)) })
	}
	return &p
}

// validated is the condition, if it holds against successes that it doesn't know.
func (r *refusals) validated(allowed map[behavior.Path]*behavior.Allowed, worked []observed, ps *parts) *behavior.Condition {
	c := r.condition(allowed, worked)
	if c == nil {
		return nil
	}
	for i := range ps {
		if k := r.condition(ps[i].allowed(), ps[i].kept); k == nil || total(described(k.Literals, ps[i].rest)) > r.slack {
			return nil
		}
	}
	return c
}

// byValue parts failures with one text by the value of one argument, where each
// part is large enough to be described for itself: "no multiple of 5, or above
// 120" fails with one text for several reasons. The argument is the one whose
// values describe the most.
func (r *refusals) byValue(allowed map[behavior.Path]*behavior.Allowed, worked []observed, ps *parts) []*behavior.Condition {
	all, _ := r.common(allowed)
	failing := float64(r.Calls) / float64(r.Calls+total(described(all, worked)))
	var parted [][]*refusals
	tried := 0
	for _, path := range r.arguments() {
		parted = append(parted, r.partedBy(path))
		tried += len(parted[len(parted)-1])
	}
	var best []*behavior.Condition
	most := 0
	for _, values := range parted {
		var found []*behavior.Condition
		calls := 0
		for _, part := range values {
			if float64(tried)*math.Pow(failing, float64(part.Calls)) > byChance {
				continue // that none of so many worked says little
			}
			if c := part.validated(allowed, worked, ps); c != nil {
				found = append(found, c)
				calls += c.Calls
			}
		}
		if calls > most {
			best, most = found, calls
		}
	}
	return best
}

// arguments are those that all failures have, sorted.
func (r *refusals) arguments() []behavior.Path {
	count := map[behavior.Path]int{}
	for _, o := range r.in {
		for _, f := range o.Features {
			if _, ok := o.Single(f.Path); ok && f.Role == behavior.ArgsRole {
				count[f.Path]++
			}
		}
	}
	maps.DeleteFunc(count, func(_ behavior.Path, n int) bool { return n < len(r.in) })
	paths := slices.SortedFunc(maps.Keys(count), behavior.Path.Compare)
	return paths[:min(len(paths), maxOperands)]
}

// partedBy parts failures by what an argument is, sorted; small parts are left
// out.
func (r *refusals) partedBy(path behavior.Path) []*refusals {
	by := map[behavior.Value]*refusals{}
	for _, o := range r.in {
		v, _ := o.Single(path)
		part := by[v]
		if part == nil {
			part = &refusals{Condition: r.Condition, unexplained: 0}
			part.Calls, part.Distinct = 0, nil
			if v.IsNumber() {
				part.fixed = []behavior.Literal{{Path: path, Op: behavior.Equals, Bound: v.Lo}}
			}
			by[v] = part
		}
		part.in = append(part.in, o)
		part.Calls += o.calls
		part.Distinct = part.Distinct.Merge(o.sample)
	}
	maps.DeleteFunc(by, func(v behavior.Value, part *refusals) bool { return part.Calls < minDescribed || v.Lo != v.Hi })
	var out []*refusals
	for _, v := range slices.SortedFunc(maps.Keys(by), func(a, b behavior.Value) int {
		return cmp.Or(cmp.Compare(a.Lo, b.Lo), cmp.Compare(a.Token, b.Token))
	}) {
		out = append(out, by[v])
	}
	return out
}

// sortOut lists what worked, and what failed by its text.
func sortOut(cells []joined) (worked []observed, failed map[string]*refusals) {
	failed = map[string]*refusals{}
	for _, cell := range cells {
		if cell.OK > 0 {
			worked = append(worked, observed{cell.all, cell.OK, cell.OKSample, cell.fold})
		}
		for _, r := range cell.Refused {
			f := failed[r.Cluster]
			if f == nil {
				f = &refusals{Condition: behavior.Condition{Cluster: r.Cluster, Example: r.Example}}
				failed[r.Cluster] = f
			}
			f.in = append(f.in, observed{State: cell.all, calls: r.Calls, sample: r.Sample})
			f.Calls += r.Calls
			f.Distinct = f.Distinct.Merge(r.Sample)
			f.Example = min(f.Example, r.Example)
			if cause := r.Cause.String(); !slices.Contains(f.Causes, cause) {
				f.Causes = append(f.Causes, cause)
			}
		}
	}
	for _, f := range failed {
		slices.Sort(f.Causes)
	}
	return worked, failed
}

func total(os []observed) int {
	n := 0
	for _, o := range os {
		n += o.calls
	}
	return n
}

func allowedBy(list []*behavior.Allowed) map[behavior.Path]*behavior.Allowed {
	out := make(map[behavior.Path]*behavior.Allowed, len(list))
	for _, a := range list {
		out[a.Path] = a
	}
	return out
}

// described are those in which all literals hold.
func described(ls []behavior.Literal, among []observed) []observed {
	var out []observed
	for _, o := range among {
		if !slices.ContainsFunc(ls, func(l behavior.Literal) bool { return !l.Holds(o.State) }) {
			out = append(out, o)
		}
	}
	return out
}

// condition is what the failures have in common; nil if nothing of it tells them
// from successes.
func (r *refusals) condition(allowed map[behavior.Path]*behavior.Allowed, worked []observed) *behavior.Condition {
	all, most := r.common(allowed)
	for _, ls := range [][]behavior.Literal{all, most} {
		ls = append(ls, r.fixed...)
		alike := described(ls, worked)
		if total(alike) <= r.slack {
			alike = nil
		}
		if len(alike) > 0 && r.unexplained >= minDescribed {
			if l, ok := arithmetic(r.in, alike); ok {
				ls, alike = append(ls, l), nil
			}
		}
		if len(alike) == 0 && len(ls) > 0 {
			c := r.Condition
			c.Literals = ls
			slices.SortFunc(c.Literals, behavior.Literal.Compare)
			return &c
		}
	}
	return nil
}

// common lists the literals that all failures share, and those that nearly all do:
// the value of a path, that it is none of those that successes had, or that it is
// beyond their numbers. Such a number counts from the failures' on: what lies between
// was never tried.
func (r *refusals) common(allowed map[behavior.Path]*behavior.Allowed) (all, most []behavior.Literal) {
	if r.values == nil {
		r.values = valuesOf(r.in)
	}
	add := func(l behavior.Literal, calls int) {
		if calls < max(1, enough(r.Calls)) {
			return
		}
		if most = append(most, l); calls == r.Calls {
			all = append(all, l)
		}
	}
	for p, vs := range r.values {
		for token, calls := range vs.tokens {
			add(behavior.Literal{Path: p, Op: behavior.Is, Token: token}, calls)
		}
		a := allowed[p]
		if a == nil {
			continue
		}
		for token := range a.Tokens {
			add(behavior.Literal{Path: p, Op: behavior.IsNot, Token: token}, vs.calls-vs.tokens[token])
		}
		if a.Lo > a.Hi {
			continue
		}
		over, under := 0, 0
		least, largest := math.Inf(1), math.Inf(-1)
		for _, n := range vs.numbers {
			if n.lo > a.Hi {
				over += n.calls
				least = min(least, n.lo)
			}
			if n.hi < a.Lo {
				under += n.calls
				largest = max(largest, n.hi)
			}
		}
		add(behavior.Literal{Path: p, Op: behavior.NoLess, Bound: least}, over)
		add(behavior.Literal{Path: p, Op: behavior.NoMore, Bound: largest}, under)
	}
	return all, most
}

// values are what failures had at a path, of those that had one thing there.
type values struct {
	calls   int
	tokens  map[string]int
	numbers []stretch
}

type stretch struct {
	lo, hi float64
	calls  int
}

func valuesOf(in []observed) map[behavior.Path]*values {
	out := map[behavior.Path]*values{}
	for _, o := range in {
		fs := o.Features
		for i, f := range fs {
			if i > 0 && fs[i-1].Path == f.Path || i+1 < len(fs) && fs[i+1].Path == f.Path {
				continue // of several things at once no one value is certain
			}
			vs := out[f.Path]
			if vs == nil {
				vs = &values{tokens: map[string]int{}}
				out[f.Path] = vs
			}
			vs.calls += o.calls
			if f.IsNumber() {
				vs.numbers = append(vs.numbers, stretch{f.Lo, f.Hi, o.calls})
			} else {
				vs.tokens[f.Token] += o.calls
			}
		}
	}
	return out
}

func enough(calls int) int { return int(math.Ceil(shared * float64(calls))) }

// reading takes from a condition's literals as few as tell it from all successes,
// the most telling first.
func reading(ls []behavior.Literal, worked []observed) []behavior.Literal {
	open := slices.Clone(worked)
	var out []behavior.Literal
	for len(open) > 0 {
		best, most := behavior.Literal{}, 0
		for _, l := range ls {
			n := 0
			for _, o := range open {
				if !l.Holds(o.State) {
					n++
				}
			}
			if n > most || n == most && n > 0 && cmp.Or(cmp.Compare(l.Form, best.Form), cmp.Compare(l.Op, best.Op), cmp.Compare(len(l.String()), len(best.String()))) < 0 {
				best, most = l, n
			}
		}
		if most == 0 {
			break
		}
		out = append(out, best)
		open = described(out[len(out)-1:], open)
	}
	return out
}
