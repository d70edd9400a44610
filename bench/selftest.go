package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// SelfTest holds a gate against regressions that it must see: for each of its rules a
// result in which that rule's metric is just beyond its limit. It lists the rules that
// let theirs pass; a gate that can't fail is none. base is what increases are over, nil
// for the result itself.
func (g *Gate) SelfTest(r, base *Result) (missed []string, err error) {
	if base == nil {
		base = r
	}
	if v := g.Check(r, base); len(v.Untrusted) > 0 {
		return nil, &Incomparable{v.Untrusted}
	}
	try := func(rule Rule, increase bool) error {
		seen := false
		for i := range r.Results {
			x := &r.Results[i]
			if !rule.applies(x) {
				continue
			}
			if _, ok := rule.of(x); !ok {
				continue
			}
			worse, err := regressed(r, base, i, &rule, increase)
			if err != nil {
				return err
			}
			v := g.Check(worse, base)
			if len(v.Untrusted) > 0 {
				return fmt.Errorf("the injected regression is not a result: %v", v.Untrusted)
			}
			seen = true
			fails := func(f string) bool { return strings.HasPrefix(f, rule.label(x)+" is ") }
			if !slices.ContainsFunc(v.Failures, fails) {
				missed = append(missed, rule.label(x))
			}
		}
		if !seen {
			missed = append(missed, rule.Metric+": nothing in the result is held against it")
		}
		return nil
	}
	for _, rule := range g.Max {
		if err := try(rule, false); err != nil {
			return nil, err
		}
	}
	for _, rule := range g.MaxIncrease {
		if err := try(rule, true); err != nil {
			return nil, err
		}
	}
	return missed, nil
}

// regressed is a result whose i-th run has the rule's metric just beyond its limit, the
// sums of tasks and classes with it.
func regressed(r, base *Result, i int, rule *Rule, increase bool) (*Result, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var out Result
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, err
	}
	x := &out.Results[i]
	limit := rule.Limit
	if increase {
		y := base.find(x.Agent, x.Arm)
		if y == nil {
			return nil, fmt.Errorf("%s under %s is not in the baseline", x.Agent, x.Arm)
		}
		was, _ := rule.of(y)
		limit = float64(was) + rule.Limit
		if rule.Relative {
			limit = float64(was) * (1 + rule.Limit/100)
		}
	}
	is, _ := rule.of(x)
	need := int(math.Floor(limit)) + 1 - is
	for t, task := range x.ByTask.All() {
		if need <= 0 {
			break
		}
		if rule.Class != "" && task.Class != rule.Class {
			continue
		}
		n := need
		if rule.Metric == "incomplete" {
			n = min(need, task.Completed) // no more can be lost
		}
		c := slices.IndexFunc(x.ByClass, func(c ClassResult) bool { return c.Class == task.Class })
		if c < 0 || n == 0 {
			continue
		}
		all := []*Counts{&x.Counts, &x.ByClass[c].Counts, &task.Counts}
		if len(x.ByOrder) > 0 {
			all = append(all, &x.ByOrder[0])
		}
		for _, counts := range all {
			counts.worsen(rule.Metric, n)
		}
		x.ByTask.put(t, task)
		need -= n
	}
	if last := len(x.Curve) - 1; last >= 0 {
		x.Curve[last] = x.Regret
	}
	return &out, nil
}

// worsen adds to a metric.
func (c *Counts) worsen(metric string, n int) {
	switch metric {
	case "invalid_reached":
		c.InvalidReached += n
		c.Regret.Error += n
	case "invalid_blocked":
		c.InvalidBlocked += n
	case "valid_blocked", "valid_blocked_clean":
		c.ValidAttempts += n
		c.ValidBlocked += n
	case "valid_blocked_poisoned":
		c.ValidAttempts += n
		c.ValidBlocked += n
		c.ValidBlockedPoi += n
	case "valid_warned":
		c.ValidWarned += n
	case "probes":
		c.Probes += n
	case "wasted_steps":
		c.WastedSteps += n
	case "extra_reads":
		c.ExtraReads += n
	case "minefields":
		c.Minefields += n
	case "false_claims":
		c.FalseClaims += n
	case "incomplete":
		c.Completed -= n
	}
}
