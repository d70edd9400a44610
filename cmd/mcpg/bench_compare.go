package main

import (
	"errors"

	"github.com/spf13/cobra"

	"mcpg/bench"
	"mcpg/report"
)

func (a *app) benchCompare() *cobra.Command {
	var metric, format string
	c := &cobra.Command{
		Use:   "compare NEW.json OLD.json",
		Short: "Compare two results task by task, with the tasks that changed",
		Long: `Compare two results of one suite, seed and settings, task by task: the difference of a
metric with its 95 % interval, completed tasks with McNemar's exact p, and the tasks that
changed. Exits with 3 if they can't be compared.`,
		Example: "  mcpg bench compare new.json old.json\n  mcpg bench compare new.json old.json --metric incomplete --format json",
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json"); err != nil {
				return err
			}
			now, err := readResult(args[0])
			if err != nil {
				return err
			}
			old, err := readResult(args[1])
			if err != nil {
				return err
			}
			ds, err := bench.Compare(now, old, metric)
			var option *bench.ErrOption
			switch {
			case errors.As(err, &option):
				return &usageError{err}
			case err != nil:
				return err
			case format == "json":
				return a.json(ds)
			}
			return report.Differences(a.out, ds)
		},
	}
	c.Flags().StringVar(&metric, "metric", bench.Primary, "what is compared; mcpg bench gate --help lists them")
	c.Flags().StringVar(&format, "format", "table", "table or json")
	return c
}
