package main

import (
	"maps"
	"slices"
	"sync"

	"mcpg/adapter"
	"mcpg/calllog"
)

// recorder keeps the calls of a bench run, which come from several goroutines,
// by agent and arm.
type recorder struct {
	mu    sync.Mutex
	calls map[string][]calllog.Call
}

// add names a call's session by agent and arm too: the same task is another
// conversation there.
func (r *recorder) add(agent, arm string, c *calllog.Call) {
	call := *c
	run := agent + "/" + arm
	call.Session = run + "/" + call.Session
	call.ID = run + "/" + call.ID
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[string][]calllog.Call{}
	}
	r.calls[run] = append(r.calls[run], call)
}

// write writes all calls, run after run.
func (r *recorder) write(name string) error {
	set, err := adapter.LoadSet([]string{"release", "filesystem"})
	if err != nil {
		return err
	}
	return writeCalls(name, r.all(), set)
}

// all lists the calls, run after run.
func (r *recorder) all() []calllog.Call {
	var out []calllog.Call
	for _, run := range slices.Sorted(maps.Keys(r.calls)) {
		out = append(out, r.calls[run]...)
	}
	return out
}
