package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/calllog"
	"mcpg/internal/atomicfile"
	"mcpg/report"
)

func (a *app) checkCommand() *cobra.Command {
	var s source
	var baseline, format, junit string
	var max, increase []string
	var least int
	c := &cobra.Command{
		Use:   "check CALLS…",
		Short: "Hold recorded calls against limits, for CI",
		Long: `Hold the rates of recorded calls against limits. Exits with 0 if all hold, 1 if one
doesn't, 2 for a mistake in the command line, 3 if the rates can't be judged: of fewer calls
than --min-calls, or a percentage of a baseline of none.

A limit is METRIC=VALUE, or METRIC@TOOL=VALUE for one tool. Metrics: ` + strings.Join(analyze.Metrics(), ", ") + `.
--max is a share: 0.05 or 5%. --max-increase is over the baseline: 10% of its rate, or 2pp
(percentage points); it fails only if the 95 % interval of the difference excludes none too.`,
		Example: `  mcpg check today.parquet --max invalid_call_rate=5%
  mcpg check today.parquet --baseline last-week.parquet --max-increase invalid_call_rate=10%`,
		Args: inputs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json", "markdown", "junit"); err != nil {
				return err
			}
			if least < 1 {
				return usage("--min-calls %d: want at least 1", least)
			}
			limits, err := parseLimits(max, increase, baseline)
			if err != nil {
				return err
			}
			now, err := a.count(c.Context(), &s, args)
			if err != nil {
				return err
			}
			var base *analyze.Stats
			if baseline != "" {
				if base, err = a.count(c.Context(), &s, []string{baseline}); err != nil {
					return fmt.Errorf("--baseline: %w", err)
				}
			}
			return a.check(analyze.Check(limits, now, base, least), format, junit)
		},
	}
	s.flags(c)
	c.Flags().StringVar(&baseline, "baseline", "", "the table or log to compare with")
	c.Flags().StringArrayVar(&max, "max", nil, "METRIC=VALUE that must not be exceeded; may be given several times")
	c.Flags().StringArrayVar(&increase, "max-increase", nil, "METRIC=P% or METRIC=Ppp over the baseline; may be given several times")
	c.Flags().IntVar(&least, "min-calls", analyze.MinChecked, "of how many calls a rate must be to be judged")
	c.Flags().StringVar(&format, "format", "table", "table, json, markdown or junit")
	c.Flags().StringVar(&junit, "junit", "", "write it here as JUnit too, a test case a limit; in a GitHub workflow the Markdown goes to the step's summary")
	return c
}

func parseLimits(max, increase []string, baseline string) ([]analyze.Limit, error) {
	switch {
	case len(max)+len(increase) == 0:
		return nil, usage("no limit: give --max or --max-increase")
	case len(increase) > 0 && baseline == "":
		return nil, usage("--max-increase wants --baseline")
	}
	var out []analyze.Limit
	for _, s := range max {
		l, err := analyze.ParseLimit(s, false)
		if err != nil {
			return nil, usage("--max: %w", err)
		}
		out = append(out, l)
	}
	for _, s := range increase {
		l, err := analyze.ParseLimit(s, true)
		if err != nil {
			return nil, usage("--max-increase: %w", err)
		}
		out = append(out, l)
	}
	return out, nil
}

func (a *app) count(ctx context.Context, s *source, names []string) (*analyze.Stats, error) {
	var n analyze.Counter
	err := a.each(ctx, s, names, func(c *calllog.Call, _ adapter.Set) error {
		n.Add(c)
		return nil
	})
	return n.Stats(), err
}

func (a *app) check(r *analyze.CheckResult, format, junit string) error {
	if junit != "" {
		if err := atomicfile.Write(junit, func(w io.Writer) error { return report.CheckJUnit(w, r) }); err != nil {
			return plainPath(err)
		}
	}
	err := stepSummary(func(w io.Writer) error { return report.CheckMarkdown(w, r) })
	switch {
	case err != nil:
	case format == "json":
		err = a.json(r)
	case format == "markdown":
		err = report.CheckMarkdown(a.out, r)
	case format == "junit":
		err = report.CheckJUnit(a.out, r)
	default:
		err = report.CheckTable(a.out, r)
	}
	switch {
	case err != nil:
		return err
	case len(r.Untrusted) > 0:
		return fmt.Errorf("can't be judged: %s", strings.Join(r.Untrusted, "; "))
	case r.Failed > 0:
		a.code = codeFindings
	}
	return nil
}
