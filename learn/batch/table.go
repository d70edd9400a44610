package batch

import (
	"context"
	"fmt"
	"hash/maphash"
	"strings"
	"time"

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
// are counted in one place; the others only name a call.
var columns = []int{
	table.Tool, table.Args, table.Before, table.After, table.ErrorText, table.Outcome, table.Cause, table.Server, table.Fingerprint, table.StateSource,
	table.Session, table.CallID, table.File, table.StateDirty, table.Line, table.TS, table.StateAgeUS,
}

// alike is how many of the columns, all texts, calls must agree in; and in whether
// the state is dirty.
const alike = 10

// Places among the columns.
const (
	inSession = alike + iota
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
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = table.Columns[c].Name
	}
	for rec, err := range t.Batches(names...) {
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
		l.send(job{rows: rec, adapters: adapters})
	}
	l.flush()
	return nil
}

// maxRemembered is how many bytes of kinds of calls a worker remembers.
const maxRemembered = 48 << 20

// rows learns from batches; each worker has its own.
type rows struct {
	e     *learn.Evidence
	seed  maphash.Seed
	seen  map[uint64]*kind
	bytes int // of their texts
	views adapter.Set
}

// kind is calls that are alike.
type kind struct {
	texts [alike]string
	nulls uint16
	dirty bool
	slot  *learn.Slot
	next  *kind // with the same hash
}

// batch is the columns of a record batch.
type batch struct {
	texts [inDirty]*array.String
	dirty *array.Boolean
	line  *array.Int64
	time  *array.Timestamp
	age   *array.Int64
}

func columnsOf(rec arrow.RecordBatch) *batch {
	b := &batch{dirty: rec.Column(inDirty).(*array.Boolean), line: rec.Column(inLine).(*array.Int64), time: rec.Column(inTime).(*array.Timestamp), age: rec.Column(inAge).(*array.Int64)}
	for i := range b.texts {
		b.texts[i] = rec.Column(i).(*array.String)
	}
	return b
}

func (r *rows) add(rec arrow.RecordBatch, adapters adapter.Set) error {
	if r.seen == nil || !same(r.views, adapters) {
		r.forget(adapters)
	}
	b := columnsOf(rec)
	var session string
	var sessionHash uint64
	for i := range int(rec.NumRows()) {
		k, err := r.kind(b, i)
		if err != nil {
			return fmt.Errorf("row of call %q: %w", b.texts[inCallID].Value(i), err)
		}
		if s := b.texts[inSession].Value(i); s != session || i == 0 {
			session, sessionHash = s, learn.Session(s)
		}
		e := learn.Event{Session: sessionHash, Ref: func() behavior.CallRef {
			return behavior.CallRef{ID: strings.Clone(b.texts[inCallID].Value(i)), Pos: diag.Pos{File: strings.Clone(b.texts[inFile].Value(i)), Line: int(b.line.Value(i))}}
		}}
		if b.time.IsValid(i) {
			e.Time = time.UnixMicro(int64(b.time.Value(i)))
		}
		if b.age.IsValid(i) {
			e.Age = time.Duration(b.age.Value(i)) * time.Microsecond
		}
		r.e.Count(k.slot, e)
	}
	return nil
}

// kindBytes is about what a kind takes besides its texts.
const kindBytes = 400

func (r *rows) forget(adapters adapter.Set) {
	r.seen, r.bytes, r.views, r.seed = map[uint64]*kind{}, 0, adapters, maphash.MakeSeed()
}

// kind finds the calls that row i is like.
func (r *rows) kind(b *batch, i int) (*kind, error) {
	var k kind
	k.dirty = b.dirty.IsValid(i) && b.dirty.Value(i)
	var h uint64
	for c := range k.texts {
		if b.texts[c].IsNull(i) {
			k.nulls |= 1 << c
			continue
		}
		k.texts[c] = b.texts[c].Value(i)
		h = h*0x9e3779b97f4a7c15 ^ maphash.String(r.seed, k.texts[c])
	}
	for have := r.seen[h]; have != nil; have = have.next {
		if have.nulls == k.nulls && have.dirty == k.dirty && have.texts == k.texts {
			return have, nil
		}
	}
	if r.bytes > maxRemembered {
		r.forget(r.views)
	}
	for c, s := range k.texts {
		k.texts[c] = strings.Clone(s) // it points into the batch
		r.bytes += len(s) + kindBytes/alike
	}
	call, err := k.call()
	if err != nil {
		return nil, err
	}
	k.slot = r.e.Slot(call, r.views.View(call))
	k.next = r.seen[h]
	r.seen[h] = &k
	return &k, nil
}

// call is a call of the kind.
func (k *kind) call() (*calllog.Call, error) {
	c := &calllog.Call{StateDirty: k.dirty}
	var err error
	for i, s := range k.texts {
		if k.nulls&(1<<i) != 0 {
			continue
		}
		switch columns[i] {
		case table.Tool:
			c.Tool = s
		case table.Args:
			c.Args = jsontext.Value(s)
		case table.Before:
			c.Before = jsontext.Value(s)
		case table.After:
			c.After = jsontext.Value(s)
		case table.ErrorText:
			c.ErrorText = s
		case table.Outcome:
			c.Outcome, err = calllog.ParseOutcome(s)
		case table.Cause:
			c.Cause, err = calllog.ParseCause(s)
		case table.Server:
			c.Server = s
		case table.Fingerprint:
			c.Fingerprint = s
		case table.StateSource:
			c.StateSource = s
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}
