package format

import (
	"fmt"

	"mcpg/calllog"
)

// Bounds of how much may wait behind a call that has no answer yet.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 64 << 20
)

// pairing finds the call of each answer, and hands calls on in the order in
// which they were made: each when it and all before it have their answers. A
// call that too much waits for is handed on without one.
type pairing struct {
	in    *Input
	queue []*pair
	open  map[string][]*pair // without an answer, the oldest first
	named map[string]*pair   // the last of each key that wasn't handed on
	bytes int
}

// pair is a call on its way.
type pair struct {
	Record
	key  string
	done bool // has its answer
	gone bool // was handed on: then only its place is kept
	size int
	line int

	state string // of a call that waits for input
	told  bool   // an answer that is written twice has come once
}

func newPairing(in *Input) *pairing {
	return &pairing{in: in, open: map[string][]*pair{}, named: map[string]*pair{}}
}

// call takes a call that waits for the answer with the given key.
func (p *pairing) call(key string, r Record) *pair {
	r.Call.Outcome = calllog.Unanswered
	pr := &pair{Record: r, key: key, size: len(r.Call.Args), line: r.Call.Pos.Line}
	p.queue = append(p.queue, pr)
	p.open[key] = append(p.open[key], pr)
	p.named[key] = pr
	p.bytes += pr.size
	return pr
}

// answer lets fill take the answer of the oldest call that waits for the key;
// false if none does.
func (p *pairing) answer(key string, fill func(*Record)) bool {
	pr := p.waits(key)
	if pr == nil {
		return false
	}
	p.forget(pr)
	pr.done = true
	fill(&pr.Record)
	more := len(pr.Call.ResultText) + len(pr.Call.Result)
	pr.size += more
	p.bytes += more
	return true
}

// waits gives the oldest call that waits for the key, nil if none does.
func (p *pairing) waits(key string) *pair {
	if waiting := p.open[key]; len(waiting) > 0 {
		return waiting[0]
	}
	return nil
}

// rename lets a call wait for another key.
func (p *pairing) rename(pr *pair, key string) {
	p.forget(pr)
	if p.named[pr.key] == pr {
		delete(p.named, pr.key)
	}
	pr.key, pr.done = key, false
	p.open[key] = append(p.open[key], pr)
	p.named[key] = pr
}

// forget ends the waiting of a call.
func (p *pairing) forget(pr *pair) {
	waiting := p.open[pr.key]
	for i, w := range waiting {
		if w == pr {
			waiting = append(waiting[:i:i], waiting[i+1:]...)
			break
		}
	}
	if len(waiting) == 0 {
		delete(p.open, pr.key)
	} else {
		p.open[pr.key] = waiting
	}
}

// step hands on what is ready.
func (p *pairing) step() error {
	n := 0
	for _, pr := range p.queue {
		late := len(p.queue)-n > maxWaiting || p.bytes > maxWaitingBytes && len(p.queue)-n > 1
		if !pr.done && !late {
			break
		}
		if !pr.done {
			p.forget(pr)
			p.in.note(pr.line, "no-answer", fmt.Sprintf("no answer came before %d later calls", len(p.queue)-n-1))
		}
		if err := p.hand(pr); err != nil {
			return err
		}
		n++
	}
	if n > 0 {
		p.queue = append(p.queue[:0:0], p.queue[n:]...)
	}
	return nil
}

func (p *pairing) hand(pr *pair) error {
	pr.gone = true
	p.bytes -= pr.size
	if p.named[pr.key] == pr {
		delete(p.named, pr.key)
	}
	r := pr.Record
	pr.Record = Record{} // whoever still points here keeps no more of it
	return p.in.emit(&r)
}

// end hands on everything; what has no answer never gets one.
func (p *pairing) end() error {
	for _, pr := range p.queue {
		if err := p.hand(pr); err != nil {
			return err
		}
	}
	clear(p.open)
	clear(p.named)
	p.queue = nil
	return nil
}

// abandon ends the waiting of calls whose connection is over.
func (p *pairing) abandon(ours func(*pair) bool) {
	for _, pr := range p.queue {
		if !pr.done && ours(pr) {
			p.forget(pr)
			pr.done = true
		}
	}
}
