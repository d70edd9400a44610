package bench

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"

	"mcpg/calllog"
	"mcpg/policy"
)

func suite(t *testing.T) *Suite {
	t.Helper()
	s, err := LoadSuite("stateful-v1")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, s *Suite, o Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// defaultRun is shared by tests that only read it.
var defaultRun = sync.OnceValues(func() (*Result, error) {
	s, err := LoadSuite("stateful-v1")
	if err != nil {
		return nil, err
	}
	return Run(context.Background(), s, Options{Seed: 1})
})

func TestSuiteShape(t *testing.T) {
	t.Parallel()
	want := map[string]int{"R1": 20, "R2": 22, "R3": 14, "R4": 12, "R5": 10, "F1": 16, "F2": 14, "F3": 12, "F4": 12, "H": 18, "S": 22, "C": 20, "D": 8}
	s := suite(t)
	got, templates, heldOut, servers := map[string]int{}, map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]int{}
	names := map[bool]map[string]bool{false: {}, true: {}}
	for _, task := range s.Tasks {
		got[task.Class]++
		servers[task.Class+" "+task.Server]++
		for _, m := range []map[string]map[string]bool{templates, heldOut} {
			if m[task.Class] == nil {
				m[task.Class] = map[string]bool{}
			}
		}
		templates[task.Class][task.Template] = true
		if task.HeldOut {
			heldOut[task.Class][task.Template] = true
		}
		for _, u := range task.task.Untouched {
			names[task.HeldOut][u[len(u)-1]] = true
		}
	}
	total := 0
	for class, n := range want {
		total += n
		if got[class] != n {
			t.Errorf("class %s has %d tasks, want %d", class, got[class], n)
		}
		if len(templates[class]) < 5 || len(heldOut[class]) < 2 {
			t.Errorf("class %s has %d templates, %d held out; want at least 5 and 2", class, len(templates[class]), len(heldOut[class]))
		}
	}
	if len(s.Tasks) != total || total != 200 {
		t.Errorf("%d tasks", len(s.Tasks))
	}
	for key, n := range map[string]int{"H release": 12, "H filesystem": 6, "S release": 12, "S filesystem": 10} {
		if servers[key] != n {
			t.Errorf("%s: %d tasks, want %d", key, servers[key], n)
		}
	}
	for name := range names[true] {
		if names[false][name] {
			t.Errorf("%s is named in training and in held-out tasks", name)
		}
	}
}

// TestCalibration: nothing is done by doing nothing, all of it can be done, and
// what agents see doesn't depend on being observed.
func TestCalibration(t *testing.T) {
	t.Parallel()
	r, err := defaultRun()
	if err != nil {
		t.Fatal(err)
	}
	if n := r.find("do-nothing", ArmNone).Completed; n != 0 {
		t.Errorf("do-nothing completed %d", n)
	}
	if n := r.find("oracle", ArmNone).Completed; n != 200 {
		t.Errorf("the oracle completed %d", n)
	}
	if r.Verdict != Trustworthy {
		t.Errorf("%s: %v", r.Verdict, r.Reasons)
	}
	for _, agent := range []string{"naive-retrier", "error-reader", "hint-follower"} {
		none, observe := r.find(agent, ArmNone), r.find(agent, "observe")
		for i := range none.ByTask.kept {
			if none.ByTask.kept[i].Answers != observe.ByTask.kept[i].Answers {
				t.Errorf("%s saw other answers in %s when observed", agent, none.ByTask.kept[i].ID)
			}
		}
		if none.ExtraReads != 0 || observe.ExtraReads == 0 {
			t.Errorf("%s: %d and %d extra reads", agent, none.ExtraReads, observe.ExtraReads)
		}
	}
}

// TestNoValidCallBlocked: with the default evidence, over seeds and agents, a
// valid call is blocked only after a failure that nobody could foresee.
func TestNoValidCallBlocked(t *testing.T) {
	t.Parallel()
	s := suite(t)
	blocked, seeds := 0, uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		r := run(t, s, Options{Seed: seed, Arms: []string{"block"}})
		for i := range r.Results {
			x := &r.Results[i]
			blocked += x.InvalidBlocked
			for _, c := range x.ByClass {
				if c.ValidBlocked != c.ValidBlockedPoi {
					t.Errorf("seed %d, %s, class %s: %d valid calls blocked, %d of them poisoned", seed, x.Agent, c.Class, c.ValidBlocked, c.ValidBlockedPoi)
				}
			}
		}
	}
	if blocked == 0 {
		t.Error("nothing was blocked: the test shows nothing")
	}
}

func TestLearnerOff(t *testing.T) {
	t.Parallel()
	r := run(t, suite(t), Options{Seed: 2, Learner: Off})
	for _, agent := range []string{"naive-retrier", "error-reader", "hint-follower"} {
		none := r.find(agent, ArmNone)
		for _, arm := range []string{"warn", "block"} {
			x := r.find(agent, arm)
			for i := range none.ByTask.kept {
				if none.ByTask.kept[i].Answers != x.ByTask.kept[i].Answers {
					t.Errorf("%s under %s without learning saw other answers in %s", agent, arm, none.ByTask.kept[i].ID)
				}
			}
		}
	}
	if r.Verdict != Untrustworthy || len(r.Reasons) != 2 {
		t.Errorf("%s: %v", r.Verdict, r.Reasons)
	}
}

// TestReproducible: same seed, same bytes, on one core or several; another seed
// differs.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs are too much under -short")
	}
	s := suite(t)
	bytesOf := func(seed uint64) string {
		var b bytes.Buffer
		if err := run(t, s, Options{Seed: seed, Arms: []string{ArmNone, "block"}}).Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	one := bytesOf(3)
	n := runtime.GOMAXPROCS(1)
	two := bytesOf(3)
	runtime.GOMAXPROCS(n)
	if one != two {
		t.Error("one core gives other bytes")
	}
	if one == bytesOf(4) {
		t.Error("another seed gives the same bytes")
	}
}

// TestMutatedGuard: with publishing freed of its tests from the start, the
// table must change where it was about tests, and only what rests on them.
func TestMutatedGuard(t *testing.T) {
	t.Parallel()
	s := suite(t)
	opts := Options{Seed: 1, Agents: []string{"naive-retrier"}, Arms: []string{ArmNone, "block"}}
	before := run(t, s, opts)
	opts.mutate = func(task *Task) {
		if task.Server == "release" && !strings.Contains(string(task.World), `"drift"`) {
			task.World = append([]byte(`{"drift":{"at":0,"to":"lenient"},`), task.World[1:]...)
		}
	}
	after := run(t, s, opts)
	class := func(r *Result, arm, name string) Counts {
		for _, c := range r.find("naive-retrier", arm).ByClass {
			if c.Class == name {
				return c.Counts
			}
		}
		t.Fatalf("no class %s", name)
		return Counts{}
	}
	for _, arm := range []string{ArmNone, "block"} {
		was, is := class(before, arm, "R1"), class(after, arm, "R1")
		if was.InvalidReached == 0 || is.InvalidReached != 0 || is.Completed != 20 || was.Completed == 20 {
			t.Errorf("%s: R1 was %+v, is %+v", arm, was, is)
		}
		if f := class(before, arm, "F2"); f != class(after, arm, "F2") {
			t.Errorf("%s: F2 changed", arm)
		}
	}
}

func TestCallsAreHandedOut(t *testing.T) {
	t.Parallel()
	n := 0
	run(t, suite(t), Options{Seed: 1, Agents: []string{"error-reader"}, Arms: []string{"observe"}, Calls: func(agent, arm string, c *calllog.Call) {
		if agent == "error-reader" {
			n++
			if c.Tool == "" || c.Session == "" || c.Server == "" {
				t.Errorf("an unnamed call: %+v", c)
			}
		}
	}})
	if n < 200 {
		t.Errorf("%d calls", n)
	}
}

func TestOptionErrors(t *testing.T) {
	t.Parallel()
	s := suite(t)
	for _, o := range []Options{{Agents: []string{"clever"}}, {Arms: []string{"maybe"}}, {Learner: "hot"}} {
		if _, err := Run(context.Background(), s, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	if _, err := LoadSuite("stateful-v9"); err == nil {
		t.Error("an unknown suite was taken")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, s, Options{Evidence: policy.First}); err == nil {
		t.Error("a cancelled run gave a result")
	}
}

// BenchmarkDefaultRun is the default run: 4 arms, 3 agents, 200 tasks.
func BenchmarkDefaultRun(b *testing.B) {
	s, err := LoadSuite("stateful-v1")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Run(context.Background(), s, Options{Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
