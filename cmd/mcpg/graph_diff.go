package main

import (
	"slices"

	"github.com/spf13/cobra"

	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/report"
)

func (a *app) graphDiff() *cobra.Command {
	var s source
	var format string
	var failOn []string
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what changed between two models",
		Long: `Say what changed between two models, or tables or logs: tools and edges that came or
went, and guards that were added, removed, tightened (what worked fails now) or relaxed.
Guards that judge all calls alike are the same, however they are worded.
--fail-on names changes that exit with 1.`,
		Example: `  mcpg graph diff last-week.json today.json
  mcpg graph diff old.json new.json --fail-on tightened,removed`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json"); err != nil {
				return err
			}
			var kinds []analyze.ChangeKind
			for _, f := range failOn {
				if !slices.Contains(analyze.ChangeKinds(), analyze.ChangeKind(f)) {
					return usage("--fail-on %q: want some of %v", f, analyze.ChangeKinds())
				}
				kinds = append(kinds, analyze.ChangeKind(f))
			}
			var models [2]*behavior.Graph
			for i, name := range args {
				g, err := a.openModel(c.Context(), &s, []string{name})
				if err != nil {
					return err
				}
				models[i] = g
			}
			changes := analyze.Diff(models[0], models[1])
			if slices.ContainsFunc(changes, func(ch analyze.Change) bool { return slices.Contains(kinds, ch.Kind) }) {
				a.code = codeFindings
			}
			if format == "json" {
				return a.json(map[string]any{"changes": changes})
			}
			return report.DiffTable(a.out, changes)
		},
	}
	s.flags(c)
	c.Flags().StringVar(&format, "format", "table", "table or json")
	c.Flags().StringSliceVar(&failOn, "fail-on", nil, "exit with 1 on added, removed, tightened or relaxed; several with commas")
	return c
}
