package draw

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// named is a small graph of named edges, in two groups.
func named() Graph {
	edge := func(from, to, tool string, calls int, tone Tone) Edge {
		e := Edge{From: from, To: to, Scope: "srv", Name: tool, Calls: calls, Did: "ok", Tone: tone, Status: "OBSERVED_SUPPORTED"}
		if tone == Fails {
			e.Did, e.Remark = "refused", "needs tested=true"
		}
		return e
	}
	return Graph{
		Title: "named",
		Nodes: []Node{
			{ID: "a", Lines: []string{"status=DRAFT", "tested=false"}, Group: "srv/release"},
			{ID: "b", Lines: []string{"status=DRAFT", "tested=true"}, Group: "srv/release"},
			{ID: "c", Lines: []string{"status=PUBLISHED, LIVE", "tested=true"}, Group: "srv/release"},
			{ID: "d", Lines: []string{"status=HELD", "tested=false"}, Group: "srv/release"},
			{ID: "u", Lines: []string{"exists=true"}, Group: "srv/user"},
		},
		Edges: []Edge{
			edge("a", "b", "run_tests", 9, Works), edge("d", "d", "run_tests", 7, Works), edge("b", "c", "publish", 5, Works),
			edge("a", "a", "publish", 4, Fails), edge("d", "d", "publish", 3, Fails), edge("a", "a", "archive", 2, Fails), edge("d", "d", "archive", 1, Fails),
			edge("u", "u", "whoami", 1, Works),
		},
	}
}

// marked is named with what changed.
func marked() Graph {
	g := named()
	g.Nodes[1].Mark, g.Nodes[3].Mark, g.Nodes[4].Mark = Added, Removed, Changed
	for i := range g.Edges {
		g.Edges[i].Mark = Mark(i % 4)
	}
	return Near(g)
}

// outline is a graph in a line.
func outline(g Graph) string {
	var nodes, edges []string
	for _, n := range g.Nodes {
		nodes = append(nodes, n.ID)
	}
	for _, e := range g.Edges {
		edges = append(edges, fmt.Sprint(e.From, e.To, ":", e.Name, e.Calls))
	}
	return strings.Join(nodes, " ") + " | " + strings.Join(edges, " ") + " | " + g.Stated()
}

func TestRules(t *testing.T) {
	t.Parallel()
	focus := func(want string, depth int) func(Graph) Graph {
		return func(g Graph) Graph {
			out, err := Focus(g, want, depth)
			if err != nil {
				t.Error(err)
			}
			return out
		}
	}
	tests := map[string]struct {
		rule func(Graph) Graph
		want string
	}{
		"support": {func(g Graph) Graph { return Support(g, 4) },
			"a b c d | ab:run_tests9 dd:run_tests7 bc:publish5 aa:publish4 | cut: 4 states of 5 shown, support >= 4"},
		"tool":        {focus("publish", 1), "a b c d | bc:publish5 aa:publish4 dd:publish3 | cut: 4 states of 5 shown, focus publish"},
		"server/tool": {focus("srv/whoami", 1), "u | uu:whoami1 | cut: 1 state of 5 shown, focus srv/whoami"},
		"tool, depth": {focus("archive", 2), "a b d | ab:run_tests9 dd:run_tests7 aa:publish4 dd:publish3 aa:archive2 dd:archive1 | cut: 3 states of 5 shown, focus archive, depth 2"},
		"state":       {focus("status=DRAFT, tested=true", 1), "a b c | ab:run_tests9 bc:publish5 | cut: 3 states of 5 shown, focus status=DRAFT, tested=true"},
		"a comma":     {focus("tested=true,status=PUBLISHED, LIVE", 1), "b c | bc:publish5 | cut: 2 states of 5 shown, focus tested=true,status=PUBLISHED, LIVE"},
		"collapse":    {Collapse, "a b c u | ab:run_tests9 aa:run_tests7 bc:publish5 aa:publish7 aa:archive3 uu:whoami1 | cut: 5 states of 5 shown in 4 boxes, alike states as one"},
		"together": {func(g Graph) Graph { return focus("status=HELD", 1)(Support(Collapse(g), 6)) },
			"a b | ab:run_tests9 aa:run_tests7 aa:publish7 | cut: 3 states of 5 shown in 2 boxes, alike states as one, support >= 6, focus status=HELD"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := named()
			before := fmt.Sprintf("%#v", g)
			if got := outline(test.rule(g)); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
			if fmt.Sprintf("%#v", g) != before {
				t.Error("the graph was changed")
			}
			s := shuffled(test.rule(shuffled(named())))
			if name != "collapse" && name != "together" && text(t, DOT, s) != text(t, DOT, test.rule(g)) {
				t.Error("it depends on the order")
			}
		})
	}
	if n := Collapse(named()).Nodes[0]; strings.Join(n.Lines, "/") != "status=DRAFT | HELD/tested=false/(2 states)" || n.Count != 2 {
		t.Errorf("collapsed into %+v", n)
	}
}

func shuffled(g Graph) Graph {
	r := rand.New(rand.NewPCG(3, 4))
	g.Nodes, g.Edges = slices.Clone(g.Nodes), slices.Clone(g.Edges)
	r.Shuffle(len(g.Nodes), func(i, j int) { g.Nodes[i], g.Nodes[j] = g.Nodes[j], g.Nodes[i] })
	r.Shuffle(len(g.Edges), func(i, j int) { g.Edges[i], g.Edges[j] = g.Edges[j], g.Edges[i] })
	return g
}

// TestShuffled: named edges are drawn in one order, whatever theirs was.
func TestShuffled(t *testing.T) {
	for name, f := range map[string]func(io.Writer, Graph) error{"dot": DOT, "mermaid": Mermaid, "svg": svg} {
		for _, g := range []Graph{named(), marked(), mesh(30, 60)} {
			if text(t, f, g) != text(t, f, shuffled(g)) {
				t.Errorf("%s of %q depends on the order", name, g.Title)
			}
		}
	}
}

func TestUnknownFocus(t *testing.T) {
	t.Parallel()
	for want, words := range map[string]string{
		"publsh":                                `no tool and no state is "publsh"; there is, the nearest first: "publish", "whoami", "archive", "run_tests"`,
		"other/publish":                         `no tool and no state is "other/publish"; there is, the nearest first: "publish", `,
		"status=DRAF":                           `no tool and no state is "status=DRAF"; there is, the nearest first: "status=DRAFT", "status=HELD", `,
		"status=DRAFT,tested=maybe":             `"status=DRAFT,tested=maybe"; there is, the nearest first: "tested=false", "tested=true", `,
		"status=HELD,tested=true":               `no state has all of "status=HELD,tested=true"`,
		"\x1b[2J" + strings.Repeat("x", 10_000): `no tool and no state is "\x1b[2Jxxx`,
	} {
		_, err := Focus(named(), want, 1)
		var unknown *UnknownFocus
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), words) || len(err.Error()) > 1000 {
			t.Errorf("%.80q: %v\nwant %s", want, err, words)
		}
	}
	if _, err := Focus(Graph{}, "x", 1); err == nil || !strings.HasSuffix(err.Error(), "the graph is empty") {
		t.Error(err)
	}
}

// TestDense: a graph that would take minutes is cut, and says so.
func TestDense(t *testing.T) {
	g := drawable(mesh(200, 600))
	if len(g.Edges) > MaxEdges || !strings.Contains(g.Stated(), "arrows of") {
		t.Errorf("%d edges, %q", len(g.Edges), g.Stated())
	}
	if g := drawable(mesh(60, 600)); len(g.Edges) != maxDense || len(g.Cuts) != 1 {
		t.Errorf("%d edges, %q", len(g.Edges), g.Stated())
	}
}

// TestSigns: what became of an edge is said by a sign too, in every format.
func TestSigns(t *testing.T) {
	want := []string{"+ run_tests: 7 ok", "- publish: 5 ok", "~ publish: 4 refused"}
	for name, f := range map[string]func(io.Writer, Graph) error{"dot": DOT, "mermaid": Mermaid, "svg": svg} {
		out := strings.NewReplacer("&#45;", "-", "#58;", ":", "#43;", "+", "#45;", "-", "#126;", "~", "\u00a0", " ", "&#160;", " ").Replace(text(t, f, marked()))
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s lacks %q", name, w)
			}
		}
	}
}

// TestLong: labels of 10,000 characters stay bounded where they are laid out.
func TestLong(t *testing.T) {
	g := named()
	for i := range g.Nodes {
		g.Nodes[i].Lines = []string{strings.Repeat("\x1b[31m\u202e<script>", 1000)}
	}
	for i := range g.Edges {
		g.Edges[i].Name = strings.Repeat("\x1b[31m\u202e<script>", 1000)
	}
	for name, f := range map[string]func(io.Writer, Graph) error{"mermaid": Mermaid, "svg": svg} {
		out := text(t, f, Collapse(g))
		if len(out) > maxMermaid || strings.ContainsAny(out, "\x1b\u202e") || strings.Contains(out, "<script") {
			t.Errorf("%s: %d bytes, or it holds what a reader would obey", name, len(out))
		}
	}
	if out := text(t, DOT, g); strings.ContainsAny(out, "\x1b\u202e") {
		t.Error("DOT holds control characters")
	}
	big := mesh(200, 600)
	for i := range big.Edges {
		big.Edges[i].Remark = strings.Repeat("%", 150)
	}
	if out := text(t, Mermaid, big); len(out) > maxMermaid || !strings.Contains(out, "cut#58;") {
		t.Errorf("Mermaid of %d bytes", len(out))
	}
}
