package learn

import (
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
func undisputed(cells []*behavior.Cell) ([]*behavior.Cell, int) {
	var worked, refused tally
	ok := 0
	states := make([]behavior.State, len(cells))
	for i, c := range cells {
		all := c.All()
		states[i] = all
		worked.add(all, c.OK)
		refused.add(all, c.Rejected())
		ok += c.OK
	}
	if ok < minSuccesses {
		return cells, 0
	}
	worked.settle()
	refused.settle()
	most := int(maxDisputed * float64(ok))
	d := dispute{tokens: map[behavior.Feature]bool{}, under: map[behavior.Path]float64{}, over: map[behavior.Path]float64{}}
	for p, a := range worked.allowed {
		r := refused.allowed[p]
		for token, n := range a.Tokens {
			if n > 0 && n <= most && n <= tolerated(n+r.Tokens[token]) {
				d.tokens[behavior.Feature{Path: p, Value: behavior.Value{Token: token}}] = true
			}
		}
		if a.Numbers > 0 && tolerated(a.Numbers+r.Numbers) > 0 {
			d.tails(p, cells, states, most)
		}
	}
	if d.none() {
		return cells, 0
	}
	out, dropped := slices.Clone(cells), 0
	for i, c := range cells {
		if c.OK > 0 && d.disputes(states[i]) {
			bare := *c
			bare.OK = 0
			out[i] = &bare
			dropped += c.OK
		}
	}
	return out, dropped
}

// dispute is what a success must not have to count.
type dispute struct {
	tokens      map[behavior.Feature]bool // absent ones too
	under, over map[behavior.Path]float64 // numbers up to, or from on
}

func (d *dispute) none() bool { return len(d.tokens)+len(d.under)+len(d.over) == 0 }

// tails finds at both ends of a path's numbers the few successes among many
// refusals.
func (d *dispute) tails(p behavior.Path, cells []*behavior.Cell, states []behavior.State, most int) {
	type point struct {
		x           float64
		ok, refused int
	}
	var points []point
	for i, c := range cells {
		if x, ok := states[i].Number(p); ok {
			points = append(points, point{x, c.OK, c.Rejected()})
		}
	}
	slices.SortFunc(points, func(a, b point) int {
		switch {
		case a.x < b.x:
			return -1
		case a.x > b.x:
			return 1
		}
		return 0
	})
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
					d.under[p] = pt.x
				} else {
					d.over[p] = pt.x
				}
			}
		}
		slices.Reverse(points)
	}
}

func (d *dispute) disputes(s behavior.State) bool {
	for _, f := range s.Features {
		if !f.IsNumber() {
			if d.tokens[f] {
				return true
			}
			continue
		}
		if x, ok := d.under[f.Path]; ok && f.Hi <= x {
			return true
		}
		if x, ok := d.over[f.Path]; ok && f.Lo >= x {
			return true
		}
	}
	for f := range d.tokens {
		if f.Token == behavior.Absent && s.Lacks(f.Path) {
			return true
		}
	}
	return false
}
