package viz

import (
	"math"
	"strings"
	"sync"
	"unicode"

	"github.com/golang/freetype/truetype"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/width"

	"mcpg/mcptree"
)

// picture is a tree as shapes, for SVG and PNG alike. Later ones are on top.
type picture struct {
	title  string
	groups []group
	size
}

// group are the shapes of a node or an edge.
type group struct {
	class  string
	tip    string // its whole text, if less is shown
	shapes []shape
}

// shape is a path, or a text if there is one.
type shape struct {
	path         []segment
	fill, stroke string // "" for none
	line         float64

	text   string
	at     point // the middle of the text's line
	size   float64
	anchor float64 // 0 where the text starts, 0.5 for its middle
}

type point struct{ x, y float64 }

// segment is an operator of SVG's paths, M L C or Z, and its points.
type segment struct {
	op byte
	to []point
}

const (
	ink   = "#24292f"
	grey  = "#57606a"
	green = "#1a7f37"
	pale  = "#dafbe1"
	white = "#ffffff"

	textSize  = 13.0
	smallSize = 11.0
	titleSize = 16.0

	nodeColumns  = 40
	labelColumns = 32
	titleColumns = 90

	margin = 20.0
	head   = 9.0 // of an arrow

	maxFlat = 300.0 // of a node that is widened for its edges
)

// goFont is read when something is drawn: a process that draws nothing pays
// nothing for it.
var goFont = sync.OnceValues(func() (*truetype.Font, error) { return truetype.Parse(goregular.TTF) })

// measure is the width of a text. What the font hasn't is taken for a square.
func measure(s string, size float64) float64 {
	f, err := goFont()
	w := 0.0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case columns(r) == 2:
			w += size
		case err != nil || f.Index(r) == 0:
			w += 0.8 * size
		default:
			const unit = 1 << 20
			w += float64(f.HMetric(fixed.Int26_6(unit), f.Index(r)).AdvanceWidth) / unit * size
		}
	}
	return w
}

func columns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// shorten cleans a text and cuts it to a number of columns.
func shorten(s string, most int) (text string, cut bool) {
	runes := []rune(clean(s))
	n := 0
	for i, r := range runes {
		n += columns(r)
		if n > most {
			for n > most-1 {
				n -= columns(runes[i])
				i--
			}
			return string(runes[:i+1]) + "…", true
		}
	}
	return string(runes), false
}

// card is a node with its text as it is drawn.
type card struct {
	Node
	lines []string
	tip   string
}

func newCard(n Node) card {
	c := card{Node: n}
	whole, cutAny := "", false
	for i, l := range n.Lines {
		text, cut := shorten(l, nodeColumns)
		c.lines = append(c.lines, text)
		cutAny = cutAny || cut
		if i > 0 {
			whole += "\n"
		}
		whole += clean(l)
	}
	if cutAny {
		c.tip = whole
	}
	if len(n.Steps) > 0 {
		text, _ := shorten("step "+n.at(), nodeColumns)
		c.lines = append(c.lines, text)
	}
	return c
}

// slant is how far the sides of a node lean in: the upper and lower sides are
// that much shorter at each end.
func (c card) slant(h float64) float64 {
	switch c.Type {
	case mcptree.Condition:
		return 18
	case mcptree.Terminal:
		return h / 2
	}
	return 8
}

func (c card) lineSize(i int) float64 {
	if i == 0 {
		return textSize
	}
	return smallSize
}

func (c card) joint() joint {
	w, h := 0.0, 14.0
	for i, l := range c.lines {
		w = max(w, measure(l, c.lineSize(i)))
		h += c.lineSize(i) + 4
	}
	w += 28
	if c.Type == mcptree.Condition || c.Type == mcptree.Terminal {
		w += 16
	}
	w = max(w, 80)
	return joint{size{w, h}, w - 2*c.slant(h)}
}

// newPicture draws a tree and the path taken in it.
func newPicture(t *mcptree.Tree, path []Step) picture {
	g := NewGraph(t, path)
	return drawGraph(g, t.Entry, len(path) > 0)
}

func drawGraph(g Graph, entry string, walked bool) picture {
	var cards []card
	var nodes []joint
	number := map[string]int{}
	for i, n := range g.Nodes {
		number[n.ID] = i
		cards = append(cards, newCard(n))
		nodes = append(nodes, cards[i].joint())
	}
	var wires []wire
	var arrows []arrow
	for _, e := range g.Edges {
		from, ok := number[e.From]
		to, has := number[e.To]
		if !ok || !has {
			continue
		}
		a := arrow{Edge: e}
		var cut bool
		if a.text, cut = shorten(e.Label, labelColumns); cut {
			a.tip = clean(e.Label)
		}
		w := wire{from: from, to: to}
		if strings.TrimSpace(a.text) != "" {
			w.label = size{measure(a.text, smallSize) + 8, smallSize + 6}
		}
		wires, arrows = append(wires, w), append(arrows, a)
	}
	widen(nodes, wires)
	first := number[entry]
	l := newLayout(first, nodes, wires)

	p := picture{}
	p.title, _ = shorten(g.Title, titleColumns)
	caption, top := captions(p.title, walked)
	p.w, p.h = l.width+2*margin, top+l.height+margin
	for _, s := range caption {
		p.w = max(p.w, measure(s.text, s.size)+2*margin)
	}
	left := (p.w - l.width) / 2
	l.move(left, top)

	p.groups = append(p.groups, group{class: "paper", shapes: append([]shape{{path: polygon(point{0, 0}, point{p.w, 0}, point{p.w, p.h}, point{0, p.h}), fill: white}}, caption...)})
	for _, taken := range []bool{false, true} { // those of the path are on top
		for i, a := range arrows {
			if a.Taken == taken {
				p.groups = append(p.groups, group{"edge", a.tip, a.draw(l, wires[i], l.routes[i], cards)})
			}
		}
	}
	if len(cards) > 0 {
		p.groups = append(p.groups, group{class: "start", shapes: start(&l.boxes[first])})
	}
	for i, c := range cards {
		p.groups = append(p.groups, group{"node", c.tip, c.draw(&l.boxes[i])})
	}
	return p
}

// widen makes nodes with many edges so wide that their arrows can be told apart,
// within limits.
func widen(nodes []joint, wires []wire) {
	out, in := make([]int, len(nodes)), make([]int, len(nodes))
	for _, w := range wires {
		out[w.from]++
		in[w.to]++
	}
	for i := range nodes {
		n := &nodes[i]
		if more := min(maxFlat, (head+2)*float64(max(out[i], in[i])-1)) - n.flat; more > 0 {
			n.w += more
			n.flat += more
		}
	}
}

// captions are the lines above the drawing, and where it begins.
func captions(title string, walked bool) ([]shape, float64) {
	var out []shape
	y := margin
	if title != "" {
		out = append(out, shape{text: title, at: point{margin, y + titleSize/2}, size: titleSize, fill: ink})
		y += titleSize + 8
	}
	if walked {
		out = append(out, shape{text: "The path taken, as reported, is thick and green.", at: point{margin, y + smallSize/2}, size: smallSize, fill: grey})
		y += smallSize + 8
	}
	return out, y + 20 // for the arrow to the entry
}

func (l *layout) move(x, y float64) {
	for i := range l.boxes {
		l.boxes[i].x += x
		l.boxes[i].y += y
	}
	for i := range l.bands {
		l.bands[i].top += y
		l.bands[i].bottom += y
	}
}

func polygon(points ...point) []segment {
	var out []segment
	for i, p := range points {
		op := byte('L')
		if i == 0 {
			op = 'M'
		}
		out = append(out, segment{op, []point{p}})
	}
	return append(out, segment{op: 'Z'})
}

// rounded is a box with round corners.
func rounded(x, y, w, h, r float64) []segment {
	k := r * 0.448 // a quarter of a circle as a cubic
	right, bottom := x+w, y+h
	return []segment{
		{'M', []point{{x + r, y}}},
		{'L', []point{{right - r, y}}},
		{'C', []point{{right - k, y}, {right, y + k}, {right, y + r}}},
		{'L', []point{{right, bottom - r}}},
		{'C', []point{{right, bottom - k}, {right - k, bottom}, {right - r, bottom}}},
		{'L', []point{{x + r, bottom}}},
		{'C', []point{{x + k, bottom}, {x, bottom - k}, {x, bottom - r}}},
		{'L', []point{{x, y + r}}},
		{'C', []point{{x, y + k}, {x + k, y}, {x + r, y}}},
		{op: 'Z'},
	}
}

// draw paints a node into its box.
func (c card) draw(b *box) []shape {
	s := shape{fill: white, stroke: grey, line: 1.2}
	if len(c.Steps) > 0 {
		s.fill, s.stroke, s.line = pale, green, 2.6
	}
	x, y := b.x-b.w/2, b.y-b.h/2
	var out []shape
	switch c.Type {
	case mcptree.Condition:
		in := c.slant(b.h)
		s.path = polygon(point{x, b.y}, point{x + in, y}, point{x + b.w - in, y}, point{x + b.w, b.y}, point{x + b.w - in, y + b.h}, point{x + in, y + b.h})
	case mcptree.Ask, mcptree.Judgment:
		s.path = rounded(x, y, b.w, b.h, 8)
	case mcptree.Terminal:
		s.path = rounded(x, y, b.w, b.h, b.h/2)
	default:
		s.path = polygon(point{x, y}, point{x + b.w, y}, point{x + b.w, y + b.h}, point{x, y + b.h})
	}
	out = append(out, s)
	if c.Type == mcptree.Judgment {
		out = append(out, shape{path: rounded(x+4, y+4, b.w-8, b.h-8, 5), stroke: s.stroke, line: 1})
	}
	height := 0.0
	for i := range c.lines {
		height += c.lineSize(i) + 4
	}
	at := b.y - height/2
	for i, l := range c.lines {
		color := grey
		switch {
		case i == 0:
			color = ink
		case i == len(c.Lines):
			color = green
		}
		h := c.lineSize(i) + 4
		out = append(out, shape{text: l, at: point{b.x, at + h/2}, size: c.lineSize(i), anchor: 0.5, fill: color})
		at += h
	}
	return out
}

// right is where the right side of a node is, at a distance from its middle.
func (c card) right(b *box, away float64) float64 {
	if c.Type == mcptree.Condition {
		return b.x + b.w/2 - c.slant(b.h)*math.Abs(away)/(b.h/2)
	}
	return b.x + b.w/2
}

// start is a dot and an arrow to the entry.
func start(b *box) []shape {
	x, y := b.x-b.w/2+min(b.w/4, 24), b.y-b.h/2
	if len(b.up) == 0 {
		x = b.x
	}
	const r = 3.5
	return []shape{
		{path: rounded(x-r, y-19, 2*r, 2*r, r), fill: ink},
		{path: []segment{{'M', []point{{x, y - 16}}}, {'L', []point{{x, y - head + 1}}}}, stroke: ink, line: 1.2},
		{path: tip(point{x, y}, 0, 1), fill: ink},
	}
}

// tip is the head of an arrow that points to p from the direction given.
func tip(p point, dx, dy float64) []segment {
	const half = 4
	x, y := p.x-head*dx, p.y-head*dy
	return polygon(p, point{x - half*dy, y + half*dx}, point{x + half*dy, y - half*dx})
}

// arrow is an edge with its label as it is drawn.
type arrow struct {
	Edge
	text, tip string
}

func (a arrow) draw(l *layout, w wire, r route, cards []card) []shape {
	s := shape{stroke: grey, line: 1.2}
	if a.Taken {
		s.stroke, s.line = green, 2.6
	}
	if len(r.links) == 0 {
		return a.loop(s, &l.boxes[w.from], cards[w.from], r.slot)
	}
	var end shape
	s.path, end = l.line(r)
	end.fill = s.stroke
	out := []shape{s, end}
	if r.label >= 0 {
		b := &l.boxes[r.label]
		x, y := b.x-b.w/2, b.y-b.h/2
		out = append(out,
			shape{path: polygon(point{x, y}, point{x + b.w, y}, point{x + b.w, y + b.h}, point{x, y + b.h}), fill: white},
			shape{text: a.text, at: point{b.x, b.y}, size: smallSize, anchor: 0.5, fill: a.color()})
	}
	return out
}

func (a arrow) color() string {
	if a.Taken {
		return green
	}
	return ink
}

// line is the path of a route: upright within layers, curved between them. Its
// arrow points to its lower end, or to the upper one if it runs back.
func (l *layout) line(r route) (path []segment, end shape) {
	first, last := l.links[r.links[0]], l.links[r.links[len(r.links)-1]]
	from, to := &l.boxes[first.upper], &l.boxes[last.lower]
	upper := point{from.x + first.from, from.y + from.h/2}
	lower := point{to.x + last.to, to.y - to.h/2}
	if r.back {
		end.path = tip(upper, 0, -1)
		upper.y += head - 1
	} else {
		end.path = tip(lower, 0, 1)
		lower.y -= head - 1
	}
	at := upper
	path = append(path, segment{'M', []point{at}})
	down := func(y float64) {
		if y > at.y+0.05 {
			at.y = y
			path = append(path, segment{'L', []point{at}})
		}
	}
	for i, k := range r.links {
		k := l.links[k]
		a, b := &l.boxes[k.upper], &l.boxes[k.lower]
		down(l.bands[a.layer].bottom)
		next := point{b.x + k.to, l.bands[b.layer].top}
		if i == len(r.links)-1 {
			next.y = min(next.y, lower.y)
		}
		if math.Abs(next.x-at.x) < 0.5 {
			at.x = next.x
			down(next.y)
			continue
		}
		half := (next.y - at.y) / 2
		path = append(path, segment{'C', []point{{at.x, at.y + half}, {next.x, next.y - half}, next}})
		at = next
	}
	down(lower.y)
	return path, end
}

// loop draws an edge from a node to itself, and its label beside it.
func (a arrow) loop(s shape, b *box, c card, slot int) []shape {
	away := loopSlot * (float64(slot) - float64(b.own-1)/2)
	y := b.y + away
	const half = 5
	from, to := point{c.right(b, away-half), y - half}, point{c.right(b, away+half), y + half}
	out := b.x + b.w/2 + loopOut - 6
	s.path = []segment{{'M', []point{from}}, {'C', []point{{out, from.y - 3}, {out, to.y + 3}, {to.x + head - 1, to.y}}}}
	shapes := []shape{s, {path: tip(to, -1, 0), fill: s.stroke}}
	if a.text != "" {
		shapes = append(shapes, shape{text: a.text, at: point{b.x + b.w/2 + loopOut, y}, size: smallSize, fill: a.color()})
	}
	return shapes
}

// at tells at which steps the path was here: "1, 4".
func (n Node) at() string { return pageNode{Steps: n.Steps}.At() }
