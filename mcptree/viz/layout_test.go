package viz

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"mcpg/mcptree"
)

// randomGraph has cycles, loops, several edges between the same nodes, and nodes
// that nothing leads to.
func randomGraph(r *rand.Rand, nodes, edges int) ([]joint, []wire) {
	var joints []joint
	var wires []wire
	for range nodes {
		w := 40 + float64(r.IntN(200))
		joints = append(joints, joint{size{w, 20 + float64(r.IntN(60))}, w / 2})
	}
	for range edges {
		e := wire{from: r.IntN(nodes), to: r.IntN(nodes)}
		if r.IntN(3) > 0 {
			e.label = size{10 + float64(r.IntN(120)), 17}
		}
		wires = append(wires, e)
		if r.IntN(8) == 0 {
			wires = append(wires, e)
		}
	}
	return joints, wires
}

func TestLayout(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(3, seed))
		n := 1 + r.IntN(30)
		nodes, edges := randomGraph(r, n, r.IntN(2*n+1))
		entry := r.IntN(n)
		l := newLayout(entry, nodes, edges)
		if err := checkLayout(l, nodes, edges); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again := newLayout(entry, nodes, edges); !reflect.DeepEqual(l, again) {
			t.Fatalf("seed %d: two layouts of one graph", seed)
		}
	}
}

// checkLayout tells what is wrong with a layout.
func checkLayout(l *layout, nodes []joint, edges []wire) error {
	const eps = 1e-6
	for i, b := range l.bands {
		if b.bottom < b.top || i > 0 && b.top < l.bands[i-1].bottom+layerGap-eps {
			return fmt.Errorf("layer %d is at %v after %v", i, b, l.bands[max(0, i-1)])
		}
	}
	placed := 0
	for i, layer := range l.layers {
		edge := 0.0
		for j, v := range layer {
			b := l.boxes[v]
			placed++
			if b.layer != i || b.pos != j || (v < len(nodes)) != (i%2 == 0 && !b.bend) {
				return fmt.Errorf("box %d is at %d, %d, and says %d, %d", v, i, j, b.layer, b.pos)
			}
			if b.y-b.h/2 < l.bands[i].top-eps || b.y+b.h/2 > l.bands[i].bottom+eps {
				return fmt.Errorf("box %d leaves layer %d", v, i)
			}
			if b.x-b.w/2 < edge-eps {
				return fmt.Errorf("box %d begins at %g, before %g", v, b.x-b.w/2, edge)
			}
			edge = b.x + b.w/2 + b.room + lineGap
		}
		if edge-lineGap > l.width+eps {
			return fmt.Errorf("layer %d ends at %g of %g", i, edge-lineGap, l.width)
		}
	}
	if placed != len(l.boxes) || len(l.routes) != len(edges) {
		return fmt.Errorf("%d of %d boxes, %d of %d edges", placed, len(l.boxes), len(l.routes), len(edges))
	}
	for i, r := range l.routes {
		e := edges[i]
		if e.from == e.to {
			if len(r.links) > 0 || l.boxes[e.from].room < loopOut+e.label.w {
				return fmt.Errorf("loop %d has no room", i)
			}
			continue
		}
		if (r.label >= 0) != (e.label.w > 0) || r.label >= 0 && l.boxes[r.label].size != e.label {
			return fmt.Errorf("edge %d has the label %d", i, r.label)
		}
		at, end := e.from, e.to
		if r.back {
			at, end = end, at
		}
		for _, k := range r.links {
			k := l.links[k]
			if k.upper != at || l.boxes[k.lower].layer != l.boxes[at].layer+1 {
				return fmt.Errorf("edge %d goes from box %d, not %d, and to layer %d", i, k.upper, at, l.boxes[k.lower].layer)
			}
			if 2*max(k.from, -k.from) > l.boxes[k.upper].flat+eps || 2*max(k.to, -k.to) > l.boxes[k.lower].flat+eps {
				return fmt.Errorf("edge %d ends beside its node", i)
			}
			at = k.lower
		}
		if at != end {
			return fmt.Errorf("edge %d ends at %d, not %d", i, at, end)
		}
	}
	return nil
}

func TestLayoutTurnsFew(t *testing.T) {
	node := joint{size{60, 30}, 40}
	l := newLayout(1, []joint{node, node, node}, []wire{{from: 1, to: 0}, {from: 0, to: 2}, {from: 2, to: 1}, {from: 1, to: 2}})
	for i, want := range []bool{false, false, true, false} {
		if l.routes[i].back != want {
			t.Errorf("edge %d turned: %v", i, l.routes[i].back)
		}
	}
	for i, want := range []int{2, 0, 4} {
		if l.boxes[i].layer != want {
			t.Errorf("node %d is on layer %d, want %d", i, l.boxes[i].layer, want)
		}
	}
}

// Two trees that can be drawn without a crossing are.
func TestLayoutUntangles(t *testing.T) {
	for _, file := range []string{"../../trees/incident.yaml", "testdata/plain.yaml"} {
		g := NewGraph(load(t, file), nil)
		number := map[string]int{}
		var nodes []joint
		var edges []wire
		for i, n := range g.Nodes {
			number[n.ID] = i
			nodes = append(nodes, newCard(n).joint())
		}
		for _, e := range g.Edges {
			edges = append(edges, wire{from: number[e.From], to: number[e.To], label: size{50, 17}})
		}
		if n := newLayout(0, nodes, edges).crossings(); n > 0 {
			t.Errorf("%s: %d crossings", file, n)
		}
	}
}

// The count of crossings is that of pairs.
func TestCrossings(t *testing.T) {
	for seed := range uint64(50) {
		nodes, edges := randomGraph(rand.New(rand.NewPCG(4, seed)), 12, 20)
		l := newLayout(0, nodes, edges)
		want := 0
		for i, a := range l.links {
			for j, b := range l.links[:i] {
				if l.boxes[a.upper].layer == l.boxes[b.upper].layer && (l.upperPos(i)-l.upperPos(j))*(l.lowerPos(i)-l.lowerPos(j)) < 0 {
					want++
				}
			}
		}
		if got := l.crossings(); got != want {
			t.Errorf("seed %d: %d crossings, want %d", seed, got, want)
		}
	}
}

// The work on a large graph is bounded by the boxes that it may have.
func TestLayoutOfLargeGraphs(t *testing.T) {
	chain := func(n int) (nodes []joint, edges []wire) {
		for i := range n {
			nodes = append(nodes, joint{size{60, 30}, 40})
			edges = append(edges, wire{from: i, to: 0, label: size{30, 17}})
			if i > 0 {
				edges = append(edges, wire{from: i - 1, to: i})
			}
		}
		return nodes, edges
	}
	for name, graph := range map[string]func() ([]joint, []wire){
		"a long chain": func() ([]joint, []wire) { return chain(5000) },
		"500 nodes":    func() ([]joint, []wire) { return randomGraph(rand.New(rand.NewPCG(5, 5)), 500, 900) },
		"3000 nodes":   func() ([]joint, []wire) { return randomGraph(rand.New(rand.NewPCG(5, 6)), 3000, 9000) },
	} {
		nodes, edges := graph()
		begin := time.Now()
		l := newLayout(0, nodes, edges)
		t.Logf("%s, %d edges: %d boxes, %v", name, len(edges), len(l.boxes), time.Since(begin))
		if most := len(nodes) + len(edges) + maxBends; len(l.boxes) > most {
			t.Errorf("%s: %d boxes, more than %d", name, len(l.boxes), most)
		}
		for i, r := range l.routes {
			if e := edges[i]; e.from != e.to && (len(r.links) == 0 || (r.label >= 0) != (e.label.w > 0)) {
				t.Errorf("%s: edge %d isn't drawn, or its label isn't", name, i)
			}
		}
	}
}

// readXML reads all of a text as XML and counts groups by their class.
func readXML(svg string) (classes map[string]int, text string, err error) {
	classes = map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return classes, text, nil
		}
		if err != nil {
			return nil, "", err
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "svg", "g", "path", "text", "title":
			default:
				return nil, "", fmt.Errorf("element %s", e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") {
					return nil, "", fmt.Errorf("attribute %s", a.Name.Local)
				}
				if a.Name.Local == "class" {
					classes[a.Value]++
				}
			}
		case xml.CharData:
			text += string(e)
		}
	}
}

func TestPictureOfHostileGraphs(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(6, seed))
		g := hostileGraph(r)
		g.Title = hostileText(r)
		g.Edges = append(g.Edges, Edge{From: g.Nodes[0].ID, To: g.Nodes[0].ID, Label: "</svg><script>alert(1)</script>" + strings.Repeat("長い", 3000)})
		p := drawGraph(g, g.Nodes[0].ID, true)
		svg := p.svg()
		classes, text, err := readXML(svg)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, svg)
		}
		if classes["node"] != len(g.Nodes) || classes["edge"] != len(g.Edges) {
			t.Errorf("seed %d: %v for %d nodes and %d edges", seed, classes, len(g.Nodes), len(g.Edges))
		}
		if strings.Contains(svg, "<script") || clean(text) != strings.ReplaceAll(text, "\n", "␊") {
			t.Errorf("seed %d: %q", seed, text)
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || p.w > 4000 || p.h > 4000 {
			t.Errorf("seed %d: %g by %g", seed, p.w, p.h)
		}
	}
}

func TestSVG(t *testing.T) {
	for name, path := range map[string][]Step{"plain": plainPath, "hostile": hostilePath} {
		tree := load(t, "testdata/"+name+".yaml")
		var texts [2]string
		for i := range texts {
			var b bytes.Buffer
			if err := SVG(&b, tree, path); err != nil {
				t.Fatal(err)
			}
			texts[i] = b.String()
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: two pictures of one tree", name)
		}
		classes, text, err := readXML(texts[0])
		if err != nil {
			t.Fatal(name, err)
		}
		g := NewGraph(tree, path)
		if classes["node"] != len(g.Nodes) || classes["edge"] != len(g.Edges) {
			t.Errorf("%s: %v for %d nodes and %d edges", name, classes, len(g.Nodes), len(g.Edges))
		}
		for _, want := range []string{"step 1", clean(tree.Title), "thick"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
	}
}

func TestEmptyGraph(t *testing.T) {
	if _, _, err := readXML(drawGraph(Graph{Title: "none"}, "", false).svg()); err != nil {
		t.Error(err)
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in, want string
		most     int
	}{
		{"", "", 4},
		{"abcd", "abcd", 4},
		{"abcde", "abc…", 4},
		{"日本", "日本", 4},
		{"日本語", "日…", 4},
		{"a日本", "a日…", 4},
		{"\x1b[1m\u202e", "␛[1m�", 9},
		{"日", "…", 1},
	} {
		if got, cut := shorten(c.in, c.most); got != c.want || cut != strings.HasSuffix(c.want, "…") {
			t.Errorf("shorten(%q, %d) = %q, %v; want %q", c.in, c.most, got, cut, c.want)
		}
	}
}

func TestPNG(t *testing.T) {
	tree := load(t, "testdata/plain.yaml")
	var b bytes.Buffer
	if err := PNG(&b, tree, plainPath); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	w, h, scale := newPicture(tree, plainPath).pixels()
	if got := img.Bounds().Size(); got.X != w || got.Y != h || scale != pngScale {
		t.Errorf("%v, want %d by %d; scale %g", got, w, h, scale)
	}
	colors := map[[3]uint32]bool{}
	for y := range h {
		for x := range w {
			r, g, b, _ := img.At(x, y).RGBA()
			colors[[3]uint32{r >> 8, g >> 8, b >> 8}] = true
		}
	}
	for _, want := range [][3]uint32{{255, 255, 255}, {0x1a, 0x7f, 0x37}, {0xda, 0xfb, 0xe1}} {
		if !colors[want] {
			t.Errorf("nothing is painted in %x", want)
		}
	}
	if w, h, _ := (picture{size: size{20000, 90000}}).pixels(); w*h > maxPixels || w*h < 0.99*maxPixels {
		t.Errorf("a large picture has %d by %d", w, h)
	}
}

func TestDOTQuotes(t *testing.T) {
	for _, c := range []struct{ in, id, label string }{
		{"a", `"a"`, `"a"`},
		{"", `""`, `""`},
		{`a"b`, `"a\"b"`, `"a\"b"`},
		{`a\`, `"a\\"`, `"a\\"`},
		{`\"`, `"\\\""`, `"\\\""`},
		{"a&lt;b", `"a&amp;lt;b"`, `"a&amp;lt;b"`},
		{"a\nb", `"a\x0ab"`, `"a\nb"`},
		{"a\x1bb", `"a\x1bb"`, `"a␛b"`},
		{"\xff", `"\xff"`, `"�"`},
		{"\u202e", `"\xe2\x80\xae"`, `"�"`},
		{"日本", `"日本"`, `"日本"`},
		{"-> x [a=b];}", `"-> x [a=b];}"`, `"-> x [a=b];}"`},
	} {
		if got := dotID(c.in); got != c.id {
			t.Errorf("id %q: %s, want %s", c.in, got, c.id)
		}
		if got := dotLabel(c.in); got != c.label {
			t.Errorf("label %q: %s, want %s", c.in, got, c.label)
		}
	}
}

func TestDOT(t *testing.T) {
	var b bytes.Buffer
	if err := DOT(&b, load(t, "testdata/plain.yaml"), plainPath); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`  "build" [shape=box, label="build\naction: ci_status\nstep 1, 5", color="#1a7f37", penwidth=2.6]`,
		`  "passed" [shape=hexagon, label="passed\non ci.failures\nstep 2", color="#1a7f37", penwidth=2.6]`,
		`  "stop" [shape=ellipse, label="stop\nstopped"]`,
		`  "build" -> "passed" [color="#1a7f37", fontcolor="#1a7f37", penwidth=2.6]`,
		`  "risk" -> "stop" [label="say \"high\""]`,
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("no line %s in\n%s", want, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if strings.Count(line, `"`)%2 != strings.Count(line, `\"`)%2 {
			t.Errorf("quotes don't match: %s", line)
		}
	}
}

// Types are told by their shapes.
func TestShapes(t *testing.T) {
	seen := map[string]mcptree.NodeType{}
	for _, typ := range []mcptree.NodeType{mcptree.Condition, mcptree.Ask, mcptree.Judgment, mcptree.Action, mcptree.Terminal} {
		c := newCard(Node{ID: "a", Type: typ, Lines: []string{"a", "b"}})
		var b strings.Builder
		for _, s := range c.draw(&box{size: size{100, 40}}) {
			if s.text == "" {
				s.svg(&b)
			}
		}
		if other, ok := seen[b.String()]; ok {
			t.Errorf("%s looks like %s", typ, other)
		}
		seen[b.String()] = typ
	}
}
