package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/ingest"
	"mcpg/ingest/table"
	"mcpg/learn"
	"mcpg/learn/batch"
)

// Work is a file, or of a table some row groups: From up to and without To.
type Work struct {
	Path     string
	From, To int
}

// groupsPerWork is of how many row groups, of at most 65,536 calls each, a piece of
// work is.
const groupsPerWork = 8

// SplitFn cuts files into work. A table on a disk is cut by its row groups; of what
// has to be fetched, and of logs, a file is one piece.
type SplitFn struct {
	Whole  bool // files are read as logs are
	Groups int  // row groups in a piece of work
}

func (f *SplitFn) ProcessElement(_ context.Context, name string, emit func(Work)) error {
	if f.Whole || remote(name) {
		emit(Work{Path: name})
		return nil
	}
	isTable := false
	err := ingest.Tables([]string{name}, func(_ string, t *table.Reader) error {
		isTable = true
		for from := 0; from < t.Groups(); from += f.Groups {
			emit(Work{name, from, min(from+f.Groups, t.Groups())})
		}
		return nil
	})
	if err == nil && !isTable {
		emit(Work{Path: name})
	}
	return err
}

func remote(name string) bool { return strings.Contains(name, "://") }

// LearnFn learns from all the work of a bundle, and gives its evidence in pieces: a
// bundle sends a cell once, however many calls of it there were.
type LearnFn struct {
	Adapters string
	Format   string

	given   adapter.Set
	learner *batch.Learner
	counts  map[Group]*Tally
}

// What runners show of the work, and read is what this process did of it.
var (
	calls    = beam.NewCounter("mcpg", "calls")
	findings = beam.NewCounter("mcpg", "findings")
	read     atomic.Int64
	lost     atomic.Int64 // findings
)

func hasRead(ctx context.Context, n int64) {
	calls.Inc(ctx, n)
	read.Add(n)
}

func (f *LearnFn) Setup() (err error) {
	f.given, err = adapter.ParseSet(f.Adapters)
	return err
}

func (f *LearnFn) StartBundle(_ context.Context, _ func(int64, Piece), _ func(Group, Tally)) error {
	f.learner, f.counts = batch.NewOf(1), map[Group]*Tally{} // the runner has a bundle a processor
	return nil
}

func (f *LearnFn) ProcessElement(ctx context.Context, w Work, _ func(int64, Piece), _ func(Group, Tally)) error {
	name, done, err := local(ctx, w.Path)
	if err == nil {
		err = f.read(ctx, name, w)
		done()
	}
	if err != nil {
		_, _ = f.learner.Evidence() // ends it
		if remote(w.Path) {
			err = fmt.Errorf("%s: %w", w.Path, err)
		}
	}
	return err
}

func (f *LearnFn) FinishBundle(_ context.Context, emit func(int64, Piece), emitCounts func(Group, Tally)) error {
	e, err := f.learner.Evidence()
	if err != nil {
		return err
	}
	for key, g := range e.Parts() {
		emit(int64(key), Piece{learn.FromGraph(g)})
	}
	for g, t := range f.counts {
		emitCounts(g, *t)
	}
	return nil
}

// read learns from a local file.
func (f *LearnFn) read(ctx context.Context, name string, w Work) error {
	isTable := false
	if len(f.given) == 0 && f.Format == "" {
		if err := ingest.Tables([]string{name}, func(_ string, t *table.Reader) error {
			isTable = true
			if w.To > 0 {
				t = t.Section(w.From, w.To)
			}
			return f.table(ctx, t)
		}); err != nil {
			return err
		}
	}
	if isTable {
		return nil
	}
	rep, err := ingest.Run(ctx, []string{name}, ingest.Options{Adapters: f.given, From: f.Format}, func(c *calllog.Call) error {
		f.learner.Add(c, f.given)
		f.count(c)
		return nil
	})
	if rep != nil {
		hasRead(ctx, int64(rep.Calls))
		f.report(ctx, w, rep)
		if len(rep.Skipped) > 0 { // one file without calls doesn't end a job
			return nil
		}
	}
	return err
}

// maxNamed is how many findings of a file are named.
const maxNamed = 10

// report says what was lost of a log.
func (f *LearnFn) report(ctx context.Context, w Work, rep *ingest.Report) {
	bad := int64(rep.Bad() + len(rep.Skipped))
	findings.Inc(ctx, bad)
	lost.Add(bad)
	for _, s := range rep.Skipped {
		log.Warnf(ctx, "%s: not read: %s", w.Path, s.Why)
	}
	for i, one := range rep.Findings {
		if i == maxNamed {
			log.Warnf(ctx, "%s: and %d findings more", w.Path, len(rep.Findings)-i)
			return
		}
		log.Warn(ctx, one.String())
	}
}

// table learns from a table, or a section of one, with the adapters that it names.
func (f *LearnFn) table(ctx context.Context, t *table.Reader) error {
	set, err := adapter.ParseSet(t.Note(table.AdaptersNote))
	if err != nil {
		return fmt.Errorf("adapters in the table: %w", err)
	}
	return f.learner.AddBatches(ctx, f.counting(ctx, t.Encoded(batch.Columns()...)), set)
}

// local gives a file on this machine's disk, fetched if need be; done lets go of it.
func local(ctx context.Context, name string) (file string, done func(), err error) {
	if !remote(name) {
		return name, func() {}, nil
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return "", nil, err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, name)
	if err != nil {
		return "", nil, err
	}
	defer in.Close()
	dir, err := os.MkdirTemp("", "mcpg-scale-")
	if err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	file = filepath.Join(dir, path.Base(name)) // sessions without a name are called after it
	out, err := os.Create(file)
	if err == nil {
		_, err = io.Copy(out, in)
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		done()
		return "", nil, err
	}
	return file, done, nil
}
