package draw

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checker is the program that has Mermaid read drawings; Mermaid is installed
// beside it.
const checker = "../../mcptree/viz/testdata/mermaid"

// TestMermaidParses has Mermaid itself read drawings and compares what it drew.
func TestMermaidParses(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node isn't here: ", err)
	}
	if _, err := os.Stat(checker + "/node_modules"); err != nil {
		t.Skip("Mermaid isn't here, run npm ci in mcptree/viz/testdata/mermaid: ", err)
	}
	dir := t.TempDir()
	graphs := map[string]Graph{"release": release(), "hostile": hostile(), "named": named(), "marked": marked(), "collapsed": Collapse(named()), "chain": chain(400)}
	for _, s := range nasty {
		graphs[fmt.Sprintf("%x", s)] = Graph{Title: s, Note: s, Nodes: []Node{{ID: s, Lines: []string{s}, Group: s}}, Edges: []Edge{{From: s, To: "x", Label: []string{s}}}}
	}
	for name, g := range graphs {
		for file, content := range map[string]string{name + ".mmd": text(t, Mermaid, g), name + ".json": drawn(t, g)} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, block := range documented(t) {
		name := filepath.Join(dir, fmt.Sprint("documented-", i))
		if err := errors.Join(os.WriteFile(name+".mmd", []byte(block), 0o644), os.WriteFile(name+".json", []byte("null"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("node", checker+"/check.mjs", dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// documented are the drawings that stand as text in the documents.
func documented(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, page := range pages {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(b), "```mermaid\n")[1:] {
			block, _, _ := strings.Cut(part, "```")
			out = append(out, block)
		}
	}
	if len(out) == 0 {
		t.Error("no drawing is documented")
	}
	return out
}

// drawn is what Mermaid should draw, as check.mjs reads it.
func drawn(t *testing.T, g Graph) string {
	t.Helper()
	g = sorted(shorten(Cut(g, MaxNodes, mermaidEdges)))
	var want struct {
		Nodes  [][2]string `json:"nodes"`
		Edges  [][3]any    `json:"edges"`
		Groups int         `json:"groups"`
	}
	shown := func(lines []string) string {
		lines = split(lines)
		for i := range lines {
			lines[i] = clean(lines[i])
		}
		return strings.Join(lines, "\n")
	}
	ids, place := map[string]string{}, map[string]int{}
	for i, n := range g.Nodes {
		ids[n.ID] = fmt.Sprint("n", i)
	}
	for _, group := range append([]string{""}, groups(g)...) {
		for _, n := range g.Nodes {
			if n.Group == group {
				place[n.ID] = len(want.Nodes)
				want.Nodes = append(want.Nodes, [2]string{ids[n.ID], shown(n.Mark.signed(n.text()))})
			}
		}
	}
	want.Groups = len(groups(g))
	for _, e := range g.Edges {
		want.Edges = append(want.Edges, [3]any{place[e.From], place[e.To], shown(e.Label)})
	}
	g.Title = ""
	if lines := g.caption(); len(lines) > 0 {
		want.Nodes = append(want.Nodes, [2]string{"note0", shown(lines)})
	}
	out, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
