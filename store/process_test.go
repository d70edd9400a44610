package store

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestKill: processes that are killed while they write lose no call that was
// acknowledged, and leave a store that goes on.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "calls.db")
	random := rand.New(rand.NewPCG(1, 2))
	acknowledged := map[string]bool{}
	for round := range 12 {
		session := "round" + strconv.Itoa(round)
		w := startWriter(t, path, session, 1_000_000)
		stop := random.IntN(400)
		for n := 0; w.out.Scan(); n++ {
			acknowledged[session+"-"+w.out.Text()] = true
			if n == stop {
				if err := w.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.cmd.Wait(); err == nil {
			t.Fatal("the writer ended by itself")
		}
	}
	got := map[string]bool{}
	for _, row := range rows(t, openStore(t, path)) {
		got[row.Call.ID] = true
	}
	for id := range acknowledged {
		if !got[id] {
			t.Errorf("call %s is lost", id)
		}
	}
	t.Logf("%d calls acknowledged, %d kept", len(acknowledged), len(got))
}

// TestProcesses: several processes make a store and write to it at once, while it is
// read.
func TestProcesses(t *testing.T) {
	t.Parallel()
	const processes, each = 4, 300
	path := filepath.Join(t.TempDir(), "calls.db")
	var ws []*writer
	for p := range processes {
		ws = append(ws, startWriter(t, path, "p"+strconv.Itoa(p), each))
	}
	for _, w := range ws { // each has begun
		if !w.out.Scan() {
			t.Fatal(w.cmd.Wait())
		}
	}
	reader, err := OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if n := len(rows(t, reader)); n < processes {
		t.Errorf("%d rows while the processes write", n)
	}
	for _, w := range ws {
		for w.out.Scan() {
		}
		if err := w.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	next := map[string]int{}
	for _, row := range rows(t, reader) {
		session := row.Call.Session
		if want := session + "-" + strconv.Itoa(next[session]); row.Call.ID != want {
			t.Fatalf("row %d is %s, want %s", row.ID, row.Call.ID, want)
		}
		next[session]++
	}
	for p := range processes {
		if n := next["p"+strconv.Itoa(p)]; n != each {
			t.Errorf("process %d: %d calls of %d", p, n, each)
		}
	}
}

// TestProcessesDamaged: of processes that find a damaged store at once, one moves it,
// and all go on with the same new one.
func TestProcessesDamaged(t *testing.T) {
	t.Parallel()
	const processes, each = 4, 50
	path := filepath.Join(t.TempDir(), "calls.db")
	text := []byte(strings.Repeat("no store", 1000))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var ws []*writer
	for p := range processes {
		ws = append(ws, startWriter(t, path, "p"+strconv.Itoa(p), each))
	}
	for _, w := range ws {
		for w.out.Scan() {
		}
		if err := w.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if n := len(rows(t, openStore(t, path))); n != processes*each {
		t.Errorf("%d rows", n)
	}
	same(t, path+".damaged", text)
	if exists(path + ".damaged-2") {
		t.Error("moved twice")
	}
}
