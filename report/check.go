package report

import (
	"fmt"
	"io"

	"mcpg/analyze"
)

// CheckTable writes limits held against calls.
func CheckTable(w io.Writer, r *analyze.CheckResult) error {
	p := &printer{w: w}
	for _, c := range r.Checks {
		word := "ok  "
		if c.Failed {
			word = "FAIL"
		}
		what := c.Metric
		if c.Tool != "" {
			what += " of " + Clean(c.Tool)
		}
		p.printf("%s %s %s of %s, limit %s", word, what, percentText(c.Rate), calls(c.Calls), percentText(c.Limit))
		if c.Baseline != nil {
			p.printf("; baseline %s of %s, difference between %+.2f and %+.2f points (95 %%)", percentText(*c.Baseline), calls(c.BaselineCalls), 100*c.Interval[0], 100*c.Interval[1])
		}
		p.printf("\n")
		for _, t := range c.Worst {
			name := Clean(t.Tool)
			if t.Server != "" {
				name = Clean(t.Server) + "/" + name
			}
			p.printf("       %s: %s, was %s; %.0f calls more\n", name, percentText(t.Rate), percentText(t.Before), t.Excess)
		}
	}
	return p.err
}

func percentText(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }
