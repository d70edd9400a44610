package format

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"mcpg/calllog"
	"mcpg/store"
)

// TestStoreRows: a row that is no call is a finding with its number, and the rows
// after it are read.
func TestStoreRows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "calls.db")
	s, _, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []calllog.Call{{Tool: "a"}, {Tool: "b"}, {Tool: "c", Session: "own", Extra: []byte(`{"x":1}`)}} {
		if err := s.Add(&c, store.Held); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.Exec("DROP TRIGGER calls_stay; UPDATE calls SET call = '{' WHERE id = 2")
	}
	if err = errors.Join(err, db.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	var got []*calllog.Call
	in := &Input{Ctx: t.Context(), File: "named.db", Scope: "scope", Path: path, Emit: func(r *Record) error {
		got = append(got, r.Call)
		return nil
	}}
	if err := storeFormat.Read(in); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Session != "scope" || got[1].Session != "own" || got[1].Pos.String() != "named.db:3" ||
		string(got[0].Extra) != `{"decision":"held"}` || string(got[1].Extra) != `{"decision":"held","x":1}` {
		t.Errorf("%+v", got)
	}
	if len(in.Findings) != 1 || in.Findings[0].Pos.String() != "named.db:2" || in.Findings[0].Rule != "bad-row" || in.Uses[Used] != 2 || in.Uses[Faulty] != 1 {
		t.Errorf("%v, %v", in.Findings, in.Uses)
	}
	stop := errors.New("enough")
	in.Emit = func(*Record) error { return stop }
	if err := storeFormat.Read(in); !errors.Is(err, stop) {
		t.Error(err)
	}
}
