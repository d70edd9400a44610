package table

import (
	"bytes"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// ipcFile is an Arrow IPC stream.
type ipcFile struct {
	r     io.ReaderAt
	size  int64
	mem   memory.Allocator
	shape *arrow.Schema
}

func newIPCFile(r io.ReaderAt, size int64, mem memory.Allocator) (*ipcFile, error) {
	if err := verifyIPC(r, size); err != nil {
		return nil, err
	}
	f := &ipcFile{r: r, size: size, mem: mem}
	in, err := f.reader()
	if err != nil {
		return nil, err
	}
	defer in.Release()
	f.shape = in.Schema()
	return f, f.checkEnd()
}

func (f *ipcFile) reader() (*ipc.Reader, error) {
	in := io.NewSectionReader(f.r, 0, f.size)
	messages := ipc.NewMessageReader(in,
		ipc.WithAllocator(f.mem),
		ipc.WithMetadataSizeLimit(f.size),
		ipc.WithBodySizeLimit(f.size))
	r, err := ipc.NewReaderFromMessageReader(messages, ipc.WithAllocator(f.mem))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return r, nil
}

// checkEnd looks for the mark at the end. The library takes a stream that was
// cut off between two messages for a whole one.
func (f *ipcFile) checkEnd() error {
	end := make([]byte, min(f.size, int64(len(ipcEnd))))
	if _, err := f.r.ReadAt(end, f.size-int64(len(end))); err != nil && err != io.EOF {
		return err
	}
	if !bytes.Equal(end, ipcEnd) {
		return fmt.Errorf("%w: it lacks the mark at its end, so it was cut off", ErrDamaged)
	}
	return nil
}

func (f *ipcFile) schema() *arrow.Schema { return f.shape }
func (f *ipcFile) numRows() int64        { return -1 }
func (f *ipcFile) groups() int           { return 1 }
func (f *ipcFile) section(_, _ int) file { return f }

func (f *ipcFile) stream(cols, fields []int, _ bool) (stream, error) {
	in, err := f.reader()
	if err != nil {
		return nil, err
	}
	return &ipcStream{in: in, fields: fields, shape: schemaOf(cols)}, nil
}

type ipcStream struct {
	in     *ipc.Reader
	fields []int
	shape  *arrow.Schema
}

func (s *ipcStream) next() (arrow.RecordBatch, error) {
	if !s.in.Next() {
		if err := s.in.Err(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return nil, io.EOF
	}
	have := s.in.RecordBatch()
	if err := array.ValidateRecordFull(have); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	cols := make([]arrow.Array, len(s.fields))
	for i, at := range s.fields {
		cols[i] = have.Column(at)
	}
	return array.NewRecordBatch(s.shape, cols, have.NumRows()), nil
}

func (s *ipcStream) close() { s.in.Release() }
