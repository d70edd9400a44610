package learn

import (
	"cmp"
	"math"
	"slices"

	"mcpg/behavior"
)

// A log takes some failures for successes: an error whose flag wasn't set. One such
// success would undo what hundreds of refusals show.
const (
	// minSuccesses is from how many successes on one may be disputed.
	minSuccesses = 50
	// maxDisputed is the share up to which successes are disputed: of all successes
	// of the tool, and of all calls that have what only refusals have else.
	maxDisputed = 0.02
)

// tolerated is how many successes so many refusals outweigh.
func tolerated(refused int) int { return int(maxDisputed * float64(refused)) }

// undisputed are cells without the successes that nearly all calls with one of
// their values contradict, and how many these are. Cells stay as they are.
func undisputed(cells []joined) ([]joined, int) {
	var worked, refused tally
	ok := 0
	for _, c := range cells {
		worked.add(c.all, c.OK)
		refused.add(c.all, c.Rejected())
		ok += c.OK
	}
	if ok < minSuccesses {
		return cells, 0
	}
	worked.settle()
	refused.settle()
	most := int(maxDisputed * float64(ok))
	var found []*dispute
	for p, a := range worked.allowed {
		d := &dispute{path: p, allowed: a, tokens: map[string]bool{}, under: math.Inf(-1), over: math.Inf(1)}
		r := refused.allowed[p]
		for token, n := range a.Tokens {
			if n > 0 && n <= most && n <= tolerated(n+r.Tokens[token]) {
				d.tokens[token] = true
			}
		}
		if a.Numbers > 0 && tolerated(a.Numbers+r.Numbers) > 0 {
			d.tails(cells, most)
		}
		if d.any() && d.stands(cells) {
			found = append(found, d)
		}
	}
	out, dropped := slices.Clone(cells), 0
	for i, c := range cells {
		if c.OK > 0 && slices.ContainsFunc(found, func(d *dispute) bool { return d.of(c.all) }) {
			out[i] = c.without()
			dropped += c.OK
		}
	}
	return out, dropped
}

// dispute is what a success must not have at a path to count.
type dispute struct {
	path        behavior.Path
	allowed     *behavior.Allowed // disputed successes among them
	tokens      map[string]bool   // absent may be one
	under, over float64           // numbers up to, or from on
}

func (d *dispute) any() bool {
	return len(d.tokens) > 0 || !math.IsInf(d.under, -1) || !math.IsInf(d.over, 1)
}

// value is what stands at the path; false if nothing certain does.
func (d *dispute) value(s behavior.State) (behavior.Value, bool) {
	if s.Lacks(d.path) {
		return behavior.Value{Token: behavior.Absent}, true
	}
	return s.Single(d.path)
}

// of tells whether a state has a disputed value.
func (d *dispute) of(s behavior.State) bool {
	v, ok := d.value(s)
	return ok && (v.IsNumber() && (v.Hi <= d.under || v.Lo >= d.over) || !v.IsNumber() && d.tokens[v.Token])
}

// outside tells whether no success has the value, or only disputed ones.
func (d *dispute) outside(s behavior.State) bool {
	v, ok := d.value(s)
	return ok && (d.of(s) || !d.allowed.Allows(v))
}

// tails finds at both ends of the path's numbers the few successes among many
// refusals.
func (d *dispute) tails(cells []joined, most int) {
	type point struct {
		x           float64
		ok, refused int
	}
	var points []point
	for _, c := range cells {
		if x, ok := c.all.Number(d.path); ok {
			points = append(points, point{x, c.OK, c.Rejected()})
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	for _, low := range []bool{true, false} {
		ok, refused := 0, 0
		for i, pt := range points {
			ok += pt.ok
			refused += pt.refused
			if ok > most {
				break
			}
			last := i+1 == len(points) || points[i+1].x != pt.x
			if ok > 0 && last && ok <= tolerated(ok+refused) {
				if low {
					d.under = pt.x
				} else {
					d.over = pt.x
				}
			}
		}
		slices.Reverse(points)
	}
}

// stands tells whether the path is what the refusals are about: nearly all with
// their texts are outside at it. Where a limit depends on something else too, as a
// sum does, many aren't, and the successes are rare but real. Refusals with other
// texts count for nothing here.
func (d *dispute) stands(cells []joined) bool {
	all, outside := map[string]int{}, map[string]int{}
	for _, c := range cells {
		out := len(c.Refused) > 0 && d.outside(c.all)
		for _, r := range c.Refused {
			all[r.Cluster] += r.Calls
			if out {
				outside[r.Cluster] += r.Calls
			}
		}
	}
	ok, refused := 0, 0
	for _, c := range cells {
		if !d.of(c.all) {
			continue
		}
		ok += c.OK
		for _, r := range c.Refused {
			if all[r.Cluster]-outside[r.Cluster] <= tolerated(all[r.Cluster]) {
				refused += r.Calls
			}
		}
	}
	return ok <= tolerated(ok+refused)
}
