package main

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/calllog"
	"mcpg/report"
)

func (a *app) statsCommand() *cobra.Command {
	var s source
	var format string
	c := &cobra.Command{
		Use:     "stats CALLS…",
		Short:   "Count calls, outcomes and invalid-call rates",
		Long:    "Count calls, outcomes and invalid-call rates of tables (from mcpg ingest) or of logs.",
		Example: "  mcpg stats calls.parquet\n  mcpg stats --format json calls.parquet",
		Args:    inputs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json"); err != nil {
				return err
			}
			var n analyze.Counter
			err := a.each(c.Context(), &s, args, func(call *calllog.Call, _ adapter.Set) error {
				n.Add(call)
				return nil
			})
			if err != nil {
				return err
			}
			if format == "json" {
				return a.json(n.Stats())
			}
			return report.StatsTable(a.out, n.Stats())
		},
	}
	s.flags(c)
	c.Flags().StringVar(&format, "format", "table", "table or json")
	return c
}

// json writes a document for programs.
func (a *app) json(doc any) error {
	b, err := json.Marshal(doc, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(b, '\n'))
	return err
}
