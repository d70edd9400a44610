package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcpg/ingest/table"
	"mcpg/internal/docpage"
	"mcpg/internal/golden"
)

// TestDocs holds the documents against the program: console blocks are run, and
// tables that the program knows are compared. With -update they are written.
func TestDocs(t *testing.T) {
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
	printed := func(args []string) string {
		var b bytes.Buffer
		if code := run(context.Background(), args, streams{strings.NewReader(""), &b, &b}); code != codeOK {
			t.Fatalf("%q exits with %d: %s", args, code, b.String())
		}
		return b.String()
	}
	for _, page := range append(pages, root+"/README.md") {
		docpage.Check(t, page, "mcpg", printed, map[string]string{"columns": columnTable()})
	}
	// The README makes these; docs/trees.md uses the model.
	for _, name := range []string{"model.json", "report.html"} {
		made, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		kept := root + "/examples/desk/" + name
		if golden.Updating() {
			if err := os.WriteFile(kept, made, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(kept); err != nil || !bytes.Equal(made, want) {
			t.Errorf("examples/desk/%s isn't what mcpg makes: run the test with -update; %v", name, err)
		}
	}
}

// TestPictures: the pictures in the documents are what the commands beside them draw.
func TestPictures(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^mcpg (graph export .*) -o (docs/pictures/\S+)$`).FindAllStringSubmatch(string(page), -1)
	if len(commands) == 0 {
		t.Fatal("no picture has its command")
	}
	for _, m := range commands {
		var out, errs bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(m[1], "examples/", "../../examples/"))
		if code := run(context.Background(), args, streams{strings.NewReader(""), &out, &errs}); code != codeOK {
			t.Fatalf("%q exits with %d: %s", args, code, errs.String())
		}
		file := "../../" + m[2]
		if golden.Updating() {
			if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, out.Bytes()) {
			t.Errorf("%s isn't what its command draws: run the test with -update; %v", m[2], err)
		}
	}
	drawn, err := filepath.Glob("../../docs/pictures/*")
	if err != nil || len(drawn) != len(commands) {
		t.Errorf("%d pictures, %d commands: %v", len(drawn), len(commands), err)
	}
}

func columnTable() string {
	var b strings.Builder
	b.WriteString("| column | type | meaning |\n|---|---|---|\n")
	for _, c := range table.Columns {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, c.Type, c.Meaning)
	}
	return b.String()
}

// TestPaths: each way into the README has at most five commands, and a script runs them.
func TestPaths(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	page, script := read("../../README.md"), read("testdata/script/paths.txtar")
	for _, path := range []string{"I have logs", "I run CI", "I want it live"} {
		_, section, ok := strings.Cut(page, "\n## "+path+"\n")
		_, block, ok2 := strings.Cut(section, "```")
		block, _, ok3 := strings.Cut(block, "```")
		if !ok || !ok2 || !ok3 {
			t.Errorf("the README has no commands under %q", path)
			continue
		}
		n := 0
		for line := range strings.Lines(block) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
			if !strings.HasPrefix(line, "mcpg ") || strings.HasPrefix(line, "mcpg: ") {
				continue
			}
			n++
			command, _, _ := strings.Cut(line, "  #")
			command, _, _ = strings.Cut(strings.TrimSpace(command), " -- ")
			command = strings.ReplaceAll(command, "~", "$HOME")
			if !strings.Contains(script, "exec "+command) && !strings.Contains(script, "exec converse "+command) {
				t.Errorf("%s: no script runs %q", path, command)
			}
		}
		if n == 0 || n > 5 {
			t.Errorf("%s: %d commands", path, n)
		}
	}
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
