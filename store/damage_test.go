package store

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pageSize is SQLite's.
const pageSize = 4096

// overwrite puts zeros into a file.
func overwrite(t *testing.T, path string, at, n int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(make([]byte, n), at)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func execSQL(t *testing.T, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.Exec(text)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestDamage: whatever is wrong with a store, it isn't written over, and the proxy
// goes on with a new one.
func TestDamage(t *testing.T) {
	t.Parallel()
	write := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	do := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) { execSQL(t, path, text) }
	}
	const unlock = "DROP TRIGGER calls_stay; DROP TRIGGER calls_are_kept; "
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, path string) // of a store with 2000 calls
		says   string
	}{
		{"text", write(strings.Repeat("what is this?!?\n", 64)), "not a database"},
		{"a short text", write("what is this\n"), "not a database"},
		{"one byte", write("S"), "not a database"},
		{"magic alone", write("SQLite format 3\x00"), "not a database"},
		{"garbage", write(strings.Repeat("\xde\xad\xbe\xef", 5000)), "not a database"},
		{"zeros", write(strings.Repeat("\x00", 5*pageSize)), "not a database"},
		{"cut in half", func(t *testing.T, path string) {
			if err := os.Truncate(path, sizeOf(t, path)/2); err != nil {
				t.Fatal(err)
			}
		}, "malformed"},
		{"cut in a page", func(t *testing.T, path string) {
			if err := os.Truncate(path, sizeOf(t, path)-100); err != nil {
				t.Fatal(err)
			}
		}, "cut off"},
		{"cut after its header", func(t *testing.T, path string) {
			if err := os.Truncate(path, 100); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"no first page", func(t *testing.T, path string) { overwrite(t, path, 0, pageSize) }, "not a database"},
		{"no first pages", func(t *testing.T, path string) { overwrite(t, path, 0, 8*pageSize) }, "not a database"},
		{"no pages after the first", func(t *testing.T, path string) { overwrite(t, path, pageSize, 8*pageSize) }, "malformed"},
		{"no last page", func(t *testing.T, path string) { overwrite(t, path, sizeOf(t, path)-pageSize, pageSize) }, "malformed"},
		{"another program's", do("PRAGMA application_id = 1"), "another program"},
		{"nobody's", do("PRAGMA application_id = 0"), "another program"},
		{"newer", do("PRAGMA user_version = 2"), "newer version"},
		{"no table", do("DROP TABLE calls"), "no such table"},
		{"no column", do("ALTER TABLE calls RENAME COLUMN call TO line"), "no such column"},
		{"last row is no call", do(unlock + "UPDATE calls SET call = '{}' WHERE id = 2000"), `row 2000: no "tool"`},
		{"first row is two lines", do(unlock + "UPDATE calls SET call = call || char(10) || call WHERE id = 1"), "row 1: more than one line"},
		{"first row is empty", do(unlock + "UPDATE calls SET call = '' WHERE id = 1"), "row 1: an empty line"},
		{"empty with a log", func(t *testing.T, path string) {
			write("")(t, path)
			write("calls")(t, path+walEnding)
		}, "empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := storeOf(t, 2000)
			test.damage(t, path)
			damaged, _ := os.ReadFile(path)
			log, _ := os.ReadFile(path + walEnding)

			r, err := OpenReadOnly(t.Context(), path)
			if err == nil {
				r.Close()
				t.Fatal("opened to be read")
			}
			if len(damaged) > 0 && !errors.As(err, new(*DamagedError)) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("reading: %v", err)
			}
			same(t, path, damaged)

			s, moved, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if moved != path+".damaged" {
				t.Errorf("moved to %q", moved)
			}
			same(t, moved, damaged)
			if len(log) > 0 {
				same(t, moved+walEnding, log)
			}
			if err := s.Add(call("new", 1), Passed); err != nil {
				t.Error(err)
			}
			if n := len(rows(t, s)); n != 1 {
				t.Errorf("%d rows in the new store", n)
			}
			if exists(path + "-lock") {
				t.Error("the lock is left")
			}
		})
	}
}

// TestNoDamage: these are stores, or become ones.
func TestNoDamage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		make func(t *testing.T, path string)
		want int
	}{
		{"as it is", func(*testing.T, string) {}, 2000},
		{"missing", func(t *testing.T, path string) { os.Remove(path) }, 0},
		{"empty file", func(t *testing.T, path string) { os.Truncate(path, 0) }, 0},
		{"empty database", func(t *testing.T, path string) {
			os.Remove(path)
			execSQL(t, path, "PRAGMA journal_mode = WAL")
		}, 0},
		{"a copy", func(t *testing.T, path string) {
			copied := path + ".copy"
			execSQL(t, path, "VACUUM INTO '"+copied+"'")
			if err := os.Rename(copied, path); err != nil {
				t.Fatal(err)
			}
		}, 2000},
		{"with other tables", func(t *testing.T, path string) { execSQL(t, path, "CREATE TABLE notes (x)") }, 2000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := storeOf(t, 2000)
			test.make(t, path)
			s := openStore(t, path)
			if n := len(rows(t, s)); n != test.want {
				t.Errorf("%d rows", n)
			}
			if err := s.Add(call("more", 1), Passed); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMovedTwice: a name that is taken isn't used again.
func TestMovedTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "calls.db")
	for i, want := range []string{path + ".damaged", path + ".damaged-2", path + ".damaged-3"} {
		text := strings.Repeat("no store ", i+1)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, moved, err := Open(t.Context(), path)
		if err != nil || moved != want {
			t.Fatalf("moved to %q, %v", moved, err)
		}
		s.Close()
		same(t, moved, []byte(text))
		os.Remove(path)
	}
}

// TestNotMoved: what can't be looked at stays where it is.
func TestNotMoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, moved, err := Open(t.Context(), dir); err == nil || moved != "" {
		t.Error(moved, err)
	}
	if _, moved, err := Open(t.Context(), filepath.Join(dir, "none", "calls.db")); !errors.Is(err, os.ErrNotExist) || moved != "" {
		t.Error(moved, err)
	}
	if _, err := OpenReadOnly(t.Context(), filepath.Join(dir, "calls.db")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if exists(filepath.Join(dir, "calls.db")) {
		t.Error("reading made a store")
	}
}

// TestRowError: a row in the middle is found by who reads it, and passed.
func TestRowError(t *testing.T) {
	t.Parallel()
	path := storeOf(t, 5)
	execSQL(t, path, "DROP TRIGGER calls_stay; UPDATE calls SET call = 'x' WHERE id = 3")
	s := openStore(t, path)
	var ids []int64
	after := int64(0)
	for again := true; again; {
		again = false
		for row, err := range s.Calls(t.Context(), after) {
			var bad *RowError
			if errors.As(err, &bad) {
				ids, after, again = append(ids, -bad.ID), bad.ID, true
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, row.ID)
		}
	}
	if len(ids) != 5 || ids[2] != -3 {
		t.Error(ids)
	}
}

// storeOf makes a store that nobody has open.
func storeOf(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "calls.db")
	s, _, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	line, err := newCodec(path).encode(call("s", 1))
	if err == nil {
		_, err = s.conn.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
			INSERT INTO calls (session, server, tool, outcome, cause, decision, call) SELECT 's', 'desk', 't', 'ok', '', '', ? FROM n`, n, line)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func same(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s has changed: %d bytes, were %d, %v", path, len(got), len(want), err)
	}
}
