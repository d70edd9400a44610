package draw

import (
	"context"
	"strings"
	"testing"
)

// TestBackslashes: Graphviz reads \N and the like in labels of all kinds; a path is no
// such thing.
func TestBackslashes(t *testing.T) {
	t.Parallel()
	g := Graph{Nodes: []Node{{ID: "a", Lines: []string{`C:\Games\New`}}, {ID: "b", Lines: []string{`\N\G\E\l`}}},
		Edges: []Edge{{From: "a", To: "a", Label: []string{`C:\Temp\New: 1 ok`}, Tone: Works}, {From: "a", To: "b", Label: []string{`\H\T`}}}}
	var out strings.Builder
	if err := SVG(context.Background(), &out, g); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`C:\Games\New`, `\N\G\E\l`, `C:\Temp\New: 1 ok`, `\H\T`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing from %s", want, out.String())
		}
	}
}
