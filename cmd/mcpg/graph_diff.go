package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/internal/atomicfile"
	"mcpg/report"
)

func (a *app) graphDiff() *cobra.Command {
	var s source
	var format, out string
	var failOn []string
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what changed between two models",
		Long: `Say what changed between two models, or tables or logs: tools and edges that came or
went, and guards that were added, removed, tightened (what worked fails now) or relaxed.
Guards that judge all calls alike are the same, however they are worded.
--fail-on names changes that exit with 1. The picture (svg, html, markdown, mermaid,
dot) shows the states that guards tell apart; what was added is marked with +, removed
-, changed ~; what didn't change is pale, and left out beyond one step.`,
		Example: `  mcpg graph diff last-week.json today.json
  mcpg graph diff last-week.json today.json --format html -o diff.html
  mcpg graph diff base.json head.json --format markdown > comment.md
  mcpg graph diff old.json new.json --fail-on tightened,removed`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json", "html", "svg", "markdown", "mermaid", "dot"); err != nil {
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
			d := analyze.Compare(models[0], models[1])
			fill := func(w io.Writer) error { return writeDiff(c.Context(), w, format, models, d) }
			var err error
			if out == "-" {
				err = fill(a.out)
			} else {
				err = plainPath(atomicfile.Write(out, fill))
			}
			if slices.ContainsFunc(d.Changes, func(ch analyze.Change) bool { return slices.Contains(kinds, ch.Kind) }) {
				a.code = codeFindings
			}
			return err
		},
	}
	s.flags(c)
	c.Flags().StringVar(&format, "format", "table", "table, json, html, svg, markdown, mermaid or dot")
	c.Flags().StringVarP(&out, "output", "o", "-", "the result; - is stdout")
	c.Flags().StringSliceVar(&failOn, "fail-on", nil, "exit with 1 on added, removed, tightened or relaxed; several with commas")
	return c
}

// writeDiff writes what changed between two models.
func writeDiff(ctx context.Context, w io.Writer, format string, models [2]*behavior.Graph, d *analyze.Comparison) error {
	switch format {
	case "table":
		return report.DiffTable(w, d.Changes)
	case "json":
		return writeJSON(w, map[string]any{"changes": d.Changes})
	}
	g := report.DrawDiff(models[0], models[1], d)
	switch format {
	case "html":
		return report.DiffHTML(ctx, w, g, d.Changes)
	case "markdown":
		return report.DiffMarkdown(w, g, d.Changes)
	}
	return pictures[format](ctx, w, g)
}
