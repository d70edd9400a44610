package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcpg/ingest/table"
)

// TestDocs holds the documents against the program: console blocks are run, and
// tables that the program knows are compared. With -update they are written.
func TestDocs(t *testing.T) {
	update := flag.Lookup("update").Value.String() == "true"
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir+"/examples", os.DirFS(root+"/examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, page := range append(pages, root+"/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		got := runBlocks(t, string(text))
		got = fill(got, "columns", columnTable())
		if update && got != string(text) {
			if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != string(text) {
			t.Errorf("%s isn't what the program prints: run the test with -update and read the change", filepath.Base(page))
		}
	}
}

// runBlocks runs the commands of the page's console blocks, lines that begin
// with "$ mcpg" or "$ go run ./cmd/mcpg", and puts what they print after each.
func runBlocks(t *testing.T, page string) string {
	t.Helper()
	var out strings.Builder
	inBlock := false
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "```console"):
			inBlock = true
		case strings.HasPrefix(line, "```"):
			inBlock = false
		case inBlock && strings.HasPrefix(line, "$ "):
			out.WriteString(line)
			out.WriteString(output(t, strings.TrimSpace(line[2:])))
			continue
		case inBlock:
			continue // what was printed before
		}
		out.WriteString(line)
	}
	return out.String()
}

func output(t *testing.T, command string) string {
	t.Helper()
	args := strings.Fields(strings.TrimPrefix(command, "go run ./cmd/"))
	if len(args) == 0 || args[0] != "mcpg" {
		t.Fatalf("%q: not a command of ours", command)
	}
	var b bytes.Buffer
	if code := run(context.Background(), args[1:], streams{strings.NewReader(""), &b, &b}); code != codeOK {
		t.Fatalf("%q exits with %d: %s", command, code, b.String())
	}
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

// fill puts text between <!-- name --> and <!-- /name -->.
func fill(page, name, text string) string {
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, ok := strings.Cut(page, begin)
	if !ok {
		return page
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return page
	}
	return before + begin + text + end + after
}

func columnTable() string {
	var b strings.Builder
	b.WriteString("| column | type | meaning |\n|---|---|---|\n")
	for _, c := range table.Columns {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, c.Type, c.Meaning)
	}
	return b.String()
}

// TestLinks: what the documents point at is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob("../../docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#]+)`)
	for _, page := range append(append(pages, decisions...), "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s points at %s, which isn't there", page, m[1])
			}
		}
	}
}

// TestExitCodes: what run answers to the plainest command lines.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
	}{{nil, codeOK}, {[]string{"--help"}, codeOK}, {[]string{"bench"}, codeOK}, {[]string{"nothing"}, codeUsage}, {[]string{"stats"}, codeUsage}} {
		var out bytes.Buffer
		if got := run(context.Background(), c.args, streams{strings.NewReader(""), &out, &out}); got != c.code {
			t.Errorf("mcpg %v exits with %d, want %d: %s", c.args, got, c.code, out.String())
		}
	}
}
