package main

import (
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/report"
)

func (a *app) statsCommand() *cobra.Command {
	var s source
	var format string
	var by []string
	c := &cobra.Command{
		Use:   "stats CALLS…",
		Short: "Count calls, outcomes and invalid-call rates",
		Long: `Count calls, outcomes and invalid-call rates of tables (from mcpg ingest) or of logs, by
server and tool, or by what --by names: ` + keyNames() + `.
A state is its categories; what has too many values to be one is left out.`,
		Example: `  mcpg stats calls.parquet
  mcpg stats --by day,cause --format csv calls.parquet
  mcpg stats --by tool,state --adapter tau-retail runs.json`,
		Args: inputs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json", "csv", "markdown"); err != nil {
				return err
			}
			keys, err := analyze.ParseKeys(by)
			if err != nil {
				return usage("--by: %w", err)
			}
			var n analyze.Counter
			groups := analyze.NewGrouper(keys)
			err = a.each(c.Context(), &s, args, func(call *calllog.Call, set adapter.Set) error {
				n.Add(call)
				if len(keys) > 0 {
					groups.Add(call, func() *behavior.View { return set.View(call) })
				}
				return nil
			})
			if err != nil {
				return err
			}
			stats := n.Stats()
			if len(keys) > 0 {
				stats.By, stats.Groups = groups.Keys(), groups.Groups()
			}
			return a.stats(format, stats)
		},
	}
	s.flags(c)
	c.Flags().StringVar(&format, "format", "table", "table, json, csv or markdown")
	c.Flags().StringSliceVar(&by, "by", nil, "group by "+keyNames()+"; several with commas")
	return c
}

func (a *app) stats(format string, s *analyze.Stats) error {
	switch format {
	case "json":
		return a.json(s)
	case "csv":
		return report.StatsCSV(a.out, s)
	case "markdown":
		return report.StatsMarkdown(a.out, s)
	}
	return report.StatsTable(a.out, s)
}

func keyNames() string {
	var names []string
	for _, k := range analyze.Keys() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// json writes a document for programs.
func (a *app) json(doc any) error { return writeJSON(a.out, doc) }

func writeJSON(w io.Writer, doc any) error {
	b, err := json.Marshal(doc, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
