package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mcpg/bench"
	"mcpg/internal/rate"
)

var regretColumns = []column{{"arm", false}, {"reached", true}, {"hidden", true}, {"stale", true}, {"chance", true}, {"drift", true}, {"learning", true},
	{"probed", true}, {"error", true}, {"floor M*", true}, {"clairvoyant", true}, {"cold", true}, {"reached / cold", true}}

// regret tells where the invalid calls that reached the server went.
func (p *printer) regret(r *bench.Result) {
	agent := ""
	var rows [][]string
	flush := func() {
		if len(rows) > 0 && p.err == nil {
			p.printf("\n%s: where the invalid calls that reached the server went\n", agent)
			p.err = writeTable(p.w, regretColumns, rows)
		}
		rows = nil
	}
	for i := range r.Results {
		x := &r.Results[i]
		if x.Tasks == 0 || x.Agent == "do-nothing" || x.Agent == "oracle" {
			continue
		}
		if x.Agent != agent {
			flush()
			agent = x.Agent
		}
		g := &x.Regret
		row := []string{x.Arm}
		for _, n := range []int{x.InvalidReached, g.Hidden, g.Stale, g.Chance, g.Drift, g.Learning, g.Probed, g.Error, g.Floor, g.Clairvoyant(), g.Cold()} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, strconv.FormatFloat(float64(x.InvalidReached)/float64(max(1, g.Cold())), 'f', 2, 64)))
	}
	flush()
	p.printf("\nreached is hidden + stale + drift + learning + probed + error; what chance refused is no invalid call. hidden and stale can't be\n" +
		"foreseen; drift: the server's rules had changed. learning: what nobody could know from the calls\n" +
		"before without false blocks; its sum over all attempts is the floor M*. probed: let through once to test a rule. error: the calls before proved\n" +
		"it to fail. clairvoyant bounds from below whoever knows all guards, cold whoever begins with nothing: one failure for each check more.\n")
}

var differenceColumns = []column{{"arm", false}, {"against", false}, {"metric", false}, {"a task", true}, {"95 %", false}, {"tasks gained", true}, {"lost", true}, {"p", true}}

// Differences writes comparisons, a table an agent.
func Differences(w io.Writer, ds []bench.Difference) error {
	p := &printer{w: w}
	p.differences(ds)
	for i := range ds {
		p.changed(&ds[i])
	}
	return p.err
}

func (p *printer) differences(ds []bench.Difference) {
	for i := 0; i < len(ds); {
		j := i
		var rows [][]string
		for ; j < len(ds) && ds[j].Agent == ds[i].Agent; j++ {
			d := &ds[j]
			rows = append(rows, []string{d.Arm, d.Against, d.Metric, fmt.Sprintf("%+.2f", d.Mean), fmt.Sprintf("[%+.2f, %+.2f]", d.Low, d.High),
				strconv.Itoa(d.Gained), strconv.Itoa(d.Lost), fmt.Sprintf("%.3g", d.P)})
		}
		p.printf("\n%s\n", ds[i].Agent)
		if p.err == nil {
			p.err = writeTable(p.w, differenceColumns, rows)
		}
		i = j
	}
}

// changed lists the tasks whose count differs.
func (p *printer) changed(d *bench.Difference) {
	for i, c := range d.Changed {
		if i == 0 {
			p.printf("\n%s under %s, %s: %d tasks differ\n", d.Agent, d.Arm, d.Metric, len(d.Changed))
		}
		if i == maxShown {
			p.printf("  … and %d more\n", len(d.Changed)-i)
			return
		}
		p.printf("  %s: %d → %d\n", c.Task, c.Was, c.Is)
	}
}

// BenchReport writes a result whole: counts, regret, and every arm against none and
// against the circuit breaker.
func BenchReport(w io.Writer, r *bench.Result, byClass bool) error {
	if err := BenchTable(w, r, byClass); err != nil {
		return err
	}
	p := &printer{w: w}
	p.primary(r)
	p.regret(r)
	for _, arm := range []string{bench.ArmNone, bench.ArmBreaker} {
		if ds := r.Against(arm); len(ds) > 0 {
			p.printf("\nAgainst %s: difference a task, with the 95 %% interval of templates drawn again within their classes; tasks that only one\n"+
				"completed, with McNemar's exact p, adjusted over the agent's arms (Holm). A rerun is exact: intervals speak of other tasks.\n", arm)
			p.differences(ds)
		}
	}
	return p.err
}

// primary writes the comparison that was fixed in advance, and the limits of harm.
func (p *printer) primary(r *bench.Result) {
	const agent, harm = "error-reader", 0.02
	for _, d := range r.Against(bench.ArmNone) {
		if d.Agent != agent || d.Arm != "block" {
			continue
		}
		p.printf("\nPrimary comparison, fixed in advance: %s a task, block against none, %s: %+.2f [%+.2f, %+.2f]; the smallest difference that\n"+
			"80 of 100 such suites would show is %.2f.\n", d.Metric, agent, d.Mean, d.Low, d.High, (d.High-d.Low)/2*(1.96+0.84)/1.96)
		x := r.Find(agent, "block")
		_, high := rate.Wilson(x.ValidBlocked, x.ValidAttempts)
		p.printf("Limits of harm: completed tasks gained %d, lost %d (must not fall); of %d valid calls %d blocked, at most %s (must be under %s): %s.\n",
			d.Gained, d.Lost, x.ValidAttempts, x.ValidBlocked, percent(high), percent(harm), map[bool]string{true: "kept", false: "BROKEN"}[d.Gained >= d.Lost && high < harm])
	}
}

// BenchMarkdown writes a result for a pull request: short, as tables.
func BenchMarkdown(w io.Writer, r *bench.Result) error {
	p := &printer{w: w}
	p.printf("### %s: %s\n\n%d tasks, %s, seed %d, evidence %s\n\n", markdownCell(r.Suite), r.Verdict, r.Tasks, orders(r.Orders), r.Seed, r.Evidence)
	for _, reason := range r.Reasons {
		p.printf("- %s\n", markdownCell(Clean(reason)))
	}
	p.printf("| agent | arm | invalid reached | invalid blocked | valid blocked | probes | completed |\n|---|---|---|---|---|---|---|\n")
	for i := range r.Results {
		x := &r.Results[i]
		p.printf("| %s | %s | %d | %d | %d of %d | %d | %d/%d |\n", markdownCell(x.Agent), markdownCell(x.Arm), x.InvalidReached, x.InvalidBlocked, x.ValidBlocked, x.ValidAttempts, x.Probes, x.Completed, x.Tasks)
	}
	ds := r.Against(bench.ArmNone)
	if len(ds) > 0 {
		p.printf("\n| agent | arm against none | invalid reached a task | 95 %% | tasks gained | lost |\n|---|---|---|---|---|---|\n")
	}
	for i := range ds {
		d := &ds[i]
		p.printf("| %s | %s | %+.2f | [%+.2f, %+.2f] | %d | %d |\n", markdownCell(d.Agent), markdownCell(d.Arm), d.Mean, d.Low, d.High, d.Gained, d.Lost)
	}
	return p.err
}

func orders(n int) string {
	if n == 1 {
		return "1 order"
	}
	return fmt.Sprintf("%d orders", n)
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
}

// BenchJUnit writes a test case a class, arm and agent: it fails if a valid call was
// blocked that no unforeseeable failure had poisoned, or if fewer tasks were completed
// than without a policy. A result that can't be trusted is a failed case of its own.
func BenchJUnit(w io.Writer, r *bench.Result) error {
	s := junitSuite{Name: r.Suite}
	add := func(c junitCase) {
		s.Tests++
		if c.Failure != nil {
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	verdict := junitCase{Class: r.Suite, Name: "verdict"}
	if r.Verdict != bench.Trustworthy {
		verdict.Failure = &junitFailure{strings.Join(r.Reasons, "; ")}
	}
	add(verdict)
	for i := range r.Results {
		x := &r.Results[i]
		for _, c := range x.ByClass {
			one := junitCase{Class: x.Agent + "." + x.Arm, Name: c.Class,
				Out: fmt.Sprintf("invalid reached %d, invalid blocked %d, valid blocked %d, completed %d of %d", c.InvalidReached, c.InvalidBlocked, c.ValidBlocked, c.Completed, c.Tasks)}
			if n := c.ValidBlocked - c.ValidBlockedPoi; n > 0 && isPolicy(x.Arm) {
				one.Failure = &junitFailure{fmt.Sprintf("%d valid calls blocked", n)}
			}
			if without, ok := r.CompletedWithout(x.Agent, c.Class); ok && isPolicy(x.Arm) && c.Completed < without*x.Orders {
				one.Failure = &junitFailure{fmt.Sprintf("%d tasks completed, %d without a policy", c.Completed, without*x.Orders)}
			}
			add(one)
		}
	}
	return writeJUnit(w, &s)
}

func writeJUnit(w io.Writer, s *junitSuite) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// GateJUnit writes a gate's verdict: a failed test case for each failure, and for each
// reason why the results can't be judged.
func GateJUnit(w io.Writer, v *bench.GateVerdict) error {
	s := junitSuite{Name: "mcpg bench gate", Tests: v.Checks}
	for _, list := range [][]string{v.Failures, v.Untrusted} {
		for _, f := range list {
			s.Failures++
			s.Cases = append(s.Cases, junitCase{Class: "gate", Name: f, Failure: &junitFailure{f}})
		}
	}
	if len(s.Cases) == 0 {
		s.Cases = append(s.Cases, junitCase{Class: "gate", Name: fmt.Sprintf("%d checks", v.Checks)})
	}
	s.Tests = max(s.Tests, len(s.Cases))
	return writeJUnit(w, &s)
}

// GateMarkdown writes a gate's verdict for a pull request.
func GateMarkdown(w io.Writer, v *bench.GateVerdict) error {
	p := &printer{w: w}
	switch {
	case len(v.Untrusted) > 0:
		p.printf("### bench gate: can't be judged\n\n")
	case len(v.Failures) > 0:
		p.printf("### bench gate: failed\n\n")
	default:
		p.printf("### bench gate: passed, %d checks\n", v.Checks)
	}
	for _, f := range v.Untrusted {
		p.printf("- %s\n", markdownCell(f))
	}
	for _, f := range v.Failures {
		p.printf("- FAIL: %s\n", markdownCell(f))
	}
	for _, n := range v.Notes {
		p.printf("  - %s\n", markdownCell(n))
	}
	return p.err
}

func isPolicy(arm string) bool { return arm == "observe" || arm == "warn" || arm == "block" }
