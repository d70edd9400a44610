package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"mcpg/calllog"
	"mcpg/ingest/table"
)

// Group is whose calls are counted together; a day is YYYY-MM-DD in UTC, "" where the
// log doesn't say.
type Group struct{ Day, Server, Tool string }

func (g Group) compare(o Group) int {
	return cmp.Or(cmp.Compare(g.Day, o.Day), cmp.Compare(g.Server, o.Server), cmp.Compare(g.Tool, o.Tool))
}

// Tally counts calls by outcome, and refused ones by cause.
type Tally struct {
	OK, Rejected, Error, Transport, Denied, Unanswered int64
	State, Argument, UnknownTool, Unclear              int64
}

func (t *Tally) add(o calllog.Outcome, c calllog.Cause) {
	*[...]*int64{calllog.OK: &t.OK, calllog.Rejected: &t.Rejected, calllog.Error: &t.Error,
		calllog.Transport: &t.Transport, calllog.Denied: &t.Denied, calllog.Unanswered: &t.Unanswered}[o]++
	if o != calllog.Rejected {
		return
	}
	switch c {
	case calllog.StateCause:
		t.State++
	case calllog.ArgumentCause:
		t.Argument++
	case calllog.UnknownTool:
		t.UnknownTool++
	case calllog.Unclear:
		t.Unclear++
	}
}

// Sum adds tallies up.
type Sum struct{}

func (Sum) CreateAccumulator() Tally { return Tally{} }

func (Sum) MergeAccumulators(a, b Tally) Tally {
	return Tally{
		a.OK + b.OK, a.Rejected + b.Rejected, a.Error + b.Error, a.Transport + b.Transport, a.Denied + b.Denied, a.Unanswered + b.Unanswered,
		a.State + b.State, a.Argument + b.Argument, a.UnknownTool + b.UnknownTool, a.Unclear + b.Unclear,
	}
}

func (s Sum) AddInput(a, t Tally) Tally { return s.MergeAccumulators(a, t) }

// group finds where a call is counted.
func (f *LearnFn) group(g Group) *Tally {
	t := f.counts[g]
	if t == nil {
		t = &Tally{}
		f.counts[g] = t
	}
	return t
}

func (f *LearnFn) count(c *calllog.Call) {
	day := ""
	if !c.Time.IsZero() {
		day = dayOf(c.Time)
	}
	f.group(Group{day, c.Server, c.Tool}).add(c.Outcome, c.Cause)
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// counting counts the calls of batches on their way, which have the columns that
// learning wants.
func (f *LearnFn) counting(ctx context.Context, in iter.Seq2[arrow.RecordBatch, error]) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for rec, err := range in {
			if err == nil {
				hasRead(ctx, rec.NumRows())
				err = f.countBatch(rec)
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

func (f *LearnFn) countBatch(rec arrow.RecordBatch) error {
	column := func(c int) arrow.Array { return rec.Column(rec.Schema().FieldIndices(table.Columns[c].Name)[0]) }
	server, tool := texts(column(table.Server)), texts(column(table.Tool))
	outcomes, causes := texts(column(table.Outcome)), texts(column(table.Cause))
	times := column(table.TS).(*array.Timestamp)
	const day = 24 * 60 * 60 * 1_000_000 // in microseconds
	lastDay, lastName := int64(-1), ""
	for i := range int(rec.NumRows()) {
		name := ""
		if times.IsValid(i) {
			us := int64(times.Value(i))
			if n := us / day; n != lastDay || us < 0 {
				lastDay, lastName = n, dayOf(time.UnixMicro(us))
			}
			name = lastName
		}
		o, err := calllog.ParseOutcome(outcomes(i))
		if err != nil {
			return err
		}
		c, err := calllog.ParseCause(causes(i))
		if err != nil {
			return err
		}
		g := Group{name, server(i), tool(i)}
		t := f.counts[g]
		if t == nil {
			g.Server, g.Tool = strings.Clone(g.Server), strings.Clone(g.Tool) // they point into the batch
			t = f.group(g)
		}
		t.add(o, c)
	}
	return nil
}

// texts reads a column of texts, be it a dictionary or not.
func texts(a arrow.Array) func(row int) string {
	if d, ok := a.(*array.Dictionary); ok {
		values := d.Dictionary().(*array.String)
		return func(row int) string {
			if d.IsNull(row) {
				return ""
			}
			return values.Value(d.GetValueIndex(row))
		}
	}
	plain := a.(*array.String)
	return func(row int) string {
		if plain.IsNull(row) {
			return ""
		}
		return plain.Value(row)
	}
}

// Rate is one line of the rates.
type Rate struct {
	Group Group
	Tally Tally
}

// together puts all groups under one key.
func together(g Group, t Tally) (int, Rate) { return 0, Rate{g, t} }

// WriteRates writes the rates as mcpg stats --by day,server,tool --format csv does.
type WriteRates struct{ Name string }

func (f *WriteRates) ProcessElement(ctx context.Context, _ int, next func(*Rate) bool) error {
	var all []Rate
	for r := (Rate{}); next(&r); r = (Rate{}) {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Rate) int { return a.Group.compare(b.Group) })
	return write(ctx, f.Name, func(w io.Writer) error {
		out := csv.NewWriter(w)
		_ = out.Write(strings.Split("day,server,tool,calls,ok,rejected,state,argument,unknown,unclear,error,transport,denied,unanswered,invalid,proven", ","))
		for _, r := range all {
			t := &r.Tally
			line := []string{r.Group.Day, r.Group.Server, r.Group.Tool}
			for _, n := range []int64{t.OK + t.Rejected + t.Error + t.Transport + t.Denied + t.Unanswered,
				t.OK, t.Rejected, t.State, t.Argument, t.UnknownTool, t.Unclear, t.Error, t.Transport, t.Denied, t.Unanswered} {
				line = append(line, strconv.FormatInt(n, 10))
			}
			ran := t.OK + t.Rejected + t.Error
			line = append(line, share(t.Rejected, ran), share(t.Rejected-t.Unclear, ran))
			_ = out.Write(line)
		}
		out.Flush()
		return out.Error()
	})
}

func share(n, of int64) string {
	if of == 0 {
		n, of = 0, 1
	}
	return strconv.FormatFloat(float64(n)/float64(of), 'f', 6, 64)
}
