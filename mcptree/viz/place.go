package viz

import (
	"cmp"
	"math"
	"slices"
)

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
