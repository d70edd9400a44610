package table

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// maxPage is how long a page may be, compressed or not.
const maxPage = 256 << 20

// parquetFile is a Parquet file.
type parquetFile struct {
	in    *pq.Reader
	cols  *pqarrow.FileReader
	dicts *pqarrow.FileReader // gives texts as the dictionaries that the file has
	shape *arrow.Schema
	mem   memory.Allocator

	first, last int // row groups that are read, without the last
}

func newParquetFile(r io.ReaderAt, size int64, mem memory.Allocator) (*parquetFile, error) {
	if err := verifyParquet(r, size); err != nil {
		return nil, err
	}
	props := parquet.NewReaderProperties(mem)
	props.MaxCompressedPageSize = maxPage
	props.MaxUncompressedPageSize = maxPage
	in, err := pq.NewParquetReader(io.NewSectionReader(r, 0, size), pq.WithReadProps(props))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := checkExtents(in.MetaData(), size); err != nil {
		return nil, err
	}
	f := &parquetFile{in: in, mem: mem, last: in.NumRowGroups()}
	f.cols, err = pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{}, mem)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	asDicts := pqarrow.ArrowReadProperties{}
	for _, field := range f.cols.Manifest.Fields {
		if field.ColIndex >= 0 && arrow.TypeEqual(field.Field.Type, text) {
			asDicts.SetReadDict(field.ColIndex, true)
		}
	}
	f.dicts, err = pqarrow.NewFileReader(in, asDicts, mem)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	shape, err := f.cols.Schema()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	// The library leaves the file's metadata out of the schema.
	kv := in.MetaData().KeyValueMetadata()
	md := arrow.NewMetadata(kv.Keys(), kv.Values())
	f.shape = arrow.NewSchema(shape.Fields(), &md)
	return f, nil
}

// checkExtents holds the lengths in the footer against the file's. The library
// allocates what the footer says.
func checkExtents(md *metadata.FileMetaData, size int64) error {
	for g := range md.NumRowGroups() {
		group := md.RowGroup(g)
		if group.NumRows() < 0 {
			return fmt.Errorf("%w: a row group of %d rows", ErrDamaged, group.NumRows())
		}
		for c := range group.NumColumns() {
			chunk, err := group.ColumnChunk(c)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			n, at := chunk.TotalCompressedSize(), chunk.DataPageOffset()
			if n < 0 || at < 0 || n > size || at > size {
				return fmt.Errorf("%w: a column of %d bytes at %d in a file of %d", ErrDamaged, n, at, size)
			}
		}
	}
	return nil
}

func (f *parquetFile) schema() *arrow.Schema { return f.shape }
func (f *parquetFile) groups() int           { return f.last - f.first }

func (f *parquetFile) numRows() int64 {
	n := int64(0)
	for g := f.first; g < f.last; g++ {
		n += f.in.MetaData().RowGroup(g).NumRows()
	}
	return n
}

func (f *parquetFile) section(from, to int) file {
	s := *f
	s.first, s.last = f.first+from, f.first+to
	return &s
}

func (f *parquetFile) stream(cols, fields []int, encoded bool) (stream, error) {
	return &parquetStream{file: f, fields: fields, shape: schemaOf(cols), encoded: encoded, group: f.first}, nil
}

// isDictionary tells whether all pages of a column in a row group hold indices into
// a dictionary.
func (f *parquetFile) isDictionary(group, leaf int) bool {
	chunk, err := f.in.MetaData().RowGroup(group).ColumnChunk(leaf)
	if err != nil || !chunk.HasDictionaryPage() {
		return false
	}
	for _, s := range chunk.EncodingStats() {
		const dataPage, dataPageV2 = 0, 3 // of the format's PageType, which the library keeps to itself
		data := s.PageType == dataPage || s.PageType == dataPageV2
		if data && s.Encoding != parquet.Encodings.RLEDict && s.Encoding != parquet.Encodings.PlainDict {
			return false
		}
	}
	return len(chunk.EncodingStats()) > 0
}

// parquetStream reads a file one row group after the other, a row group in
// batches of at most maxRows.
//
// It drives the library's column readers itself. The library's own reader of
// batches opens them in goroutines, where a panic on a damaged file can't be
// caught.
type parquetStream struct {
	file   *parquetFile
	fields []int
	shape  *arrow.Schema
	// encoded asks for dictionaries where the file has them.
	encoded bool

	group int   // the next row group
	left  int64 // rows to read of the one before it
	cols  []*pqarrow.ColumnReader
}

func (s *parquetStream) next() (arrow.RecordBatch, error) {
	for s.left == 0 {
		if err := s.enter(); err != nil {
			return nil, err
		}
	}
	n := min(s.left, maxRows)
	arrays, err := s.read(n)
	defer releaseAll(arrays)
	if err != nil {
		return nil, err
	}
	s.left -= n
	return array.NewRecordBatch(shapeOf(s.shape, arrays), arrays, n), nil
}

// enter opens the next row group, or returns io.EOF.
func (s *parquetStream) enter() error {
	s.close()
	if s.group >= s.file.last {
		return io.EOF
	}
	s.cols = make([]*pqarrow.ColumnReader, len(s.fields))
	for i, field := range s.fields {
		leaf := s.file.cols.Manifest.Fields[field].ColIndex
		from := s.file.cols
		if s.encoded && s.file.isDictionary(s.group, leaf) {
			from = s.file.dicts
		}
		col, err := from.GetFieldReader(context.Background(), field,
			map[int]bool{leaf: true}, []int{s.group})
		if err != nil {
			return fmt.Errorf("%w: column %s: %w", ErrDamaged, s.shape.Field(i).Name, err)
		}
		s.cols[i] = col
	}
	s.left = s.file.in.MetaData().RowGroup(s.group).NumRows()
	s.group++
	return nil
}

// read reads the next n rows, the columns side by side.
func (s *parquetStream) read(n int64) ([]arrow.Array, error) {
	arrays := make([]arrow.Array, len(s.cols))
	errs := make([]error, len(s.cols))
	var wg sync.WaitGroup
	for i := range s.cols {
		wg.Go(func() {
			arrays[i], errs[i] = try(func() (arrow.Array, error) { return s.column(i, n) })
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return arrays, fmt.Errorf("column %s: %w", s.shape.Field(i).Name, err)
		}
	}
	return arrays, nil
}

// column reads the next n values of one column.
func (s *parquetStream) column(i int, n int64) (arrow.Array, error) {
	chunks, err := s.cols[i].NextBatch(n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer chunks.Release()
	if have := int64(chunks.Len()); have != n {
		return nil, fmt.Errorf("%w: it ends after %d of %d rows", ErrDamaged, have, n)
	}
	for _, c := range chunks.Chunks() {
		if err := checkIndices(c); err != nil {
			return nil, err
		}
	}
	if len(chunks.Chunks()) == 1 {
		a := chunks.Chunk(0)
		a.Retain()
		return a, nil
	}
	parts := make([]arrow.Array, len(chunks.Chunks()))
	defer releaseAll(parts)
	for j, c := range chunks.Chunks() {
		parts[j] = decoded(c, s.file.mem)
	}
	return array.Concatenate(parts, s.file.mem)
}

// checkIndices checks a dictionary's indices; of anything else it says nothing.
func checkIndices(a arrow.Array) error {
	d, ok := a.(*array.Dictionary)
	if !ok {
		return nil
	}
	index, ok := d.Indices().(*array.Int32)
	if !ok {
		return fmt.Errorf("%w: indices of type %s", ErrDamaged, d.Indices().DataType())
	}
	n := int32(d.Dictionary().Len())
	for i, v := range index.Int32Values() {
		if (v < 0 || v >= n) && d.IsValid(i) {
			return fmt.Errorf("%w: value %d of a dictionary of %d", ErrDamaged, v, n)
		}
	}
	return nil
}

// shapeOf is the schema with the types that the columns have.
func shapeOf(s *arrow.Schema, arrays []arrow.Array) *arrow.Schema {
	fields := s.Fields()
	changed := false
	for i, a := range arrays {
		if !arrow.TypeEqual(fields[i].Type, a.DataType()) {
			fields[i].Type, changed = a.DataType(), true
		}
	}
	if !changed {
		return s
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md)
}

// decoded are the values of a dictionary's indices; anything else stays.
func decoded(a arrow.Array, mem memory.Allocator) arrow.Array {
	d, ok := a.(*array.Dictionary)
	if !ok {
		a.Retain()
		return a
	}
	values := d.Dictionary().(*array.String)
	b := array.NewStringBuilder(mem)
	defer b.Release()
	for i := range d.Len() {
		if d.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(values.Value(d.GetValueIndex(i)))
		}
	}
	return b.NewArray()
}

func (s *parquetStream) close() {
	for _, c := range s.cols {
		if c != nil {
			c.Release()
		}
	}
	s.cols = nil
}

func releaseAll(arrays []arrow.Array) {
	for _, a := range arrays {
		if a != nil {
			a.Release()
		}
	}
}
