package table

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/internal/diag"
)

var formats = []Format{Parquet, IPC}

// eachFormat runs f for both formats, with an allocator that must be empty at
// the end.
func eachFormat(t *testing.T, f func(t *testing.T, format Format, mem memory.Allocator)) {
	t.Helper()
	for _, format := range formats {
		t.Run(format.String(), func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			f(t, format, mem)
		})
	}
}

// write returns the calls as a table.
func write(t testing.TB, format Format, mem memory.Allocator, calls []*calllog.Call, opts ...func(*Writer)) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := newWriter(&buf, format, mem)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range opts {
		o(w)
	}
	for _, c := range calls {
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// small makes a writer cut batches after so many rows.
func small(rows int) func(*Writer) { return func(w *Writer) { w.maxRows = rows } }

// read returns the calls of a table.
func read(data []byte, mem memory.Allocator) ([]*calllog.Call, error) {
	r, err := newReader(bytes.NewReader(data), int64(len(data)), mem)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var calls []*calllog.Call
	for r.Next() {
		calls = append(calls, r.Call())
	}
	return calls, r.Err()
}

func mustRead(t testing.TB, data []byte, mem memory.Allocator) []*calllog.Call {
	t.Helper()
	calls, err := read(data, mem)
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

func same(t *testing.T, got, want []*calllog.Call) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d calls, want %d", len(got), len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("call %d:\n got %.2000q\nwant %.2000q", i, fmt.Sprintf("%#v", got[i]), fmt.Sprintf("%#v", want[i]))
		}
	}
}

func fullCall() *calllog.Call {
	return &calllog.Call{
		ID: "c1", Time: time.Date(2026, 3, 4, 5, 6, 7, 891011000, time.UTC),
		Session: "s", Server: "shop", Tool: "return_order", Resource: "order:1 order:2",
		Args: jsontext.Value(`{"id":9007199254740993}`), Outcome: calllog.Rejected, Cause: calllog.StateCause,
		ErrorText: "not delivered", ResultText: "no", Result: jsontext.Value(`null`),
		Before: jsontext.Value(`{"order":{"status":"pending"}}`), After: jsontext.Value(`{}`),
		StateSource: calllog.Bracketed, StateAge: 1500 * time.Microsecond, StateCalls: 3, StateDirty: true,
		Latency: 42 * time.Millisecond, Fingerprint: "f00d",
		Pos: diag.Pos{File: "a.jsonl", Line: 17}, Extra: jsontext.Value(`{"x":1.50}`),
	}
}

// TestEveryField fails when Call gets a field that fullCall, and so perhaps
// the table, doesn't know.
func TestEveryField(t *testing.T) {
	v := reflect.ValueOf(*fullCall())
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("Call.%s isn't set in this test: is it in the table?", v.Type().Field(i).Name)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	big := jsontext.Value(`"` + strings.Repeat("0123456789abcdef", 5<<16) + `"`)
	with := func(f func(*calllog.Call)) *calllog.Call { c := fullCall(); f(c); return c }
	calls := []*calllog.Call{
		fullCall(),
		{},
		with(func(c *calllog.Call) { c.Args, c.Result, c.Before, c.After, c.Extra = nil, nil, nil, nil, nil }),
		with(func(c *calllog.Call) { c.Args, c.Extra = jsontext.Value{}, jsontext.Value{} }),
		with(func(c *calllog.Call) { c.Time = time.Time{} }),
		with(func(c *calllog.Call) { c.Time = time.Unix(0, 0).UTC() }),
		with(func(c *calllog.Call) { c.Time = time.Date(1931, 2, 3, 4, 5, 6, 7000, time.UTC) }),
		with(func(c *calllog.Call) { c.Time = time.Date(-44, 3, 15, 0, 0, 0, 0, time.UTC) }),
		with(func(c *calllog.Call) { c.Time = time.Date(99999, 1, 1, 0, 0, 0, 0, time.UTC) }),
		with(func(c *calllog.Call) { c.ErrorText, c.Tool = "🦊 👩‍👩‍👧 \u0000\n\t", "öffnen" }),
		with(func(c *calllog.Call) { c.StateAge = 0 }),
		with(func(c *calllog.Call) { c.StateSource = "" }),
		with(func(c *calllog.Call) { c.StateAge, c.Latency = -time.Second, -time.Second }),
		with(func(c *calllog.Call) { c.Result, c.ResultText = big, string(big) }),
	}
	eachFormat(t, func(t *testing.T, format Format, mem memory.Allocator) {
		same(t, mustRead(t, write(t, format, mem, calls), mem), calls)
		same(t, mustRead(t, write(t, format, mem, calls, small(3)), mem), calls)
		same(t, mustRead(t, write(t, format, mem, nil), mem), nil)
	})
}

// TestRoundTripRandom writes calls of random fields in batches of random size.
func TestRoundTripRandom(t *testing.T) {
	for seed := range uint64(8) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		calls := make([]*calllog.Call, rnd.IntN(300))
		for i := range calls {
			calls[i] = randomCall(rnd)
		}
		rows := 1 + rnd.IntN(100)
		eachFormat(t, func(t *testing.T, format Format, mem memory.Allocator) {
			same(t, mustRead(t, write(t, format, mem, calls, small(rows)), mem), calls)
		})
	}
}

func randomCall(rnd *rand.Rand) *calllog.Call {
	str := func() string {
		pieces := []string{"", "a", "release", "🦊", "\"", "\\", "\x00", "é", " ", strings.Repeat("z", rnd.IntN(3000))}
		return pieces[rnd.IntN(len(pieces))] + pieces[rnd.IntN(len(pieces))]
	}
	raw := func() jsontext.Value {
		if rnd.IntN(3) == 0 {
			return nil
		}
		return jsontext.Value(str())
	}
	c := &calllog.Call{
		ID: str(), Session: str(), Server: str(), Tool: str(), Resource: str(),
		Args: raw(), Outcome: calllog.Outcomes()[rnd.IntN(6)], ErrorText: str(), ResultText: str(),
		Result: raw(), Before: raw(), After: raw(), StateSource: str(),
		StateAge:   time.Duration(rnd.IntN(3)) * time.Microsecond,
		StateCalls: rnd.IntN(5), StateDirty: rnd.IntN(2) == 0,
		Latency:     time.Duration(rnd.IntN(1000)) * time.Microsecond,
		Fingerprint: str(), Pos: diag.Pos{File: str(), Line: rnd.IntN(1 << 30)}, Extra: raw(),
	}
	if rnd.IntN(2) == 0 {
		c.Time = time.UnixMicro(rnd.Int64() - rnd.Int64()).UTC()
	}
	if c.Outcome == calllog.Rejected {
		c.Cause = calllog.Causes()[rnd.IntN(4)]
	}
	return c
}

// TestLoss shows what a row doesn't keep.
func TestLoss(t *testing.T) {
	tests := []struct {
		name      string
		set, want func(*calllog.Call)
	}{
		{"time below the microsecond",
			func(c *calllog.Call) { c.Time = time.Unix(5, 1999) },
			func(c *calllog.Call) { c.Time = time.Unix(5, 1000).UTC() }},
		{"time before 1970 rounds down too",
			func(c *calllog.Call) { c.Time = time.Unix(-5, 1999) },
			func(c *calllog.Call) { c.Time = time.Unix(-5, 1000).UTC() }},
		{"time in a zone",
			func(c *calllog.Call) { c.Time = time.Date(2026, 1, 1, 2, 0, 0, 0, time.FixedZone("", 7200)) },
			func(c *calllog.Call) { c.Time = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"zero time in a zone",
			func(c *calllog.Call) { c.Time = time.Time{}.In(time.FixedZone("", 7200)) },
			func(c *calllog.Call) { c.Time = time.Time{} }},
		{"time out of range",
			func(c *calllog.Call) { c.Time = time.Unix(1_700_000_000_000_000_000, 0) },
			func(c *calllog.Call) { c.Time = time.Time{} }},
		{"durations below the microsecond",
			func(c *calllog.Call) { c.StateAge, c.Latency = 1999, 999 },
			func(c *calllog.Call) { c.StateAge, c.Latency = 1000, 0 }},
		{"bytes that aren't UTF-8",
			func(c *calllog.Call) { c.ErrorText, c.Args = "a\xff\xfe\xc3b\x80", jsontext.Value("\"\xff\"") },
			func(c *calllog.Call) { c.ErrorText, c.Args = "a\ufffdb\ufffd", jsontext.Value("\"\ufffd\"") }},
		{"column of the position",
			func(c *calllog.Call) { c.Pos.Col = 5 },
			func(c *calllog.Call) { c.Pos.Col = 0 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachFormat(t, func(t *testing.T, format Format, mem memory.Allocator) {
				in, want := fullCall(), fullCall()
				test.set(in)
				test.want(want)
				same(t, mustRead(t, write(t, format, mem, []*calllog.Call{in}), mem), []*calllog.Call{want})
			})
		})
	}
}

func manyCalls(n int) []*calllog.Call {
	rnd := rand.New(rand.NewPCG(1, 2))
	calls := make([]*calllog.Call, n)
	for i := range calls {
		calls[i] = randomCall(rnd)
	}
	return calls
}

func TestSameBytes(t *testing.T) {
	calls := manyCalls(500)
	eachFormat(t, func(t *testing.T, format Format, mem memory.Allocator) {
		want := write(t, format, mem, calls, small(100))
		for range 3 {
			if got := write(t, format, mem, calls, small(100)); !bytes.Equal(got, want) {
				t.Fatal("the same calls gave other bytes")
			}
		}
	})
}

func TestWriterRefuses(t *testing.T) {
	huge := fullCall()
	huge.ResultText = strings.Repeat("x", maxRow)
	odd := fullCall()
	odd.Outcome = 99
	strange := fullCall()
	strange.Cause = 99
	eachFormat(t, func(t *testing.T, format Format, mem memory.Allocator) {
		var buf bytes.Buffer
		w, err := newWriter(&buf, format, mem)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(huge); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "a.jsonl:17") {
			t.Errorf("huge call: %v", err)
		}
		for _, c := range []*calllog.Call{odd, strange} {
			if err := w.Write(c); err == nil {
				t.Error("an unknown outcome or cause was written")
			}
		}
		if err := w.Write(fullCall()); err != nil {
			t.Errorf("the writer can't go on: %v", err)
		}
		if err := errors.Join(w.Close(), w.Close()); err != nil {
			t.Error(err)
		}
		if err := w.Write(fullCall()); err == nil {
			t.Error("write after close")
		}
		same(t, mustRead(t, buf.Bytes(), mem), []*calllog.Call{fullCall()})
	})
	if _, err := NewWriter(&bytes.Buffer{}, 7); err == nil {
		t.Error("format 7")
	}
}

// full is a disk with room for n bytes. It must not be closed.
type full struct {
	n int
	t *testing.T
}

var errFull = errors.New("disk is full")

func (f *full) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func (f *full) Close() error { f.t.Error("the writer closed what isn't its own"); return nil }

func TestFullDisk(t *testing.T) {
	calls := manyCalls(300)
	for _, format := range formats {
		size := len(write(t, format, memory.DefaultAllocator, calls, small(50)))
		for room := 0; room < size; room += size/40 + 1 {
			w, err := newWriter(&full{room, t}, format, memory.DefaultAllocator)
			if err != nil {
				continue
			}
			w.maxRows = 50
			var first error
			for _, c := range calls {
				if first = w.Write(c); first != nil {
					break
				}
			}
			if err := w.Close(); err == nil || (first != nil && err != first) {
				t.Errorf("%v with room for %d of %d: write says %v, close says %v", format, room, size, first, err)
			}
		}
		if err := func() error { w, _ := NewWriter(&full{size, t}, format); return w.Close() }(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "calls.parquet")
	data := write(t, Parquet, memory.DefaultAllocator, manyCalls(10))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r.Next() {
		n++
	}
	if n != 10 || r.NumRows() != 10 || r.Err() != nil {
		t.Errorf("%d of %d rows: %v", n, r.NumRows(), r.Err())
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("opened a directory")
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{
		"calls.parquet": Parquet, "a/calls.arrow": IPC, "x.arrows": IPC, "calls": Parquet, "-": Parquet,
	} {
		if got := FormatOf(name); got != want {
			t.Errorf("FormatOf(%q) = %v, want %v", name, got, want)
		}
	}
}
