package table

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"mcpg/calllog"
)

// rewrite returns the table of one call after change.
func rewrite(t *testing.T, format Format, change func([]arrow.Field, []arrow.Array) ([]arrow.Field, []arrow.Array), md map[string]string) []byte {
	t.Helper()
	mem := memory.DefaultAllocator
	b := newBuilder(mem)
	b.add(fullCall())
	rec := b.batch()
	fields, cols := change(Schema().Fields(), append([]arrow.Array(nil), rec.Columns()...))
	meta := arrow.MetadataFrom(md)
	schema := arrow.NewSchema(fields, &meta)
	return writeBatch(t, format, array.NewRecordBatch(schema, cols, 1))
}

func writeBatch(t *testing.T, format Format, rec arrow.RecordBatch) []byte {
	t.Helper()
	var buf bytes.Buffer
	var out sink = ipc.NewWriter(&buf, ipc.WithSchema(rec.Schema()))
	if format == Parquet {
		w, err := pqarrow.NewFileWriter(rec.Schema(), &buf, nil, pqarrow.DefaultWriterProps())
		if err != nil {
			t.Fatal(err)
		}
		out = w
	}
	if err := errors.Join(out.Write(rec), out.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestForeign(t *testing.T) {
	ours := map[string]string{schemaKey: schemaName, versionKey: "1"}
	type columns = func([]arrow.Field, []arrow.Array) ([]arrow.Field, []arrow.Array)
	as := func(f []arrow.Field, c []arrow.Array) ([]arrow.Field, []arrow.Array) { return f, c }
	without := func(i int) columns {
		return func(f []arrow.Field, c []arrow.Array) ([]arrow.Field, []arrow.Array) {
			return append(f[:i:i], f[i+1:]...), append(c[:i:i], c[i+1:]...)
		}
	}
	tests := []struct {
		name   string
		change columns
		md     map[string]string
		want   error
		text   string
	}{
		{"ours", as, ours, nil, ""},
		{"without metadata", as, nil, nil, ""},
		{"more columns, in another order", extraColumns, ours, nil, ""},
		{"a column less", without(Tool), ours, ErrForeign, "not a calls table: no column tool"},
		{"other columns", func(f []arrow.Field, c []arrow.Array) ([]arrow.Field, []arrow.Array) { return f[:2], c[:2] },
			ours, ErrForeign, "no column session, nor 20 others"},
		{"a column of another type", func(f []arrow.Field, c []arrow.Array) ([]arrow.Field, []arrow.Array) {
			c[Tool], f[Tool].Type = c[Line], whole
			return f, c
		}, ours, ErrForeign, "column tool is int64, want utf8"},
		{"another table", as, map[string]string{schemaKey: "tasks"}, ErrForeign, `it says that it holds "tasks"`},
		{"newer", as, map[string]string{schemaKey: schemaName, versionKey: "2"}, ErrNewer,
			"newer than this program: its version is 2, the newest known is 1"},
		{"version of words", as, map[string]string{schemaKey: schemaName, versionKey: "x"}, ErrForeign, `its version is "x"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, format := range formats {
				calls, err := read(rewrite(t, format, test.change, test.md), memory.DefaultAllocator)
				if !errors.Is(err, test.want) || (err != nil && !strings.Contains(err.Error(), test.text)) {
					t.Errorf("%v: %v, want %v with %q", format, err, test.want, test.text)
				}
				if test.want == nil {
					same(t, calls, []*calllog.Call{fullCall()})
				}
			}
		})
	}
}

// extraColumns puts two more columns, one of them nested, before ours and
// turns ours around.
func extraColumns(f []arrow.Field, c []arrow.Array) ([]arrow.Field, []arrow.Array) {
	b := array.NewListBuilder(memory.DefaultAllocator, arrow.StructOf(
		arrow.Field{Name: "a", Type: whole}, arrow.Field{Name: "b", Type: text}))
	b.AppendNull()
	list := b.NewArray()
	fields := []arrow.Field{{Name: "note", Type: text, Nullable: true}, {Name: "tags", Type: list.DataType(), Nullable: true}}
	cols := []arrow.Array{c[Tool], list}
	for i := len(f) - 1; i >= 0; i-- {
		fields, cols = append(fields, f[i]), append(cols, c[i])
	}
	return fields, cols
}

func TestNotATable(t *testing.T) {
	for data, want := range map[string]string{
		"":                        "it is empty",
		"{}\n":                    "neither Parquet nor an Arrow IPC stream",
		"PARE....":                "encrypted",
		"ARROW1\x00\x00":          "IPC file",
		"PAR1":                    "too few",
		"PAR1 and then some text": "no Parquet footer",
		"\xff\xff\xff\xff":        "damaged",
	} {
		_, err := read([]byte(data), memory.DefaultAllocator)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
}

// TestUnknownOutcome: a value that only a later version or another hand can
// have written is an error that names its row.
func TestUnknownOutcome(t *testing.T) {
	data := rewrite(t, Parquet, func(f []arrow.Field, c []arrow.Array) ([]arrow.Field, []arrow.Array) {
		c[Outcome] = c[Tool]
		return f, c
	}, nil)
	_, err := read(data, memory.DefaultAllocator)
	if err == nil || !strings.Contains(err.Error(), `row 1: outcome "return_order"`) {
		t.Error(err)
	}
}

func TestTruncated(t *testing.T) {
	calls := manyCalls(60)
	for _, format := range formats {
		data := write(t, format, memory.DefaultAllocator, calls, small(20))
		for n := 8; n < len(data); n += 1 + len(data)/400 {
			if _, err := read(data[:n], memory.DefaultAllocator); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%v cut to %d of %d: %v", format, n, len(data), err)
			}
		}
		// Cut exactly between two messages, too.
		if _, err := read(data[:len(data)-8], memory.DefaultAllocator); !errors.Is(err, ErrDamaged) {
			t.Errorf("%v without its last 8 bytes: %v", format, err)
		}
	}
}

// TestFlipped flips bits. Not every flip can be noticed, but none may panic.
func TestFlipped(t *testing.T) {
	for _, format := range formats {
		data := write(t, format, memory.DefaultAllocator, manyCalls(20), small(10))
		step := 1 + len(data)/500
		for i := 0; i < len(data); i += step {
			data[i] ^= 1 << (i / step % 8)
			read(data, memory.DefaultAllocator)
			data[i] ^= 1 << (i / step % 8)
		}
	}
}

// FuzzRead reads arbitrary bytes: an error or calls, never a panic.
func FuzzRead(f *testing.F) {
	for _, format := range formats {
		f.Add(write(f, format, memory.DefaultAllocator, nil))
		f.Add(write(f, format, memory.DefaultAllocator, []*calllog.Call{fullCall(), {}}))
		f.Add(write(f, format, memory.DefaultAllocator, manyCalls(3), small(2)))
	}
	f.Add([]byte("PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		defer r.Close()
		for r.Next() {
			if r.Call() == nil {
				t.Fatal("no call")
			}
		}
		for rec, err := range r.Batches("tool", "args") {
			if err == nil {
				touch(rec)
			}
		}
	})
}

// touch reads every value.
func touch(rec arrow.RecordBatch) (n int) {
	for _, c := range rec.Columns() {
		a := c.(*array.String)
		for i := range a.Len() {
			n += len(a.Value(i))
		}
	}
	return n
}

// TestColumnsGolden holds the documented columns; a change of them is a new
// Version.
func TestColumnsGolden(t *testing.T) {
	var b strings.Builder
	for _, c := range Columns {
		null := ""
		if c.Null {
			null = ", may be null"
		}
		b.WriteString(c.Name + " (" + c.Type.String() + null + "): " + c.Meaning + "\n")
	}
	path := filepath.Join("testdata", "columns.txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("columns changed (-update writes them):\n%s", b.String())
	}
}
