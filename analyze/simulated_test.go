package analyze_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
	"mcpg/policy"
)

// simulated is a tool whose guard is known: ten categorical features of two to
// five values, the first ones more frequent (Zipf), three of the features copies of
// others nine times in ten.
type simulated struct {
	values [features]int
	copies [features]int // of which feature, or -1
	// ways are conjunctions of conditions, a feature that is one value or is not,
	// as the values that it may have; one of them must hold.
	ways []map[int]map[int]bool
}

const features = 10

// simulate draws a tool of which about half the calls are valid.
func simulate(r *rand.Rand, ways int) *simulated {
	for {
		s, valid := drawTool(r, ways), 0
		for range 200 {
			if s.valid(s.draw(r)) {
				valid++
			}
		}
		if valid >= 60 && valid <= 140 {
			return s
		}
	}
}

func drawTool(r *rand.Rand, ways int) *simulated {
	s := &simulated{}
	for f := range s.values {
		s.values[f], s.copies[f] = 2+r.IntN(4), -1
	}
	for _, f := range r.Perm(features)[:3] {
		if of := r.IntN(features); of != f {
			s.copies[f], s.values[f] = of, s.values[of]
		}
	}
	for range ways {
		way := map[int]map[int]bool{}
		for _, f := range r.Perm(features)[:1+r.IntN(3)] {
			may := map[int]bool{}
			v, not := r.IntN(s.values[f]), r.IntN(2) == 0 // is v, or isn't
			for w := range s.values[f] {
				may[w] = (w == v) != not
			}
			way[f] = may
		}
		s.ways = append(s.ways, way)
	}
	return s
}

func (s *simulated) valid(z [features]int) bool {
	for _, way := range s.ways {
		ok := true
		for f, may := range way {
			ok = ok && may[z[f]]
		}
		if ok {
			return true
		}
	}
	return false
}

func (s *simulated) draw(r *rand.Rand) (z [features]int) {
	for f, n := range s.values {
		z[f] = zipf(r, n)
	}
	for f, of := range s.copies {
		if of >= 0 && r.IntN(10) > 0 {
			z[f] = z[of] % s.values[f]
		}
	}
	return z
}

// zipf draws one of n, the k-th with a weight of 1/k.
func zipf(r *rand.Rand, n int) int {
	sum := 0.0
	for k := range n {
		sum += 1 / float64(k+1)
	}
	x := r.Float64() * sum
	for k := range n {
		if x -= 1 / float64(k+1); x < 0 {
			return k
		}
	}
	return n - 1
}

func view(z [features]int) *behavior.View {
	var fs []behavior.Feature
	for f, v := range z {
		fs = append(fs, behavior.Feature{Path: behavior.Path{Field: fmt.Sprint("f", f)}, Value: behavior.Value{Token: fmt.Sprint("v", v)}})
	}
	return &behavior.View{State: behavior.NewState(fs, nil)}
}

func outcome(id int, valid bool) *calllog.Call {
	c := &calllog.Call{ID: fmt.Sprint("c", id), Session: fmt.Sprint("s", id), Tool: "t"}
	if !valid {
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.StateCause, "not in this state"
	}
	return c
}

// floor is the exact version space, kept in the plainest way.
type floor struct {
	allowed [features]map[int]bool
	failed  [][features]int
}

func (l *floor) violates(z [features]int) map[[2]int]bool {
	out := map[[2]int]bool{}
	for f, v := range z {
		if !l.allowed[f][v] {
			out[[2]int{f, v}] = true
		}
	}
	return out
}

func (l *floor) learn(z [features]int, valid bool) {
	if !valid {
		l.failed = append(l.failed, z)
		return
	}
	for f, v := range z {
		if l.allowed[f] == nil {
			l.allowed[f] = map[int]bool{}
		}
		l.allowed[f][v] = true
	}
}

func (l *floor) fails(z [features]int) bool {
	x := l.violates(z)
	for _, y := range l.failed {
		covered := true
		for a := range l.violates(y) {
			covered = covered && x[a]
		}
		if covered {
			return true
		}
	}
	return false
}

type score struct{ valid, validBlocked, invalid, missed, regret int }

// online lets a policy judge calls one after the other; of what it blocks nothing
// is learnt. From call number after on it counts.
func online(r *rand.Rand, s *simulated, calls, after int, noise float64, evidence policy.Evidence) (out score) {
	p := policy.NewReplay(nil, policy.Options{Mode: policy.Block, Evidence: evidence}, false)
	var l floor
	for i := range calls {
		z := s.draw(r)
		valid := s.valid(z)
		works := valid && r.Float64() >= noise
		known := l.fails(z)
		blocked := p.Call(outcome(i, works), view(z)).Action == policy.Refuse
		if !blocked {
			l.learn(z, works)
		}
		if i < after {
			continue
		}
		switch {
		case valid:
			out.valid++
			if blocked {
				out.validBlocked++
			}
		default:
			out.invalid++
			if !blocked {
				out.missed++
				if known {
					out.regret++
				}
			}
		}
	}
	return out
}

func (s *score) add(o score) {
	s.valid += o.valid
	s.validBlocked += o.validBlocked
	s.invalid += o.invalid
	s.missed += o.missed
	s.regret += o.regret
}

// TestSimulatedFirst: without noise the bare logic blocks no valid call, and
// misses none that the calls before prove to fail.
func TestSimulatedFirst(t *testing.T) {
	t.Parallel()
	const tools = 150
	for _, c := range []struct {
		calls int
		limit float64 // per cent of invalid calls missed from then on, in 100 calls
	}{{50, 5}, {100, 1.5}, {500, 0.1}} {
		var sum score
		for seed := range uint64(tools) {
			r := rand.New(rand.NewPCG(seed, 11))
			sum.add(online(r, simulate(r, 1), c.calls+100, c.calls, 0, policy.First))
		}
		t.Logf("after %d calls: of %d invalid %.2f %% missed, of %d valid %d blocked, regret %d", c.calls, sum.invalid, percent(sum.missed, sum.invalid), sum.valid, sum.validBlocked, sum.regret)
		if sum.validBlocked > 0 || sum.regret > 0 || percent(sum.missed, sum.invalid) > c.limit {
			t.Errorf("after %d calls: %+v, want none blocked, no regret, at most %g %% missed", c.calls, sum, c.limit)
		}
	}
	var sum score
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 12))
		sum.add(online(r, simulate(r, 1), 500, 0, 0, policy.First))
	}
	if sum.valid < 10_000 || sum.validBlocked > 0 || sum.regret > 0 {
		t.Errorf("from the first call on: %+v, want no regret, and none blocked of 10,000", sum)
	}
}

// TestSimulatedTwice: with spurious failures, and with tools that aren't
// conjunctions, few valid calls are blocked. Of the latter 1 % is the goal, which
// isn't reached.
func TestSimulatedTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ways  int
		noise float64
		limit float64 // per cent of valid calls
	}{{"a conjunction, 2 % spurious failures", 1, 0.02, 0.1}, {"two ways to work", 2, 0, 4}} {
		var sum score
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(seed, 13))
			sum.add(online(r, simulate(r, c.ways), 400, 0, c.noise, policy.Twice))
		}
		t.Logf("%s: of %d valid %.3f %% blocked, of %d invalid %.1f %% missed", c.name, sum.valid, percent(sum.validBlocked, sum.valid), sum.invalid, percent(sum.missed, sum.invalid))
		if percent(sum.validBlocked, sum.valid) > c.limit {
			t.Errorf("%s: %.3f %% of valid calls blocked, want at most %g", c.name, percent(sum.validBlocked, sum.valid), c.limit)
		}
	}
}

// TestSimulatedAtoms: the atoms that refusals prove alone are those of the guard.
func TestSimulatedAtoms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		calls int
		limit float64
	}{{100, 0.87}, {500, 0.97}} {
		right, wrong, missing := 0, 0, 0
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(seed, 14))
			s := simulate(r, 1)
			var e learn.Evidence
			seen := map[[2]int]bool{}
			for i := range c.calls {
				z := s.draw(r)
				e.Add(outcome(i, s.valid(z)), view(z))
				for f, v := range z {
					seen[[2]int{f, v}] = true
				}
			}
			found := map[[2]int]bool{}
			for _, f := range e.Tool("", "t", "").Guard.Failures {
				if len(f.Violates) == 1 {
					var at [2]int
					fmt.Sscanf(f.Violates[0].Path.Field+" "+f.Violates[0].Token, "f%d v%d", &at[0], &at[1])
					found[at] = true
				}
			}
			for at := range found {
				if may, ok := s.ways[0][at[0]]; ok && !may[at[1]] {
					right++
				} else {
					wrong++
				}
			}
			for f, may := range s.ways[0] {
				for v := range s.values[f] {
					if at := [2]int{f, v}; !may[v] && seen[at] && !found[at] {
						missing++
					}
				}
			}
		}
		precision := float64(right) / float64(right+wrong)
		recall := float64(right) / float64(right+missing)
		f1 := 2 * precision * recall / (precision + recall)
		t.Logf("%d calls: precision %.3f, recall %.3f, F1 %.3f", c.calls, precision, recall, f1)
		if precision < 1 || f1 < c.limit {
			t.Errorf("%d calls: precision %.3f, F1 %.3f, want 1 and %g", c.calls, precision, f1, c.limit)
		}
	}
}
