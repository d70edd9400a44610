package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/bench"
	"mcpg/internal/atomicfile"
	"mcpg/report"
)

func (a *app) benchGate() *cobra.Command {
	var baseline, format string
	var files gateFiles
	var selfTest bool
	var max, increase []string
	c := &cobra.Command{
		Use:   "gate NEW.json",
		Short: "Hold a result against limits, for CI",
		Long: `Hold a result against limits. Exits with 0 if all hold, 1 if one doesn't, 2 for a
mistake in the command line, 3 if the results can't be compared or trusted.

A limit is METRIC=VALUE or METRIC@AGENT/ARM/CLASS=VALUE; what is left out after @, or *, is
every agent, the arm block, all classes. Metrics: ` + strings.Join(bench.Metrics(), ", ") + `.
--max-increase allows so much more than the baseline: a number, or a percentage of it.

--self-test injects, for each limit, a regression just beyond it into the result: the gate
must fail on every one, and says so with exit code 0. A limit that lets its regression pass,
as one on completed tasks that not even a loss of all would break, is exit code 3.`,
		Example: `  mcpg bench gate new.json --baseline old.json --max-increase invalid_reached=10%
  mcpg bench gate new.json --max valid_blocked_clean=0 --max incomplete@error-reader/block=40`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json"); err != nil {
				return err
			}
			if selfTest && len(increase) > 0 && baseline == "" {
				baseline = args[0]
			}
			g, err := parseGate(max, increase, baseline)
			if err != nil {
				return err
			}
			if selfTest {
				return a.gateSelfTest(g, args[0], baseline)
			}
			return a.gate(g, args[0], baseline, format, &files)
		},
	}
	c.Flags().StringVar(&baseline, "baseline", "", "the result to compare with")
	c.Flags().StringArrayVar(&max, "max", nil, "METRIC=VALUE that must not be exceeded; may be given several times")
	c.Flags().StringArrayVar(&increase, "max-increase", nil, "METRIC=VALUE or METRIC=P% over the baseline; may be given several times")
	c.Flags().StringVar(&files.json, "json", "", "write the verdict here as JSON")
	c.Flags().StringVar(&files.junit, "junit", "", "write the verdict here as JUnit, a test case a failure")
	c.Flags().StringVar(&files.md, "md", "", "write it here as Markdown; in a GitHub workflow it goes to the step's summary too")
	c.Flags().BoolVar(&selfTest, "self-test", false, "check that the gate fails where it must")
	c.Flags().StringVar(&format, "format", "table", "table or json")
	return c
}

func parseGate(max, increase []string, baseline string) (*bench.Gate, error) {
	switch {
	case len(max)+len(increase) == 0:
		return nil, usage("no limit: give --max or --max-increase")
	case len(increase) > 0 && baseline == "":
		return nil, usage("--max-increase wants --baseline")
	}
	g := &bench.Gate{}
	for _, s := range max {
		r, err := bench.ParseRule(s, false)
		if err != nil {
			return nil, err
		}
		g.Max = append(g.Max, r)
	}
	for _, s := range increase {
		r, err := bench.ParseRule(s, true)
		if err != nil {
			return nil, err
		}
		g.MaxIncrease = append(g.MaxIncrease, r)
	}
	return g, nil
}

func (a *app) gate(g *bench.Gate, name, baseline, format string, files *gateFiles) error {
	var base *bench.Result
	now, err := readResult(name)
	if err == nil {
		err = g.CheckClasses(now)
	}
	if err == nil && baseline != "" {
		base, err = readResult(baseline)
	}
	if err != nil { // CI shows what is written, and must not show what was
		v := &bench.GateVerdict{Untrusted: []string{err.Error()}}
		return cmp.Or(err, files.write(v))
	}
	v := g.Check(now, base)
	if err := files.write(v); err != nil {
		return err
	}
	if format == "json" {
		err = a.json(v)
	} else if len(v.Untrusted) == 0 {
		err = report.GateTable(a.out, v)
	}
	switch {
	case err != nil:
		return err
	case len(v.Untrusted) > 0:
		return fmt.Errorf("the results can't be judged: %s", strings.Join(v.Untrusted, "; "))
	case len(v.Failures) > 0:
		a.code = codeFindings
	}
	return nil
}

// gateFiles are where the one verdict is written in other forms.
type gateFiles struct{ json, junit, md string }

func (g *gateFiles) write(v *bench.GateVerdict) error {
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{g.json, func(w io.Writer) error { return writeJSON(w, v) }},
		{g.junit, func(w io.Writer) error { return report.GateJUnit(w, v) }},
		{g.md, func(w io.Writer) error { return report.GateMarkdown(w, v) }},
	} {
		if f.name == "" {
			continue
		}
		if err := atomicfile.Write(f.name, f.write); err != nil {
			return plainPath(err)
		}
	}
	return stepSummary(func(w io.Writer) error { return report.GateMarkdown(w, v) })
}

func (a *app) gateSelfTest(g *bench.Gate, name, baseline string) error {
	now, err := readResult(name)
	if err == nil {
		err = g.CheckClasses(now)
	}
	if err != nil {
		return err
	}
	var base *bench.Result
	if baseline != "" {
		if base, err = readResult(baseline); err != nil {
			return err
		}
	}
	missed, err := g.SelfTest(now, base)
	switch {
	case err != nil:
		return err
	case len(missed) > 0:
		return fmt.Errorf("the gate lets an injected regression pass: %s", strings.Join(missed, "; "))
	}
	fmt.Fprintf(a.out, "the gate fails on a regression beyond each of its %d limits, as it must\n", len(g.Max)+len(g.MaxIncrease))
	return nil
}

func readResult(name string) (*bench.Result, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, plainPath(err)
	}
	defer f.Close()
	r, err := bench.ReadResult(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
