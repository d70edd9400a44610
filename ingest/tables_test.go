package ingest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpg/calllog"
	"mcpg/ingest/table"
)

// TestApart: tables are apart whose calls all have times that don't meet.
func TestApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, format table.Format, seconds ...int64) string {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		w, err := table.NewWriter(f, format)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range seconds {
			c := &calllog.Call{ID: name, Server: "s", Tool: "t"}
			if s >= 0 {
				c.Time = time.Unix(s, 0)
			}
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
		return f.Name()
	}
	early, late := write("early.parquet", table.Parquet, 100, 5, 50), write("late.parquet", table.Parquet, 101, 300)
	touching, timeless := write("touching.parquet", table.Parquet, 100, 101), write("timeless.parquet", table.Parquet, 400, -1)
	arrow, none := write("a.arrow", table.IPC, 1000), write("none.parquet", table.Parquet)
	log := filepath.Join(dir, "log.jsonl")
	if err := os.WriteFile(log, []byte(`{"tool":"t"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		inputs []string
		want   bool
	}{
		"one":               {[]string{early}, true},
		"one without times": {[]string{timeless}, true},
		"two":               {[]string{late, early}, true},
		"touching":          {[]string{early, touching}, false},
		"within":            {[]string{early, late, touching}, false},
		"twice":             {[]string{early, early}, false},
		"without times":     {[]string{early, timeless}, false},
		"a stream":          {[]string{early, arrow}, false},
		"a log":             {[]string{early, log}, false},
		"no calls":          {[]string{none}, false},
		"a pattern":         {[]string{filepath.Join(dir, "*a*ly.parquet"), late}, true},
	} {
		if got, err := Apart(tt.inputs); got != tt.want || err != nil {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}
