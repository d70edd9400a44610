package mcptree

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// Every rule's document breaks it, and every rule that is reported has a row.
func TestRules(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, r := range Rules() {
		rows[r.Name] = true
		d := Parse("t.yaml", []byte(r.Bad))
		if !slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Rule == r.Name && f.Severity == Error }) {
			t.Errorf("%s: its document gives %v", r.Name, d.Findings)
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	call := regexp.MustCompile(`fail\((?:phase\w+, )?"([a-z-]+)"`)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(src), -1) {
			if !rows[m[1]] {
				t.Errorf("%s reports %q, which has no row", file, m[1])
			}
		}
	}
}
