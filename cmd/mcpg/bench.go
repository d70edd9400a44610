package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mcpg/bench"
	"mcpg/simulate/agents"
	"mcpg/suites"
)

func (a *app) benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "bench",
		Aliases: []string{"benchmark"},
		Short:   "Run a benchmark suite, and hold results against limits",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.benchList(), a.benchInit(), a.benchRun(), a.benchReport(), a.benchCompare(), a.benchGate())
	return c
}

func (a *app) benchInit() *cobra.Command {
	return &cobra.Command{
		Use:     "init FOLDER",
		Short:   "Write a small suite of your own to begin from",
		Example: "  mcpg bench init my-suite && mcpg bench run --suite ./my-suite",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := bench.InitSuite(args[0]); err != nil {
				return plainPath(err)
			}
			fmt.Fprintf(a.err, "mcpg: wrote %s; play it with mcpg bench run --suite ./%s\n", args[0], args[0])
			return nil
		},
	}
}

func (a *app) benchList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List suites, agents and arms",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, name := range suites.Names() {
				s, err := bench.LoadSuite(name)
				if err != nil {
					return err
				}
				classes := map[string]int{}
				for _, t := range s.Tasks {
					classes[t.Class]++
				}
				fmt.Fprintf(a.out, "suite %s: %d tasks, SHA-256 %s\n ", name, len(s.Tasks), s.SHA256)
				for _, class := range bench.Classes {
					fmt.Fprintf(a.out, " %s %d", class, classes[class])
				}
				fmt.Fprintln(a.out)
			}
			for _, k := range agents.Kinds() {
				note := ""
				switch {
				case k.Calibration:
					note = " (calibration; in every run without a policy)"
				case !k.Default:
					note = " (on demand)"
				}
				fmt.Fprintf(a.out, "agent %s: %s%s\n", k.Name, k.What, note)
			}
			fmt.Fprintln(a.out, "agent llm: a language model of yours, with --base-url and --model (never by default)")
			for _, arm := range bench.AllArms() {
				note := ""
				if !slices.Contains(bench.Arms(), arm.Name) {
					note = " (control; on demand)"
				}
				fmt.Fprintf(a.out, "arm %s: %s%s\n", arm.Name, arm.What, note)
			}
			return nil
		},
	}
}
