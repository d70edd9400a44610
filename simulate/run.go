package simulate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/policy"
)

// Agent proposes calls; it sees the text of each answer and its error flag.
type Agent interface {
	Next(text string, isError bool) (tool string, args jsontext.Value, done bool)
}

// Episode is one task for one agent on one server.
type Episode struct {
	ID     string // the session's name in the log
	Server Server
	Agent  Agent
	// Gate opens what stands between agent and server; nil: the agent is on its own.
	Gate func(id string, live Live) Gate
	// Adapters classify outcomes also without a gate.
	Adapters adapter.Set
	// Foreseen, if set, is told of every attempt before it is made, with the truth
	// and the state that can be read then.
	Foreseen func(a *Attempt)
	// Made, if set, is told of every attempt after it, whether it reached the server or
	// not.
	Made   func(a *Attempt)
	Budget int                    // attempts at most
	Coin   func(step int) float64 // decides what is chance at an attempt
}

// Gate decides on calls and sees what became of them: a policy's session, or a
// control.
type Gate interface {
	Check(c *calllog.Call) policy.Decision
	Observe(c *calllog.Call, d policy.Decision) string
	Reads() int
}

// Under gives a policy's sessions as gates; nil for no policy.
func Under(p *policy.Policy) func(id string, live Live) Gate {
	if p == nil {
		return nil
	}
	return func(id string, live Live) Gate { return p.Session(id, live.Name(), live) }
}

// Attempt is one call that the agent wanted to make.
type Attempt struct {
	Call     calllog.Call
	Truth    Truth // the server's own judgement at the time
	Decision policy.Decision
	Reached  bool // the server saw it
	// Repeated: the same call was made before and nothing has changed since.
	Repeated bool
}

// Trace is what happened.
type Trace struct {
	Attempts []Attempt
	Reads    int // observation reads that the policy made
	// Answers is a hash of the tool list and of every answer the agent got.
	Answers string
	Before  jsontext.Value // snapshots of the world
	After   jsontext.Value
}

// Live lets a gate read a server, without moving anything.
type Live struct {
	s    Server
	coin func() float64
}

// Name is the server's.
func (l Live) Name() string { return l.s.Name() }

// Truth is how the call that is about to be made would end.
func (l Live) Truth(tool string, args jsontext.Value) Truth { return l.s.Check(tool, args, l.coin()) }

// Tools are the server's.
func (l Live) Tools() []Tool { return l.s.Tools() }

// Read answers a tool that only reads.
func (l Live) Read(tool string, args jsontext.Value) adapter.Reading {
	a := l.s.Read(tool, args)
	return adapter.Reading{Text: a.Text, Failed: a.IsError}
}

// Fingerprint is that of a tool as it is now.
func (l Live) Fingerprint(tool string) string {
	for _, t := range l.s.Tools() {
		if t.Name == tool {
			return fingerprint(t)
		}
	}
	return ""
}

type runner struct {
	e       *Episode
	gate    Gate
	coin    float64 // of the attempt
	trace   *Trace
	answers hash.Hash
	made    map[string]string // calls made, with the world that they were made in
}

// Run plays an episode to its end or to its budget.
func Run(ctx context.Context, e *Episode) (*Trace, error) {
	r := &runner{e: e, trace: &Trace{Before: e.Server.Snapshot()}, answers: sha256.New(), made: map[string]string{}}
	if e.Gate != nil {
		r.gate = e.Gate(e.ID, r.live())
	}
	for _, t := range e.Server.Tools() {
		r.hash(string(t.Raw))
	}
	text, isError := "", false
	for step := range e.Budget {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tool, args, done := e.Agent.Next(text, isError)
		if done {
			break
		}
		text, isError = r.attempt(step, tool, args)
		r.hash(strconv.FormatBool(isError) + text)
	}
	if r.gate != nil {
		r.trace.Reads = r.gate.Reads()
	}
	r.trace.Answers = hex.EncodeToString(r.answers.Sum(nil))
	r.trace.After = e.Server.Snapshot()
	return r.trace, nil
}

func (r *runner) live() Live { return Live{r.e.Server, func() float64 { return r.coin }} }

func (r *runner) hash(s string) { fmt.Fprintf(r.answers, "%d:%s", len(s), s) }

// attempt makes one call and gives what the agent reads.
func (r *runner) attempt(step int, tool string, args jsontext.Value) (string, bool) {
	s, coin := r.e.Server, r.e.Coin(step)
	r.coin = coin
	s.At(step)
	a := Attempt{
		Call: calllog.Call{ID: r.e.ID + "/" + strconv.Itoa(step), Session: r.e.ID, Server: s.Name(), Tool: tool, Args: args,
			Fingerprint: r.live().Fingerprint(tool)},
		Truth: s.Check(tool, args, coin),
	}
	key := tool + "\x00" + string(args)
	world := string(s.Snapshot())
	a.Repeated = r.made[key] == world
	r.made[key] = world
	if r.e.Foreseen != nil {
		r.foresee(&a)
	}
	if r.gate != nil {
		a.Decision = r.gate.Check(&a.Call)
	}
	if r.e.Made != nil {
		defer func() { r.e.Made(&r.trace.Attempts[len(r.trace.Attempts)-1]) }()
	}
	if a.Decision.Action != policy.Forward {
		r.trace.Attempts = append(r.trace.Attempts, a)
		return a.Decision.Text, true
	}
	ans := s.Call(tool, args, coin)
	a.Reached = true
	a.Call.ResultText = ans.Text
	if ans.IsError {
		a.Call.Outcome, a.Call.Cause, a.Call.ErrorText = calllog.Rejected, calllog.Unclear, ans.Text
	}
	adapter.Classify(&a.Call, calllog.Evidence{}, r.e.Adapters.For(s.Name()))
	text := ans.Text
	if r.gate != nil {
		if note := r.gate.Observe(&a.Call, a.Decision); note != "" {
			text += "\n" + note
		}
	}
	r.trace.Attempts = append(r.trace.Attempts, a)
	return text, ans.IsError
}

// foresee reads the state for whoever wants to judge the attempt beside the gate.
func (r *runner) foresee(a *Attempt) {
	seen := *a
	if ad := r.e.Adapters.For(seen.Call.Server); ad != nil {
		seen.Call.Resource = ad.Names(&seen.Call)
		if !ad.ShowsState(seen.Call.Tool) {
			if seen.Call.Before = ad.Observe(seen.Call.Tool, seen.Call.Args, r.live().Read); seen.Call.Before != nil {
				seen.Call.StateSource = calllog.Bracketed
			}
		}
	}
	r.e.Foreseen(&seen)
}

// Blocked tells whether the policy kept the call from the server.
func (a *Attempt) Blocked() bool { return !a.Reached }

// Warned tells whether the agent read that the call would fail.
func (a *Attempt) Warned() bool { return a.Reached && a.Decision.Note != "" && a.Decision.Predicted }
