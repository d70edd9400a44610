package main

import (
	"os/exec"
	"strings"
	"testing"
)

// mcptree is started by MCP clients and by hooks, often, and has 20 ms until it
// answers. go-graphviz, with the wazero that runs it, takes as long as that in
// every process that holds it, drawing or not; arrow-go is large. See
// docs/decisions/0005-mcptree-draws-its-own-pictures.md. The answer of go list
// isn't stale: the packages that it lists are part of this test's program.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "mcpg/cmd/mcptree").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for pkg := range strings.Lines(string(out)) {
		for _, slow := range []string{"github.com/goccy/go-graphviz", "github.com/tetratelabs/wazero", "github.com/apache/arrow-go/"} {
			if strings.HasPrefix(pkg, slow) {
				t.Errorf("mcptree imports %s", pkg)
			}
		}
	}
}
