package main

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/filter"
)

func init() {
	register.Function1x1(pathOf)
	register.Function2x2(together)
	register.DoFn3x1[context.Context, string, func(Work), error](&SplitFn{})
	register.DoFn4x1[context.Context, Work, func(int64, Piece), func(Group, Tally), error](&LearnFn{})
	register.DoFn2x1[context.Context, Piece, error](&WriteModel{})
	register.DoFn3x1[context.Context, int, func(*Rate) bool, error](&WriteRates{})
	register.Combiner1[Piece](&AddUp{})
	register.Combiner1[Tally](&Sum{})
	register.Emitter1[Work]()
	register.Emitter2[int64, Piece]()
	register.Emitter2[Group, Tally]()
	register.Iter1[Rate]()
}

// job is a pipeline and what it reads and writes.
type job struct {
	Inputs   []string
	Adapters string // as adapter.Set.String has them
	From     string
	Model    string
	Rates    string
}

// build puts the pipeline together: files are cut into work, a bundle of work gives
// evidence in pieces, pieces of one cell or session are added up by their key, and
// all of them are one evidence in the end, of which the model is derived.
func (j *job) build(s beam.Scope) {
	globs := beam.CreateList(s, j.Inputs)
	files := fileio.MatchAll(s, globs, fileio.MatchEmptyDisallow())
	paths := filter.Distinct(s, beam.ParDo(s, pathOf, files)) // globs may overlap
	parts := beam.Reshuffle(s, beam.ParDo(s.Scope("split"), &SplitFn{Whole: j.Adapters != "" || j.From != "", Groups: groupsPerWork}, paths))
	pieces, counts := beam.ParDo2(s.Scope("learn"), &LearnFn{Adapters: j.Adapters, Format: j.From}, parts)
	if j.Model != "" {
		cells := beam.CombinePerKey(s.Scope("by tool and cell, by session"), &AddUp{}, pieces)
		all := beam.Combine(s.Scope("all"), &AddUp{}, beam.DropKey(s, cells))
		beam.ParDo0(s.Scope("model"), &WriteModel{Name: j.Model}, all)
	}
	if j.Rates != "" {
		days := beam.CombinePerKey(s.Scope("by day, server and tool"), &Sum{}, counts)
		whole := beam.GroupByKey(s, beam.ParDo(s, together, days))
		beam.ParDo0(s.Scope("rates"), &WriteRates{Name: j.Rates}, whole)
	}
}

func pathOf(f fileio.FileMetadata) string { return f.Path }

// write writes a file of any file system.
func write(ctx context.Context, name string, f func(io.Writer) error) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	w, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := f(w); err != nil {
		w.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
