package viz

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// layout places a graph's nodes on layers from the top down, after Sugiyama:
// edges that close a cycle are turned, every node lies below those that lead to
// it, and each label has a box of its own on a layer between its nodes. Where an
// edge passes a layer it has a bend there, so that within a layer all lines are
// upright and none runs through a box. The same graph gives the same layout.
type layout struct {
	boxes         []box   // the nodes in their order, then labels and bends
	layers        [][]int // boxes from left to right; nodes on the even ones
	bands         []band  // where the layers are
	routes        []route // one an edge
	links         []link
	width, height float64
}

// box is what takes room. x and y are its middle, loops and their labels aside.
type box struct {
	layer, pos int
	x, y       float64
	size
	flat float64 // the width of its upper and lower side where edges may end
	room float64 // to its right, for its loops
	own  int     // how many loops it has
	bend bool

	up, down []int // links
}

type size struct{ w, h float64 }

// band is the height that a layer takes.
type band struct{ top, bottom float64 }

// link is a part of a route, from one box to another below it.
type link struct {
	upper, lower int
	from, to     float64 // where it ends, from the middles of the boxes
	weight       float64
}

// route is an edge's way.
type route struct {
	links []int // from the top down; none for a loop
	back  bool  // it was turned: it runs upwards
	label int   // its box, -1 for none; a loop has none
	slot  int   // of a loop: the loops before it at the node
}

// joint is a node to place, wire an edge.
type (
	joint struct {
		size
		flat float64
	}
	wire struct {
		from, to int
		label    size // zero for none
	}
)

const (
	nodeGap   = 26.0 // between boxes of a layer
	lineGap   = 14.0
	layerGap  = 22.0 // between layers
	loopSlot  = 20.0 // the height of a loop
	loopOut   = 24.0 // how far it reaches, its label aside
	portGap   = 22.0 // between the ends of edges, if there is room
	portSlide = 6.0  // that an end may move for a straight line

	sweeps    = 12
	maxTries  = 20
	maxTried  = 4000 // boxes in all tries
	passes    = 16
	maxSwept  = 2000  // nodes and edges; of more the lines are not untangled
	maxBends  = 40000 // after them edges go straight
	maxDegree = 50    // of boxes that are exchanged
)

// newLayout places nodes and the edges between them; entry comes first.
func newLayout(entry int, nodes []joint, edges []wire) *layout {
	l := &layout{}
	for _, n := range nodes {
		l.boxes = append(l.boxes, box{size: n.size, flat: n.flat})
	}
	if len(nodes) == 0 {
		return l
	}
	back, order := turned(entry, len(nodes), edges)
	l.rank(entry, edges, back, order)
	l.route(edges, back)
	l.loops(edges)
	l.arrange(order, nil)
	if len(nodes)+len(edges) <= maxSwept {
		l.untangle(order)
	}
	l.ports()
	l.placeX()
	l.placeY()
	return l
}

// turned finds the edges that close a cycle, going through the graph from the
// entry and then from what is left, and the order of leaving nodes, backwards:
// every other edge runs forward in it.
func turned(entry, n int, edges []wire) (back []bool, order []int) {
	out := make([][]int, n)
	for i, e := range edges {
		if e.from != e.to {
			out[e.from] = append(out[e.from], i)
		}
	}
	back = make([]bool, len(edges))
	state := make([]int, n) // 1 on the way, 2 done
	var visit func(int)
	visit = func(v int) {
		state[v] = 1
		for _, i := range out[v] {
			switch to := edges[i].to; state[to] {
			case 0:
				visit(to)
			case 1:
				back[i] = true
			}
		}
		state[v] = 2
		order = append(order, v)
	}
	visit(entry)
	for v := range n {
		if state[v] == 0 {
			visit(v)
		}
	}
	slices.Reverse(order)
	return back, order
}

// rank gives each node the layer after the last that leads to it. What nothing
// leads to, the entry aside, goes down to what it leads to.
func (l *layout) rank(entry int, edges []wire, back []bool, order []int) {
	ins, outs := make([][]int, len(l.boxes)), make([][]int, len(l.boxes))
	for i, e := range edges {
		from, to := e.from, e.to
		if from == to {
			continue
		}
		if back[i] {
			from, to = to, from
		}
		outs[from] = append(outs[from], to)
		ins[to] = append(ins[to], from)
	}
	// A turned edge runs forward in the order as well: it went to a node that
	// was still on the way, so that one was left later.
	for _, v := range order {
		for _, to := range outs[v] {
			l.boxes[to].layer = max(l.boxes[to].layer, l.boxes[v].layer+2)
		}
	}
	for _, v := range order {
		if v == entry || len(ins[v]) > 0 || len(outs[v]) == 0 {
			continue
		}
		least := math.MaxInt
		for _, to := range outs[v] {
			least = min(least, l.boxes[to].layer)
		}
		l.boxes[v].layer = least - 2
	}
}

// route gives each edge its label and bends.
func (l *layout) route(edges []wire, back []bool) {
	bends := 0
	for i, e := range edges {
		r := route{label: -1, back: back[i]}
		if e.from == e.to {
			l.routes = append(l.routes, r)
			continue
		}
		upper, lower := e.from, e.to
		if r.back {
			upper, lower = lower, upper
		}
		first, last := l.boxes[upper].layer+1, l.boxes[lower].layer-1
		labelled := first
		if r.back {
			labelled = last
		}
		straight := bends+last-first > maxBends
		at := upper
		for layer := first; layer <= last; layer++ {
			b := box{layer: layer, bend: true}
			switch {
			case layer == labelled && e.label.w > 0:
				b.size, b.bend = e.label, false
				r.label = len(l.boxes)
			case straight:
				continue
			}
			bends++
			l.boxes = append(l.boxes, b)
			r.links = append(r.links, l.connect(at, len(l.boxes)-1))
			at = len(l.boxes) - 1
		}
		r.links = append(r.links, l.connect(at, lower))
		l.routes = append(l.routes, r)
	}
}

func (l *layout) connect(upper, lower int) int {
	k := link{upper: upper, lower: lower, weight: 1}
	if l.boxes[upper].bend && l.boxes[lower].bend {
		k.weight = 6 // long lines had better be straight
	} else if l.boxes[upper].bend || l.boxes[lower].bend {
		k.weight = 2
	}
	i := len(l.links)
	l.links = append(l.links, k)
	l.boxes[upper].down = append(l.boxes[upper].down, i)
	l.boxes[lower].up = append(l.boxes[lower].up, i)
	return i
}

// loops makes room for edges from a node to itself, at its right.
func (l *layout) loops(edges []wire) {
	for i, e := range edges {
		if e.from != e.to {
			continue
		}
		b := &l.boxes[e.from]
		l.routes[i].slot = b.own
		b.own++
		b.room = max(b.room, loopOut+e.label.w)
		b.h = max(b.h, loopSlot*float64(b.own))
	}
}

// arrange gives the layers an order: that in which a walk comes by. With a
// source of chance the walk takes the ways from a node in any order.
func (l *layout) arrange(order []int, chance *rand.Rand) {
	l.layers = nil
	seen := make([]bool, len(l.boxes))
	var visit func(int)
	visit = func(v int) {
		seen[v] = true
		b := &l.boxes[v]
		for len(l.layers) <= b.layer {
			l.layers = append(l.layers, nil)
		}
		b.pos = len(l.layers[b.layer])
		l.layers[b.layer] = append(l.layers[b.layer], v)
		down := b.down
		if chance != nil {
			down = slices.Clone(down)
			chance.Shuffle(len(down), func(i, j int) { down[i], down[j] = down[j], down[i] })
		}
		for _, k := range down {
			if to := l.links[k].lower; !seen[to] {
				visit(to)
			}
		}
	}
	for _, v := range order {
		if !seen[v] {
			visit(v)
		}
	}
}

// untangle finds an order of the layers in which few lines cross: the best that
// it comes by, from the order of the document and, if the graph is small, from
// others, the same ones every time.
func (l *layout) untangle(order []int) {
	best, least := l.copyOrder(), l.crossings()
	for try := 0; try < maxTries && try*len(l.boxes) <= maxTried && least > 0; try++ {
		if try > 0 {
			l.arrange(order, rand.New(rand.NewPCG(uint64(try), 0)))
		}
		for i := 0; i < sweeps && least > 0; i++ {
			if i%2 == 0 {
				for _, layer := range l.layers {
					l.reorder(layer, func(b *box) []int { return b.up }, l.upperPos)
				}
			} else {
				for _, layer := range slices.Backward(l.layers) {
					l.reorder(layer, func(b *box) []int { return b.down }, l.lowerPos)
				}
			}
			l.exchange()
			if n := l.crossings(); n < least {
				best, least = l.copyOrder(), n
			}
		}
	}
	l.layers = best
	for _, layer := range l.layers {
		l.number(layer)
	}
}

func (l *layout) upperPos(k int) int { return l.boxes[l.links[k].upper].pos }
func (l *layout) lowerPos(k int) int { return l.boxes[l.links[k].lower].pos }

func (l *layout) copyOrder() [][]int {
	out := make([][]int, len(l.layers))
	for i, layer := range l.layers {
		out[i] = slices.Clone(layer)
	}
	return out
}

func (l *layout) number(layer []int) {
	for i, v := range layer {
		l.boxes[v].pos = i
	}
}

// reorder sorts a layer by the middle of what each box is linked to.
func (l *layout) reorder(layer []int, links func(*box) []int, pos func(int) int) {
	type key struct {
		v  int
		at float64
	}
	keys := make([]key, len(layer))
	for i, v := range layer {
		keys[i] = key{v, float64(i)}
		list := links(&l.boxes[v])
		if len(list) == 0 {
			continue
		}
		sum := 0
		for _, k := range list {
			sum += pos(k)
		}
		keys[i].at = float64(sum) / float64(len(list))
	}
	slices.SortStableFunc(keys, func(a, b key) int { return cmp.Compare(a.at, b.at) })
	for i, k := range keys {
		layer[i] = k.v
	}
	l.number(layer)
}

// exchange swaps neighbours while that removes crossings, a few times.
func (l *layout) exchange() {
	for range 3 {
		better := false
		for _, layer := range l.layers {
			for i := 0; i+1 < len(layer); i++ {
				a, b := &l.boxes[layer[i]], &l.boxes[layer[i+1]]
				if len(a.up)+len(b.up)+len(a.down)+len(b.down) > maxDegree {
					continue
				}
				gain := gained(a.up, b.up, l.upperPos) + gained(a.down, b.down, l.lowerPos)
				if gain > 0 {
					layer[i], layer[i+1] = layer[i+1], layer[i]
					a.pos, b.pos = b.pos, a.pos
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// gained is how many crossings fewer there are if b comes before a.
func gained(a, b []int, pos func(int) int) int {
	n := 0
	for _, i := range a {
		for _, j := range b {
			n += cmp.Compare(pos(i), pos(j))
		}
	}
	return n
}

// crossings counts pairs of lines that cross, by a tree of partial sums.
func (l *layout) crossings() int {
	total := 0
	for i := 0; i+1 < len(l.layers); i++ {
		sums := make([]int, len(l.layers[i+1])+1)
		seen := 0
		for _, v := range l.layers[i] {
			down := l.boxes[v].down
			for _, k := range down {
				if p := l.lowerPos(k) + 1; p < len(sums) {
					total += seen
					for ; p > 0; p -= p & -p {
						total -= sums[p]
					}
				}
			}
			for _, k := range down {
				if p := l.lowerPos(k) + 1; p < len(sums) {
					seen++
					for ; p < len(sums); p += p & -p {
						sums[p]++
					}
				}
			}
		}
	}
	return total
}

// ports spreads the ends of edges over the sides of nodes.
func (l *layout) ports() {
	spread := func(b *box, list []int, far func(int) int, set func(*link, float64)) {
		if b.flat == 0 || len(list) < 2 {
			return
		}
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
		gap := min(portGap, b.flat/float64(len(list)-1))
		for i, k := range list {
			set(&l.links[k], gap*(float64(i)-float64(len(list)-1)/2))
		}
	}
	for i := range l.boxes {
		b := &l.boxes[i]
		spread(b, b.down, l.lowerPos, func(k *link, at float64) { k.from = at })
		spread(b, b.up, l.upperPos, func(k *link, at float64) { k.to = at })
	}
}

// placeX moves boxes to where their lines are short, layer after layer, down
// and up, keeping order and distances.
func (l *layout) placeX() {
	for _, layer := range l.layers {
		gaps := l.gaps(layer)
		x := -sum(gaps) / 2
		for i, v := range layer {
			l.boxes[v].x = x
			if i < len(gaps) {
				x += gaps[i]
			}
		}
	}
	for pass := range passes {
		both := pass >= passes/2 // first from one side, then between both
		if pass%2 == 0 {
			for _, layer := range l.layers {
				l.settle(layer, true, both)
			}
		} else {
			for _, layer := range slices.Backward(l.layers) {
				l.settle(layer, both, true)
			}
		}
	}
	for range 2 { // the first may make room for more
		l.straighten()
	}
	left, right := math.Inf(1), math.Inf(-1)
	for i := range l.boxes {
		b := &l.boxes[i]
		left, right = min(left, b.x-b.w/2), max(right, b.x+b.w/2+b.room)
	}
	for i := range l.boxes {
		l.boxes[i].x -= left
	}
	l.width = right - left
}

// straighten makes the lines upright over as many layers as there is room for,
// and moves their ends at nodes by a little if that does it.
func (l *layout) straighten() {
	for _, r := range l.routes {
		for i := 0; i+1 < len(r.links); {
			left, right := math.Inf(-1), math.Inf(1)
			sum, j := 0.0, i
			for ; j+1 < len(r.links); j++ {
				v := l.links[r.links[j]].lower
				from, to := l.free(v)
				from, to = max(left, from), min(right, to)
				if from > to {
					break
				}
				left, right = from, to
				sum += l.boxes[v].x
			}
			if j == i { // can't be: a box is free to stay, but for rounding
				i++
				continue
			}
			first, last := l.links[r.links[i]], l.links[r.links[j]]
			x := sum / float64(j-i)
			if from := l.boxes[first.upper].x + first.from; left <= from && from <= right {
				x = from
			}
			if to := l.boxes[last.lower].x + last.to; j+1 == len(r.links) && left <= to && to <= right {
				x = to
			}
			x = max(left, min(right, x))
			for _, k := range r.links[i:j] {
				l.boxes[l.links[k].lower].x = x
			}
			i = j
		}
		for _, i := range r.links {
			k := &l.links[i]
			if d := l.boxes[k.lower].x + k.to - l.boxes[k.upper].x - k.from; d != 0 && math.Abs(d) <= portSlide {
				if !slide(&l.boxes[k.upper], len(l.boxes[k.upper].down), &k.from, d) {
					slide(&l.boxes[k.lower], len(l.boxes[k.lower].up), &k.to, -d)
				}
			}
		}
	}
}

// slide moves the end of an edge on the side of a node.
func slide(b *box, ends int, at *float64, by float64) bool {
	if b.flat < portGap*float64(ends-1) || math.Abs(*at+by) > b.flat/2 {
		return false
	}
	*at += by
	return true
}

// free is where a box may be if its neighbours stay.
func (l *layout) free(v int) (from, to float64) {
	layer, i := l.layers[l.boxes[v].layer], l.boxes[v].pos
	from, to = math.Inf(-1), math.Inf(1)
	if i > 0 {
		from = l.boxes[layer[i-1]].x + l.gap(layer[i-1], v)
	}
	if i+1 < len(layer) {
		to = l.boxes[layer[i+1]].x - l.gap(v, layer[i+1])
	}
	return from, to
}

// gaps are the least distances between the middles of a layer's boxes.
func (l *layout) gaps(layer []int) []float64 {
	var out []float64
	for i := 0; i+1 < len(layer); i++ {
		out = append(out, l.gap(layer[i], layer[i+1]))
	}
	return out
}

func (l *layout) gap(left, right int) float64 {
	a, b := &l.boxes[left], &l.boxes[right]
	gap := lineGap
	if a.flat > 0 && b.flat > 0 {
		gap = nodeGap
	}
	return a.w/2 + a.room + gap + b.w/2
}

func sum(list []float64) float64 {
	s := 0.0
	for _, x := range list {
		s += x
	}
	return s
}

// settle places a layer's boxes as near as it can, by squares, to where the
// links above or below them want them.
func (l *layout) settle(layer []int, up, down bool) {
	gaps := l.gaps(layer)
	type block struct{ at, weight, n float64 }
	var blocks []block
	offset := 0.0
	for i, v := range layer {
		b := &l.boxes[v]
		at, weight := 0.0, 0.0
		if up {
			for _, k := range b.up {
				k := l.links[k]
				at += k.weight * (l.boxes[k.upper].x + k.from - k.to)
				weight += k.weight
			}
		}
		if down {
			for _, k := range b.down {
				k := l.links[k]
				at += k.weight * (l.boxes[k.lower].x + k.to - k.from)
				weight += k.weight
			}
		}
		if weight == 0 {
			at, weight = 0.01*b.x, 0.01
		}
		// What is closer than the gaps allow becomes a block that moves as one.
		last := block{at/weight - offset, weight, 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].at >= last.at {
			p := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			w := p.weight + last.weight
			last = block{(p.at*p.weight + last.at*last.weight) / w, w, p.n + last.n}
		}
		blocks = append(blocks, last)
		if i < len(gaps) {
			offset += gaps[i]
		}
	}
	i, offset := 0, 0.0
	for _, b := range blocks {
		for range int(b.n) {
			l.boxes[layer[i]].x = b.at + offset
			if i < len(gaps) {
				offset += gaps[i]
			}
			i++
		}
	}
}

// placeY stacks the layers. Where lines go far to a side there is more room for
// them.
func (l *layout) placeY() {
	y := 0.0
	for i, layer := range l.layers {
		height, far := 0.0, 0.0
		for _, v := range layer {
			b := &l.boxes[v]
			height = max(height, b.h)
			for _, k := range b.up {
				k := l.links[k]
				far = max(far, math.Abs(l.boxes[k.upper].x+k.from-b.x-k.to))
			}
		}
		if i > 0 {
			y += layerGap + min(40, far/10)
		}
		for _, v := range layer {
			l.boxes[v].y = y + height/2
		}
		l.bands = append(l.bands, band{y, y + height})
		y += height
	}
	l.height = y
}
