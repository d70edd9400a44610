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
		word := paint(w, toneGood, "ok") + "  "
		if c.Failed {
			word = paint(w, toneBad, "FAIL")
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

// CheckJUnit writes a test case a limit.
func CheckJUnit(w io.Writer, r *analyze.CheckResult) error {
	s := junitSuite{Name: "mcpg check"}
	for _, c := range r.Checks {
		one := junitCase{Class: "check", Name: checkName(&c), Out: checkText(&c)}
		s.Tests++
		if c.Failed {
			s.Failures++
			one.Failure = &junitFailure{checkText(&c)}
		}
		s.Cases = append(s.Cases, one)
	}
	for _, why := range r.Untrusted {
		s.Tests++
		s.Failures++
		s.Cases = append(s.Cases, junitCase{Class: "check", Name: "can't be judged: " + clip(Clean(why), 80), Failure: &junitFailure{why}})
	}
	return writeJUnit(w, &s)
}

// CheckMarkdown writes limits held against calls for a pull request.
func CheckMarkdown(w io.Writer, r *analyze.CheckResult) error {
	p := &printer{w: w}
	switch {
	case len(r.Untrusted) > 0:
		p.printf("### mcpg check: can't be judged\n\n")
	case r.Failed > 0:
		p.printf("### mcpg check: failed\n\n")
	default:
		p.printf("### mcpg check: passed\n\n")
	}
	for _, why := range r.Untrusted {
		p.printf("- %s\n", markdownCell(Clean(why)))
	}
	if len(r.Checks) > 0 {
		p.printf("| | limit on | rate | of calls | limit | baseline |\n|---|---|---|---|---|---|\n")
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		base := ""
		if c.Baseline != nil {
			base = percentText(*c.Baseline)
		}
		p.printf("| %s | %s | %s | %d | %s | %s |\n", map[bool]string{true: "FAIL", false: "ok"}[c.Failed], markdownCell(checkName(c)), percentText(c.Rate), c.Calls, percentText(c.Limit), base)
	}
	for _, c := range r.Checks {
		for _, t := range c.Worst {
			p.printf("- %s/%s: %s, was %s\n", markdownCell(Clean(t.Server)), markdownCell(Clean(t.Tool)), percentText(t.Rate), percentText(t.Before))
		}
	}
	return p.err
}

func checkName(c *analyze.Checked) string {
	if c.Tool == "" {
		return c.Metric
	}
	return c.Metric + " of " + Clean(c.Tool)
}

func checkText(c *analyze.Checked) string {
	return fmt.Sprintf("%s of %s, limit %s", percentText(c.Rate), calls(c.Calls), percentText(c.Limit))
}

func percentText(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }
