package table

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

func TestWriteSeries(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	err := WriteSeries(&b, "mcpg.test", []Series{{Name: "who", Texts: []string{"a", "ü|x"}}, {Name: "n", Numbers: []int64{1, -7}}})
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := pqarrow.ReadTable(t.Context(), bytes.NewReader(b.Bytes()), parquet.NewReaderProperties(nil), pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer tbl.Release()
	if tbl.NumRows() != 2 || tbl.NumCols() != 2 || tbl.Column(0).Data().Chunk(0).ValueStr(1) != "ü|x" || tbl.Column(1).Data().Chunk(0).ValueStr(1) != "-7" {
		t.Errorf("%v", tbl)
	}
	if err := WriteSeries(&b, "x", []Series{{Name: "a", Numbers: []int64{1}}, {Name: "b", Numbers: []int64{}}}); err == nil {
		t.Error("columns of unequal length")
	}
	// It is no table of calls, and says so.
	if _, err := NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())); err == nil {
		t.Error("taken for calls")
	}
}
