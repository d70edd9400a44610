// Package explore learns when a server's tools work by trying them: of all calls
// that it could make it makes the one whose outcome tells most, the one that halves
// what is undetermined where there is such a call.
package explore

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/policy"
	"mcpg/simulate"
)

// Subject is a server that is explored. Call and Read fail where the server can't be
// asked any more; what it refuses is an Answer.
type Subject interface {
	Name() string
	Tools() []simulate.Tool
	Call(ctx context.Context, tool string, args jsontext.Value) (simulate.Answer, error)
	// Read is a Call of a tool that changes nothing.
	Read(ctx context.Context, tool string, args jsontext.Value) (simulate.Answer, error)
}

// Options of an exploration.
type Options struct {
	Adapters adapter.Set
	Allowed  func(t simulate.Tool) bool // tools that may be called
	Calls    int                        // at most
	Values   map[string][]string        // that arguments may have, by name
	Seed     uint64
	// Fresh gives another subject, in a state of its own, when nothing is left to
	// learn on this one; nil, or not ok, if there is none.
	Fresh func(n int) (s Subject, values map[string][]string, ok bool)
	// Random takes calls as they come, to see what choosing is worth.
	Random bool
	// Progress, if set, is told of every call.
	Progress func(n int)
	// Now is the clock of the log; nil for none.
	Now func() time.Time
}

// Result is what an exploration brought.
type Result struct {
	Calls    []calllog.Call
	Model    *behavior.Graph
	Subjects int
	Stopped  string // why it ended
	Untried  []string
}

// Bounds of the search for a call.
const (
	maxCandidates = 12 // calls of a tool that are weighed at a time
	maxValues     = 48 // of an argument
	patience      = 24 // calls without anything new before a fresh subject is asked for
)

// Explore tries calls until their number, or what they could tell, is used up. What
// was learnt is good also beside an error.
func Explore(ctx context.Context, s Subject, o Options) (*Result, error) {
	e := &explorer{o: o, rng: rand.New(rand.NewPCG(o.Seed, 77)), pool: map[string][]string{}, tried: map[string]bool{}, called: map[string]bool{}}
	e.p = policy.New(o.Adapters, policy.Options{Mode: policy.Observe, ApproveAll: true})
	e.begin(s, o.Values)
	err := e.run(ctx)
	if e.result.Stopped == "" {
		e.result.Stopped = "the server could not be asked any more"
	}
	e.result.Model = e.p.Graph()
	for _, t := range s.Tools() {
		if o.Allowed(t) && !e.called[t.Name] {
			e.result.Untried = append(e.result.Untried, t.Name)
		}
	}
	slices.Sort(e.result.Untried)
	return &e.result, err
}

type explorer struct {
	o       Options
	rng     *rand.Rand
	p       *policy.Policy
	subject Subject
	session *policy.Session
	a       *adapter.Adapter
	tools   []tool
	pool    map[string][]string // values seen, by the name that they had
	tried   map[string]bool     // calls in their states
	called  map[string]bool
	idle    int // calls since the last that could tell something
	result  Result
	lost    error // of reading
	ctx     context.Context
}

func (e *explorer) begin(s Subject, values map[string][]string) {
	e.subject = s
	e.result.Subjects++
	e.idle = 0
	e.a = e.o.Adapters.For(s.Name())
	e.session = e.p.Session("explore-"+strconv.Itoa(e.result.Subjects), s.Name(), reader{e})
	e.tools = nil
	for _, t := range s.Tools() {
		if e.o.Allowed(t) {
			e.tools = append(e.tools, parseTool(t))
		}
	}
	for name, vs := range values {
		for _, v := range vs {
			e.remember(name, v)
		}
	}
}

// reader lets the policy's session read the subject.
type reader struct{ e *explorer }

func (r reader) Read(name string, args jsontext.Value) adapter.Reading {
	a, err := r.e.subject.Read(r.e.ctx, name, args)
	if err != nil {
		r.e.lost = err
		return adapter.Reading{None: true}
	}
	return adapter.Reading{Text: a.Text, Failed: a.IsError}
}

func (r reader) Fingerprint(name string) string {
	for _, t := range r.e.subject.Tools() {
		if t.Name == name {
			return simulate.Fingerprint(t)
		}
	}
	return ""
}

func (e *explorer) run(ctx context.Context) error {
	e.ctx = ctx
	for len(e.result.Calls) < e.o.Calls {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, gain := e.choose()
		if e.lost != nil {
			return e.lost
		}
		// On a server that can't be begun anew no call is made that tells nothing.
		futile := e.o.Fresh == nil && gain < moving/100 && !e.o.Random
		if c == nil || futile || e.idle >= patience && (!e.o.Random || e.idle >= 8*patience) {
			if !e.refresh() {
				e.result.Stopped = "nothing is left that a call could tell"
				return nil
			}
			continue
		}
		e.idle++
		if gain >= novel && !e.o.Random {
			e.idle = 0
		}
		if err := e.call(ctx, c); err != nil {
			return err
		}
	}
	e.result.Stopped = "that was the number of calls"
	return nil
}

func (e *explorer) refresh() bool {
	if e.o.Fresh == nil {
		return false
	}
	s, values, ok := e.o.Fresh(e.result.Subjects)
	if ok {
		e.begin(s, values)
	}
	return ok
}

// call makes a call and learns from it.
func (e *explorer) call(ctx context.Context, c *candidate) error {
	call := calllog.Call{ID: "explore-" + strconv.Itoa(len(e.result.Calls)), Tool: c.tool.name, Args: c.args}
	if e.o.Now != nil {
		call.Time = e.o.Now().UTC()
	}
	d := e.session.Check(&call)
	if e.lost != nil {
		return e.lost
	}
	ans, err := e.subject.Call(ctx, call.Tool, call.Args)
	if err != nil {
		return fmt.Errorf("call %d, %s: %w", len(e.result.Calls)+1, call.Tool, err)
	}
	call.ResultText = ans.Text
	if ans.IsError {
		call.Outcome, call.Cause, call.ErrorText = calllog.Rejected, calllog.Unclear, ans.Text
	}
	adapter.Classify(&call, calllog.Evidence{}, e.a)
	e.session.Observe(&call, d)
	e.called[call.Tool] = true
	e.result.Calls = append(e.result.Calls, call)
	e.harvest(&call)
	if e.o.Progress != nil {
		e.o.Progress(len(e.result.Calls))
	}
	return e.lost
}

// candidate is a call that could be made.
type candidate struct {
	tool *tool
	args jsontext.Value
	key  string // with its state: what was tried once tells nothing new
}

// choose finds the call whose outcome tells most, nil if there is none that wasn't
// made before in such a state.
func (e *explorer) choose() (best *candidate, gain float64) {
	gain = -1
	for i := range e.tools {
		for _, c := range e.candidates(&e.tools[i]) {
			if e.lost != nil {
				return nil, 0
			}
			g := e.gain(c) + 1e-4*e.rng.Float64()
			if e.o.Random {
				g = 10 * e.rng.Float64()
			}
			if g > gain {
				best, gain = c, g
			}
		}
	}
	if best != nil {
		e.tried[best.key] = true
	}
	return best, gain
}

// What a call's outcome is worth. Where several causes of a refusal are possible, the
// call that has about half of them tells most.
const (
	halving = 4.0 // times the share that is parted
	first   = 3.0 // of a tool
	novel   = 0.5 // a state and arguments as none before
	confirm = 1.0 // a second refusal, which a block wants
	moving  = 0.2 // it works, and changes the state
)

// gain is what a call would tell.
func (e *explorer) gain(c *candidate) float64 {
	call := calllog.Call{Tool: c.tool.name, Args: c.args, Server: e.subject.Name(), Fingerprint: c.tool.fingerprint}
	if e.a != nil && !e.a.ShowsState(call.Tool) {
		if call.Before = e.a.Observe(call.Tool, call.Args, reader{e}.Read); call.Before != nil {
			call.StateSource = calllog.Bracketed
		}
	}
	v := e.a.View(&call)
	c.key = c.tool.name + "\x00" + v.State.Key() + "\x00" + v.Args.Key()
	ev := e.p.Evidence()
	g := ev.Guard(call.Server, call.Tool, call.Fingerprint)
	if g == nil {
		return first
	}
	again := 1.0
	if e.tried[c.key] {
		again = 0.1
	}
	verdict := g.Judge(v.Features())
	if len(g.Allowed) > 0 && verdict.Outcome == behavior.Undetermined {
		if share := parted(g, verdict.Violated); share > 0 {
			return again * (first + halving*share)
		}
	}
	seen := ev.Cell(call.Server, call.Tool, call.Fingerprint, &behavior.Cell{Class: v.Class, Primary: v.Primary, State: v.State, Args: v.Args})
	switch {
	case seen == nil && verdict.Outcome == behavior.Undetermined:
		return again * (2*novel + novel/float64(1+len(verdict.Violated)))
	case verdict.Outcome == behavior.Fails && len(verdict.By) == 1 && len(verdict.By[0].Distinct) == 1:
		return again * confirm
	case seen == nil:
		return again * novel
	case verdict.Outcome == behavior.Works && e.a.Writes(call.Tool):
		return moving * e.rng.Float64()
	}
	return 0
}

// parted is how evenly a call parts the atoms that a refusal may have been about: 1
// for halves. It tells them apart only if it violates nothing else: refused, it is for
// one of its own, and working it clears them.
func parted(g *behavior.Guard, v behavior.Violation) float64 {
	in := map[behavior.Atom]bool{}
	for _, a := range v {
		in[a] = true
	}
	best := 0.0
	for _, f := range g.Failures {
		n := 0
		for _, a := range f.Violates {
			if in[a] {
				n++
			}
		}
		if all := len(f.Violates); n == len(v) && n > 0 && n < all {
			best = max(best, 2*float64(min(n, all-n))/float64(all))
		}
	}
	return best
}

// harvest remembers the values in an answer by their names.
func (e *explorer) harvest(c *calllog.Call) {
	if c.Outcome != calllog.OK {
		return
	}
	var v any
	if json.Unmarshal([]byte(c.ResultText), &v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil {
		e.values("", v, 0)
	}
	var args map[string]any
	if json.Unmarshal(c.Args, &args) == nil {
		e.values("", args, 0)
	}
}

func (e *explorer) values(name string, v any, depth int) {
	if depth > 6 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) { // there is room for some only
			e.values(k, v[k], depth+1)
		}
	case []any:
		for _, m := range v[:min(len(v), maxValues)] {
			e.values(name, m, depth+1)
		}
	case string:
		e.remember(name, v)
	case float64:
		e.remember(name, behavior.FormatNumber(v))
	}
}

func (e *explorer) remember(name, value string) {
	const longest = 200
	vs := e.pool[name]
	if i, seen := slices.BinarySearch(vs, value); !seen && len(vs) < maxValues && len(value) <= longest {
		e.pool[name] = slices.Insert(vs, i, value)
	}
}
