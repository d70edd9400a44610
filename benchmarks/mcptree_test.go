package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpg/mcptree"
	"mcpg/mcptree/lint"
)

// tiny sizes show that everything runs; their figures mean nothing.
var tiny = sizes{runs: 2, trees: 3, submissions: 100, sessions: 1, steps: 10}

func TestMCPTree(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.json")
	var out, errs bytes.Buffer
	code := commands[0].run(t.Context(), []string{"--json", file}, tiny, &out, &errs)
	if code != codeOK && code != codeMissed {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Figures) != 6 || r.missed() != (code == codeMissed) {
		t.Errorf("exit code %d with %s", code, text)
	}
	for _, m := range r.Figures {
		if !(m.Median > 0) || len(m.Runs) != 2 || m.Command == "" {
			t.Errorf("%s: %+v", m.Name, m)
		}
		if isProcess := !strings.HasPrefix(m.Command, "go run"); isProcess && (m.Process == nil || m.Process.CPUSeconds <= 0) {
			t.Errorf("%s: nothing is known of the process", m.Name)
		}
		if !strings.Contains(out.String(), m.About) {
			t.Errorf("the table lacks %s:\n%s", m.Name, out.String())
		}
	}
}

// TestTrees: the trees that are validated are of nine nodes, and nothing is
// wrong with them that would be written about.
func TestTrees(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trees")
	if err := writeTrees(dir, 2); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(dir, "tree0001.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d := mcptree.Parse("tree0001.yaml", src)
	lint.Check(d)
	if d.Tree == nil || len(d.Findings) > 0 || len(d.Tree.Nodes) != 9 || d.Tree.ID != "triage-1" {
		t.Errorf("findings %v", d.Findings)
	}
}
