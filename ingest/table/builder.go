package table

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// builder collects calls into a batch.
type builder struct {
	texts  [numColumns]*textColumn // of the columns that are text
	others [numColumns]array.Builder
	rows   int
}

func newBuilder(mem memory.Allocator) *builder {
	b := &builder{}
	for i, c := range Columns {
		if c.Type == text {
			b.texts[i] = newTextColumn()
		} else {
			b.others[i] = array.NewBuilder(mem, c.Type)
		}
	}
	return b
}

// batch returns the collected rows, good until reset.
func (b *builder) batch() arrow.RecordBatch {
	cols := make([]arrow.Array, numColumns)
	for i := range cols {
		if t := b.texts[i]; t != nil {
			cols[i] = t.array()
		} else {
			cols[i] = b.others[i].NewArray()
		}
	}
	rec := array.NewRecordBatch(Schema(), cols, int64(b.rows))
	releaseAll(cols)
	return rec
}

// reset empties the builder, after whose batch nobody asks any more.
func (b *builder) reset() {
	b.rows = 0
	for _, t := range b.texts {
		if t != nil {
			t.reset()
		}
	}
}

func (b *builder) release() {
	for _, o := range b.others {
		if o != nil {
			o.Release()
		}
	}
}

// add appends one call.
func (b *builder) add(c *calllog.Call) {
	b.rows++
	b.str(CallID, c.ID)
	b.time(TS, c.Time)
	b.str(Session, c.Session)
	b.str(Server, c.Server)
	b.str(Tool, c.Tool)
	b.str(Resource, c.Resource)
	b.json(Args, c.Args)
	b.str(Outcome, c.Outcome.String())
	b.str(Cause, c.Cause.String())
	b.str(ErrorText, c.ErrorText)
	b.str(ResultText, c.ResultText)
	b.json(Result, c.Result)
	b.json(Before, c.Before)
	b.json(After, c.After)
	b.str(StateSource, c.StateSource)
	b.age(StateAgeUS, c)
	b.int(StateCalls, int64(c.StateCalls))
	b.others[StateDirty].(*array.BooleanBuilder).Append(c.StateDirty)
	b.latency(LatencyUS, c.Latency)
	b.str(Fingerprint, c.Fingerprint)
	b.str(File, c.Pos.File)
	b.int(Line, int64(c.Pos.Line))
	b.json(Extra, c.Extra)
}

func (b *builder) str(col int, s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	appendText(b.texts[col], s)
}

func (b *builder) json(col int, v jsontext.Value) {
	switch {
	case v == nil:
		b.texts[col].appendNull()
	case utf8.Valid(v):
		appendText(b.texts[col], v)
	default:
		b.str(col, string(v))
	}
}

func (b *builder) int(col int, n int64) {
	b.others[col].(*array.Int64Builder).Append(n)
}

func (b *builder) time(col int, t time.Time) {
	f := b.others[col].(*array.TimestampBuilder)
	if t.IsZero() || !fits(t) {
		f.AppendNull()
		return
	}
	f.Append(arrow.Timestamp(t.UnixMicro()))
}

// fits reports whether t can be counted in microseconds.
func fits(t time.Time) bool {
	s := t.Unix()
	return s > math.MinInt64/1_000_000 && s < math.MaxInt64/1_000_000
}

// age is null where there is no state, and 0 where the state is fresh.
func (b *builder) age(col int, c *calllog.Call) {
	if c.StateSource == "" && c.StateAge == 0 {
		b.others[col].AppendNull()
		return
	}
	b.int(col, c.StateAge.Microseconds())
}

func (b *builder) latency(col int, d time.Duration) {
	if d.Microseconds() == 0 {
		b.others[col].AppendNull()
		return
	}
	b.int(col, d.Microseconds())
}

// check says what forbids writing c.
func check(c *calllog.Call) error {
	if _, err := calllog.ParseOutcome(c.Outcome.String()); err != nil {
		return err
	}
	if _, err := calllog.ParseCause(c.Cause.String()); err != nil {
		return err
	}
	if n := size(c); n > maxRow {
		return fmt.Errorf("%w: %d bytes, the most is %d", ErrTooLarge, n, maxRow)
	}
	return nil
}

// size is about how many bytes c takes in a batch.
func size(c *calllog.Call) int {
	const numbers = 120 // offsets, numbers, outcome and cause
	return numbers + len(c.ID) + len(c.Session) + len(c.Server) + len(c.Tool) + len(c.Resource) +
		len(c.Args) + len(c.ErrorText) + len(c.ResultText) + len(c.Result) + len(c.Before) + len(c.After) +
		len(c.StateSource) + len(c.Fingerprint) + len(c.Pos.File) + len(c.Extra)
}
