package table

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"mcpg/calllog"
)

// Bounds of a batch, which is a row group in Parquet: a writer holds two, and
// a reader one at a time.
const (
	maxRows  = 64 << 10
	maxBytes = 32 << 20
	// maxRow bounds one row. It is under the 256 MiB at which the library
	// stops reading a page or a message.
	maxRow = 128 << 20
)

// Writer writes calls as a table. A full batch is compressed and written on a
// goroutine of its own while the next one fills.
type Writer struct {
	out      sink
	rows     *builder
	spare    *builder   // the one that is being written, or was
	writing  chan error // of the batch that is being written; nil if none is
	bytes    int        // about what rows hold
	maxRows  int
	maxBytes int
	err      error // the first that the output gave
	closed   bool
}

// sink is where batches go.
type sink interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// Note is a remark about the whole table, kept in its metadata.
type Note struct{ Key, Value string }

// AdaptersNote is the key of the adapters that the table's states were read
// with, a JSON list.
const AdaptersNote = "mcpg.adapters"

// NewWriter returns a Writer to w. The table is whole only after Close, which
// leaves w itself open.
func NewWriter(w io.Writer, format Format, notes ...Note) (*Writer, error) {
	return newWriter(w, format, memory.DefaultAllocator, notes...)
}

func newWriter(w io.Writer, format Format, mem memory.Allocator, notes ...Note) (*Writer, error) {
	out, err := newSink(w, format, mem, notes)
	if err != nil {
		return nil, err
	}
	return &Writer{out: out, rows: newBuilder(mem), spare: newBuilder(mem), maxRows: maxRows, maxBytes: maxBytes}, nil
}

func newSink(w io.Writer, format Format, mem memory.Allocator, notes []Note) (sink, error) {
	schema := schemaOf(allColumns(), notes...)
	// The library would close a writer that can be closed.
	w = struct{ io.Writer }{w}
	switch format {
	case Parquet:
		return pqarrow.NewFileWriter(schema, w, parquetProps(mem),
			pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(mem)))
	case IPC:
		return ipc.NewWriter(w, ipc.WithSchema(schema), ipc.WithAllocator(mem)), nil
	}
	return nil, fmt.Errorf("table: no format %d", format)
}

func parquetProps(mem memory.Allocator) *parquet.WriterProperties {
	props := []parquet.WriterProperty{
		parquet.WithAllocator(mem),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCompressionLevel(1), // as small within a few hundredths, in half the time
		parquet.WithDictionaryDefault(false),
	}
	for _, c := range Columns {
		props = append(props,
			parquet.WithDictionaryFor(c.Name, c.few),
			parquet.WithStatsFor(c.Name, !c.bulk))
	}
	return parquet.NewWriterProperties(props...)
}

// Write appends one call; it keeps nothing of it. After [ErrTooLarge] or an
// unknown outcome or cause the call is left out and the Writer can go on;
// after any other error it can't.
func (w *Writer) Write(c *calllog.Call) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return errors.New("table: write after close")
	}
	if err := check(c); err != nil {
		return fmt.Errorf("%s: call %q: %w", c.Pos, c.ID, err)
	}
	n := size(c)
	if w.rows.rows > 0 && (w.rows.rows >= w.maxRows || w.bytes+n > w.maxBytes) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.rows.add(c)
	w.bytes += n
	return nil
}

// flush begins to write the collected rows as one batch, when the one before
// is written.
func (w *Writer) flush() error {
	if err := w.wait(); err != nil {
		return err
	}
	full := w.rows
	rec := full.batch()
	w.rows, w.spare, w.bytes = w.spare, full, 0
	done := make(chan error, 1)
	w.writing = done
	go func() {
		err := w.try(func() error { return w.out.Write(rec) })
		rec.Release()
		full.reset()
		done <- err
	}()
	return nil
}

// wait waits until no batch is being written.
func (w *Writer) wait() error {
	if w.writing == nil {
		return w.err
	}
	if err := <-w.writing; err != nil && w.err == nil {
		w.err = fmt.Errorf("write table: %w", err)
	}
	w.writing = nil
	return w.err
}

// Close writes what is left and ends the table. Further calls return the same.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.err == nil && w.rows.rows > 0 {
		_ = w.flush() // its error is w.err
	}
	_ = w.wait() // likewise
	defer w.rows.release()
	defer w.spare.release()
	if err := w.try(w.out.Close); err != nil && w.err == nil {
		w.err = fmt.Errorf("end table: %w", err)
	}
	return w.err
}

// try runs f. Where writing fails, the library panics in places.
func (w *Writer) try(f func() error) (err error) {
	defer recovered(&err, errors.New("the Arrow library failed"))
	return f()
}
