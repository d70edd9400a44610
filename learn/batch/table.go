package batch

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/ingest/table"
	"mcpg/internal/diag"
	"mcpg/learn"
)

// columns are those that learning looks at. Calls that are alike in the first ones
// are counted in one place.
var columns = []int{
	table.Args, table.Before, table.After, table.ErrorText, table.Tool, table.Outcome, table.Cause, table.Server, table.Fingerprint, table.StateSource,
	table.Session, table.CallID, table.File, table.StateDirty, table.Line, table.TS, table.StateAgeUS,
}

// Places among the columns. Calls are alike that agree in the texts before
// inSession, and in whether the state is dirty.
const (
	inArgs = iota
	inBefore
	inAfter
	inError
	inTool
	inOutcome
	inCause
	inServer
	inFingerprint
	inSource
	inSession
	inCallID
	inFile
	inDirty
	inLine
	inTime
	inAge
)

// AddTable takes all calls of a table, with the adapters to view them by. Other
// than by Add, calls that are alike are looked at once.
func (l *Learner) AddTable(ctx context.Context, t *table.Reader, adapters adapter.Set) error {
	return l.AddBatches(ctx, t.Encoded(Columns()...), adapters)
}

// AddBatches takes batches of a table that were read by Columns.
func (l *Learner) AddBatches(ctx context.Context, batches iter.Seq2[arrow.RecordBatch, error], adapters adapter.Set) error {
	for rec, err := range batches {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.failed(); err != nil {
			return err
		}
		rec.Retain()
		l.jobs <- job{rows: rec, adapters: adapters}
	}
	return nil
}

// Columns are what is learnt from.
func Columns() []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = table.Columns[c].Name
	}
	return names
}

// rows learns from batches; each worker has its own.
type rows struct {
	e        *learn.Evidence
	adapters adapter.Set
	seeds    seeds
	seen     map[key]*learn.Slot
	bytes    int            // about what the slots take
	now      [masked][]byte // texts in which ids are masked
	next     [masked][]byte // the same with one more
}

// maxSeen is how many bytes of slots a worker remembers.
const maxSeen = 64 << 20

// batch is the columns of a record batch.
type batch struct {
	texts [inDirty]*column
	dirty *array.Boolean
	line  *array.Int64
	time  *array.Timestamp
	age   *array.Int64

	names []name // room for those of arguments

	base   key   // of the columns in which all rows are alike
	varied []int // the others
}

func (r *rows) batch(rec arrow.RecordBatch) *batch {
	b := &batch{
		dirty: rec.Column(inDirty).(*array.Boolean), line: rec.Column(inLine).(*array.Int64),
		time: rec.Column(inTime).(*array.Timestamp), age: rec.Column(inAge).(*array.Int64),
	}
	for i := range b.texts {
		b.texts[i] = newColumn(rec.Column(i))
	}
	for i := inTool; i < inSession; i++ {
		if b.texts[i].constant() && rec.NumRows() > 0 {
			b.base = b.base.with(b.texts[i].key(b.texts[i].at(0), &r.seeds)).with(key{uint64(i), 0})
		} else {
			b.varied = append(b.varied, i)
		}
	}
	return b
}

// Ref names a row's call.
func (b *batch) Ref(row int) behavior.CallRef {
	text := func(c int) string { return strings.Clone(b.texts[c].text(b.texts[c].at(row))) }
	return behavior.CallRef{ID: text(inCallID), Pos: diag.Pos{File: text(inFile), Line: int(b.line.Value(row))}}
}

func (r *rows) add(rec arrow.RecordBatch, adapters adapter.Set) error {
	if r.seen == nil || !same(r.adapters, adapters) {
		r.forget(adapters)
		r.seeds = newSeeds()
	}
	b := r.batch(rec)
	ev := learn.Event{Names: b}
	sessions := b.texts[inSession]
	session := -1
	for i := range int(rec.NumRows()) {
		s, err := r.slot(b, i, &ev)
		if err != nil {
			return fmt.Errorf("row of call %q: %w", b.Ref(i).ID, err)
		}
		if at := sessions.at(i); at != session || i == 0 {
			session, ev.Session = at, learn.Session(sessions.text(at))
		}
		ev.Row, ev.Time, ev.Age = i, 0, 0
		if ev.Timed = b.time.IsValid(i); ev.Timed {
			ev.Time = int64(b.time.Value(i))
		}
		if b.age.IsValid(i) {
			ev.Age = b.age.Value(i)
		}
		r.e.Count(s, &ev)
	}
	return nil
}

func (r *rows) forget(adapters adapter.Set) {
	r.e.Forget()
	r.seen, r.bytes, r.adapters = map[key]*learn.Slot{}, 0, adapters
}

// slot finds where row i is counted, and the hashes of its content.
func (r *rows) slot(b *batch, i int, ev *learn.Event) (*learn.Slot, error) {
	args, before := b.texts[inArgs].at(i), b.texts[inBefore].at(i)
	k := b.base
	for _, c := range b.varied {
		k = k.with(b.texts[c].key(b.texts[c].at(i), &r.seeds))
	}
	dirty := b.dirty.IsValid(i) && b.dirty.Value(i)
	if dirty {
		k = k.with(null)
	}
	given, state := b.facts(inArgs, args), b.facts(inBefore, before)
	if len(given.names) > 0 && state.plain && r.adapters.For(b.texts[inServer].text(b.texts[inServer].at(i))) == nil {
		k = r.masks(k, b, i, given)
	} else {
		for c := inArgs; c <= inError; c++ {
			k = k.with(b.texts[c].key(b.texts[c].at(i), &r.seeds))
		}
	}
	ev.Args, ev.State = given.content, state.content
	if s := r.seen[k]; s != nil {
		return s, nil
	}
	if r.bytes > maxSeen {
		r.forget(r.adapters)
	}
	call, err := b.call(i, dirty)
	if err != nil {
		return nil, err
	}
	const slotBytes = 400
	r.bytes += slotBytes + len(call.ErrorText) + 4*len(call.After) // what it holds of the state after
	s := r.e.Slot(call, r.adapters.View(call))
	r.seen[k] = s
	return s, nil
}

// masked are the columns in which ids may stand.
const masked = inError + 1

// masks joins the key of a row whose arguments name ids, and which are masked
// wherever they stand.
func (r *rows) masks(k key, b *batch, i int, given *facts) key {
	var texts [masked]string
	var values [masked]int
	elsewhere := false
	for c := range texts {
		values[c] = b.texts[c].at(i)
		texts[c] = b.texts[c].text(values[c])
		elsewhere = elsewhere || c != inArgs && texts[c] != "" && containsAny(texts[c], &b.facts(c, values[c]).bytes, given.names)
	}
	if !elsewhere && given.alone != (key{}) {
		k = k.with(given.alone)
		for c := inBefore; c < masked; c++ {
			k = k.with(b.texts[c].key(values[c], &r.seeds))
		}
		return k
	}
	var changed [masked]bool
	if strings.IndexByte(texts[inError], markStart) < 0 {
		for nth := range given.names {
			r.mask(b, &values, &changed, given.names[nth].text, nth)
		}
	}
	for c := range texts {
		of := null
		switch {
		case changed[c]:
			of = r.seeds.ofBytes(r.now[c])
		case values[c] >= 0:
			of = b.texts[c].key(values[c], &r.seeds)
		}
		k = k.with(of)
	}
	if !elsewhere {
		given.alone = b.texts[inArgs].key(values[inArgs], &r.seeds)
		if changed[inArgs] {
			given.alone = r.seeds.ofBytes(r.now[inArgs])
		}
	}
	return k
}

// mask masks a name in all texts, or in none if it may count in one. Texts that
// changed are in r.now.
func (r *rows) mask(b *batch, values *[masked]int, changed *[masked]bool, name string, nth int) {
	var also [masked]bool
	for c := range values {
		if values[c] < 0 || !changed[c] && !strings.Contains(b.texts[c].text(values[c]), name) {
			continue
		}
		text := r.now[c]
		if !changed[c] {
			text = append(r.now[c][:0], b.texts[c].text(values[c])...)
			r.now[c] = text
		}
		ok := false
		switch {
		case c == inAfter && bytes.IndexByte(text, '\\') >= 0:
		case c == inError:
			r.next[c], ok = maskText(r.next[c][:0], text, name, nth)
		default:
			r.next[c], ok = maskValue(r.next[c][:0], text, name, nth)
		}
		if !ok {
			return
		}
		also[c] = true
	}
	for c, is := range also {
		if is {
			r.now[c], r.next[c], changed[c] = r.next[c], r.now[c], true
		}
	}
}

func containsAny(text string, has *byteSet, names []name) bool {
	for i := range names {
		if n := &names[i]; n.bytes.within(has) && strings.Contains(text, n.text) {
			return true
		}
	}
	return false
}

// facts computes once what is asked of a value.
func (b *batch) facts(c, value int) *facts {
	if value < 0 {
		return &noFacts
	}
	f := b.texts[c].fact(value)
	if f.known {
		return f
	}
	text := b.texts[c].text(value)
	f.known, f.plain, f.bytes = true, strings.IndexByte(text, '\\') < 0, bytesOf(text)
	if c <= inBefore {
		f.content = learn.Content(jsontext.Value(text))
	}
	if c == inArgs && f.plain {
		if cap(b.names)-len(b.names) < maxNames {
			b.names = make([]name, 0, 1024)
		}
		start := len(b.names)
		b.names = appendCandidates(b.names, text)
		f.names = b.names[start:len(b.names):len(b.names)]
	}
	return f
}

// noFacts are of no text.
var noFacts = facts{plain: true}

// call is row i as far as learning looks at it.
func (b *batch) call(i int, dirty bool) (*calllog.Call, error) {
	text := func(c int) string { return strings.Clone(b.texts[c].text(b.texts[c].at(i))) } // they point into the batch
	value := func(c int) jsontext.Value {
		if b.texts[c].at(i) < 0 {
			return nil
		}
		return jsontext.Value(text(c))
	}
	c := &calllog.Call{
		Tool: text(inTool), Args: value(inArgs), Before: value(inBefore), After: value(inAfter), ErrorText: text(inError),
		Server: text(inServer), Fingerprint: text(inFingerprint), StateSource: text(inSource), StateDirty: dirty,
	}
	var err error
	if c.Outcome, err = calllog.ParseOutcome(text(inOutcome)); err != nil {
		return nil, err
	}
	c.Cause, err = calllog.ParseCause(text(inCause))
	return c, err
}
