package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// load loads the adapters that were named.
func (s *source) load() (adapter.Set, error) {
	set, err := adapter.LoadSet(s.adapters)
	if errors.Is(err, adapter.ErrUnknown) {
		return nil, &usageError{err}
	}
	return set, err
}

// each reads every input, table or log, and hands its calls to emit with the
// adapters to view them by. Logs that follow each other are read as one, as
// mcpg ingest does.
func (a *app) each(ctx context.Context, s *source, names []string, emit func(*calllog.Call, adapter.Set) error) error {
	set, err := s.load()
	if err != nil {
		return err
	}
	var logs []string
	flush := func() error {
		if len(logs) == 0 {
			return nil
		}
		defer func() { logs = nil }()
		return a.eachOfLogs(ctx, s, logs, set, emit)
	}
	for _, name := range names {
		r, err := a.openTable(s, name)
		if err != nil {
			return err
		}
		if r == nil {
			logs = append(logs, name)
			continue
		}
		err = flush()
		if err == nil {
			err = a.eachOfTable(ctx, r, name, set, emit)
		}
		if err := errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return flush()
}

// openTable opens a table; nil for an input that is none. A table on stdin is
// held in memory.
func (a *app) openTable(s *source, name string) (*table.Reader, error) {
	if s.from != "" {
		return nil, nil
	}
	if name == "-" {
		return a.stdinTable()
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil // a folder, a pattern, label=path, or nothing: ingest says so
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, plainPath(err)
	}
	defer f.Close()
	head := make([]byte, 64)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, plainPath(err)
	}
	if _, ok := table.Detect(head[:n]); !ok {
		return nil, nil
	}
	return table.Open(name)
}

func (a *app) stdinTable() (*table.Reader, error) {
	br := bufio.NewReader(a.in)
	a.in = br // what was peeked at is still to come
	head, err := br.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("stdin: %w", err)
	}
	if _, ok := table.Detect(head); !ok {
		return nil, nil
	}
	r, err := table.ReadAll(br)
	if err != nil {
		return nil, fmt.Errorf("stdin: %w", err)
	}
	return r, nil
}

func (a *app) eachOfTable(ctx context.Context, r *table.Reader, name string, set adapter.Set, emit func(*calllog.Call, adapter.Set) error) error {
	if len(set) == 0 {
		var err error
		if set, err = adaptersOf(r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	p := a.progress("reading "+filepath.Base(name), r.NumRows(), false)
	defer p.end()
	for r.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.add(1)
		if err := emit(r.Call(), set); err != nil {
			return err
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// adaptersOf gives the adapters that a table was read with.
func adaptersOf(r *table.Reader) (adapter.Set, error) {
	note := r.Note(table.AdaptersNote)
	if note == "" {
		return nil, nil
	}
	var docs []jsontext.Value
	if err := json.Unmarshal([]byte(note), &docs); err != nil {
		return nil, fmt.Errorf("adapters in the table: %w", err)
	}
	var set adapter.Set
	for _, d := range docs {
		ad, err := adapter.Parse(d)
		if err != nil {
			return nil, fmt.Errorf("adapter in the table: %w", err)
		}
		set = append(set, ad)
	}
	return set, nil
}

// adaptersNote is the note that adaptersOf reads.
func adaptersNote(set adapter.Set) []table.Note {
	if len(set) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for i, ad := range set {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(ad.Source())
	}
	b.WriteByte(']')
	return []table.Note{{Key: table.AdaptersNote, Value: b.String()}}
}

func (a *app) eachOfLogs(ctx context.Context, s *source, names []string, set adapter.Set, emit func(*calllog.Call, adapter.Set) error) error {
	rep, err := a.ingest(ctx, s, names, ingest.Options{Adapters: set}, func(c *calllog.Call) error { return emit(c, set) })
	var none *ingest.NoCallsError
	if rep != nil && !errors.As(err, &none) {
		a.report(rep.Findings, s.strict)
	}
	return err
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
