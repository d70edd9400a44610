package bench

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestParseRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in       string
		increase bool
		want     Rule
		bad      bool
	}{
		{in: "invalid_reached=10%", increase: true, want: Rule{Metric: "invalid_reached", Limit: 10, Relative: true}},
		{in: "invalid_reached=3", increase: true, want: Rule{Metric: "invalid_reached", Limit: 3}},
		{in: "valid_blocked@error-reader/block/R1=0", want: Rule{Metric: "valid_blocked", Agent: "error-reader", Arm: "block", Class: "R1"}},
		{in: "valid_blocked@*/warn=0", want: Rule{Metric: "valid_blocked", Arm: "warn"}},
		{in: "invalid_reached=10%", bad: true},
		{in: "nothing=1", bad: true},
		{in: "probes", bad: true},
		{in: "probes=-1", bad: true},
		{in: "probes=NaN", bad: true},
		{in: "probes@a/b=1", bad: true},
		{in: "probes@a/block/Z=1", bad: true},
		{in: "probes@nobody=1", bad: true},
	} {
		got, err := ParseRule(c.in, c.increase)
		if c.bad != (err != nil) || !c.bad && got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.in, got, err, c.want)
		}
	}
}

// copyOf is a deep copy by way of the file format.
func copyOf(t *testing.T, r *Result) *Result {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	c, err := ReadResult(&b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGate(t *testing.T) {
	t.Parallel()
	base, err := defaultRun()
	if err != nil {
		t.Fatal(err)
	}
	rule := func(s string, increase bool) Rule {
		r, err := ParseRule(s, increase)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	within := Gate{MaxIncrease: []Rule{rule("invalid_reached=10%", true)}}
	worse := func(r *Result) { // 11 % more, in one task
		x := r.find("error-reader", "block")
		more := x.InvalidReached/9 + 1
		for _, c := range []*Counts{&x.Counts, &x.ByTask.kept[7].Counts, &x.ByClass[0].Counts} {
			c.worsen("invalid_reached", more)
		}
		x.Curve[len(x.Curve)-1] = x.Regret
	}
	for name, c := range map[string]struct {
		gate      Gate
		change    func(*Result)
		failures  int
		untrusted string
	}{
		"same":               {gate: within, change: func(*Result) {}},
		"worse":              {gate: within, change: worse, failures: 1},
		"worse in absolutes": {gate: Gate{MaxIncrease: []Rule{rule("invalid_reached=1000", true)}}, change: worse},
		"limit kept":         {gate: Gate{Max: []Rule{rule("valid_blocked_clean=0", false)}}, change: func(*Result) {}},
		"limit broken":       {gate: Gate{Max: []Rule{rule("invalid_reached@error-reader=1", false)}}, change: func(*Result) {}, failures: 1},
		"other suite":        {gate: within, change: func(r *Result) { r.SuiteSHA256 = "x" }, untrusted: "SHA-256"},
		"no calibration": {gate: within, change: func(r *Result) {
			r.Results = slices.DeleteFunc(r.Results, func(x RunResult) bool { return x.Agent == "oracle" })
		}, untrusted: "oracle didn't run"},
		"no tasks":       {gate: within, change: func(r *Result) { r.Tasks = 0 }, untrusted: "no task ran"},
		"tasks renamed":  {gate: within, change: func(r *Result) { r.Results[0].ByTask.kept[3].ID = "x" }, untrusted: "aren't the same"},
		"reasons edited": {gate: within, change: func(r *Result) { r.Reasons = []string{"something"} }, untrusted: "something"},
		"other seed":     {gate: within, change: func(r *Result) { r.Seed++ }, untrusted: "seed"},
		"other evidence": {gate: within, change: func(r *Result) { r.Evidence = "first" }, untrusted: "evidence"},
		"arm missing":    {gate: within, change: func(r *Result) { r.Results = r.Results[5:] }, untrusted: "baseline only"},
		"tasks missing": {gate: within, change: func(r *Result) {
			r.Results[0].ByTask.kept = r.Results[0].ByTask.kept[1:]
		}, untrusted: "tasks are missing from"},
		"a class's sum moved": {gate: within, change: func(r *Result) {
			x := r.find("error-reader", "block")
			x.ByClass[9].InvalidReached += x.ByClass[1].InvalidReached
			x.ByClass[1].InvalidReached = 0
		}, untrusted: "the sums of class R2"},
		"a task twice":      {gate: within, change: func(r *Result) { r.Results[0].ByTask.kept[1] = r.Results[0].ByTask.kept[0] }, untrusted: "stands there twice"},
		"a task not played": {gate: within, change: func(r *Result) { r.Results[0].ByTask.kept[1].Counts = Counts{} }, untrusted: "was played 0 times"},
		"regret edited":     {gate: within, change: func(r *Result) { r.Results[0].ByTask.kept[0].Regret.Hidden += 5 }, untrusted: "don't add up to the regret"},
		"negative":          {gate: within, change: func(r *Result) { r.Results[0].ByTask.kept[0].Probes = -1 }, untrusted: "a count is negative"},
		"orders edited":     {gate: within, change: func(r *Result) { r.Orders = 20 }, untrusted: "orders"},
		"sums don't add up": {gate: within, change: func(r *Result) { r.Results[0].InvalidReached = 0 }, untrusted: "aren't those"},
		"inert, verdict edited": {gate: within, change: func(r *Result) {
			for i := range r.Results {
				r.Results[i].Decisions = 0
			}
		}, untrusted: "inert"},
		"untrustworthy": {gate: within, change: func(r *Result) { r.Verdict = Untrustworthy }, untrusted: "untrustworthy"},
		"nothing to judge": {gate: Gate{Max: []Rule{rule("probes@error-reader/block/R1=9", false)}}, change: func(r *Result) {
			x := r.find("error-reader", "block")
			x.ByClass = x.ByClass[1:]
		}, untrusted: "aren't those"},
		"nothing of that arm": {gate: Gate{Max: []Rule{rule("probes@oracle/block=9", false)}}, change: func(*Result) {}, untrusted: "nothing that the limit"},
	} {
		now := copyOf(t, base)
		c.change(now)
		v := c.gate.Check(now, base)
		if c.untrusted != "" {
			if len(v.Untrusted) == 0 || !strings.Contains(strings.Join(v.Untrusted, "\n"), c.untrusted) {
				t.Errorf("%s: untrusted %q", name, v.Untrusted)
			}
			continue
		}
		if len(v.Untrusted) > 0 || len(v.Failures) != c.failures || v.Checks == 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	now := copyOf(t, base)
	worse(now)
	if v := within.Check(now, base); len(v.Notes) != 1 || !strings.HasPrefix(v.Notes[0], now.Results[0].ByTask.kept[7].ID+": ") {
		t.Errorf("changed tasks %q", v.Notes)
	}
}

func TestReadResultRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "{}", `{"format":"mcpg.bench","version":99}`, "[1"} {
		if _, err := ReadResult(strings.NewReader(in)); err == nil {
			t.Errorf("%q was taken", in)
		}
	}
}
