package bench

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// keptRows is up to how many tasks of a run rows are kept in memory.
const keptRows = 4096

// Rows are the results of a run's tasks, in the suite's order. Those of a large suite
// are in a temporary file, a record each, so that memory doesn't grow with them.
type Rows struct {
	kept []TaskResult
	refs []TaskRef // of the rows in the file
	file *os.File
	err  error // of the file, the first
}

// newRows makes room for the results of tasks.
func newRows(refs []TaskRef) (*Rows, error) {
	r := &Rows{}
	if len(refs) <= keptRows {
		r.kept = make([]TaskResult, len(refs))
		return r, nil
	}
	f, err := os.CreateTemp("", "mcpg-bench-")
	if err != nil {
		return nil, fmt.Errorf("keeping the results of %d tasks: %w", len(refs), err)
	}
	os.Remove(f.Name()) // where a file that is open can go; else Close removes it
	r.file, r.refs = f, refs
	return r, nil
}

// Close lets the file go.
func (r *Rows) Close() {
	if r != nil && r.file != nil {
		r.file.Close()
		os.Remove(r.file.Name())
		r.file = nil
	}
}

// Len is how many rows there are.
func (r *Rows) Len() int {
	if r == nil {
		return 0
	}
	return max(len(r.kept), len(r.refs))
}

// ID is the task's of a row.
func (r *Rows) ID(i int) string {
	if r.refs != nil {
		return r.refs[i].ID
	}
	return r.kept[i].ID
}

// All gives the rows; a row is good until the next.
func (r *Rows) All() iter.Seq2[int, *TaskResult] {
	return func(yield func(int, *TaskResult) bool) {
		for i := range r.Len() {
			t := r.at(i)
			if !yield(i, &t) {
				return
			}
		}
	}
}

// byID finds rows by their task.
func (r *Rows) byID() map[string]int {
	out := make(map[string]int, r.Len())
	for i := range r.Len() {
		out[r.ID(i)] = i
	}
	return out
}

// pairs tells whether the rows are of the same tasks in the same order.
func (r *Rows) pairs(o *Rows) bool {
	if r.Len() != o.Len() {
		return false
	}
	for i := range r.Len() {
		if r.ID(i) != o.ID(i) {
			return false
		}
	}
	return true
}

// record is a row in the file: its counts as 32-bit numbers, and its hash.
const (
	hashBytes  = 32
	recordSize = 4*numbers + hashBytes
)

// at reads a row.
func (r *Rows) at(i int) TaskResult {
	if r.refs == nil {
		return r.kept[i]
	}
	ref := &r.refs[i]
	t := TaskResult{ID: ref.ID, Class: ref.Class, Template: ref.Template}
	var b [recordSize]byte
	if _, err := r.file.ReadAt(b[:], int64(i)*int64(recordSize)); err != nil {
		r.fail(err)
		return t
	}
	for j, n := range t.Counts.numbers() {
		*n = int(int32(binary.LittleEndian.Uint32(b[4*j:])))
	}
	t.Answers = hex.EncodeToString(b[4*numbers:])
	return t
}

// put writes a row.
func (r *Rows) put(i int, t *TaskResult) {
	if r.refs == nil {
		r.kept[i] = *t
		return
	}
	var b [recordSize]byte
	for j, n := range t.Counts.numbers() {
		binary.LittleEndian.PutUint32(b[4*j:], uint32(int32(*n)))
	}
	if _, err := hex.Decode(b[4*numbers:], []byte(t.Answers)); err != nil {
		r.fail(err)
		return
	}
	if _, err := r.file.WriteAt(b[:], int64(i)*int64(recordSize)); err != nil {
		r.fail(err)
	}
}

func (r *Rows) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("the results of tasks, in a temporary file: %w", err)
	}
}

// add adds another order's rows.
func (r *Rows) add(o *Rows) {
	for i, t := range o.All() {
		sum := r.at(i)
		sum.add(t.Counts)
		r.put(i, &sum)
	}
	if o.err != nil {
		r.fail(o.err)
	}
}

// MarshalJSONTo writes a list, row by row.
func (r *Rows) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, t := range r.All() {
		if err := json.MarshalEncode(enc, t); err != nil {
			return err
		}
	}
	if r != nil && r.err != nil {
		return r.err
	}
	return enc.WriteToken(jsontext.EndArray)
}

// UnmarshalJSONFrom reads a list into memory.
func (r *Rows) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*r = Rows{}
	return json.UnmarshalDecode(dec, &r.kept)
}
