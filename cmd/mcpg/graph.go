package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"mcpg/behavior"
	"mcpg/internal/atomicfile"
	"mcpg/learn"
	"mcpg/report"
	"mcpg/report/draw"
)

func (a *app) graphCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "graph",
		Short: "Work with the behaviour graph",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.graphExport(), a.graphDiff())
	return c
}

// pictures are the formats of graph export.
var pictures = map[string]func(context.Context, io.Writer, draw.Graph) error{
	"dot":     func(_ context.Context, w io.Writer, g draw.Graph) error { return draw.DOT(w, g) },
	"mermaid": func(_ context.Context, w io.Writer, g draw.Graph) error { return draw.Mermaid(w, g) },
	"json":    func(_ context.Context, w io.Writer, g draw.Graph) error { return draw.JSON(w, g) },
	"svg":     draw.SVG,
	"png":     draw.PNG,
}

func (a *app) graphExport() *cobra.Command {
	var s source
	var l live
	var format, out string
	var cut graphCut
	c := &cobra.Command{
		Use:   "export MODEL|CALLS…|--db FILE",
		Short: "Draw the behaviour graph",
		Long: `Draw the behaviour graph of a model.json, or of calls, those too that a proxy has in its store (--db): states as boxes, tools as arrows
from the state before to the state after, or back to it where that isn't known. Green
works, red fails, amber did both; dashed is thin, contradicted, or decided by arguments.

A large graph is cut by rules that are stated in the picture, in this order: --collapse,
--min-support, --focus. What then is still more than a picture can show is cut to the
arrows of most calls.`,
		Example: "  mcpg graph export model.json --format svg -o graph.svg\n  mcpg graph export calls.parquet --format dot | dot -Tpdf > graph.pdf\n  mcpg graph export --db mcpg.sqlite --server release --format mermaid\n  mcpg graph export model.json --format svg --focus publish_release --min-support 3 -o publish.svg\n  mcpg graph export model.json --format svg --focus status=DRAFT,tests_passed=true --depth 2 -o draft.svg",
		Args:    l.inputs(inputs),
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "dot", "svg", "mermaid", "json", "png", "html"); err != nil {
				return err
			}
			if err := cut.check(c.Flags().Changed("depth")); err != nil {
				return err
			}
			if l.db != "" {
				var err error
				if args, err = l.choose(c.Context(), &s); err != nil {
					return err
				}
			}
			g, err := a.openModel(c.Context(), &s, args)
			if err != nil {
				return err
			}
			picture, err := cut.apply(report.Draw(g))
			if err != nil {
				return err
			}
			if err := notInput(out, args...); err != nil {
				return err
			}
			fill := func(w io.Writer) error { return pictures[format](c.Context(), w, picture) }
			if format == "html" {
				fill = func(w io.Writer) error {
					p := report.Page{Title: "Behaviour graph", Source: "learnt from " + callsText(g.Calls), Graph: g, Picture: &picture}
					return p.HTML(c.Context(), w)
				}
			}
			if out == "-" {
				return fill(a.out)
			}
			return plainPath(atomicfile.Write(out, fill))
		},
	}
	s.flags(c)
	l.flags(c)
	cut.flags(c)
	c.Flags().StringVar(&format, "format", "dot", "dot, svg, mermaid, json, png, or html: a page to move and search in")
	c.Flags().StringVarP(&out, "output", "o", "-", "the picture; - is stdout")
	return c
}

// modelHead is how a model.json begins, whoever laid it out.
var modelHead = regexp.MustCompile(`^\s*\{[^{}]*"format"\s*:\s*"` + regexp.QuoteMeta(behavior.ModelFormat) + `"`)

// readModel reads a model.json; nil if the file is something else.
func readModel(name string) (*behavior.Graph, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, plainPath(err)
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head) // a short file is no model
	if !modelHead.Match(head[:n]) {
		return nil, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, plainPath(err)
	}
	g, err := behavior.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return learn.FromGraph(g).Induce(), nil
}
