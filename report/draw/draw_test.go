package draw

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-graphviz"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it):\n%s", name, got)
	}
}

func release() Graph {
	return Graph{
		Title: "release", Note: "34 calls",
		Nodes: []Node{
			{ID: "draft", Lines: []string{"status=DRAFT", "tests_passed=false"}, Group: "open"},
			{ID: "tested", Lines: []string{"status=DRAFT", "tests_passed=true"}, Group: "open"},
			{ID: "out", Lines: []string{"status=PUBLISHED"}},
			{ID: "alone"},
		},
		Edges: []Edge{
			{From: "tested", To: "out", Label: []string{"publish_release", "12 calls"}, Tone: Works},
			{From: "draft", To: "draft", Label: []string{"publish_release"}, Tone: Fails},
			{From: "draft", To: "tested", Label: []string{"run_tests"}, Tone: Mixed, Dashed: true},
			{From: "out", To: "draft", Tone: Untried, Dashed: true},
			{From: "out", To: "unlisted"},
		},
	}
}

// nasty are texts that break out of something.
var nasty = []string{
	`"`, `\`, `a\`, `\"`, `\N \G \l`, "two\nlines", "two\r\nlines\r", "tab\tbell\a null\x00 del\x7f",
	"<b>bold</b>", "<script>alert(1)</script>", "&lt; &amp; &#65;", "&am;", "--> <!-- ]]>", "end", "subgraph", "1. one", "- item", "`md`",
	"style x: y#quot;", "#quot; #35;", "%%{init: {}}%%", "%% comment", "a;b|c{d}[e](f)", "🦊 👩‍👩‍👧", "öffnen ﬂ°°34¶ß",
	"bad \xff\xfe utf8", "\u202egnp.exe", "\u0085\u2028\ufffe", "", " ", "$x^2$", "---", "n0", "*a* _b_ __c__",
}

func hostile() Graph {
	g := Graph{Title: strings.Join(nasty, " "), Note: strings.Join(nasty, " ")}
	for i, s := range nasty {
		g.Nodes = append(g.Nodes, Node{ID: s, Lines: []string{s, "line " + s}, Group: nasty[i%5]})
		g.Edges = append(g.Edges, Edge{From: s, To: nasty[(i*7+1)%len(nasty)], Label: []string{s}, Tone: Tone(i % 5)})
	}
	return g
}

// chain has n edges, among n/2 nodes.
func chain(n int) Graph {
	var g Graph
	nodes := n/2 + 2
	for i := range nodes {
		g.Nodes = append(g.Nodes, Node{ID: fmt.Sprint("s", i), Lines: []string{fmt.Sprint("status=S", i), "tests_passed=false"}})
	}
	for i := range n {
		g.Edges = append(g.Edges, Edge{From: fmt.Sprint("s", i%nodes), To: fmt.Sprint("s", (i*7+1)%nodes),
			Label: []string{fmt.Sprint("call_", i), "12 calls"}, Tone: Tone(i % 5), Dashed: i%3 == 0})
	}
	return g
}

func text(t testing.TB, f func(io.Writer, Graph) error, g Graph) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func svg(w io.Writer, g Graph) error { return SVG(context.Background(), w, g) }

func TestGolden(t *testing.T) {
	for name, g := range map[string]Graph{"release": release(), "hostile": hostile(), "empty": {}, "named": named(), "marked": marked()} {
		golden(t, name+".dot", text(t, DOT, g))
		golden(t, name+".mmd", text(t, Mermaid, g))
		golden(t, name+".json", text(t, JSON, g))
	}
}

// TestOrder: neither the order of nodes nor, uncut, that of edges matters.
func TestOrder(t *testing.T) {
	a, b := release(), release()
	slices.Reverse(b.Nodes)
	slices.Reverse(b.Edges)
	for name, f := range map[string]func(io.Writer, Graph) error{"dot": DOT, "mermaid": Mermaid, "svg": svg} {
		if text(t, f, a) != text(t, f, b) {
			t.Errorf("%s depends on the order", name)
		}
	}
}

// TestInputKept: drawing changes nothing in the graph that it is given.
func TestInputKept(t *testing.T) {
	g := chain(MaxEdges + 50)
	g.Nodes[0].Lines = []string{strings.Repeat("x", 1000)}
	before := fmt.Sprintf("%#v", g)
	for _, f := range []func(io.Writer, Graph) error{DOT, Mermaid, JSON} {
		text(t, f, g)
	}
	text(t, svg, Graph{Nodes: g.Nodes[:2], Edges: g.Edges[:1]})
	if fmt.Sprintf("%#v", g) != before {
		t.Error("the graph was changed")
	}
}

// TestDOTParses reads the DOT back with Graphviz: the same nodes and edges.
func TestDOTParses(t *testing.T) {
	for name, g := range map[string]Graph{"release": release(), "hostile": hostile(), "empty": {}, "chain": chain(40)} {
		engine <- struct{}{}
		graph, err := graphviz.ParseBytes([]byte(text(t, DOT, g)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		nodes, err1 := graph.NodeNum()
		edges, err2 := graph.EdgeNum()
		if want := whole(g); nodes != len(want.Nodes) || edges != len(want.Edges) || errors.Join(err1, err2) != nil {
			t.Errorf("%s: %d nodes and %d edges, want %d and %d", name, nodes, edges, len(want.Nodes), len(want.Edges))
		}
		if err := graph.Close(); err != nil {
			t.Error(err)
		}
		<-engine
	}
}

// texts returns the contents of the text elements of an SVG.
func texts(t testing.TB, data string) []string {
	t.Helper()
	var out []string
	dec := xml.NewDecoder(strings.NewReader(data))
	in := false
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("the SVG isn't well-formed: %v", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if in = tok.Name.Local == "text"; in {
				out = append(out, "")
			}
			if tok.Name.Local == "script" || tok.Name.Local == "b" {
				t.Errorf("a label became an element %s", tok.Name.Local)
			}
		case xml.EndElement:
			in = false
		case xml.CharData:
			if in {
				out[len(out)-1] += string(tok)
			}
		}
	}
}

// TestSVG: well-formed, every label in it as it is, and the same twice.
func TestSVG(t *testing.T) {
	for name, g := range map[string]Graph{"release": release(), "hostile": hostile(), "empty": {}} {
		out := text(t, svg, g)
		if out != text(t, svg, g) {
			t.Errorf("%s: two runs differ", name)
		}
		have := map[string]bool{}
		for _, s := range texts(t, out) {
			have[blanks(s)] = true
		}
		for _, l := range labels(g) {
			if l = blanks(clean(l)); l != "" && !have[l] {
				t.Errorf("%s: no text %q", name, l)
			}
		}
	}
}

func blanks(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(s, "\u00a0", " "))
}

func labels(g Graph) []string {
	out := []string{g.Title, g.Note}
	for _, n := range g.Nodes {
		out = append(append(out, n.text()...), n.Group)
	}
	for _, e := range g.Edges {
		out = append(out, e.Label...)
	}
	return split(out)
}

func TestPNG(t *testing.T) {
	var a, b bytes.Buffer
	for _, w := range []io.Writer{&a, &b} {
		if err := PNG(context.Background(), w, release()); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two runs differ")
	}
	img, err := png.Decode(&a)
	if err != nil {
		t.Fatal(err)
	}
	if s := img.Bounds().Size(); s.X < 600 || s.Y < 200 {
		t.Errorf("an image of %v", s)
	}
	if c := colors(img); c[0xcf222eff] < 50 || c[0x1a7f37ff] < 50 || c[0xffffffff] < 1000 {
		t.Errorf("red %d, green %d, white %d pixels", c[0xcf222eff], c[0x1a7f37ff], c[0xffffffff])
	}
}

// colors counts pixels by colour, 0xrrggbbaa.
func colors(img image.Image) map[uint32]int {
	out := map[uint32]int{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, a := img.At(x, y).RGBA()
			out[r>>8<<24|g>>8<<16|b>>8<<8|a>>8]++
		}
	}
	return out
}

// TestPNGPaintsAll: nothing in the SVG of odd graphs is unknown to the painter.
func TestPNGPaintsAll(t *testing.T) {
	for _, g := range []Graph{{}, hostile(), chain(60)} {
		if err := PNG(context.Background(), io.Discard, g); err != nil {
			t.Error(err)
		}
	}
}

func TestLooks(t *testing.T) {
	for i, a := range looks {
		for _, b := range looks[i+1:] {
			if a.name == b.name || a.color == b.color || a.head == b.head {
				t.Errorf("%s and %s look the same", a.name, b.name)
			}
		}
	}
	if f, w := Fails.look(), Works.look(); f.link == w.link || f.dash == w.dash {
		t.Error("in Mermaid, failing looks like working")
	}
	if got := Tone(9).String(); got != "tone(9)" {
		t.Error(got)
	}
}

func TestCut(t *testing.T) {
	g := Graph{Note: "mine", Nodes: []Node{{ID: "lone"}, {ID: "lone2"}, {ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}}
	for _, e := range []string{"ab", "bc", "cd", "ba", "aa"} {
		g.Edges = append(g.Edges, Edge{From: e[:1], To: e[1:]})
	}
	tests := []struct {
		nodes, edges int
		want         string
	}{
		{6, 5, "lone lone2 a b c d | ab bc cd ba aa | "},
		{6, 2, "lone lone2 a b c d | ab bc | cut: 6 states of 6 shown, for drawing: 2 arrows of 5"},
		{5, 5, "lone a b c d | ab bc cd ba aa | cut: 5 states of 6 shown, for drawing"},
		{3, 5, "a b c | ab bc ba aa | cut: 3 states of 6 shown, for drawing: 4 arrows of 5"},
		{3, 1, "lone a b | ab | cut: 3 states of 6 shown, for drawing: 1 arrows of 5"},
		{0, 0, " |  | cut: 0 states of 6 shown, for drawing: 0 arrows of 5"},
	}
	for _, test := range tests {
		cut := Cut(g, test.nodes, test.edges)
		var nodes, edges []string
		for _, n := range cut.Nodes {
			nodes = append(nodes, n.ID)
		}
		for _, e := range cut.Edges {
			edges = append(edges, e.From+e.To)
		}
		got := strings.Join(nodes, " ") + " | " + strings.Join(edges, " ") + " | " + cut.Stated()
		if got != test.want {
			t.Errorf("to %d, %d:\n got %s\nwant %s", test.nodes, test.edges, got, test.want)
		}
	}
}

// TestCutShown: a picture of a graph that is too large says so.
func TestCutShown(t *testing.T) {
	g := chain(MaxEdges + 1)
	if out := text(t, Mermaid, g); !strings.Contains(out, "for drawing#58; 300 arrows of 301") {
		t.Error("Mermaid doesn't say that it is cut")
	}
	if out := text(t, svg, Cut(g, 20, 30)); !strings.Contains(strings.Join(texts(t, out), " "), "cut: 20 states of 152 shown, for drawing: ") {
		t.Error("the SVG doesn't say that it is cut")
	}
	if strings.Contains(text(t, JSON, g), "cut") || strings.Contains(text(t, DOT, g), "cut") {
		t.Error("data is cut")
	}
}

func TestShorten(t *testing.T) {
	long := strings.Repeat("é", maxLine+1)
	g := shorten(whole(Graph{Nodes: []Node{{ID: "a", Lines: []string{long, strings.Repeat("\n", 99)}}}}))
	if l := g.Nodes[0].Lines; len(l) != maxLines+1 || l[0] != long[:2*maxLine]+"…" || l[maxLines] != "…" {
		t.Errorf("%d lines, %q", len(l), l)
	}
}

// TestContext: a render that hasn't begun is called off, also one that waits.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := SVG(ctx, io.Discard, release()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	engine <- struct{}{}
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := PNG(ctx, io.Discard, release()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	<-engine
}

// TestTogether renders from many goroutines.
func TestTogether(t *testing.T) {
	want := text(t, svg, release())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var b bytes.Buffer
			if err := svg(&b, release()); err != nil || b.String() != want {
				t.Errorf("renders disturb each other: %v", err)
			}
		})
	}
	wg.Wait()
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk is full") }

func TestWriteErrors(t *testing.T) {
	for name, f := range map[string]func(io.Writer, Graph) error{"dot": DOT, "mermaid": Mermaid, "json": JSON, "svg": svg} {
		if err := f(broken{}, release()); err == nil {
			t.Errorf("%s swallows the error", name)
		}
	}
}

func TestJSON(t *testing.T) {
	var got struct {
		Version int
		Nodes   []struct{ Lines []string }
		Edges   []struct{ Tone string }
	}
	if err := json.Unmarshal([]byte(text(t, JSON, release())), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != 2 || len(got.Nodes) != 5 || got.Nodes[4].Lines[0] != "unlisted" || got.Edges[1].Tone != "fails" {
		t.Errorf("%+v", got)
	}
}

// FuzzText puts any text everywhere: the DOT parses, the SVG is well-formed.
func FuzzText(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g := Graph{Title: s, Note: s, Nodes: []Node{{ID: s, Lines: []string{s}, Group: s}},
			Edges: []Edge{{From: s, To: "x", Label: []string{s}}}}
		texts(t, text(t, svg, g))
		for i, line := range strings.Split(strings.TrimSuffix(text(t, Mermaid, g), "\n"), "\n") {
			if strings.Count(line, `"`)%2 != 0 {
				t.Errorf("line %d of Mermaid breaks out: %s", i+1, line)
			}
		}
	})
}

func BenchmarkSVG(b *testing.B) {
	for _, n := range []int{5, 50, 300} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				text(b, svg, chain(n))
			}
		})
	}
}

func BenchmarkPNG(b *testing.B) {
	for _, n := range []int{5, 50, 300} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if err := PNG(context.Background(), io.Discard, chain(n)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
