package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const corpus = "../../../shared/corpus/mcptree/"

type corpusCase struct {
	ID         string `json:"id"`
	Dir        string `json:"dir"`
	Class      string `json:"cls"`
	ExpectExit *int   `json:"expect_exit"`
	Ref        struct {
		Stdout string `json:"stdout"`
	} `json:"ref"`
}

// differs are cases in which we deliberately do otherwise; docs/trees.md says
// why.
var differs = map[string]bool{"key-int-1-as-on": true}

// TestCorpusValidate runs the conformance cases of validate: exit code, and the
// reference's own lines, messages about YAML syntax aside.
func TestCorpusValidate(t *testing.T) {
	b, err := os.ReadFile(corpus + "validate/manifest.json")
	if err != nil {
		t.Skipf("no shared data: %v", err)
	}
	var m struct {
		Cases []corpusCase `json:"cases"`
	}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(corpus, "validate", c.Dir)
			var out, errs bytes.Buffer
			code := run(context.Background(), []string{"validate", dir}, streams{strings.NewReader(""), &out, &errs})
			if differs[c.ID] {
				return
			}
			if c.ExpectExit != nil && code != *c.ExpectExit {
				t.Fatalf("exit code %d, want %d:\n%s%s", code, *c.ExpectExit, out.String(), errs.String())
			}
			if c.Class == "crash" {
				return
			}
			got := topLines(strings.ReplaceAll(out.String(), dir, "{DIR}"))
			want := topLines(c.Ref.Stdout)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// topLines keeps a report's lines about files; of YAML's own messages only that
// they are such.
func topLines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "OK ") && !strings.HasPrefix(line, "FAIL ") && !strings.HasPrefix(line, "no trees") {
			continue
		}
		for _, own := range []string{"invalid YAML: ", "not valid UTF-8: ", "cannot read file: "} {
			if i := strings.Index(line, own); i >= 0 {
				line = line[:i+len(own)]
			}
		}
		out = append(out, line)
	}
	return out
}
