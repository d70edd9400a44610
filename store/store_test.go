package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpg/calllog"
	"mcpg/internal/diag"
	"mcpg/internal/input"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b?c%20#.db")
	s := openStore(t, path)
	decisions := []Decision{Passed, Warned, Probe, Refused, Held, Approved}
	for i, d := range decisions {
		if err := s.Add(call("s", i), d); err != nil {
			t.Fatal(err)
		}
	}
	for i, row := range rows(t, s) {
		want := call("s", i)
		want.Pos = diag.Pos{File: path, Line: i + 1}
		if row.ID != int64(i+1) || row.Decision != decisions[i] || !reflect.DeepEqual(&row.Call, want) {
			t.Errorf("row %d: %+v, want %+v", row.ID, row, want)
		}
	}
	for row, err := range s.Calls(t.Context(), 4) { // and what is added meanwhile is for later
		if err != nil || row.ID < 5 || row.ID > 6 {
			t.Fatal(row, err)
		}
		if err := s.Add(call("s", 9), Passed); err != nil {
			t.Fatal(err)
		}
	}
	for range s.Calls(t.Context(), 0) {
		break
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// TestLine: a row's line is what a log in a file would hold, and its columns are for
// people.
func TestLine(t *testing.T) {
	t.Parallel()
	s := openStore(t, filepath.Join(t.TempDir(), "calls.db"))
	c := call("s", 3)
	if err := s.Add(c, Refused); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	w := calllog.NewWriter(&want)
	if err := errors.Join(w.Write(c), w.Flush()); err != nil {
		t.Fatal(err)
	}
	var line, columns string
	err := s.db.QueryRow(`SELECT call, concat_ws('|', ts, session, server, tool, outcome, cause, decision) FROM calls`).Scan(&line, &columns)
	if err != nil || line+"\n" != want.String() || columns != "1700000000000003|s|desk|close_ticket|rejected|state|refused" {
		t.Errorf("%s\n%s\n%v", line, columns, err)
	}
	for _, sql := range []string{"DELETE FROM calls", "UPDATE calls SET call = ''"} {
		if _, err := s.db.Exec(sql); err == nil || !strings.Contains(err.Error(), "only ever added") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	s := openStore(t, filepath.Join(t.TempDir(), "calls.db"))
	large := []byte(`{"text":"` + strings.Repeat("x", 40<<20) + `"}`)
	deep := []byte(strings.Repeat("[", 9000) + strings.Repeat("]", 9000))
	for i, test := range []struct {
		give calllog.Call
		want func(*calllog.Call) bool
	}{
		{calllog.Call{Session: "a\xffb", Server: "\x00", ResultText: "'); DROP TABLE calls; --\n\x00\r"},
			func(c *calllog.Call) bool {
				return c.Session == "a\uFFFDb" && c.Server == "\x00" && c.ResultText == "'); DROP TABLE calls; --\n\x00\r"
			}},
		{calllog.Call{Args: []byte(`{"a":"\ud800","b":"\u0000", "n":9007199254740993}`)},
			func(c *calllog.Call) bool {
				return string(c.Args) == `{"a":"\ud800","b":"\u0000","n":9007199254740993}`
			}},
		{calllog.Call{Args: []byte("{\"a\":\"\xff\"}")}, func(c *calllog.Call) bool { return string(c.Args) == "{\"a\":\"\uFFFD\"}" }},
		{calllog.Call{Args: []byte("{\n\"a\":\n1}")}, func(c *calllog.Call) bool { return string(c.Args) == `{"a":1}` }},
		{calllog.Call{Args: []byte(`{"a"`)}, func(c *calllog.Call) bool { return c.Args == nil }},
		{calllog.Call{Args: large}, func(c *calllog.Call) bool { return bytes.Equal(c.Args, large) }},
		{calllog.Call{Args: deep}, func(c *calllog.Call) bool { return bytes.Equal(c.Args, deep) }},
	} {
		test.give.Tool = "t"
		if err := s.Add(&test.give, Decision("\xff")); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if all := rows(t, s); len(all) != i+1 || !test.want(&all[i].Call) || all[i].Decision != "\uFFFD" {
			t.Errorf("%d: %.200v", i, all[len(all)-1])
		}
	}
	again, moved, err := Open(t.Context(), s.path) // what was acknowledged is no damage
	if err != nil || moved != "" {
		t.Fatal(moved, err)
	}
	again.Close()
}

// TestRefused: what couldn't be read again isn't acknowledged.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := openStore(t, filepath.Join(t.TempDir(), "calls.db"))
	for what, c := range map[string]*calllog.Call{
		"no tool": {}, "no such outcome": {Tool: "t", Outcome: 77}, "the year 10000": {Tool: "t", Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"a member twice": {Tool: "t", Extra: []byte(`{"outcome":"none"}`)},
	} {
		if err := s.Add(c, Passed); err == nil {
			t.Errorf("%s: acknowledged", what)
		}
	}
	if err := s.Add(&calllog.Call{Tool: "t", ResultText: strings.Repeat("x", input.MaxLine)}, Passed); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if err := s.Add(call("s", 1), Passed); err != nil {
		t.Error(err)
	}
	if n := len(rows(t, s)); n != 1 {
		t.Errorf("%d rows", n)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "calls.db")
	one, two := openStore(t, path), openStore(t, path)
	if err := two.Durable(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 6 {
		s := []*Store{one, two}[g%2]
		wg.Go(func() {
			for i := range 40 {
				if err := s.Add(call("g"+strconv.Itoa(g), i), Passed); err != nil {
					t.Error(err)
				}
			}
			for _, err := range s.Calls(t.Context(), 0) {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(rows(t, one)); n != 240 {
		t.Errorf("%d rows", n)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "calls.db")
	w := openStore(t, path)
	if err := w.Add(call("s", 1), Passed); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := w.Add(call("s", 2), Passed); err != nil {
		t.Fatal(err)
	}
	if n := len(rows(t, r)); n != 2 {
		t.Errorf("%d rows", n)
	}
	for _, err := range []error{r.Add(call("s", 3), Passed), r.Durable(), r.KeepAdapter("s", nil)} {
		if !errors.Is(err, errReadOnly) {
			t.Error(err)
		}
	}
	if names, err := r.Servers(t.Context()); err != nil || !reflect.DeepEqual(names, []string{"desk"}) {
		t.Error(names, err)
	}
}

func TestAdapter(t *testing.T) {
	t.Parallel()
	s := openStore(t, filepath.Join(t.TempDir(), "calls.db"))
	for _, doc := range []string{`{"a":1}`, `{"a":2}`, `{"a":2}`} {
		if err := s.KeepAdapter("desk", []byte(doc)); err != nil {
			t.Fatal(err)
		}
	}
	docs, err := s.Adapters(t.Context())
	if err != nil || len(docs) != 1 || string(docs["desk"]) != `{"a":2}` {
		t.Errorf("%s, %v", docs, err)
	}
	var n int
	if err := s.db.QueryRow("SELECT count(*) FROM adapters").Scan(&n); err != nil || n != 2 {
		t.Error(n, err)
	}
}

func TestOwnerOnly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	path := filepath.Join(t.TempDir(), "calls.db")
	s := openStore(t, path)
	if err := s.Add(call("s", 1), Passed); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"", walEnding, shmEnding} {
		info, err := os.Stat(path + ending)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", ending, info.Mode(), err)
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "calls.db")
	if _, _, err := Open(ctx, path); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s := openStore(t, path) // nothing half made is in its way
	if err := s.Add(call("s", 1), Passed); err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range s.Calls(ctx, 0) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Error(last)
	}
}

func BenchmarkAdd(b *testing.B) {
	s := openStore(b, filepath.Join(b.TempDir(), "calls.db"))
	c := call("s", 1)
	for b.Loop() {
		if err := s.Add(c, Passed); err != nil {
			b.Fatal(err)
		}
	}
}
