package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/internal/atomicfile"
	"mcpg/report"
)

func (a *app) benchReport() *cobra.Command {
	var format, out string
	var classes bool
	c := &cobra.Command{
		Use:   "report RESULT.json",
		Short: "Show a result: counts, where invalid calls went, and the arms against each other",
		Long: `Show a result: counts, where the invalid calls that reached the server went, and every arm
against none and against the circuit breaker, with intervals. As table, markdown for a
pull request, html for a browser, or junit: a test case a class, arm and agent. In a GitHub workflow the
markdown is appended to the file that GITHUB_STEP_SUMMARY names too.`,
		Example: "  mcpg bench report bench.json\n  mcpg bench report bench.json --format junit -o bench.xml",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "markdown", "html", "html-section", "junit"); err != nil {
				return err
			}
			r, err := readResult(args[0])
			if err != nil {
				return err
			}
			write := func(w io.Writer) error {
				switch format {
				case "markdown":
					return report.BenchMarkdown(w, r)
				case "html", "html-section":
					return report.BenchHTML(w, r, format == "html")
				case "junit":
					return report.BenchJUnit(w, r)
				}
				return report.BenchReport(w, r, classes)
			}
			if out == "" || out == "-" {
				err = write(a.out)
			} else {
				err = plainPath(atomicfile.Write(out, write))
			}
			if err == nil {
				err = stepSummary(func(w io.Writer) error { return report.BenchMarkdown(w, r) })
			}
			if doubts := r.Doubts(); len(doubts) > 0 {
				fmt.Fprintf(a.err, "mcpg: don't believe it: %s\n", strings.Join(doubts, "; "))
				a.code = codeFailed
			}
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "table", "table, markdown, html, html-section (to stand in another page) or junit")
	c.Flags().StringVarP(&out, "output", "o", "", "write it here")
	c.Flags().BoolVar(&classes, "classes", false, "show each class too, in a table")
	return c
}

// stepSummary appends markdown to the file that a GitHub workflow shows, if one runs.
func stepSummary(write func(io.Writer) error) error {
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return plainPath(err)
	}
	err = write(f)
	if end := f.Close(); err == nil {
		err = end
	}
	return plainPath(err)
}
