package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/ingest/table"
	"mcpg/internal/atomicfile"
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
	return atomicfile.Write(name, func(w io.Writer) error {
		if strings.HasSuffix(name, ".jsonl") {
			out := calllog.NewWriter(w)
			return errors.Join(r.each(out), out.Flush())
		}
		out, err := table.NewWriter(w, table.FormatOf(name), adaptersNote(set)...)
		if err != nil {
			return err
		}
		return errors.Join(r.each(out), out.Close())
	})
}

func (r *recorder) each(out callWriter) error {
	runs := make([]string, 0, len(r.calls))
	for run := range r.calls {
		runs = append(runs, run)
	}
	slices.Sort(runs)
	for _, run := range runs {
		for i := range r.calls[run] {
			if err := out.Write(&r.calls[run][i]); err != nil {
				return err
			}
		}
	}
	return nil
}
