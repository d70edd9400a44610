package table

import (
	"bytes"
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"mcpg/calllog"
)

var update = flag.Bool("update", false, "write the golden files")

func reader(t testing.TB, data []byte, mem memory.Allocator) *Reader {
	t.Helper()
	r, err := newReader(bytes.NewReader(data), int64(len(data)), mem)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSections: the calls of all sections are those of the table, in their order.
func TestSections(t *testing.T) {
	calls := manyCalls(250)
	eachFormat(t, func(t *testing.T, format Format, mem memory.Allocator) {
		r := reader(t, write(t, format, mem, calls, small(40)), mem)
		defer r.Close()
		if want := map[Format]int{Parquet: 7, IPC: 1}[format]; r.Groups() != want {
			t.Fatalf("%d parts, want %d", r.Groups(), want)
		}
		var got []*calllog.Call
		for from := 0; from < r.Groups(); from += 3 {
			s := r.Section(from, min(from+3, r.Groups()))
			n := len(got)
			for s.Next() {
				got = append(got, s.Call())
			}
			if err := s.Err(); err != nil {
				t.Fatal(err)
			}
			if rows := s.NumRows(); rows >= 0 && int(rows) != len(got)-n {
				t.Errorf("%d rows of %d", len(got)-n, rows)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		same(t, got, calls)
	})
}

func TestColumnPlaces(t *testing.T) {
	if len(Columns) != numColumns {
		t.Fatalf("%d columns, %d constants", len(Columns), numColumns)
	}
	for i, want := range map[int]string{CallID: "call_id", Tool: "tool", Args: "args", StateAgeUS: "state_age_us", Extra: "extra"} {
		if Columns[i].Name != want {
			t.Errorf("column %d is %s, want %s", i, Columns[i].Name, want)
		}
	}
	for _, c := range Columns {
		if c.Name == "" || c.Meaning == "" {
			t.Errorf("column %+v lacks something", c)
		}
	}
}

func TestBatches(t *testing.T) {
	calls := manyCalls(250)
	eachFormat(t, func(t *testing.T, format Format, mem memory.Allocator) {
		r := reader(t, write(t, format, mem, calls, small(100)), mem)
		defer r.Close()
		var sizes []int64
		var row int
		for rec, err := range r.Batches("line", "tool") {
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, rec.NumRows())
			if got := fmt.Sprint(rec.ColumnName(0), " ", rec.ColumnName(1), " ", rec.NumCols()); got != "line tool 2" {
				t.Fatal(got)
			}
			lines, tools := rec.Column(0).(*array.Int64), rec.Column(1).(*array.String)
			for i := range lines.Len() {
				if lines.Value(i) != int64(calls[row].Pos.Line) || tools.Value(i) != calls[row].Tool {
					t.Fatalf("row %d differs", row)
				}
				row++
			}
		}
		if got := fmt.Sprint(sizes); got != "[100 100 50]" {
			t.Error(got)
		}
	})
}

// TestBatchesAll has the schema of the table, and stops in the middle.
func TestBatchesAll(t *testing.T) {
	eachFormat(t, func(t *testing.T, format Format, mem memory.Allocator) {
		r := reader(t, write(t, format, mem, manyCalls(50), small(10)), mem)
		defer r.Close()
		r.Next()
		for rec, err := range r.Batches() {
			if err != nil || !rec.Schema().Equal(Schema()) {
				t.Fatalf("%v\n%v", err, rec.Schema())
			}
			break
		}
		for _, err := range r.Batches("tool", "colour") {
			if err == nil || err.Error() != "calls table: no column colour" {
				t.Error(err)
			}
		}
		n := 1
		for r.Next() {
			n++
		}
		if n != 50 || r.Err() != nil {
			t.Errorf("Next beside Batches: %d rows, %v", n, r.Err())
		}
	})
}

// TestRetain keeps a batch beyond its turn, as a worker would.
func TestRetain(t *testing.T) {
	eachFormat(t, func(t *testing.T, format Format, mem memory.Allocator) {
		r := reader(t, write(t, format, mem, manyCalls(50), small(10)), mem)
		defer r.Close()
		var wg sync.WaitGroup
		for rec, err := range r.Batches("args") {
			if err != nil {
				t.Fatal(err)
			}
			rec.Retain()
			wg.Go(func() { touch(rec); rec.Release() })
		}
		wg.Wait()
	})
}

// TestLoopsTogether runs loops of one Reader at the same time.
func TestLoopsTogether(t *testing.T) {
	calls := manyCalls(200)
	for _, format := range formats {
		r := reader(t, write(t, format, memory.DefaultAllocator, calls, small(20)), memory.DefaultAllocator)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				n := int64(0)
				for rec, err := range r.Batches("tool", "args") {
					if err != nil {
						t.Error(err)
						return
					}
					n += rec.NumRows()
				}
				if n != 200 {
					t.Errorf("%d rows", n)
				}
			})
		}
		wg.Wait()
	}
}

// TestPanicOfCaller: a panic in the loop's body is the caller's.
func TestPanicOfCaller(t *testing.T) {
	r := reader(t, write(t, Parquet, memory.DefaultAllocator, manyCalls(5)), memory.DefaultAllocator)
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("recovered %v", p)
		}
	}()
	for range r.Batches() {
		panic("mine")
	}
}

// TestBoundedBatches: long values end a batch before many rows do.
func TestBoundedBatches(t *testing.T) {
	c := fullCall()
	c.ResultText = string(bytes.Repeat([]byte("x"), 1<<20))
	calls := make([]*calllog.Call, 20)
	for i := range calls {
		calls[i] = c
	}
	data := write(t, Parquet, memory.DefaultAllocator, calls, func(w *Writer) { w.maxBytes = 5 << 20 })
	var sizes []int64
	for rec, err := range reader(t, data, memory.DefaultAllocator).Batches("line") {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, rec.NumRows())
	}
	if got := fmt.Sprint(sizes); got != "[4 4 4 4 4]" {
		t.Error(got)
	}
}

// TestManyRowsInAGroup reads a row group of another writer in bounded batches.
func TestManyRowsInAGroup(t *testing.T) {
	mem := memory.DefaultAllocator
	b := newBuilder(mem)
	for range maxRows + 10 {
		b.add(&calllog.Call{Tool: "t"})
	}
	data := writeBatch(t, Parquet, b.batch())
	var sizes []int64
	for rec, err := range reader(t, data, mem).Batches("tool", "ts") {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, rec.NumRows())
	}
	if got := fmt.Sprint(sizes); got != "[65536 10]" {
		t.Error(got)
	}
}

func benchCalls() []*calllog.Call {
	calls := make([]*calllog.Call, 100_000)
	for i := range calls {
		c := *fullCall()
		c.ID = fmt.Sprint("call-", i)
		c.Time = c.Time.Add(1000 * 1000 * 1000)
		c.Pos.Line = i
		calls[i] = &c
	}
	return calls
}

func BenchmarkWrite(b *testing.B) {
	calls := benchCalls()
	for _, format := range formats {
		b.Run(format.String(), func(b *testing.B) {
			for b.Loop() {
				b.SetBytes(int64(len(write(b, format, memory.DefaultAllocator, calls))))
			}
			b.ReportMetric(float64(b.N*len(calls))/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	calls := benchCalls()
	for _, format := range formats {
		data := write(b, format, memory.DefaultAllocator, calls)
		b.Run(format.String()+"/calls", func(b *testing.B) {
			for b.Loop() {
				mustRead(b, data, memory.DefaultAllocator)
			}
			b.ReportMetric(float64(b.N*len(calls))/b.Elapsed().Seconds(), "calls/s")
		})
		b.Run(format.String()+"/4columns", func(b *testing.B) {
			var rec arrow.RecordBatch
			for b.Loop() {
				for rec = range reader(b, data, memory.DefaultAllocator).Batches("tool", "outcome", "args", "before") {
				}
			}
			_ = rec
			b.ReportMetric(float64(b.N*len(calls))/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
