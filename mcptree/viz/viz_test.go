package viz

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcpg/internal/golden"
	"mcpg/mcptree"
)

func load(t *testing.T, file string) *mcptree.Tree {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := mcptree.Parse(file, src)
	if d.Tree == nil {
		t.Fatal(d.Reason())
	}
	return d.Tree
}

func mermaid(t *testing.T, tree *mcptree.Tree, path []Step) string {
	t.Helper()
	var b bytes.Buffer
	if err := Mermaid(&b, tree, path); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	plainPath = []Step{
		{Node: "build", To: "passed", Input: `{"failures":1}`, Source: "tree_answer"},
		{Node: "passed", To: "risk"},
		{Node: "risk", To: "confirm", Label: "low", Input: `"low"`, Source: "elicitation", Rationale: "Small <change>."},
		{Node: "confirm", To: "build", Label: "later", Input: `"later"`, Source: "elicitation"},
		{Node: "build"},
	}
	hostilePath = []Step{{Node: "end", To: "two words"}, {Node: "two words", To: "style", Label: "eq x --> y"}, {Node: "style"}}
)

func TestGolden(t *testing.T) {
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)
	for name, path := range map[string][]Step{"plain": plainPath, "hostile": hostilePath} {
		tree := load(t, "testdata/"+name+".yaml")
		golden.Check(t, name+".mmd", []byte(mermaid(t, tree, nil)))
		golden.Check(t, name+"-path.mmd", []byte(mermaid(t, tree, path)))
		var b bytes.Buffer
		if err := HTML(&b, tree, svg, path); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, name+".html", b.Bytes())
	}
}

// vizCase is a case of the conformance corpus.
type vizCase struct {
	ID, Tree, Stdout string
	Exit             int
	Python           bool `json:"python_repr"`
	Mermaid          struct{ Parses, Faithful bool }
}

// corpus gives the cases that are drawings, or skips the test.
func corpus(t *testing.T) (dir string, cases []vizCase) {
	t.Helper()
	dir = "../../../shared/corpus/mcptree/viz"
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Skip("the corpus isn't here: ", err)
	}
	var m struct{ Cases []vizCase }
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Cases {
		if c.Exit == 0 {
			cases = append(cases, c)
		}
	}
	return dir, cases
}

func TestCorpus(t *testing.T) {
	dir, cases := corpus(t)
	same := 0
	for _, c := range cases {
		got := mermaid(t, load(t, filepath.Join(dir, c.Tree)), nil)
		switch faithful := c.Mermaid.Parses && c.Mermaid.Faithful; {
		case c.Python: // lists and the like are written as JSON here
		case faithful && got != c.Stdout:
			t.Errorf("%s: got\n%s\nwant\n%s", c.ID, got, c.Stdout)
		case faithful:
			same++
		case got == c.Stdout:
			t.Errorf("%s: Mermaid doesn't draw the reference's text, and it was written", c.ID)
		}
	}
	if same == 0 {
		t.Error("no case was compared")
	}
}

func TestDrawable(t *testing.T) {
	for _, id := range strings.Fields("a A_1 b-c.d b/c oops xfail 1 12ab a:b a&b a*b a+b a,b a#b a%b a!b a'b a?b a$b a\\b " +
		"default default-x v v-x Style END endless style_x direction 日本 é aé a-é 1-2 -a a\"b") {
		if !Drawable(id) {
			t.Errorf("%q can stand for itself", id)
		}
	}
	for _, id := range append(strings.Fields("end graph style style-x class classDef click call href linkStyle interpolate flowchart flowchart-elk "+
		"subgraph _self 1end end-x éend a--b -- x--y o-- .- -. -> 1.-b a@b a;b a=b a:::b a[b a(b a{b a<b a|b a~b a^b %%x `a \"a 😀"),
		"", " ", "two words", "a ", " a", "a\nb", "a\x07", "\xff", "direction TB") {
		if Drawable(id) {
			t.Errorf("%q can't stand for itself", id)
		}
	}
}

// pieces are what hostile ids and labels are made of.
var pieces = strings.Split(`end|graph|style|classDef x fill:#f00;|class|click|call|href|linkStyle|subgraph|direction|TB|direction LR|`+
	`accTitle:|%%|%%{init: {"theme":"dark"}}%%|---|--|-->|==>|-.->|~~~|:::|@{|}|{|[|]|[[|(|)|((|<b>|</script>|<a href="x">|<!--|"|'|`+"`"+`|`+
	`#|#35;|#quot;|;|:|,|&|&lt;|*|**|_|__|1.|1)|-|+|=|!|?|\|/|.|$|^|~|ﬂ°°35¶ß|日本|é|😀| |  |a|b|x|o|v|0|42|style: :#1;|ⅷ`, "|")

func hostileText(r *rand.Rand) string {
	pieces := append([]string{"|", "\n", "\r\n", "\t", "\x00", "\x1b[31m", "\u2028", "\u202e", "\u00a0", "\xff", "}\n ", "\n%% c\n"}, pieces...)
	var b strings.Builder
	for range r.IntN(7) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// hostileGraph has ids and labels that want to be something else.
func hostileGraph(r *rand.Rand) Graph {
	types := []mcptree.NodeType{mcptree.Condition, mcptree.Ask, mcptree.Judgment, mcptree.Action, mcptree.Terminal}
	g := Graph{}
	seen := map[string]bool{}
	calm := r.IntN(2) == 0 // then few things are hostile, and some drawings bare
	text := func(plain string) string {
		if calm && r.IntN(8) > 0 {
			return plain
		}
		return hostileText(r)
	}
	for i := range 2 + r.IntN(3) {
		id := text(fmt.Sprintf("node_%d", i))
		if !seen[id] {
			seen[id] = true
			n := Node{ID: id, Type: types[r.IntN(len(types))], Lines: []string{id, text("ask")}}
			if r.IntN(2) == 0 {
				n.Steps = []int{i + 1}
			}
			g.Nodes = append(g.Nodes, n)
		}
	}
	for range 1 + r.IntN(5) {
		from, to := g.Nodes[r.IntN(len(g.Nodes))], g.Nodes[r.IntN(len(g.Nodes))]
		e := Edge{From: from.ID, To: to.ID, labelled: r.IntN(4) > 0, Taken: r.IntN(3) == 0}
		if e.labelled {
			e.Label = text("eq 1")
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

func TestQuotedIsPlain(t *testing.T) {
	label := `(?:[\p{L}\p{N}\x{a0}-\x{10ffff} (,/?!').:=+_-]|<br/>|#(?:[0-9]+|quot|lt|gt|amp);)*`
	node := regexp.MustCompile(`^  n[0-9]+(?:\["` + label + `"\]|\{"` + label + `"\}|\[\["` + label + `"\]\]|\(\["` + label + `"\]\))$`)
	edge := regexp.MustCompile(`^  n[0-9]+ -->(?:\|"` + label + `"\|)? n[0-9]+$`)
	link := regexp.MustCompile(`--|==|-\.|\.-|%%|\bdirection\s|[ﬂ¶]|[\t\v\f\r\x{80}-\x{9f}\x{2028}\x{2029}\x{202a}-\x{202e}]`)
	for seed := range uint64(3000) {
		g := hostileGraph(rand.New(rand.NewPCG(1, seed)))
		for i := range g.Nodes {
			g.Nodes[i].Steps = nil
		}
		for i := range g.Edges {
			g.Edges[i].Taken = false
		}
		lines := strings.Split(strings.TrimSuffix(quoted(g), "\n"), "\n")
		if len(lines) != 1+len(g.Nodes)+len(g.Edges) {
			t.Fatalf("seed %d: %d lines for %d nodes and %d edges:\n%s", seed, len(lines), len(g.Nodes), len(g.Edges), strings.Join(lines, "\n"))
		}
		for i, l := range lines[1:] {
			want := node
			if i >= len(g.Nodes) {
				want = edge
			}
			if !want.MatchString(l) || link.MatchString(strings.Replace(l, "-->", "", 1)) {
				t.Errorf("seed %d: %q", seed, l)
			}
		}
	}
}

// drawing is what the checker takes.
type drawing struct {
	Nodes [][2]string `json:"nodes"`
	Edges [][3]any    `json:"edges"`
}

func writeDrawing(t *testing.T, dir, name, text string, g Graph) {
	t.Helper()
	d := drawing{Edges: [][3]any{}}
	number := map[string]int{}
	for i, n := range g.Nodes {
		number[n.ID] = i
		d.Nodes = append(d.Nodes, [2]string{n.ID, cleanLines(strings.Join(n.Lines, "\n"))})
	}
	for _, e := range g.Edges {
		d.Edges = append(d.Edges, [3]any{number[e.From], number[e.To], cleanLines(e.Label)})
	}
	want, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{name + ".mmd": []byte(text), name + ".json": want} {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMermaidParses has Mermaid itself read drawings: those of the corpus, of
// the trees here, and of hostile graphs.
func TestMermaidParses(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node isn't here: ", err)
	}
	if _, err := os.Stat("testdata/mermaid/node_modules"); err != nil {
		t.Skip("Mermaid isn't here, run npm ci in mcptree/viz/testdata/mermaid: ", err)
	}
	dir := t.TempDir()
	for name, path := range map[string][]Step{"plain": plainPath, "hostile": hostilePath} {
		tree := load(t, "testdata/"+name+".yaml")
		writeDrawing(t, dir, "own-"+name, mermaid(t, tree, nil), NewGraph(tree, nil))
		writeDrawing(t, dir, "own-"+name+"-path", mermaid(t, tree, path), NewGraph(tree, path))
	}
	bareOnes := 0
	for seed := range uint64(300) {
		g := hostileGraph(rand.New(rand.NewPCG(2, seed)))
		text, ok := bare(g)
		if ok {
			bareOnes++
		} else {
			text = quoted(g)
		}
		writeDrawing(t, dir, fmt.Sprintf("hostile-%d", seed), text, g)
	}
	if bareOnes < 30 {
		t.Errorf("%d of the hostile graphs are drawn bare: too few to tell", bareOnes)
	}
	t.Run("corpus", func(t *testing.T) {
		from, cases := corpus(t)
		for _, c := range cases {
			tree := load(t, filepath.Join(from, c.Tree))
			writeDrawing(t, dir, "corpus-"+c.ID, mermaid(t, tree, nil), NewGraph(tree, nil))
		}
	})
	out, err := exec.Command("node", "testdata/mermaid/check.mjs", dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func TestHTMLPolicy(t *testing.T) {
	tree := load(t, "testdata/hostile.yaml")
	var b bytes.Buffer
	if err := HTML(&b, tree, []byte(`<svg onload="alert(1)"><script>alert(1)</script></svg>`), hostilePath); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(text)
	if style == nil {
		t.Fatal("no style")
	}
	hash := sha256.Sum256([]byte(style[1]))
	for _, want := range []string{base64.StdEncoding.EncodeToString(hash[:]), "default-src &#39;none&#39;"} {
		if !strings.Contains(strings.ReplaceAll(text, "&#43;", "+"), want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
	for _, never := range []string{"<script", "<img src=x", "onload", "\x1b", "\u202e"} {
		if strings.Contains(text, never) {
			t.Errorf("the page holds %q", never)
		}
	}
}

// A walk may come to a node twice, and by ways that can't be told apart.
func TestPath(t *testing.T) {
	g := NewGraph(load(t, "testdata/plain.yaml"), plainPath)
	if got := fmt.Sprint(g.Nodes[0].Steps); got != "[1 5]" {
		t.Errorf("build was visited at %s", got)
	}
	var taken []string
	for _, e := range g.Edges {
		if e.Taken {
			taken = append(taken, e.From+" "+e.To+" "+e.Label)
		}
	}
	want := []string{"build passed ", "passed risk eq 0", "passed risk all(gte 1, lte 2)", "risk confirm low", "confirm build later"}
	if strings.Join(taken, ";") != strings.Join(want, ";") {
		t.Errorf("taken %q, want %q", taken, want)
	}
}
