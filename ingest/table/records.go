package table

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// Series is a column of a small table that isn't of calls: texts or whole numbers.
type Series struct {
	Name    string
	Texts   []string
	Numbers []int64 // where Texts is nil
}

// WriteSeries writes columns of equal length as Parquet. name says what the table is,
// in its metadata.
func WriteSeries(w io.Writer, name string, columns []Series) error {
	mem := memory.DefaultAllocator
	fields := make([]arrow.Field, len(columns))
	arrays := make([]arrow.Array, len(columns))
	defer releaseAll(arrays)
	rows := -1
	for i, c := range columns {
		n := len(c.Numbers)
		if c.Texts != nil {
			n = len(c.Texts)
			b := array.NewStringBuilder(mem)
			b.AppendValues(c.Texts, nil)
			arrays[i], fields[i] = b.NewArray(), arrow.Field{Name: c.Name, Type: text}
			b.Release()
		} else {
			b := array.NewInt64Builder(mem)
			b.AppendValues(c.Numbers, nil)
			arrays[i], fields[i] = b.NewArray(), arrow.Field{Name: c.Name, Type: whole}
			b.Release()
		}
		if rows >= 0 && n != rows {
			return fmt.Errorf("table %s: column %s has %d rows, the one before %d", name, c.Name, n, rows)
		}
		rows = n
	}
	md := arrow.NewMetadata([]string{schemaKey, versionKey}, []string{name, "1"})
	schema := arrow.NewSchema(fields, &md)
	rec := array.NewRecordBatch(schema, arrays, int64(max(rows, 0)))
	defer rec.Release()
	out, err := pqarrow.NewFileWriter(schema, struct{ io.Writer }{w},
		parquet.NewWriterProperties(parquet.WithAllocator(mem), parquet.WithCompression(compress.Codecs.Zstd)),
		pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(mem)))
	if err != nil {
		return err
	}
	if err := out.Write(rec); err != nil {
		return err
	}
	return out.Close()
}
