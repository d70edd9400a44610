package table

import (
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/internal/diag"
)

// rows reads calls out of a batch of all columns.
type rows struct {
	rec  arrow.RecordBatch
	n    int
	last [numColumns]string // the string read last, shared by equal ones after it
}

func newRows(rec arrow.RecordBatch) *rows {
	return &rows{rec: rec, n: int(rec.NumRows())}
}

func (r *rows) release() { r.rec.Release() }

// call returns row i.
func (r *rows) call(i int) (*calllog.Call, error) {
	outcome, err := calllog.ParseOutcome(r.str(Outcome, i))
	if err != nil {
		return nil, err
	}
	cause, err := calllog.ParseCause(r.str(Cause, i))
	if err != nil {
		return nil, err
	}
	return &calllog.Call{
		ID:          r.str(CallID, i),
		Time:        r.time(TS, i),
		Session:     r.str(Session, i),
		Server:      r.str(Server, i),
		Tool:        r.str(Tool, i),
		Resource:    r.str(Resource, i),
		Args:        r.json(Args, i),
		Outcome:     outcome,
		Cause:       cause,
		ErrorText:   r.str(ErrorText, i),
		ResultText:  r.str(ResultText, i),
		Result:      r.json(Result, i),
		Before:      r.json(Before, i),
		After:       r.json(After, i),
		StateSource: r.str(StateSource, i),
		StateAge:    r.micros(StateAgeUS, i),
		StateCalls:  int(r.int(StateCalls, i)),
		StateDirty:  r.bool(StateDirty, i),
		Latency:     r.micros(LatencyUS, i),
		Fingerprint: r.str(Fingerprint, i),
		Pos:         diag.Pos{File: r.str(File, i), Line: int(r.int(Line, i))},
		Extra:       r.json(Extra, i),
	}, nil
}

// str copies: the array's strings point into the batch.
func (r *rows) str(col, i int) string {
	a := r.rec.Column(col).(*array.String)
	if a.IsNull(i) {
		return ""
	}
	if s := a.Value(i); s != r.last[col] {
		r.last[col] = strings.Clone(s)
	}
	return r.last[col]
}

func (r *rows) json(col, i int) jsontext.Value {
	a := r.rec.Column(col).(*array.String)
	if a.IsNull(i) {
		return nil
	}
	return jsontext.Value(a.Value(i))
}

func (r *rows) int(col, i int) int64 {
	a := r.rec.Column(col).(*array.Int64)
	if a.IsNull(i) {
		return 0
	}
	return a.Value(i)
}

func (r *rows) micros(col, i int) time.Duration {
	return time.Duration(r.int(col, i)) * time.Microsecond
}

func (r *rows) bool(col, i int) bool {
	a := r.rec.Column(col).(*array.Boolean)
	return a.IsValid(i) && a.Value(i)
}

func (r *rows) time(col, i int) time.Time {
	a := r.rec.Column(col).(*array.Timestamp)
	if a.IsNull(i) {
		return time.Time{}
	}
	return time.UnixMicro(int64(a.Value(i))).UTC()
}
