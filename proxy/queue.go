package proxy

import "sync"

// queue lets calls on one resource go one after another, in the order in which they
// came; others aren't held up. A call takes its places in all lines at once, so no two
// wait for each other.
type queue struct {
	mu    sync.Mutex
	lines map[string][]*place
}

// place is a call's place in the lines of its resources.
type place struct {
	q         *queue
	resources []string
	missing   int           // lines in which others stand before it
	ready     chan struct{} // closed when it is first everywhere
}

// join takes a place in each resource's line; duplicates are one.
func (q *queue) join(resources []string) *place {
	p := &place{q: q, ready: make(chan struct{})}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lines == nil {
		q.lines = map[string][]*place{}
	}
	for _, r := range resources {
		line := q.lines[r]
		if len(line) > 0 && line[len(line)-1] == p {
			continue
		}
		if len(line) > 0 {
			p.missing++
		}
		q.lines[r] = append(line, p)
		p.resources = append(p.resources, r)
	}
	if p.missing == 0 {
		close(p.ready)
	}
	return p
}

// leave lets the next ones go; leaving twice does nothing.
func (p *place) leave() {
	p.q.mu.Lock()
	defer p.q.mu.Unlock()
	for _, r := range p.resources {
		line := p.q.lines[r]
		for i, o := range line {
			if o != p {
				continue
			}
			line = append(line[:i:i], line[i+1:]...)
			if i == 0 && len(line) > 0 {
				if line[0].missing--; line[0].missing == 0 {
					close(line[0].ready)
				}
			}
			break
		}
		if len(line) == 0 {
			delete(p.q.lines, r)
		} else {
			p.q.lines[r] = line
		}
	}
	p.resources = nil
}
