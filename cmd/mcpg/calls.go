package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/ingest"
	"mcpg/ingest/format"
	"mcpg/ingest/table"
)

// source is where calls come from: tables and logs, and how to read them.
type source struct {
	from     string
	adapters []string
	strict   bool

	only   bool        // calls of server alone are meant
	server string      // see only
	stored adapter.Set // the adapters that the calls were recorded with
}

func (s *source) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.from, "from", "", "format of the logs ("+formatNames()+"); told by content if not given")
	c.Flags().StringArrayVar(&s.adapters, "adapter", nil, "adapter by name ("+strings.Join(adapter.Shipped(), ", ")+") or file; may be given several times")
	c.Flags().BoolVar(&s.strict, "strict", false, "exit with 1 if anything of a log was lost")
}

func formatNames() string {
	var names []string
	for _, f := range format.Formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// load loads the adapters that were named, or else gives those of the calls.
func (s *source) load() (adapter.Set, error) {
	if len(s.adapters) == 0 {
		return s.stored, nil
	}
	set, err := adapter.LoadSet(s.adapters)
	if errors.Is(err, adapter.ErrUnknown) {
		return nil, &usageError{err}
	}
	return set, err
}

// each reads every input, table or log, and hands its calls to emit with the
// adapters to view them by: those that were named, else those of the tables.
func (a *app) each(ctx context.Context, s *source, names []string, emit func(*calllog.Call, adapter.Set) error) error {
	if err := s.loadStored(ctx, names); err != nil {
		return err
	}
	set, err := s.load()
	if err != nil {
		return err
	}
	opts := ingest.Options{Adapters: set}
	if len(set) == 0 {
		// A table is viewed by its own adapters, and logs are by none.
		opts.Table = func(t *table.Reader) error {
			var err error
			set, err = adaptersOf(t)
			return err
		}
		opts.Log = func() { set = nil }
	}
	rep, err := a.ingest(ctx, s, names, opts, func(c *calllog.Call) error {
		if s.only && c.Server != s.server {
			return ingest.ErrLeftOut
		}
		return emit(c, set)
	})
	var none *ingest.NoCallsError
	if rep != nil && !errors.As(err, &none) {
		a.report(rep.Findings, s.strict)
	}
	return err
}

// adaptersOf gives the adapters that a table was read with.
func adaptersOf(r *table.Reader) (adapter.Set, error) {
	set, err := adapter.ParseSet(r.Note(table.AdaptersNote))
	if err != nil {
		return nil, fmt.Errorf("adapters in the table: %w", err)
	}
	return set, nil
}

// adaptersNote is the note that adaptersOf reads.
func adaptersNote(set adapter.Set) []table.Note {
	if len(set) == 0 {
		return nil
	}
	return []table.Note{{Key: table.AdaptersNote, Value: set.String()}}
}

// ingest reads logs with a bar. What the command line says of the source is
// filled in.
func (a *app) ingest(ctx context.Context, s *source, names []string, opts ingest.Options, emit func(*calllog.Call) error) (*ingest.Report, error) {
	p := a.progress("reading", ingest.TotalSize(names), true)
	defer p.end()
	opts.From, opts.Progress, opts.Stdin = s.from, p.add, a.in
	return ingest.Run(ctx, names, opts, emit)
}

// plainPath says file: reason.
func plainPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}
