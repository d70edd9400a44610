package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcpg/internal/docpage"
	"mcpg/mcptree/lint"
	"mcpg/mcptree/modellint"
)

// TestDocs holds the documents against the program: console blocks are run, and
// the tables of rules are compared. With -update they are written.
func TestDocs(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	printed := func(args []string) string {
		var b bytes.Buffer
		if code := run(context.Background(), args, streams{strings.NewReader(""), &b, &b}); code != codeOK && code != codeFindings {
			t.Fatalf("%q exits with %d: %s", args, code, b.String())
		}
		return b.String()
	}
	for _, page := range []string{"docs/trees.md", "README.md"} {
		docpage.Check(t, page, "mcptree", printed, map[string]string{"rules": ruleTable(), "model-rules": modelTable()})
	}
}

func ruleTable() string {
	var b strings.Builder
	b.WriteString("| rule | finds |\n|---|---|\n")
	for _, r := range lint.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.Name, r.Doc)
	}
	return b.String()
}

func modelTable() string {
	var b strings.Builder
	b.WriteString("| rule | finds |\n|---|---|\n")
	for _, r := range modellint.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r[0], r[1])
	}
	return b.String()
}
