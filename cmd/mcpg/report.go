package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/calllog"
	"mcpg/internal/atomicfile"
	"mcpg/learn/batch"
	"mcpg/report"
)

// pageFlags are what a page is made of.
type pageFlags struct {
	source
	model, bench, title string
}

func (f *pageFlags) flags(c *cobra.Command) {
	f.source.flags(c)
	c.Flags().StringVar(&f.model, "model", "", "show this model.json instead of what the calls teach")
	c.Flags().StringVar(&f.bench, "bench", "", "show this bench.json too")
	c.Flags().StringVar(&f.title, "title", "", "the page's title; the first file's name if not given")
}

func (a *app) reportCommand() *cobra.Command {
	var f pageFlags
	var out string
	c := &cobra.Command{
		Use:   "report [CALLS…|MODEL]",
		Short: "Write what the calls show as one HTML page",
		Long: `Write one HTML file that loads nothing: how many calls were wasted and why, when each tool
works and on which calls that rests, contradictions, the graph of states to move and search
in, and a benchmark's result. It is for a browser, a phone, a printer and a screen reader.`,
		Example: `  mcpg report calls.parquet -o report.html
  mcpg report calls.sqlite --bench bench.json
  mcpg report model.json -o model.html`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := notInput(out, append(args[:len(args):len(args)], f.model, f.bench)...); err != nil {
				return err
			}
			p, err := a.page(c.Context(), &f, args)
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return p.HTML(c.Context(), w) }
			if out == "-" {
				return write(a.out)
			}
			if err := atomicfile.Write(out, write); err != nil {
				return plainPath(err)
			}
			fmt.Fprintf(a.err, "mcpg: wrote %s; open it in a browser\n", out)
			return nil
		},
	}
	f.flags(c)
	c.Flags().StringVarP(&out, "output", "o", "report.html", "the page; - is stdout")
	return c
}

// page gathers what a page shows.
func (a *app) page(ctx context.Context, f *pageFlags, args []string) (*report.Page, error) {
	if len(args) == 0 && f.bench == "" && f.model == "" {
		return nil, usage("nothing to report on: name calls, a model.json, or --bench")
	}
	p := &report.Page{Title: f.title}
	first := cmp.Or(append(args[:len(args):len(args)], f.model, f.bench)...)
	if first == "-" {
		first = "stdin"
	}
	if p.Title == "" {
		if label, name, ok := strings.Cut(first, "="); ok && !strings.ContainsAny(label, `/\\`) {
			first = name
		}
		if p.Title = strings.TrimSuffix(filepath.Base(first), filepath.Ext(first)); p.Title == "" || p.Title == "." {
			p.Title = "Calls"
		}
	}
	if f.bench != "" {
		r, err := readResult(f.bench)
		if err != nil {
			return nil, err
		}
		p.Bench = r
	}
	if f.model != "" {
		g, err := readModel(f.model)
		if err != nil {
			return nil, err
		}
		if g == nil {
			return nil, usage("--model %s: not a model.json, which mcpg learn -o writes", f.model)
		}
		p.Graph = g
	}
	if len(args) == 1 && args[0] != "-" && f.model == "" {
		if st, err := os.Stat(args[0]); err == nil && st.Mode().IsRegular() {
			g, err := readModel(args[0])
			if err != nil {
				return nil, err
			}
			if g != nil {
				p.Graph, p.Source = g, "a model learnt from "+callsText(g.Calls)
				return p, nil
			}
		}
	}
	if len(args) == 0 {
		return p, nil
	}
	return p, a.pageOfCalls(ctx, f, args, p)
}

func callsText(n int) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

// errNoCalls says that there is nothing to show.
var errNoCalls = errors.New("no calls to report on")

// pageOfCalls counts and learns in one reading.
func (a *app) pageOfCalls(ctx context.Context, f *pageFlags, args []string, p *report.Page) error {
	keys, err := analyze.ParseKeys([]string{"day"})
	if err != nil {
		return err
	}
	var n analyze.Counter
	days := analyze.NewGrouper(keys)
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(200)) // as in learning
	}
	l := batch.New()
	learnt := f.model != ""
	learning := make(chan error, 1)
	if tables, err := a.areTables(&f.source, args); tables && err == nil && !learnt { // they are learnt by their columns, beside being counted
		learnt = true
		go func() {
			_, err := a.learnTables(ctx, &f.source, args, l)
			learning <- err
		}()
	} else {
		learning <- nil
	}
	var from, to string
	err = a.each(ctx, &f.source, args, func(c *calllog.Call, set adapter.Set) error {
		n.Add(c)
		days.Add(c, nil)
		if !learnt {
			l.Add(c, set)
		}
		if !c.Time.IsZero() {
			day := c.Time.UTC().Format("2006-01-02")
			if from == "" || day < from {
				from = day
			}
			to = max(to, day)
		}
		return nil
	})
	lostTable := <-learning
	e, lost := l.Evidence()
	if err := cmp.Or(err, lostTable, lost, ctx.Err()); err != nil {
		return err
	}
	p.Stats = n.Stats()
	p.Stats.By, p.Stats.Groups = keys, days.Groups()
	if f.model == "" {
		p.Graph = e.Induce()
	}
	p.Source = callsText(p.Stats.Calls) + " of " + strings.Join(args, ", ")
	if from != "" {
		p.Source += ", from " + from + " to " + to + " (UTC)"
	}
	if p.Stats.Calls == 0 {
		return errNoCalls
	}
	return nil
}
