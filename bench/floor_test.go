package bench

import (
	"slices"
	"testing"

	"mcpg/policy"
)

// predictable are the classes whose guards show in what can be read.
var predictable = []string{"R1", "R2", "R3", "R4", "F1", "F2", "F3", "F4"}

func reached(r *RunResult) int {
	n := 0
	for _, c := range r.ByClass {
		if slices.Contains(predictable, c.Class) {
			n += c.InvalidReached
		}
	}
	return n
}

// TestFirstReachesTheFloor: with the evidence first nothing reaches the server that the
// calls before prove to fail, but probes; and no valid call of the controls is blocked.
func TestFirstReachesTheFloor(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= 3; seed++ {
		r := run(t, suite(t), Options{Agents: []string{"error-reader"}, Arms: []string{ArmNone, "block"}, Evidence: policy.First, Seed: seed})
		x := r.find("error-reader", "block")
		// With the seeds 2 and 3 successes under drifted rules come first, which two refusals
		// must outweigh.
		if x.Regret.Error > map[uint64]int{2: 4, 3: 3}[seed] || x.Regret.Learning == 0 {
			t.Errorf("seed %d: %+v", seed, x.Regret)
		}
		sum := x.Regret.Hidden + x.Regret.Stale + x.Regret.Drift + x.Regret.Learning + x.Regret.Probed + x.Regret.Error
		if sum != x.InvalidReached {
			t.Errorf("seed %d: the split has %d of %d calls", seed, sum, x.InvalidReached)
		}
		for i, c := range x.ByClass {
			if c.Class == "C" && c.ValidBlocked > 0 {
				t.Errorf("seed %d: %d valid calls of C are blocked", seed, c.ValidBlocked)
			}
			if none := r.find("error-reader", ArmNone).ByClass[i]; seed == 1 && c.Completed < none.Completed {
				t.Errorf("%s: %d tasks completed, %d without a policy", c.Class, c.Completed, none.Completed)
			}
		}
		t.Logf("seed %d: %d of %d reach the server in the predictable classes; %+v", seed, reached(x), reached(r.find("error-reader", ArmNone)), x.Regret)
	}
}

// TestWarmReachesTheFloor: a frozen learner lets nothing through that the training
// templates prove to fail.
func TestWarmReachesTheFloor(t *testing.T) {
	t.Parallel()
	r := run(t, suite(t), Options{Agents: []string{"error-reader", "hint-follower"}, Arms: []string{ArmNone, "block"}, Learner: Warm, Seed: 1})
	for _, agent := range []string{"error-reader", "hint-follower"} {
		none, block := r.find(agent, ArmNone), r.find(agent, "block")
		if block.Regret.Error != 0 || none.Regret.Error == 0 || block.ValidBlocked > block.ValidBlockedPoi {
			t.Errorf("%s: %+v, of which without a policy %+v", agent, block.Counts, none.Regret)
		}
	}
}

// TestDefaultCut: by default invalid calls of the predictable classes fall to a third, in
// the order of the default run.
func TestDefaultCut(t *testing.T) {
	t.Parallel()
	r, err := defaultRun()
	if err != nil {
		t.Fatal(err)
	}
	for _, agent := range []string{"error-reader", "hint-follower"} {
		none, block := reached(r.find(agent, ArmNone)), reached(r.find(agent, "block"))
		t.Logf("%s: %d without a policy, %d under block", agent, none, block)
		if none < 3*block {
			t.Errorf("%s: %d fall to %d", agent, none, block)
		}
	}
}

// TestControls: hints of other calls bring nothing, blocking everything does nothing, and
// who knows the true guards lets less through than anybody who lets work be done.
func TestControls(t *testing.T) {
	t.Parallel()
	r := run(t, suite(t), Options{Arms: EveryArm(), Seed: 1})
	for _, d := range r.Against(ArmNone) {
		if d.Arm == "scrambled-hint" && (d.High < 0 || d.Gained > d.Lost+5) {
			t.Errorf("%s gains by scrambled hints: %+v", d.Agent, d)
		}
	}
	for _, agent := range []string{"naive-retrier", "error-reader", "hint-follower"} {
		if n := r.find(agent, "block-all").Completed; n != 0 {
			t.Errorf("%s completed %d tasks without a call", agent, n)
		}
		oracle := r.find(agent, "oracle-guard")
		for _, arm := range []string{ArmNone, "warn", "block", ArmBreaker, ArmRandom} {
			if x := r.find(agent, arm); x.InvalidReached < oracle.InvalidReached {
				t.Errorf("%s under %s: %d reach the server, under the true guards %d", agent, arm, x.InvalidReached, oracle.InvalidReached)
			}
		}
		if oracle.ValidBlocked > 0 || oracle.Regret.Error+oracle.Regret.Learning > 0 {
			t.Errorf("%s: the true guards block %d valid calls and let %d foreseeable ones through", agent, oracle.ValidBlocked, oracle.Regret.Error+oracle.Regret.Learning)
		}
		block, random := r.find(agent, "block"), r.find(agent, ArmRandom)
		if a, b := rateOf(block), rateOf(random); b < a/2 || b > 2*a {
			t.Errorf("%s: block refuses %.2f, at random %.2f", agent, a, b)
		}
	}
}

// TestWarm: a warm learner plays held-out templates only, and what it knows stays.
func TestWarm(t *testing.T) {
	t.Parallel()
	r := run(t, suite(t), Options{Agents: []string{"error-reader"}, Arms: []string{ArmNone, "block"}, Learner: Warm, Seed: 1})
	none, block := r.find("error-reader", ArmNone), r.find("error-reader", "block")
	if r.Tasks == 0 || r.Tasks >= 200 || block.Probes != 0 || block.ValidBlocked != 0 {
		t.Errorf("%d tasks, %+v", r.Tasks, block.Counts)
	}
	t.Logf("of %d invalid calls of the predictable classes %d reach the server", reached(none), reached(block))
	if 2*reached(block) > reached(none) {
		t.Errorf("%d of %d", reached(block), reached(none))
	}
}

// TestOrders: several orders are the sum of each.
func TestOrders(t *testing.T) {
	t.Parallel()
	o := Options{Agents: []string{"error-reader"}, Arms: []string{"block"}, Seed: 1, Orders: 2}
	both := run(t, suite(t), o).find("error-reader", "block")
	o.Orders = 1
	first := run(t, suite(t), o).find("error-reader", "block")
	if both.Tasks != 2*first.Tasks || both.ByOrder[0] != first.Counts || both.ByOrder[1] == first.Counts {
		t.Errorf("%+v\n%+v", both.ByOrder, first.Counts)
	}
	if n := both.ByOrder[0].InvalidReached + both.ByOrder[1].InvalidReached; both.InvalidReached != n {
		t.Errorf("%d, want %d", both.InvalidReached, n)
	}
}
