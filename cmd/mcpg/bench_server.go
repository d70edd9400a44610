package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/bench"
	"mcpg/simulate"
	"mcpg/simulate/explore"
)

// ownServer plays a task on a server of the user's. Each task has a process of its own,
// after the reset command if there is one. How a call would end is found out on another
// process that has made the same calls; where a reset command says that state outlives
// the process, on the same one, which is then brought back to where it was.
type ownServer struct {
	ctx     context.Context
	command []string
	reset   []string
	errs    io.Writer
	reads   []bench.SnapshotRead

	live *server
	made []made // calls so far that may have changed something
	err  error  // the first; the episode is void
}

type made struct {
	tool string
	args jsontext.Value
}

// startOwn starts a server for a task.
func startOwn(ctx context.Context, command, reset []string, errs io.Writer, t *bench.Task) (*ownServer, error) {
	s := &ownServer{ctx: ctx, command: command, reset: reset, errs: errs, reads: t.Snapshot}
	var err error
	s.live, err = s.fresh(nil)
	return s, err
}

// fresh starts a process and makes calls.
func (s *ownServer) fresh(calls []made) (*server, error) {
	if len(s.reset) > 0 {
		if out, err := exec.CommandContext(s.ctx, s.reset[0], s.reset[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("--reset: %w\n%s", err, out)
		}
	}
	live, err := startServer(s.ctx, s.command, s.errs)
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		if _, err := live.Call(s.ctx, c.tool, c.args); err != nil {
			return nil, errors.Join(err, live.Close())
		}
	}
	return live, nil
}

func (s *ownServer) Close() error {
	if s.live == nil {
		return s.err
	}
	_ = s.live.Close() // that it didn't end well is no matter: it is thrown away
	return s.err
}

func (s *ownServer) Name() string           { return s.live.Name() }
func (s *ownServer) Tools() []simulate.Tool { return s.live.Tools() }
func (s *ownServer) At(int)                 {}

func (s *ownServer) fail(err error) simulate.Answer {
	if s.err == nil {
		s.err = err
	}
	return simulate.Answer{Text: err.Error(), IsError: true}
}

func (s *ownServer) readOnly(tool string) bool {
	for _, t := range s.live.Tools() {
		if t.Name == tool {
			return simulate.ReadOnly(t)
		}
	}
	return false
}

// Call makes a call.
func (s *ownServer) Call(tool string, args jsontext.Value, _ float64) simulate.Answer {
	a, err := s.live.Call(s.ctx, tool, args)
	if err != nil {
		return s.fail(err)
	}
	if !s.readOnly(tool) {
		s.made = append(s.made, made{tool, args})
	}
	return a
}

// Read answers a tool that only reads.
func (s *ownServer) Read(tool string, args jsontext.Value) simulate.Answer {
	a, err := s.live.Call(s.ctx, tool, args)
	if err != nil {
		return s.fail(err)
	}
	return a
}

// Check finds out how a call would end.
func (s *ownServer) Check(tool string, args jsontext.Value, _ float64) simulate.Truth {
	if s.readOnly(tool) {
		return truthOf(s.Read(tool, args))
	}
	if len(s.reset) > 0 {
		_ = s.live.Close()
	}
	other, err := s.fresh(s.made)
	if err != nil {
		return truthOf(s.fail(err))
	}
	a, err := other.Call(s.ctx, tool, args)
	_ = other.Close()
	if err != nil {
		return truthOf(s.fail(err))
	}
	if len(s.reset) > 0 {
		if s.live, err = s.fresh(s.made); err != nil {
			s.live = other // closed; names and tools are the same
			return truthOf(s.fail(err))
		}
	}
	return truthOf(a)
}

func truthOf(a simulate.Answer) simulate.Truth {
	if !a.IsError {
		return simulate.Truth{Valid: true}
	}
	check, _, _ := strings.Cut(a.Text, "\n")
	return simulate.Truth{Check: check, Kind: simulate.Visible, Text: a.Text}
}

// Snapshot is what the task's reads show, a member a read: JSON where an answer is,
// else its text, null where it is refused.
func (s *ownServer) Snapshot() jsontext.Value {
	out := map[string]jsontext.Value{}
	for _, r := range s.reads {
		a := s.Read(r.Tool, r.Args)
		v := jsontext.Value(a.Text)
		switch {
		case a.IsError:
			v = jsontext.Value("null")
		case !v.IsValid():
			v, _ = jsontext.AppendQuote(nil, a.Text)
		}
		out[r.As] = v
	}
	b, err := json.Marshal(out, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		s.fail(err)
		return jsontext.Value("{}")
	}
	return b
}

var _ explore.Subject = (*server)(nil)
