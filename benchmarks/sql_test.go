package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"mcpg/ingest/table"
	"mcpg/internal/synth"
)

// TestSQL runs the queries of docs/scale.md: they find calls, and tables that DuckDB cut
// up by day are learnt to the same model.
func TestSQL(t *testing.T) {
	page, err := os.ReadFile("../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	queries := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllSubmatch(page, -1)
	if len(queries) != 3 {
		t.Fatalf("%d queries", len(queries))
	}
	b := &bench{ctx: t.Context(), dir: t.TempDir(), built: map[string]string{}}
	if _, err := b.build("mcpg"); err != nil { // before the folder changes
		t.Fatal(err)
	}
	t.Chdir(b.dir)
	f, err := os.Create("calls.parquet")
	if err != nil {
		t.Fatal(err)
	}
	w, err := table.NewWriter(f, table.Parquet)
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for c := range (synth.Shape{}).Calls(20_000) {
		c.Time = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).Add(time.Duration(i) * 10 * time.Second)
		i++
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range queries {
		rows, err := db.QueryContext(b.ctx, string(q[1]))
		if err != nil {
			t.Fatalf("%s\n%v", q[1], err)
		}
		n := 0
		for rows.Next() {
			n++
		}
		if err := rows.Err(); err != nil || n == 0 {
			t.Errorf("%s\n%d rows, %v", q[1], n, err)
		}
		rows.Close()
	}
	days, err := filepath.Glob("calls/day=2026-01-*/*.parquet")
	if err != nil || len(days) != 3 {
		t.Fatalf("%v %v", days, err)
	}
	model := func(args ...string) []byte {
		if _, err := b.process("mcpg", append([]string{"learn", "-o", "model.json"}, args...)...); err != nil {
			t.Fatal(err)
		}
		m, err := os.ReadFile("model.json")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if whole, parts := model("calls.parquet"), model("calls/*/*.parquet"); !bytes.Equal(whole, parts) {
		t.Error("the days are learnt to another model")
	}
}
