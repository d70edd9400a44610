package learn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
	"mcpg/calllog"
)

// The little world of the brute force: two categories (one of which may be
// absent), a number and a relation; 14 atoms, 16,384 conjunctions.
var (
	colours = []string{"red", "green", behavior.Absent}
	shapes  = []string{"round", "square", "flat"}
)

type point struct{ colour, shape, size, fits int }

func randomPoint(r *rand.Rand) point {
	return point{r.IntN(3), r.IntN(3), r.IntN(4), r.IntN(2)}
}

func (p point) view() *behavior.View {
	fs := []behavior.Feature{
		{Path: behavior.Path{Field: "exists"}, Value: behavior.BoolToken(true)},
		{Path: behavior.Path{Field: "shape"}, Value: behavior.Value{Token: shapes[p.shape]}},
	}
	if colours[p.colour] != behavior.Absent {
		fs = append(fs, behavior.Feature{Path: behavior.Path{Field: "colour"}, Value: behavior.Value{Token: colours[p.colour]}})
	}
	args := []behavior.Feature{
		{Path: behavior.Path{Role: behavior.ArgsRole, Field: "size"}, Value: behavior.Number(float64(p.size))},
		{Path: behavior.Path{Role: behavior.RelationRole, Field: "fits"}, Value: behavior.BoolToken(p.fits == 1)},
	}
	return &behavior.View{Resource: "thing:1", Class: "thing", State: behavior.NewState(fs, nil), Args: behavior.NewState(args, nil)}
}

// truth is the set of atoms that hold, as bits.
func (p point) truth() uint16 {
	var bits uint16
	for i := range 3 {
		if p.colour != i {
			bits |= 1 << i
		}
		if p.shape != i {
			bits |= 1 << (3 + i)
		}
		if p.size >= i+1 {
			bits |= 1 << (6 + i)
		}
		if p.size <= i {
			bits |= 1 << (9 + i)
		}
	}
	for i := range 2 {
		if p.fits != i {
			bits |= 1 << (12 + i)
		}
	}
	return bits
}

const conjunctions = 1 << 14

// consistent lists the conjunctions that take every success and no failure.
func consistent(ok, failed []point) []uint16 {
	var out []uint16
	for g := range conjunctions {
		guard, fits := uint16(g), true
		for _, p := range ok {
			fits = fits && guard&^p.truth() == 0
		}
		for _, p := range failed {
			fits = fits && guard&^p.truth() != 0
		}
		if fits {
			out = append(out, guard)
		}
	}
	return out
}

func judge(guards []uint16, p point) behavior.Prediction {
	takes, refuses := false, false
	t := p.truth()
	for _, g := range guards {
		if g&^t == 0 {
			takes = true
		} else {
			refuses = true
		}
		if takes && refuses {
			return behavior.Undetermined
		}
	}
	if takes {
		return behavior.Works
	}
	return behavior.Fails
}

// dataSet draws calls whose outcomes a random guard decides.
func dataSet(r *rand.Rand) (ok, failed []point) {
	guard := uint16(0)
	for range 1 + r.IntN(3) {
		guard |= 1 << r.IntN(14)
	}
	for range r.IntN(30) {
		p := randomPoint(r)
		if guard&^p.truth() == 0 {
			ok = append(ok, p)
		} else {
			failed = append(failed, p)
		}
	}
	return ok, failed
}

func learnPoints(ok, failed []point) *behavior.Tool {
	var e Evidence
	for i, p := range ok {
		e.Add(&calllog.Call{ID: fmt.Sprint(i), Tool: "t", Args: jsontext.Value(`{}`)}, p.view())
	}
	for i, p := range failed {
		e.Add(&calllog.Call{ID: fmt.Sprint("f", i), Tool: "t", Outcome: calllog.Rejected, Cause: calllog.Unclear, ErrorText: "no"}, p.view())
	}
	if t := e.Tool("", "t", ""); t != nil {
		return t
	}
	return &behavior.Tool{Guard: induceGuard(nil, true, nil)}
}

func checkDataSet(t *testing.T, seed uint64, queries int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	ok, failed := dataSet(r)
	guards := consistent(ok, failed)
	tool := learnPoints(ok, failed)
	known := map[point]behavior.Prediction{}
	for range queries {
		p := randomPoint(r)
		want, done := known[p]
		if !done {
			want = judge(guards, p)
			known[p] = want
		}
		v := tool.Guard.Classify(p.view().Features())
		if v.Outcome != want {
			t.Fatalf("seed %d: %d ok, %d failed, query %+v: %v, brute force over %d guards says %v", seed, len(ok), len(failed), p, v.Outcome, len(guards), want)
		}
	}
	if len(ok) == 0 {
		return // without a success the guards may also use what all points share
	}
	for _, m := range tool.Guard.Minimal {
		if smaller := smallestGuard(guards); len(m) != smaller {
			t.Fatalf("seed %d: a minimal guard of %d atoms, brute force has one of %d", seed, len(m), smaller)
		}
	}
}

func smallestGuard(guards []uint16) int {
	best := 99
	for _, g := range guards {
		n := 0
		for ; g != 0; g &= g - 1 {
			n++
		}
		best = min(best, n)
	}
	return best
}

// TestVerdictsMatchBruteForce compares 1,000 data sets × 1,000 queries with
// the enumeration of every consistent conjunction.
func TestVerdictsMatchBruteForce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		checkDataSet(t, seed, 1000)
	}
}

func FuzzVerdicts(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { checkDataSet(t, seed, 100) })
}

// TestUnobservedIsSound: with values hidden, a verdict must hold for every
// value that the hidden ones can have.
func TestUnobservedIsSound(t *testing.T) {
	t.Parallel()
	decided := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		ok, failed := dataSet(r)
		guards := consistent(ok, failed)
		var e Evidence
		add := func(p point, o calllog.Outcome) {
			v := p.view()
			if r.IntN(3) == 0 {
				hide(r, v)
			}
			e.Add(&calllog.Call{Tool: "t", Outcome: o, Cause: calllog.Unclear, ErrorText: "no"}, v)
		}
		for _, p := range ok {
			add(p, calllog.OK)
		}
		for _, p := range failed {
			add(p, calllog.Rejected)
		}
		tool := e.Tool("", "t", "")
		if tool == nil {
			continue
		}
		for range 50 {
			p := randomPoint(r)
			v := p.view()
			if r.IntN(3) == 0 {
				hide(r, v)
			}
			got := tool.Guard.Classify(v.Features()).Outcome
			if got == behavior.Undetermined {
				continue
			}
			decided++
			// The truth knows more than the learner: it must agree.
			if want := judge(guards, p); want != got {
				t.Fatalf("seed %d, query %+v as %v: %v, but with everything observed %v", seed, p, v.Features(), got, want)
			}
		}
	}
	if decided < 1000 {
		t.Errorf("only %d queries were decided: the test shows little", decided)
	}
}

// hide makes one feature of the state, or all of it, unobserved.
func hide(r *rand.Rand, v *behavior.View) {
	if r.IntN(2) == 0 {
		v.State = behavior.State{Unknown: []behavior.Path{{}}}
		return
	}
	var kept []behavior.Feature
	for _, f := range v.State.Features {
		if f.Field != "shape" {
			kept = append(kept, f)
		}
	}
	v.State = behavior.NewState(kept, []behavior.Path{{Field: "shape"}})
}
