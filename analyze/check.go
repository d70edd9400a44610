package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mcpg/internal/rate"
)

// MinChecked is of how many calls a rate must be to be judged, unless somebody wants
// otherwise.
const MinChecked = 200

// metrics that a limit can name: shares of calls where more is worse.
var metrics = map[string]func(*Counts) (n, of int){
	"invalid_call_rate":        func(c *Counts) (int, int) { return c.Rejected, c.ran() },
	"invalid_call_rate_proven": func(c *Counts) (int, int) { return c.Rejected - c.RejectedByCause["unclear"], c.ran() },
	"error_rate":               func(c *Counts) (int, int) { return c.Error, c.ran() },
	"transport_rate":           func(c *Counts) (int, int) { return c.Transport, c.Calls },
	"denied_rate":              func(c *Counts) (int, int) { return c.Denied, c.Calls },
	"unanswered_rate":          func(c *Counts) (int, int) { return c.Unanswered, c.Calls },
}

// ran are the calls that the invalid-call rate is of.
func (c *Counts) ran() int { return c.OK + c.Rejected + c.Error }

// Metrics lists what limits can be about.
func Metrics() []string {
	var out []string
	for m := range metrics {
		out = append(out, m)
	}
	slices.Sort(out)
	return out
}

// Limit is one limit of a check.
type Limit struct {
	Metric   string
	Tool     string  // "" for all
	Value    float64 // a share: of calls, or with Relative of the baseline's rate
	Increase bool    // over the baseline
	Relative bool
}

// ParseLimit reads METRIC=VALUE or METRIC@TOOL=VALUE. A value is a share or a
// percentage; of an increase 10% is relative to the baseline, 10pp and 0.1 are not.
func ParseLimit(s string, increase bool) (Limit, error) {
	i := strings.LastIndexByte(s, '=')
	if i < 0 {
		return Limit{}, fmt.Errorf("%q: want METRIC=VALUE", s)
	}
	l := Limit{Increase: increase}
	l.Metric, l.Tool, _ = strings.Cut(s[:i], "@")
	if metrics[l.Metric] == nil {
		return Limit{}, fmt.Errorf("unknown metric %q: want one of %s", l.Metric, strings.Join(Metrics(), ", "))
	}
	number, unit := s[i+1:], 1.0
	if n, ok := strings.CutSuffix(number, "pp"); ok && increase {
		number, unit = n, 100
	} else if n, ok := strings.CutSuffix(number, "%"); ok {
		number, unit, l.Relative = n, 100, increase
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return Limit{}, fmt.Errorf("%q: want a share that isn't negative, like 0.05 or 5%%%s", s[i+1:], map[bool]string{true: " (of the baseline), or 5pp (percentage points)"}[increase])
	}
	l.Value = v / unit
	return l, nil
}

// Checked is one limit held against the calls.
type Checked struct {
	Metric        string      `json:"metric"`
	Tool          string      `json:"tool,omitempty"`
	Rate          float64     `json:"rate"`
	Calls         int         `json:"calls"` // that the rate is of
	Baseline      *float64    `json:"baseline,omitempty"`
	BaselineCalls int         `json:"baseline_calls,omitempty"`
	Limit         float64     `json:"limit"` // what the rate may be
	Interval      *[2]float64 `json:"interval,omitempty"`
	Failed        bool        `json:"failed"`
	Worst         []Worse     `json:"worst,omitempty"` // tools that an increase is of, most calls first
}

// Worse is a tool with more such calls than at the baseline's rate.
type Worse struct {
	Server string  `json:"server"`
	Tool   string  `json:"tool"`
	Excess float64 `json:"excess"` // calls
	Rate   float64 `json:"rate"`
	Before float64 `json:"before"` // 0 for a tool that the baseline doesn't have
}

// CheckResult is all limits, and why they can't be judged if they can't.
type CheckResult struct {
	Checks    []Checked `json:"checks"`
	Failed    int       `json:"failed"`
	Untrusted []string  `json:"untrusted"`
}

// Check holds counts against limits. An increase fails only if the 95 % interval
// of the difference excludes none too. base is nil if no limit is of an increase. A rate
// of fewer than least calls isn't judged.
func Check(limits []Limit, now, base *Stats, least int) *CheckResult {
	r := &CheckResult{Checks: []Checked{}, Untrusted: []string{}}
	for _, l := range limits {
		c, doubt := l.check(now, base, least)
		if doubt != "" {
			r.Untrusted = append(r.Untrusted, doubt)
			continue
		}
		if c.Failed {
			r.Failed++
		}
		r.Checks = append(r.Checks, c)
	}
	return r
}

func (l *Limit) String() string {
	if l.Tool == "" {
		return l.Metric
	}
	return l.Metric + " of " + l.Tool
}

func (l *Limit) check(now, base *Stats, least int) (c Checked, doubt string) {
	n, of := metrics[l.Metric](now.of(l.Tool))
	c = Checked{Metric: l.Metric, Tool: l.Tool, Calls: of, Limit: l.Value}
	if of < least {
		return c, fmt.Sprintf("%s is of %d calls: want at least %d", l, of, least)
	}
	c.Rate = float64(n) / float64(of)
	if !l.Increase {
		c.Failed = c.Rate > l.Value
		return c, ""
	}
	m, om := metrics[l.Metric](base.of(l.Tool))
	if om < least {
		return c, fmt.Sprintf("%s is of %d calls in the baseline: want at least %d", l, om, least)
	}
	before := float64(m) / float64(om)
	if c.Limit = before + l.Value; l.Relative {
		if m == 0 {
			return c, fmt.Sprintf("%s is 0 in the baseline, and has no percentage: give the increase in points, like %gpp", l, 100*l.Value)
		}
		c.Limit = before * (1 + l.Value)
	}
	lo, hi := rate.Difference(n, of, m, om)
	c.Baseline, c.BaselineCalls, c.Interval = &before, om, &[2]float64{lo, hi}
	if c.Failed = c.Rate > c.Limit && lo > 0; c.Failed && l.Tool == "" {
		c.Worst = worse(l.Metric, now, base)
	}
	return c, ""
}

// of are the counts of a tool of any server; of "" all.
func (s *Stats) of(tool string) *Counts {
	c := &Counts{RejectedByCause: map[string]int{}}
	for i := range s.ByTool {
		if t := &s.ByTool[i]; tool == "" || t.Tool == tool {
			c.add(&t.Counts)
		}
	}
	return c
}

func (c *Counts) add(d *Counts) {
	c.Calls += d.Calls
	c.OK += d.OK
	c.Rejected += d.Rejected
	c.Error += d.Error
	c.Transport += d.Transport
	c.Denied += d.Denied
	c.Unanswered += d.Unanswered
	for cause, n := range d.RejectedByCause {
		c.RejectedByCause[cause] += n
	}
}

// worse lists the tools that have more such calls than they would at their rate
// in the baseline; a tool that is new, than at a rate of none.
func worse(metric string, now, base *Stats) []Worse {
	const most = 5
	var out []Worse
	for i := range now.ByTool {
		t := &now.ByTool[i]
		n, of := metrics[metric](&t.Counts)
		if n == 0 {
			continue
		}
		before := 0.0
		if j := slices.IndexFunc(base.ByTool, func(b ToolStats) bool { return b.Server == t.Server && b.Tool == t.Tool }); j >= 0 {
			if m, om := metrics[metric](&base.ByTool[j].Counts); om > 0 {
				before = float64(m) / float64(om)
			}
		}
		if excess := float64(n) - before*float64(of); excess > 0 {
			out = append(out, Worse{t.Server, t.Tool, excess, float64(n) / float64(of), before})
		}
	}
	slices.SortFunc(out, func(a, b Worse) int {
		return cmp.Or(cmp.Compare(b.Excess, a.Excess), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
	})
	return out[:min(most, len(out))]
}
