package viz

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

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
