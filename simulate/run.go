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
	Policy *policy.Policy // nil: the agent is on its own
	// Adapters classify outcomes also without a policy.
	Adapters adapter.Set
	Budget   int                    // attempts at most
	Coin     func(step int) float64 // decides what is chance at an attempt
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

// live lets a policy's session read a server.
type live struct{ s Server }

func (l live) Read(tool string, args jsontext.Value) adapter.Reading {
	a := l.s.Read(tool, args)
	return adapter.Reading{Text: a.Text, Failed: a.IsError}
}

func (l live) Fingerprint(tool string) string {
	for _, t := range l.s.Tools() {
		if t.Name == tool {
			return fingerprint(t)
		}
	}
	return ""
}

type runner struct {
	e       *Episode
	session *policy.Session
	trace   *Trace
	answers hash.Hash
	made    map[string]string // calls made, with the world that they were made in
}

// Run plays an episode to its end or to its budget.
func Run(ctx context.Context, e *Episode) (*Trace, error) {
	r := &runner{e: e, trace: &Trace{Before: e.Server.Snapshot()}, answers: sha256.New(), made: map[string]string{}}
	if e.Policy != nil {
		r.session = e.Policy.Session(e.ID, e.Server.Name(), live{e.Server})
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
	if r.session != nil {
		r.trace.Reads = r.session.Reads()
	}
	r.trace.Answers = hex.EncodeToString(r.answers.Sum(nil))
	r.trace.After = e.Server.Snapshot()
	return r.trace, nil
}

func (r *runner) hash(s string) { fmt.Fprintf(r.answers, "%d:%s", len(s), s) }

// attempt makes one call and gives what the agent reads.
func (r *runner) attempt(step int, tool string, args jsontext.Value) (string, bool) {
	s, coin := r.e.Server, r.e.Coin(step)
	s.At(step)
	a := Attempt{
		Call: calllog.Call{ID: r.e.ID + "/" + strconv.Itoa(step), Session: r.e.ID, Server: s.Name(), Tool: tool, Args: args,
			Fingerprint: live{s}.Fingerprint(tool)},
		Truth: s.Check(tool, args, coin),
	}
	key := tool + "\x00" + string(args)
	world := string(s.Snapshot())
	a.Repeated = r.made[key] == world
	r.made[key] = world
	if r.session != nil {
		a.Decision = r.session.Check(&a.Call)
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
	if r.session != nil {
		if note := r.session.Observe(&a.Call, a.Decision); note != "" {
			text += "\n" + note
		}
	}
	r.trace.Attempts = append(r.trace.Attempts, a)
	return text, ans.IsError
}

// Blocked tells whether the policy kept the call from the server.
func (a *Attempt) Blocked() bool { return !a.Reached }

// Warned tells whether the agent read that the call would fail.
func (a *Attempt) Warned() bool { return a.Reached && a.Decision.Note != "" && a.Decision.Predicted }
