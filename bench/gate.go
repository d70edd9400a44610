package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mcpg/bench/llm"
	"mcpg/internal/letters"
	"mcpg/simulate/agents"
)

// metrics that a gate can name, of an agent and an arm.
var metrics = map[string]func(*Counts) int{
	"invalid_reached":        func(c *Counts) int { return c.InvalidReached },
	"invalid_blocked":        func(c *Counts) int { return c.InvalidBlocked },
	"valid_blocked":          func(c *Counts) int { return c.ValidBlocked },
	"valid_blocked_poisoned": func(c *Counts) int { return c.ValidBlockedPoi },
	"valid_blocked_clean":    func(c *Counts) int { return c.ValidBlocked - c.ValidBlockedPoi },
	"valid_warned":           func(c *Counts) int { return c.ValidWarned },
	"probes":                 func(c *Counts) int { return c.Probes },
	"wasted_steps":           func(c *Counts) int { return c.WastedSteps },
	"extra_reads":            func(c *Counts) int { return c.ExtraReads },
	"minefields":             func(c *Counts) int { return c.Minefields },
	"false_claims":           func(c *Counts) int { return c.FalseClaims },
	"incomplete":             func(c *Counts) int { return c.Tasks - c.Completed },
}

// Metrics lists the metrics that a gate can name: counts, where more is worse.
func Metrics() []string {
	out := make([]string, 0, len(metrics))
	for m := range metrics {
		out = append(out, m)
	}
	slices.Sort(out)
	return out
}

// Rule is one limit of a gate. Agent and Arm are "" for every agent, and for
// the arm block.
type Rule struct {
	Metric, Agent, Arm, Class string
	Limit                     float64
	Relative                  bool // a share of the baseline, for increases
}

// ParseRule reads METRIC=VALUE, METRIC@AGENT/ARM/CLASS=VALUE; parts after @ may
// be left out from the right, or be "*". A value with % is relative.
func ParseRule(s string, increase bool) (Rule, error) {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return Rule{}, &ErrOption{fmt.Sprintf("%q: want METRIC=VALUE", s)}
	}
	r := Rule{}
	metric, scope, scoped := strings.Cut(name, "@")
	if scoped && scope == "" || strings.Count(scope, "/") > 2 {
		return r, &ErrOption{fmt.Sprintf("%q: want METRIC@AGENT/ARM/CLASS, parts left out from the right", name)}
	}
	if metrics[metric] == nil {
		return r, &ErrOption{fmt.Sprintf("unknown metric %q: want one of %s%s", metric, strings.Join(Metrics(), ", "), letters.DidYouMean(metric, Metrics()))}
	}
	r.Metric = metric
	parts := append(strings.Split(scope, "/"), "", "", "")
	for i, into := range []*string{&r.Agent, &r.Arm, &r.Class} {
		if parts[i] != "*" {
			*into = parts[i]
		}
	}
	if _, err := agents.Find(r.Agent); r.Agent != "" && r.Agent != llm.Name && err != nil {
		return r, &ErrOption{err.Error() + letters.DidYouMean(r.Agent, EveryAgent())}
	}
	if _, ok := findArm(r.Arm); r.Arm != "" && !ok {
		return r, &ErrOption{fmt.Sprintf("unknown arm %q: want one of %s%s", r.Arm, strings.Join(EveryArm(), ", "), letters.DidYouMean(r.Arm, EveryArm()))}
	}
	text, relative := strings.CutSuffix(value, "%")
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0) || math.IsInf(f, 0) || relative && !increase {
		return r, &ErrOption{fmt.Sprintf("%q: want a number that isn't negative%s", value, map[bool]string{true: ", or a percentage", false: ""}[increase])}
	}
	r.Limit, r.Relative = f, relative
	return r, nil
}

func (r *Rule) applies(x *RunResult) bool {
	arm := r.Arm
	if arm == "" {
		arm = "block"
	}
	return x.Arm == arm && (r.Agent == x.Agent || r.Agent == "" && x.Agent != "oracle" && x.Agent != "do-nothing")
}

// of gives the metric of a run, or of one of its classes.
func (r *Rule) of(x *RunResult) (int, bool) {
	if r.Class == "" {
		return metrics[r.Metric](&x.Counts), true
	}
	i := slices.IndexFunc(x.ByClass, func(c ClassResult) bool { return c.Class == r.Class })
	if i < 0 {
		return 0, false
	}
	return metrics[r.Metric](&x.ByClass[i].Counts), true
}

// CheckClasses refuses rules on classes that a result doesn't have.
func (g *Gate) CheckClasses(r *Result) error {
	var have []string
	for i := range r.Results {
		for _, c := range r.Results[i].ByClass {
			if !slices.Contains(have, c.Class) {
				have = append(have, c.Class)
			}
		}
	}
	for _, rule := range slices.Concat(g.Max, g.MaxIncrease) {
		if rule.Class != "" && !slices.Contains(have, rule.Class) {
			return &ErrOption{fmt.Sprintf("unknown class %q: the result has %s%s", rule.Class, strings.Join(have, ", "), letters.DidYouMean(rule.Class, have))}
		}
	}
	return nil
}

// Gate is what to hold a new result against.
type Gate struct {
	Max         []Rule
	MaxIncrease []Rule
}

// GateVerdict is what a gate found. Untrusted says why the results can't be
// judged at all.
type GateVerdict struct {
	Checks    int      `json:"checks"`
	Failures  []string `json:"failures"`
	Notes     []string `json:"notes"`
	Untrusted []string `json:"untrusted"`
}

// Check judges a new result, against a baseline if increases are limited.
func (g *Gate) Check(now, base *Result) *GateVerdict {
	v := &GateVerdict{Failures: []string{}, Notes: []string{}, Untrusted: []string{}}
	v.Untrusted = append(v.Untrusted, now.doubts("the new result")...)
	if base != nil {
		v.Untrusted = append(v.Untrusted, mismatches(now, base)...)
	}
	if len(v.Untrusted) > 0 {
		return v
	}
	for i := range g.Max {
		v.max(&g.Max[i], now)
	}
	for i := range g.MaxIncrease {
		v.increase(&g.MaxIncrease[i], now, base)
	}
	return v
}

// doubts tells why a result can't be trusted: by its own verdict, judged anew,
// or because its sums aren't those of its tasks.
func (r *Result) doubts(name string) []string {
	var out []string
	again := *r
	again.judge()
	if reasons := append(slices.Clone(again.Reasons), r.Reasons...); r.Verdict != Trustworthy || len(reasons) > 0 {
		slices.Sort(reasons)
		out = append(out, name+" is untrustworthy: "+strings.Join(slices.Compact(reasons), "; "))
	}
	if s, err := LoadSuite(r.Suite); err == nil && s.SHA256 != r.SuiteSHA256 {
		out = append(out, fmt.Sprintf("%s is of another version of suite %s: SHA-256 %s, here %s", name, r.Suite, r.SuiteSHA256, s.SHA256))
	}
	for i := range r.Results {
		x := &r.Results[i]
		if x.ByTask.Len() != r.Tasks {
			out = append(out, fmt.Sprintf("%s: tasks are missing from %s under %s", name, x.Agent, x.Arm))
		}
		var tasks, classes Counts
		for _, t := range x.ByTask.All() {
			tasks.add(t.Counts)
		}
		for _, c := range x.ByClass {
			classes.add(c.Counts)
		}
		if tasks != x.Counts || classes != x.Counts {
			out = append(out, fmt.Sprintf("%s: the sums of %s under %s aren't those of its tasks and classes", name, x.Agent, x.Arm))
		}
	}
	for _, why := range r.faults() {
		out = append(out, name+": "+why)
	}
	return distinctTexts(out)
}

// mismatches tells why two results can't be compared.
func mismatches(now, base *Result) []string {
	var out []string
	differ := func(what string, a, b any) {
		if a != b {
			out = append(out, fmt.Sprintf("%s differs: %v, baseline %v", what, a, b))
		}
	}
	differ("suite", now.Suite, base.Suite)
	differ("suite SHA-256", now.SuiteSHA256, base.SuiteSHA256)
	differ("version", now.Version, base.Version)
	differ("seed", now.Seed, base.Seed)
	differ("evidence", now.Evidence, base.Evidence)
	differ("number of tasks", now.Tasks, base.Tasks)
	differ("number of orders", now.Orders, base.Orders)
	out = append(out, base.doubts("the baseline")...)
	for i := range base.Results {
		x := &base.Results[i]
		y := now.find(x.Agent, x.Arm)
		if y == nil {
			out = append(out, fmt.Sprintf("%s under %s is in the baseline only", x.Agent, x.Arm))
			continue
		}
		differ(fmt.Sprintf("learner of %s under %s", x.Agent, x.Arm), y.Learner, x.Learner)
		if !x.ByTask.pairs(y.ByTask) {
			out = append(out, fmt.Sprintf("%s under %s: the tasks aren't the same", x.Agent, x.Arm))
		}
	}
	return out
}

func (r *Rule) label(x *RunResult) string {
	s := fmt.Sprintf("%s of %s under %s", r.Metric, x.Agent, x.Arm)
	if r.Class != "" {
		s += ", class " + r.Class
	}
	return s
}

func (v *GateVerdict) max(r *Rule, now *Result) {
	found := false
	for i := range now.Results {
		x := &now.Results[i]
		if !r.applies(x) {
			continue
		}
		n, ok := r.of(x)
		if !ok {
			continue
		}
		found = true
		v.Checks++
		if float64(n) > r.Limit {
			v.Failures = append(v.Failures, fmt.Sprintf("%s is %d, limit %v", r.label(x), n, r.Limit))
		}
	}
	v.needs(r, found)
}

// needs refuses a rule that nothing in the result answers: it would pass for
// ever.
func (v *GateVerdict) needs(r *Rule, found bool) {
	if !found {
		v.Untrusted = append(v.Untrusted, fmt.Sprintf("the result has nothing that the limit on %s is about", r.Metric))
	}
}

func (v *GateVerdict) increase(r *Rule, now, base *Result) {
	found := false
	for i := range now.Results {
		x := &now.Results[i]
		if !r.applies(x) {
			continue
		}
		y := base.find(x.Agent, x.Arm)
		if y == nil {
			continue
		}
		a, ok1 := r.of(x)
		b, ok2 := r.of(y)
		if !ok1 || !ok2 {
			continue
		}
		found = true
		v.Checks++
		limit := float64(b) + r.Limit
		if r.Relative {
			limit = float64(b) * (1 + r.Limit/100)
		}
		if float64(a) <= limit {
			continue
		}
		v.Failures = append(v.Failures, fmt.Sprintf("%s is %d, baseline %d, limit %s", r.label(x), a, b, strconv.FormatFloat(limit, 'g', 6, 64)))
		v.Notes = append(v.Notes, changed(r, x, y)...)
	}
	v.needs(r, found)
}

// changed lists the tasks whose count differs, paired.
func changed(r *Rule, x, y *RunResult) []string {
	before := y.ByTask.byID()
	var out []string
	for _, t := range x.ByTask.All() {
		if i, ok := before[t.ID]; ok {
			b := y.ByTask.at(i)
			if was, is := metrics[r.Metric](&b.Counts), metrics[r.Metric](&t.Counts); was != is {
				out = append(out, fmt.Sprintf("%s: %d → %d", t.ID, was, is))
			}
		}
	}
	const most = 20
	if len(out) > most {
		out = append(out[:most:most], fmt.Sprintf("and %d tasks more", len(out)-most))
	}
	return out
}
