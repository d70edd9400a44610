package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcpg/adapter"
)

// realServerOf finds a server that `npm ci` in testdata/servers has installed.
func realServerOf(t *testing.T, name string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("testdata", "servers", "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no Node")
	}
	if _, err := os.Stat(file); err != nil {
		t.Skipf("no %s: run npm ci in cmd/mcpg/testdata/servers", name)
	}
	return file
}

// TestRealFilesystem: the seed's two acts before the official server. The same mistakes
// are refused with their evidence, legal edits pass, an unapproved move is held, and
// affordances list both.
func TestRealFilesystem(t *testing.T) {
	t.Parallel()
	file := realServerOf(t, "mcp-server-filesystem")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.txt", "todo.txt", "diary.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("status: draft\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	a := &app{streams: streams{in: strings.NewReader(""), out: &out, err: &out}}
	db := filepath.Join(t.TempDir(), "calls.sqlite")
	acts := acts(dir)
	acts[0].calls = acts[0].calls[:5] // the move is for the second act
	for i := range acts {
		if err := a.play(context.Background(), &acts[i], []string{file, dir}, db, dir); err != nil {
			t.Fatal(err)
		}
	}
	got := out.String()
	for _, want := range []string{
		"> edit_file report.txt\n  ✗ ENOENT",
		"> edit_file agenda.txt\n  ✗ mcpg refused edit_file; it was not sent to the server. In state [exists=false] it would fail: it was refused 2 times before, in 2 distinct calls.",
		"> edit_file diary.txt\n  ✓ ", "> move_file notes.txt final-notes.txt\n  ✗ mcpg held move_file",
		"works         edit_file", "fails here    edit_file: it needs exists=true",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from\n%s", want, got)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "diary.txt")); err != nil || string(b) != "status: final\n" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error("the held move was made")
	}
}

// TestRealDraft: what is drafted from a real server's tools loads.
func TestRealDraft(t *testing.T) {
	t.Parallel()
	file := realServerOf(t, "mcp-server-memory")
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"adapter", "draft", "--", file}, streams{in: strings.NewReader(""), out: &out, err: &errs})
	if code != codeOK {
		t.Fatalf("%d %s", code, errs.String())
	}
	if _, err := adapter.Parse(out.Bytes()); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}
