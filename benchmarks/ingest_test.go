package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestIngest runs every figure once, on a small log.
func TestIngest(t *testing.T) {
	for _, c := range commands {
		if c.name != "ingest" {
			continue
		}
		var out bytes.Buffer
		s := tiny
		s.logBytes = 1 << 20
		figures := c.figures(&bench{ctx: t.Context(), sizes: s})
		for _, f := range figures {
			if f.name == "ratio" || f.name == "duckdb" {
				continue // start this program again, which here is the test
			}
			out.Reset()
			if code := c.run(t.Context(), []string{"--only", f.name, "--runs", "1"}, s, &out, &out); code != codeOK && code != codeMissed {
				t.Errorf("%s: exit code %d: %s", f.name, code, out.String())
			}
		}
	}
}

// TestConvert: DuckDB reads what it is measured on.
func TestConvert(t *testing.T) {
	b := &bench{ctx: t.Context(), dir: t.TempDir(), sizes: sizes{logBytes: 1 << 20}}
	log, _, err := b.log()
	if err == nil {
		err = convert(b.ctx, log, b.dir+"/duck.parquet")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestLog: the log that is measured is one that mcpg reads whole, the same each
// time.
func TestLog(t *testing.T) {
	var a, b bytes.Buffer
	if err := writeLog(&a, 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := writeLog(&b, 1<<20); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) || a.Len() < 1<<20 || strings.Count(a.String(), "\n") < 500 {
		t.Errorf("%d and %d bytes", a.Len(), b.Len())
	}
}
