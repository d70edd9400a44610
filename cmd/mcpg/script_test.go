package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcpg": func() { os.Exit(Main()) }, "shop-server": shopServer, "make-store": makeStore, "converse": converse})
}

// TestScripts runs the command line as users do. Scripts that need the shared
// data ask for [shared].
func TestScripts(t *testing.T) {
	shared, err := filepath.Abs("../../../shared")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	_, missing := os.Stat(shared)
	if missing != nil {
		t.Log("no shared data: the scripts that need it are skipped")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SHARED", shared)
			e.Setenv("NO_COLOR", "1")
			e.Setenv("ROOT", root)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "shared" {
				return missing == nil, nil
			}
			return false, os.ErrInvalid
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "excerpt": excerpt},
	})
}

// excerpt wants the lines of the text block of a page's section among those of stdout,
// in their order: excerpt page section.
func excerpt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: excerpt page section")
	}
	_, section, _ := strings.Cut(ts.ReadFile(args[0]), "\n## "+args[1]+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, block, _ := strings.Cut(section, "```text\n")
	block, _, ok := strings.Cut(block, "```")
	if !ok {
		ts.Fatalf("%s has no text block under %s", args[0], args[1])
	}
	rest := ts.ReadFile("stdout")
	for line := range strings.Lines(block) {
		_, after, found := strings.Cut("\n"+rest, "\n"+line)
		if !found {
			ts.Fatalf("isn't printed there: %s", line)
		}
		rest = after
	}
}

// code runs a program and wants an exit code: code 3 mcpg stats none.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program args…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = exitCode(err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}
