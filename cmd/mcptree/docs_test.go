package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcpg/internal/docpage"
	"mcpg/mcptree"
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
		docpage.Check(t, page, "mcptree", printed, map[string]string{"protocol-rules": protocolTable(), "rules": ruleTable(), "model-rules": table(modellint.Rules())})
	}
}

func protocolTable() string {
	var rows [][2]string
	for _, r := range mcptree.Rules() {
		rows = append(rows, [2]string{r.Name, r.Doc})
	}
	return table(rows)
}

func ruleTable() string {
	var rows [][2]string
	for _, r := range lint.Rules() {
		rows = append(rows, [2]string{r.Name, r.Doc})
	}
	return table(rows)
}

func table(rows [][2]string) string {
	var b strings.Builder
	b.WriteString("| rule | finds |\n|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r[0], r[1])
	}
	return b.String()
}
