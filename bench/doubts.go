package bench

import (
	"fmt"
	"slices"
)

// Doubts tells why a result can't be believed: by its verdict, judged anew, or because
// it doesn't add up.
func (r *Result) Doubts() []string { return r.doubts("the result") }

// faults are what in a result contradicts itself, or the suite that it says it is of.
func (r *Result) faults() []string {
	var out []string
	var suite map[string]*TaskRef
	if s, err := LoadSuite(r.Suite); err == nil && s.SHA256 == r.SuiteSHA256 {
		suite = map[string]*TaskRef{}
		for i := range s.Tasks {
			suite[s.Tasks[i].ID] = &s.Tasks[i]
		}
	}
	for i := range r.Results {
		x := &r.Results[i]
		for _, why := range x.faults(r, suite) {
			out = append(out, fmt.Sprintf("%s under %s: %s", x.Agent, x.Arm, why))
		}
	}
	return out
}

func (x *RunResult) faults(r *Result, suite map[string]*TaskRef) []string {
	var out []string
	say := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	if x.Orders != r.Orders && x.Orders != 1 || x.Orders < 1 {
		say("%d orders, the result has %d", x.Orders, r.Orders)
	}
	classes := map[string]*Counts{}
	seen := map[string]bool{}
	for _, t := range x.ByTask.All() {
		if seen[t.ID] {
			say("task %s stands there twice", t.ID)
		}
		seen[t.ID] = true
		if t.Tasks != x.Orders {
			say("task %s was played %d times, not %d", t.ID, t.Tasks, x.Orders)
		}
		if why := t.Counts.fault(); why != "" {
			say("task %s: %s", t.ID, why)
		}
		if suite != nil {
			if of := suite[t.ID]; of == nil || of.Class != t.Class || of.Template != t.Template || x.Learner == Warm && !of.HeldOut {
				say("task %s is none of the suite's", t.ID)
			}
		}
		if classes[t.Class] == nil {
			classes[t.Class] = &Counts{}
		}
		classes[t.Class].add(t.Counts)
		if len(out) > 10 {
			return append(out, "and more")
		}
	}
	if suite != nil {
		want := 0
		for _, t := range suite {
			if x.Learner != Warm || t.HeldOut {
				want++
			}
		}
		if x.ByTask.Len() != want {
			say("tasks are missing: %d of %d", x.ByTask.Len(), want)
		}
	}
	for i := range x.ByClass {
		c := &x.ByClass[i]
		if sum := classes[c.Class]; sum == nil || *sum != c.Counts {
			say("the sums of class %s aren't those of its tasks", c.Class)
		}
		delete(classes, c.Class)
	}
	if len(classes) > 0 {
		say("%d classes are missing", len(classes))
	}
	if n := len(x.Curve); x.ByTask.Len() > 0 && (n == 0 || x.Curve[n-1] != x.Regret) {
		say("the regret's curve doesn't end where the regret is")
	}
	if x.Orders > 1 {
		var sum Counts
		for _, c := range x.ByOrder {
			sum.add(c)
		}
		if len(x.ByOrder) != x.Orders || sum != x.Counts {
			say("the orders don't add up")
		}
	}
	return out
}

// fault says what can't be in counts.
func (c *Counts) fault() string {
	g := &c.Regret
	for _, n := range c.columns() {
		if n < 0 {
			return "a count is negative"
		}
	}
	switch {
	case c.ValidBlockedPoi > c.ValidBlocked || c.ValidBlocked > c.ValidAttempts:
		return "more valid calls are blocked than were made, or poisoned than blocked"
	case c.Completed > c.Tasks:
		return "it was completed more often than played"
	case g.Hidden+g.Stale+g.Drift+g.Learning+g.Probed+g.Error != c.InvalidReached:
		return "its invalid calls don't add up to the regret's"
	}
	return ""
}

// distinctTexts sorts, and keeps one of equal ones.
func distinctTexts(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
