// Package batch learns from many calls in parallel.
package batch

import (
	"runtime"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/learn"
)

// chunk is how many calls a worker takes at once.
const chunk = 512

// Learner spreads calls over workers, each with evidence of its own. Any split
// gives the same evidence, so the workers need no order. Evidence must be
// called in the end: it ends the workers.
type Learner struct {
	workers sync.WaitGroup
	jobs    chan job
	next    job
	parts   []learn.Evidence

	mu  sync.Mutex
	err error // of the first batch that couldn't be read
}

// job is calls that are viewed by the same adapters: some, or a batch of a table.
type job struct {
	calls    []*calllog.Call
	rows     arrow.RecordBatch // released by the worker
	adapters adapter.Set
}

// New starts a learner with a worker a processor.
func New() *Learner { return NewOf(runtime.GOMAXPROCS(0)) }

// NewOf starts a learner with n workers.
func NewOf(n int) *Learner {
	l := &Learner{jobs: make(chan job, n), parts: make([]learn.Evidence, n)}
	for i := range l.parts {
		l.workers.Go(func() {
			r := rows{e: &l.parts[i]}
			for j := range l.jobs {
				if j.rows != nil {
					l.fail(r.add(j.rows, j.adapters))
					j.rows.Release()
				}
				for _, c := range j.calls {
					l.parts[i].Add(c, j.adapters.View(c))
				}
			}
		})
	}
	return l
}

// Add takes a call, which must not be changed after, with the adapters to view
// it by.
func (l *Learner) Add(c *calllog.Call, adapters adapter.Set) {
	if len(l.next.calls) == chunk || len(l.next.calls) > 0 && !same(l.next.adapters, adapters) {
		l.flush()
	}
	if l.next.calls == nil {
		l.next = job{calls: make([]*calllog.Call, 0, chunk), adapters: adapters}
	}
	l.next.calls = append(l.next.calls, c)
}

func (l *Learner) flush() {
	if len(l.next.calls) > 0 {
		l.jobs <- l.next
		l.next = job{}
	}
}

func (l *Learner) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
}

func (l *Learner) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func same(a, b adapter.Set) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Evidence ends the learner and gives all that it learnt, and the error of a table
// that couldn't be read to its end.
func (l *Learner) Evidence() (*learn.Evidence, error) {
	l.flush()
	close(l.jobs)
	l.workers.Wait()
	all := &l.parts[0]
	for i := range l.parts[1:] {
		all.Merge(&l.parts[i+1])
		l.parts[i+1] = learn.Evidence{} // it may be large
	}
	return all, l.err
}
