package main

import (
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDuckDB: another tool reads the table as it is documented.
func TestDuckDB(t *testing.T) {
	b := &bench{ctx: t.Context(), dir: t.TempDir(), built: map[string]string{}}
	bin, err := b.build("mcpg")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(b.dir, "calls.parquet")
	desk := filepath.Join(root, "examples/desk")
	if out, err := exec.CommandContext(b.ctx, bin, "ingest", "--adapter", desk+"/adapter.json", desk+"/calls.jsonl", "-o", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	query := func(q string) string {
		rows, err := db.QueryContext(b.ctx, strings.ReplaceAll(q, "$calls", "'"+file+"'"))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		cols, _ := rows.Columns()
		var lines []string
		for rows.Next() {
			values := make([]any, len(cols))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			var cells []string
			for _, v := range values {
				cells = append(cells, fmt.Sprint(*v.(*any)))
			}
			lines = append(lines, strings.Join(cells, " "))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}
	for q, want := range map[string]string{
		"SELECT outcome, count(*) FROM $calls GROUP BY 1 ORDER BY 1":                                                                               "ok 28\nrejected 8",
		"SELECT count(*) FROM $calls WHERE before IS NOT NULL AND json_extract_string(before, '$.ticket.status') <> ''":                            "21",
		"SELECT column_type FROM (DESCRIBE SELECT ts, tool, args, line, state_dirty FROM $calls)":                                                  "TIMESTAMP WITH TIME ZONE\nVARCHAR\nVARCHAR\nBIGINT\nBOOLEAN",
		"SELECT DISTINCT compression FROM parquet_metadata($calls)":                                                                                "ZSTD",
		"SELECT path_in_schema, stats_min_value IS NOT NULL FROM parquet_metadata($calls) WHERE path_in_schema IN ('ts','tool','line') ORDER BY 1": "line true\ntool true\nts true",
		"SELECT count(DISTINCT file), min(line), max(line) FROM $calls":                                                                            "1 1 36",
	} {
		if got := query(q); got != want {
			t.Errorf("%s\ngives %s\nwant  %s", q, got, want)
		}
	}
}
