package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFigures runs every figure of these commands once, on little.
func TestFigures(t *testing.T) {
	t.Parallel()
	s := tiny
	s.runs, s.narrow, s.growth = 1, 20_000, 100_000
	for _, c := range commands {
		if c.name != "bench" && c.name != "layout" && c.name != "beam" && c.name != "growth" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if code := c.run(t.Context(), nil, s, &out, &out); code != codeOK && code != codeMissed {
				t.Errorf("exit code %d: %s", code, out.String())
			}
		})
	}
}

// TestAll: all commands go into one file of JSON and into the page, between its marks.
func TestAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page, file := filepath.Join(dir, "page.md"), filepath.Join(dir, "figures.json")
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	all := func(args ...string) (int, string) {
		var out bytes.Buffer
		here := func(ctx context.Context, c *command, runs int, _ io.Writer) (*report, error) {
			s := tiny
			s.runs = runs
			return c.measure(ctx, "", s)
		}
		code := runAll(t.Context(), []command{*fake(9, 6, 6, 6)}, here, args, &out, &out)
		return code, out.String()
	}
	if err := os.WriteFile(page, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := all("--page", page); code != codeFailed || !strings.Contains(said, "between which the tables go") || read(page) != "before\n" {
		t.Errorf("%d %s", code, said)
	}
	if err := os.WriteFile(page, []byte("before\n"+beginMark+"\nold\n"+endMark+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, said := all("--page", page, "--json", file, "--runs", "3")
	got := read(page)
	if code != codeMissed || !strings.Contains(said, "MISSED  fast enough") {
		t.Errorf("%d %s", code, said)
	}
	for _, want := range []string{"before\n" + beginMark + "\nMeasured on ", "| fast enough | 6 s | ≤ 5 s | **no** | 3 | - | - | `fake` |\n", endMark + "\nafter\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q isn't in %s", want, got)
		}
	}
	if strings.Contains(got, "old") || !strings.Contains(read(file), `"name": "fake/fast"`) {
		t.Errorf("%s\n%s", got, read(file))
	}
}
