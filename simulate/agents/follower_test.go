package agents

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	hintLine = "mcpg [status=DRAFT, tests_passed=false] ok: run_tests -> tests_passed becomes true | no: archive; publish | to tests_passed=true: run_tests"
	refused  = `mcpg refused publish; it was not sent to the server. In state [tests_passed=false] it would fail: it was refused 2 times before, in 2 distinct calls. ` +
		`The server's words would be like: "no". It needs tests_passed=true; it has worked 2 times. What works now: run_tests -> tests_passed becomes true. | to tests_passed=true: run_tests`
)

func followerBrief() *Brief {
	return &Brief{
		Plan:  steps(`show {"id":"r"}`, `publish {"id":"r"}`, `end {"id":"q"}`),
		Knows: map[string]string{"reviewer": "bo"},
		Tools: []Tool{{Name: "run_tests", Required: []string{"id"}}, {Name: "approve", Required: []string{"id", "reviewer"}}, {Name: "pay", Required: []string{"amount"}}},
	}
}

// by gives the named decisions their numbers, 0 to all others.
func by(named map[string]float64) Random { return func(name string) float64 { return named[name] } }

func TestHintFollower(t *testing.T) {
	t.Parallel()
	const (
		show    = `show {"id":"r"}`
		publish = `publish {"id":"r"}`
		tests   = `run_tests {"id":"r"}`
		end     = `end {"id":"q"}`
	)
	for name, tt := range map[string]struct {
		random  Random
		answers []answer
		calls   []string
	}{
		"no hints: a naive retrier": {draws(0), []answer{ok("x"), bad("no"), bad("no"), bad("no"), ok("")}, []string{show, publish, publish, publish, end, "done"}},
		"does first what leads on":  {draws(0), []answer{ok("x\n" + hintLine), ok("passed"), ok(""), ok("")}, []string{show, tests, publish, end, "done"}},
		"a success ends the hint": {draws(0), []answer{ok(hintLine), ok("mcpg [tests_passed=true] ok: publish"), bad("no"), bad("no"), bad("no"), ok("")},
			[]string{show, tests, publish, publish, publish, end, "done"}},
		"a refusal is a hint":  {draws(0), []answer{ok("x"), bad(refused), ok(""), ok(""), ok("")}, []string{show, publish, tests, publish, end, "done"}},
		"a lead that fails":    {draws(0), []answer{ok(hintLine), bad("a"), bad("b"), bad("c"), ok(""), ok("")}, []string{show, tests, tests, tests, publish, end, "done"}},
		"nothing leads on":     {draws(0), []answer{ok("mcpg [x=y] | no: publish"), ok("")}, []string{show, end, "done"}},
		"a lead nobody has":    {draws(0), []answer{ok("mcpg [x=y] | no: publish | to z=true: fly"), ok("")}, []string{show, end, "done"}},
		"what it can't fill":   {draws(0), []answer{ok("mcpg [x=y] | no: publish | to z=true: pay"), ok("")}, []string{show, end, "done"}},
		"what it knows":        {draws(0), []answer{ok("mcpg [x=y] | no: publish | to approvals=2: approve"), ok(""), ok(""), ok("")}, []string{show, `approve {"id":"r","reviewer":"bo"}`, publish, end, "done"}},
		"about another thing":  {draws(0), []answer{ok("mcpg [x=y] | no: end"), ok(""), ok("")}, []string{show, publish, end, "done"}},
		"the last line counts": {draws(0), []answer{ok("mcpg [x=y] | no: publish\n" + "mcpg [x=z] ok: publish"), ok(""), ok("")}, []string{show, publish, end, "done"}},
		"doesn't comply":       {by(map[string]float64{"comply": compliance}), []answer{ok(hintLine), ok(""), ok("")}, []string{show, publish, end, "done"}},
		"complies closely":     {by(map[string]float64{"comply": compliance - 0.001}), []answer{ok(hintLine), ok(""), ok(""), ok("")}, []string{show, tests, publish, end, "done"}},
		"doesn't comprehend":   {by(map[string]float64{"comprehend": comprehension}), []answer{ok(hintLine), ok(""), ok("")}, []string{show, publish, end, "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want(t, drive(t, "hint-follower", followerBrief(), tt.random, tt.answers...), tt.calls...)
		})
	}
}

// TestHintFollowerIsBounded: hints that never end bring in only so many calls.
func TestHintFollowerIsBounded(t *testing.T) {
	t.Parallel()
	b := followerBrief()
	b.Plan = steps(`publish {"id":"r"}`)
	as := []answer{bad(refused)}
	for range 2 * maxInserted {
		as = append(as, ok(""), bad(refused))
	}
	calls := drive(t, "hint-follower", b, draws(0), as...)
	if n := len(calls); n != 2*maxInserted+2 || calls[n-1] != "done" {
		t.Errorf("%d calls: %v", n, calls)
	}
}

func TestFirstArgument(t *testing.T) {
	t.Parallel()
	for args, first := range map[string]string{`{"n":1,"id":"r","x":"y"}`: `"r"`, `{}`: "", `{"n":1}`: "", ``: "", `["a"]`: "", `{"id":`: "", `{"id"`: "", `{"a":{"b":"c"},"d":"e"}`: `"e"`} {
		if got := firstArgument(jsontext.Value(args)); got != first {
			t.Errorf("%s: %s, want %s", args, got, first)
		}
	}
}
