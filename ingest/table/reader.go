package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"mcpg/calllog"
)

// Reader reads a table, call by call (Next, Call, Err) or batch by batch
// (Batches).
//
// A file without our metadata but with all our columns is taken too: that is
// what DuckDB and its like leave of a table that they filtered. Columns that
// the table doesn't have are passed over.
type Reader struct {
	file   file
	places []int // at which field of the file each of our columns is
	closer io.Closer

	in   stream // of Next
	rows *rows  // the batch that Next is in
	row  int    // the next row of it
	done int64  // rows of the batches before it
	call *calllog.Call
	err  error
}

// file is an open table in one of the formats.
type file interface {
	// schema as the file has it.
	schema() *arrow.Schema
	// stream starts to read the given columns, which are at the given fields
	// of the file; encoded takes texts as dictionaries where the file holds them so.
	stream(cols, fields []int, encoded bool) (stream, error)
	// numRows is -1 where the file doesn't say.
	numRows() int64
	// groups is into how many parts it may be cut; section is some of them.
	groups() int
	// times are those of the column at a field, if the file says them and all are there.
	times(field int) (Span, bool)
	section(from, to int) file
}

// stream gives batches, and io.EOF after the last. The caller releases each.
type stream interface {
	next() (arrow.RecordBatch, error)
	close()
}

// Open opens the table at path.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := openFile(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.closer = f
	return r, nil
}

func openFile(f *os.File) (*Reader, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return NewReader(f, st.Size())
}

// NewReader returns a Reader of the table in the first size bytes of r. It
// doesn't close r.
func NewReader(r io.ReaderAt, size int64) (*Reader, error) {
	return newReader(r, size, memory.DefaultAllocator)
}

func newReader(r io.ReaderAt, size int64, mem memory.Allocator) (rd *Reader, err error) {
	defer recovered(&err, ErrDamaged)
	f, err := newFile(r, size, capped{mem})
	if err != nil {
		return nil, err
	}
	places, err := places(f.schema())
	if err != nil {
		return nil, err
	}
	return &Reader{file: f, places: places}, nil
}

func newFile(r io.ReaderAt, size int64, mem memory.Allocator) (file, error) {
	head := make([]byte, min(size, 8))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	format, err := detect(head)
	if err != nil {
		return nil, err
	}
	if format == IPC {
		return newIPCFile(r, size, mem)
	}
	return newParquetFile(r, size, mem)
}

// ReadAll reads a table from r, which is held in memory.
func ReadAll(r io.Reader) (*Reader, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return NewReader(bytes.NewReader(b), int64(len(b)))
}

// NumRows returns the number of calls, or -1 for an IPC stream, which doesn't
// say it beforehand.
func (r *Reader) NumRows() int64 { return r.file.numRows() }

// Groups returns into how many parts the table may be cut: the row groups of Parquet,
// and 1 for an IPC stream.
func (r *Reader) Groups() int { return r.file.groups() }

// Section returns a Reader of the parts from (counted from 0) up to and without to:
// at least one, and all of the table. It is good for as long as r isn't closed.
func (r *Reader) Section(from, to int) *Reader {
	return &Reader{file: r.file.section(from, to), places: r.places}
}

// Next reads the next call. It returns false at the end and after an error.
func (r *Reader) Next() (ok bool) {
	if r.err != nil {
		return false
	}
	call, err := r.read()
	if err != nil {
		r.call = nil
		r.err = err
		r.drop()
		return false
	}
	r.call = call
	return true
}

// Call returns the call that Next read. It is the caller's to keep.
func (r *Reader) Call() *calllog.Call { return r.call }

// Err returns what ended the reading, nil for the end of the table.
func (r *Reader) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Close lets go of what Next holds, and of the file if Open opened it.
func (r *Reader) Close() error {
	r.drop()
	if r.err == nil {
		r.err = os.ErrClosed
	}
	if r.closer == nil {
		return nil
	}
	c := r.closer
	r.closer = nil
	return c.Close()
}

// read returns the next call, or io.EOF.
func (r *Reader) read() (c *calllog.Call, err error) {
	defer recovered(&err, ErrDamaged)
	for r.rows == nil || r.row == r.rows.n {
		if err := r.advance(); err != nil {
			return nil, err
		}
	}
	c, err = r.rows.call(r.row)
	if err != nil {
		return nil, fmt.Errorf("row %d: %w", r.done+int64(r.row)+1, err)
	}
	r.row++
	return c, nil
}

// advance goes to the next batch.
func (r *Reader) advance() error {
	if r.in == nil {
		in, err := r.open(allColumns(), false)
		if err != nil {
			return err
		}
		r.in = in
	}
	if r.rows != nil {
		r.done += int64(r.rows.n)
		r.rows.release()
		r.rows = nil
	}
	rec, err := r.in.next()
	if err != nil {
		return err
	}
	r.rows, r.row = newRows(rec), 0
	return nil
}

// drop releases the batch and the stream of Next.
func (r *Reader) drop() {
	if r.rows != nil {
		r.rows.release()
		r.rows = nil
	}
	if r.in != nil {
		r.in.close()
		r.in = nil
	}
}

// open starts to read the given columns.
func (r *Reader) open(cols []int, encoded bool) (stream, error) {
	fields := make([]int, len(cols))
	for i, c := range cols {
		fields[i] = r.places[c]
	}
	return r.file.stream(cols, fields, encoded)
}

// Batches reads the table from its start in Arrow record batches of the named
// columns, in the order named; without names, of all of them, where the
// constants of this package say which is where. The columns are *array.String,
// *array.Int64, *array.Boolean and *array.Timestamp.
//
// A batch is released after its turn of the loop: Retain it to keep it, and
// clone strings, which point into it. An error ends the loop. Loops are
// independent of each other and of Next, and may run at the same time.
func (r *Reader) Batches(names ...string) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		if err := r.each(names, false, func(rec arrow.RecordBatch) bool { return yield(rec, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// Encoded is as Batches, but a text column comes as an *array.Dictionary of strings
// where the file holds it as one: then each value is read once. An index is at
// least 0, and below the number of values.
func (r *Reader) Encoded(names ...string) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		if err := r.each(names, true, func(rec arrow.RecordBatch) bool { return yield(rec, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// each calls f with each batch until it returns false. What f panics with is
// its own and goes through.
func (r *Reader) each(names []string, encoded bool, f func(arrow.RecordBatch) bool) error {
	cols, err := columnsNamed(names)
	if err != nil {
		return err
	}
	in, err := try(func() (stream, error) { return r.open(cols, encoded) })
	if err != nil {
		return err
	}
	defer in.close()
	for {
		rec, err := try(in.next)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		more := f(rec)
		rec.Release()
		if !more {
			return nil
		}
	}
}

// try runs f, a panic being an error.
func try[T any](f func() (T, error)) (v T, err error) {
	defer recovered(&err, ErrDamaged)
	return f()
}

// Note gives a remark about the whole table, "" where it has none of that key.
func (r *Reader) Note(key string) string {
	md := r.file.schema().Metadata()
	value, _ := md.GetValue(key)
	return value
}
