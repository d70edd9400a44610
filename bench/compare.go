package bench

import (
	"fmt"
	"slices"

	"mcpg/internal/hypothesis"
)

// Difference is what one run has more, or fewer, of than another of the same agent and
// tasks, a task.
type Difference struct {
	Agent   string `json:"agent"`
	Arm     string `json:"arm"`
	Against string `json:"against"`
	Metric  string `json:"metric"`
	// Mean is a task's difference, Low and High its 95 % interval: templates drawn again
	// within their classes.
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Gained and Lost are tasks that only one of the two completed, and P the chance of
	// such a split (McNemar), adjusted for the comparisons of the agent (Holm). Of a
	// comparison over several orders they are of tasks completed in most orders.
	Gained int     `json:"gained"`
	Lost   int     `json:"lost"`
	P      float64 `json:"p"`
	// Changed are the tasks whose count differs.
	Changed []Change `json:"changed,omitzero"`
}

// Change is one task's count in both runs, over all orders.
type Change struct {
	Task string `json:"task"`
	Was  int    `json:"was"`
	Is   int    `json:"is"`
}

// Primary is the metric that comparisons are about.
const Primary = "invalid_reached"

// Certain tells whether the interval excludes 0.
func (d *Difference) Certain() bool { return d.Low > 0 || d.High < 0 }

// Against compares every arm of a result with one arm, an agent at a time.
func (r *Result) Against(arm string) []Difference {
	var out []Difference
	for _, agent := range r.agents() {
		base := r.find(agent, arm)
		if base == nil {
			continue
		}
		first := len(out)
		for i := range r.Results {
			if x := &r.Results[i]; x.Agent == agent && x.Arm != arm {
				d := compare(r.Seed, x, base, Primary)
				d.Changed = nil
				out = append(out, d)
			}
		}
		holm(out[first:])
	}
	return out
}

// Compare compares a result with an older one of the same suite, seed and settings, run
// by run. An error says why it can't be done.
func Compare(now, base *Result, metric string) ([]Difference, error) {
	if metrics[metric] == nil {
		return nil, &ErrOption{fmt.Sprintf("unknown metric %q: want one of %v", metric, Metrics())}
	}
	if why := append(now.doubts("the new result"), mismatches(now, base)...); len(why) > 0 {
		return nil, &Incomparable{why}
	}
	var out []Difference
	for i := range now.Results {
		x := &now.Results[i]
		if y := base.find(x.Agent, x.Arm); y != nil {
			d := compare(now.Seed, x, y, metric)
			d.Against = y.Arm
			out = append(out, d)
		}
	}
	holm(out)
	return out, nil
}

// Incomparable says why two results can't be compared.
type Incomparable struct{ Why []string }

func (e *Incomparable) Error() string { return fmt.Sprintf("the results can't be compared: %v", e.Why) }

func (r *Result) agents() []string {
	var out []string
	for i := range r.Results {
		if a := r.Results[i].Agent; !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// Changes are the tasks in which two arms of an agent differ in the primary metric.
func (r *Result) Changes(agent, arm, against string) []Change {
	x, y := r.find(agent, arm), r.find(agent, against)
	if x == nil || y == nil {
		return nil
	}
	return changes(x, y, metrics[Primary])
}

// changes are the tasks whose count differs.
func changes(x, y *RunResult, of func(*Counts) int) []Change {
	var out []Change
	before := y.ByTask.byID()
	for _, t := range x.ByTask.All() {
		i, ok := before[t.ID]
		if !ok {
			continue
		}
		b := y.ByTask.at(i)
		if is, was := of(&t.Counts), of(&b.Counts); is != was {
			out = append(out, Change{t.ID, was, is})
		}
	}
	return out
}

func holm(ds []Difference) {
	ps := make([]float64, len(ds))
	for i := range ds {
		ps[i] = ds[i].P
	}
	for i, p := range hypothesis.Holm(ps) {
		ds[i].P = p
	}
}

// compare pairs the tasks of two runs.
func compare(seed uint64, x, y *RunResult, metric string) Difference {
	d := Difference{Agent: x.Agent, Arm: x.Arm, Against: y.Arm, Metric: metric, P: 1}
	before := y.ByTask.byID()
	of := metrics[metric]
	clusters := map[string]*hypothesis.Cluster{}
	var order []string
	for _, t := range x.ByTask.All() {
		i, ok := before[t.ID]
		if !ok {
			continue
		}
		b := y.ByTask.at(i)
		is, was := of(&t.Counts), of(&b.Counts)
		c := clusters[t.Template]
		if c == nil {
			c = &hypothesis.Cluster{Stratum: t.Class}
			clusters[t.Template] = c
			order = append(order, t.Template)
		}
		c.Sum += float64(is)/float64(t.Tasks) - float64(was)/float64(b.Tasks)
		c.N++
		if is != was {
			d.Changed = append(d.Changed, Change{t.ID, was, is})
		}
		switch a, b := 2*t.Completed > t.Tasks, 2*b.Completed > b.Tasks; {
		case a && !b:
			d.Gained++
		case b && !a:
			d.Lost++
		}
	}
	var all []hypothesis.Cluster
	for _, name := range order {
		all = append(all, *clusters[name])
	}
	d.Mean, d.Low, d.High = hypothesis.Bootstrap(seed, all)
	d.P = hypothesis.McNemar(d.Gained, d.Lost)
	return d
}

// CompletedWithout is how many tasks of a class the agent completes in one order without
// a policy.
func (r *Result) CompletedWithout(agent, class string) (int, bool) {
	x := r.find(agent, ArmNone)
	if x == nil {
		return 0, false
	}
	for _, c := range x.ByClass {
		if c.Class == class {
			return c.Completed / max(1, x.Orders), true
		}
	}
	return 0, false
}
