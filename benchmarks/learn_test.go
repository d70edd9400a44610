package main

import (
	"bytes"
	"testing"
)

// TestLearn runs every figure once, on few calls.
func TestLearn(t *testing.T) {
	s := tiny
	s.narrow, s.wide = 5000, 200
	for _, c := range commands {
		if c.name != "learn" {
			continue
		}
		for _, f := range c.figures(&bench{ctx: t.Context(), sizes: s}) {
			if f.name == "groupby" {
				continue // starts this program again, which here is the test
			}
			var out bytes.Buffer
			if code := c.run(t.Context(), []string{"--only", f.name, "--runs", "1"}, s, &out, &out); code != codeOK && code != codeMissed {
				t.Errorf("%s: exit code %d: %s", f.name, code, out.String())
			}
		}
	}
}

// TestGroup: DuckDB reads the table that it is measured on.
func TestGroup(t *testing.T) {
	b := &bench{ctx: t.Context(), dir: t.TempDir(), sizes: sizes{}, built: map[string]string{}}
	calls, err := b.calls(1000, true)
	if err == nil {
		err = group(b.ctx, calls, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}
