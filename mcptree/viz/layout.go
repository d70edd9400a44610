package viz

import (
	"math"
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
