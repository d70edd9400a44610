package bench

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/bench/llm"
	"mcpg/calllog"
	"mcpg/internal/letters"
	"mcpg/policy"
	"mcpg/simulate"
	"mcpg/simulate/agents"
)

// Learner states.
const (
	Cold         = "cold"          // knows nothing at the first task, learns as it goes
	Warm         = "warm"          // learnt from the training templates, frozen; plays the others
	WarmExternal = "warm-external" // knows a model from elsewhere, frozen
	Off          = "off"           // never learns
)

// Learners lists the learner states.
func Learners() []string { return []string{Cold, Warm, WarmExternal, Off} }

// EveryAgent lists the names of all agents that aren't for calibration.
func EveryAgent() []string {
	var out []string
	for _, k := range agents.Kinds() {
		if !k.Calibration {
			out = append(out, k.Name)
		}
	}
	return out
}

// FullOrders is how many orders of the tasks the full protocol has.
const FullOrders = 20

// Options of a run. The zero value is the default run.
type Options struct {
	Agents   []string        // nil: those of the default run
	Arms     []string        // nil: likewise
	Learner  string          // "": cold
	Model    *behavior.Graph // of a warm-external learner
	Evidence policy.Evidence
	Seed     uint64
	Orders   int         // of the tasks, 0 for one; counts are of all of them
	LLM      *llm.Config // of the agent llm; nil where it doesn't play
	// Own starts the user's server for a task; nil where there is none. Serial plays
	// one task at a time, for servers whose state outlives them.
	Own    func(ctx context.Context, t *Task) (Closer, error)
	Serial bool
	// Adapters are the user's, beside those of the simulators.
	Adapters adapter.Set
	// Progress, if set, is told of each finished episode, from several
	// goroutines.
	Progress func()
	// Calls, if set, is given every call of every run in the first order, in order a
	// run.
	Calls func(agent, arm string, c *calllog.Call)
	// mutate changes a task's world before its server starts: for tests.
	mutate func(*Task)
}

// ErrOption says that an option names nothing that there is.
type ErrOption struct{ What string }

func (e *ErrOption) Error() string { return e.What }

func (o *Options) fill() error {
	if o.Agents == nil {
		for _, k := range agents.Kinds() {
			if k.Default {
				o.Agents = append(o.Agents, k.Name)
			}
		}
	}
	for _, a := range o.Agents {
		if _, err := agents.Find(a); err != nil && a != llm.Name {
			return &ErrOption{err.Error() + letters.DidYouMean(a, EveryAgent())}
		}
	}
	if slices.Contains(o.Agents, llm.Name) != (o.LLM != nil) {
		return &ErrOption{"the agent llm wants an endpoint and a model, and they want the agent: give all, or none"}
	}
	if o.Arms == nil {
		o.Arms = Arms()
	}
	for _, a := range o.Arms {
		if _, ok := findArm(a); !ok {
			return &ErrOption{fmt.Sprintf("unknown arm %q: want one of %s%s", a, strings.Join(EveryArm(), ", "), letters.DidYouMean(a, EveryArm()))}
		}
	}
	if o.Learner == "" {
		o.Learner = Cold
	}
	if !slices.Contains(Learners(), o.Learner) {
		return &ErrOption{fmt.Sprintf("unknown learner %q: want one of %s", o.Learner, strings.Join(Learners(), ", "))}
	}
	if (o.Learner == WarmExternal) != (o.Model != nil) {
		return &ErrOption{"the learner warm-external wants a model that it knows, and only that one does"}
	}
	if o.Evidence == "" {
		o.Evidence = policy.Twice
	}
	o.Orders = max(o.Orders, 1)
	return nil
}

// cell is one agent under one arm.
type cell struct{ agent, arm string }

// plan lists the runs: what was asked for, and the calibration agents without a
// policy.
func (o *Options) plan() []cell {
	var out []cell
	for _, a := range o.Agents {
		for _, arm := range o.Arms {
			out = append(out, cell{a, arm})
		}
	}
	for _, k := range agents.Kinds() {
		if c := (cell{k.Name, ArmNone}); k.Calibration && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// orders is in how many orders a cell plays: calibration needs one.
func (o *Options) orders(c cell) int {
	if k, err := agents.Find(c.agent); err == nil && k.Calibration {
		return 1
	}
	return o.Orders
}

// tasks are those that are played: a warm learner has seen the training templates.
func (o *Options) tasks(s *Suite) []TaskRef {
	if o.Learner != Warm {
		return s.Tasks
	}
	return slices.DeleteFunc(slices.Clone(s.Tasks), func(t TaskRef) bool { return !t.HeldOut })
}

// Episodes is how many episodes a run of the options has.
func (o Options) Episodes(s *Suite) (int, error) {
	if err := o.fill(); err != nil {
		return 0, err
	}
	n := 0
	for _, c := range o.plan() {
		n += o.orders(c) * len(o.tasks(s))
	}
	return n, nil
}

// Run plays the suite. The same suite, options and seed give the same result on
// any number of cores: each run of an agent under an arm in an order goes through the
// tasks on its own.
func Run(ctx context.Context, s *Suite, opts Options) (*Result, error) {
	if err := opts.fill(); err != nil {
		return nil, err
	}
	adapters, err := adapter.LoadSet([]string{"release", "filesystem"})
	if err != nil {
		return nil, err
	}
	adapters = append(slices.Clone(opts.Adapters), adapters...)
	for i := range s.Tasks {
		if s.Tasks[i].Server == OwnServer && opts.Own == nil {
			return nil, &ErrOption{"task " + s.Tasks[i].ID + " is played on a server of your own: name it with --server"}
		}
	}
	if len(opts.tasks(s)) == 0 {
		return nil, &ErrOption{"a warm learner plays the tasks that are held out, and the suite has none"}
	}
	r := &running{suite: s, opts: &opts, adapters: adapters, tasks: opts.tasks(s), slots: make(chan struct{}, opts.atOnce())}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.cancel = cancel
	switch opts.Learner {
	case Warm:
		if r.known, err = r.train(ctx); err != nil {
			return nil, err
		}
	case WarmExternal:
		r.known = opts.Model
	}
	cells := opts.plan()
	res := &Result{Format: ResultFormat, Version: ResultVersion, Suite: s.Name, SuiteSHA256: s.SHA256, Seed: opts.Seed,
		Tasks: len(r.tasks), Orders: opts.Orders, Evidence: string(opts.Evidence), Results: make([]RunResult, len(cells))}
	played := map[cell][]*RunResult{}
	r.play(ctx, cells, func(c cell) bool { return c.arm != ArmRandom }, played)
	// Blocking at random takes its rate from block.
	var wanted []cell
	for _, c := range cells {
		if b := (cell{c.agent, "block"}); c.arm == ArmRandom && played[b] == nil {
			wanted = append(wanted, b)
		}
	}
	r.play(ctx, wanted, func(cell) bool { return true }, played)
	r.rates = played
	r.play(ctx, cells, func(c cell) bool { return c.arm == ArmRandom }, played)
	if ctx.Err() != nil {
		for _, runs := range played {
			for _, run := range runs {
				if run != nil {
					run.ByTask.Close()
				}
			}
		}
		return nil, context.Cause(ctx)
	}
	for i, c := range cells {
		res.Results[i] = *merged(played[c])
	}
	res.judge()
	return res, nil
}

func (o *Options) atOnce() int {
	if o.Serial {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// Closer is a server that is to be ended after its task; an error makes the run void.
type Closer interface {
	simulate.Server
	Close() error
}

// running is a run of a suite.
type running struct {
	suite    *Suite
	opts     *Options
	adapters adapter.Set
	tasks    []TaskRef
	known    *behavior.Graph
	slots    chan struct{}
	cancel   context.CancelCauseFunc
	rates    map[cell][]*RunResult
}

// play plays the cells that take picks, in all orders.
func (r *running) play(ctx context.Context, cells []cell, take func(cell) bool, into map[cell][]*RunResult) {
	var wg sync.WaitGroup
	for _, c := range cells {
		if !take(c) {
			continue
		}
		runs := make([]*RunResult, r.opts.orders(c))
		into[c] = runs
		rates := r.rates[cell{c.agent, "block"}]
		for order := range runs {
			wg.Go(func() {
				r.slots <- struct{}{}
				defer func() { <-r.slots }()
				p := &player{running: r, cell: c, order: order}
				if c.arm == ArmRandom {
					p.rate = rateOf(rates[order])
				}
				run, err := p.play(ctx)
				if err != nil {
					r.cancel(err)
					return
				}
				runs[order] = run
			})
		}
	}
	wg.Wait()
}

// train plays the training templates, and gives what can be learnt of them.
func (r *running) train(ctx context.Context) (*behavior.Graph, error) {
	p := policy.New(r.adapters, policy.Options{Mode: policy.Observe, Evidence: r.opts.Evidence, ApproveAll: true})
	for _, agent := range []string{"naive-retrier", "error-reader"} {
		pl := &player{running: r, cell: cell{agent, "training"}, open: simulate.Under(p), prefix: agent + "/"}
		for _, i := range taskOrder(r.opts.Seed, 0, len(r.suite.Tasks)) {
			ref := &r.suite.Tasks[i]
			if ref.HeldOut {
				continue
			}
			t, err := r.suite.task(ref)
			if err != nil {
				return nil, err
			}
			if _, err := pl.episode(ctx, t); err != nil {
				return nil, fmt.Errorf("training task %s: %w", t.ID, err)
			}
		}
	}
	return p.Graph(), nil
}

// player plays one agent under one arm in one order of the tasks.
type player struct {
	*running
	cell   cell
	order  int
	prefix string // of sessions, where several agents teach one policy
	open   func(id string, live simulate.Live) simulate.Gate
	rate   float64  // of blocking at random
	said   []saying // by a policy whose hints are scrambled
	// poisoned are the tools that had an unforeseeable failure.
	poisoned map[string]bool
	floor    *floor // nil where it isn't asked for
	lost     int    // tasks in a row that a language model didn't get through
}

// learner is a policy in the learner's state.
func (p *player) learner(mode policy.Mode) *policy.Policy {
	o := policy.Options{Mode: mode, Evidence: p.opts.Evidence, ApproveAll: true, Off: p.opts.Learner == Off, Frozen: p.known != nil}
	if p.known != nil {
		return policy.NewKnowing(p.adapters, o, p.known)
	}
	return policy.New(p.adapters, o)
}

func (p *player) play(ctx context.Context) (*RunResult, error) {
	p.poisoned = map[string]bool{}
	p.floor = newFloor(p.adapters, p.known)
	if arm, _ := findArm(p.cell.arm); arm.gate != nil {
		p.open = arm.gate(p)
	}
	run := &RunResult{Agent: p.cell.agent, Arm: p.cell.arm, Learner: p.opts.Learner, Orders: 1}
	byClass := map[string]*ClassResult{}
	var err error
	if run.ByTask, err = newRows(p.tasks); err != nil {
		return nil, err
	}
	for n, i := range taskOrder(p.opts.Seed, p.order, len(p.tasks)) {
		t, err := p.suite.task(&p.tasks[i])
		if err != nil {
			return nil, err
		}
		tr, err := p.episode(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		run.ByTask.put(i, tr)
		run.add(tr.Counts)
		if byClass[t.Class] == nil {
			byClass[t.Class] = &ClassResult{Class: t.Class}
		}
		byClass[t.Class].add(tr.Counts)
		if (n+1)%curveStep == 0 || n+1 == len(p.tasks) {
			run.Curve = append(run.Curve, run.Regret)
		}
		if p.opts.Progress != nil {
			p.opts.Progress()
		}
	}
	for _, class := range p.suite.Classes {
		if c := byClass[class]; c != nil {
			run.ByClass = append(run.ByClass, *c)
		}
	}
	return run, nil
}

// taskOrder is a permutation keyed by the seed and the order's number alone: every run
// has the same.
func taskOrder(seed uint64, order, n int) []int {
	r := rand.New(rand.NewPCG(seed, 0x6f72646572+uint64(order)<<40)) // "order"
	return r.Perm(n)
}

// chance is a number in [0, 1) that depends on its key alone.
func chance(seed uint64, parts ...string) float64 {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, seed) // a hash takes everything
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return float64(binary.LittleEndian.Uint64(h.Sum(nil))>>11) / (1 << 53)
}

// scripted turns a scripted agent into what the runner drives, and counts its
// calls for its randomness.
type scripted struct {
	agent agents.Agent
	calls int
}

func (s *scripted) Next(text string, isError bool) (string, jsontext.Value, bool) {
	step, done := s.agent.Next(text, isError)
	s.calls++
	return step.Tool, step.Args, done
}

func (p *player) episode(ctx context.Context, t *Task) (result *TaskResult, err error) {
	if p.opts.mutate != nil {
		p.opts.mutate(t)
	}
	server, end, err := p.server(ctx, t)
	if err != nil {
		return nil, err
	}
	defer func() {
		if lost := end(); err == nil && lost != nil {
			result, err = nil, lost
		}
	}()
	agent, name, model, err := p.agent(ctx, t, server)
	if err != nil {
		return nil, err
	}
	e := &simulate.Episode{
		ID: p.prefix + t.ID, Server: server, Agent: agent, Gate: p.open, Adapters: p.adapters, Budget: t.Budget,
		Coin: func(step int) float64 { return chance(p.opts.Seed, t.ID, name, fmt.Sprint(step), "coin") },
	}
	if p.floor != nil {
		e.Foreseen, e.Made = p.floor.foresee, p.floor.made
	}
	trace, err := simulate.Run(ctx, e)
	if err != nil {
		return nil, err
	}
	tr := &TaskResult{ID: t.ID, Class: t.Class, Template: t.Template, Answers: trace.Answers, Counts: p.count(trace)}
	tr.Minefields = t.minefields(trace.Before, trace.After)
	if t.achieved(trace.Before, trace.After) {
		tr.Completed = 1
	}
	if model != nil {
		// One answer that can't be read fails its task; several in a row end the run.
		const inARow = 3
		if p.lost++; model.Err == nil {
			p.lost = 0
		} else if p.lost == inARow || ctx.Err() != nil {
			return nil, model.Err
		} else {
			tr.ModelErrors = 1
		}
		tr.Turns, tr.PromptTokens, tr.CompletionTokens = model.Usage.Turns, model.Usage.Prompt, model.Usage.Completion
		if model.Claimed && tr.Completed == 0 {
			tr.FalseClaims = 1
		}
	}
	return tr, nil
}

// server starts a task's server; end ends it.
func (p *player) server(ctx context.Context, t *Task) (s simulate.Server, end func() error, err error) {
	if t.Server != OwnServer {
		s, err = t.server()
		return s, func() error { return nil }, err
	}
	own, err := p.opts.Own(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	return own, own.Close, nil
}

// agent makes the agent of a task; of one that a model plays, the model's too.
func (p *player) agent(ctx context.Context, t *Task, server simulate.Server) (simulate.Agent, string, *llm.Agent, error) {
	if p.cell.agent == llm.Name {
		task := &llm.Task{Goal: describe(t.Goal), Avoid: describe(t.Minefields), Facts: t.Knows}
		for _, path := range t.Untouched {
			task.Avoid = append(task.Avoid, strings.Join(path, " ")+" changes")
		}
		for _, tool := range server.Tools() {
			task.Tools = append(task.Tools, llm.Tool{Raw: tool.Raw})
		}
		a := llm.New(ctx, p.opts.LLM, task)
		return a, llm.Name, a, nil
	}
	kind, err := agents.Find(p.cell.agent)
	if err != nil {
		return nil, "", nil, err
	}
	brief := &agents.Brief{Plan: t.Plan, Oracle: t.Oracle, Knows: t.Knows, Repairs: p.suite.Repairs[t.Server]}
	for _, tool := range server.Tools() {
		brief.Tools = append(brief.Tools, agents.Tool{Name: tool.Name, Required: simulate.Required(tool), ReadOnly: simulate.ReadOnly(tool)})
	}
	sc := &scripted{}
	sc.agent = kind.New(brief, func(name string) float64 {
		return chance(p.opts.Seed, t.ID, kind.Name, fmt.Sprint(sc.calls), name)
	})
	return sc, kind.Name, nil, nil
}

// describe puts tests of the end into words.
func describe(ps []simulate.Predicate) []string {
	var out []string
	for _, p := range ps {
		words := map[string]string{"is": "is", "not": "is not", "exists": "exists", "absent": "doesn't exist", "contains": "contains", "over": "is more than", "lists": "lists"}[p.Op]
		text := strings.Join(p.At, " ") + " " + words
		if p.Value != nil {
			text += " " + string(p.Value)
		}
		out = append(out, text)
	}
	return out
}

// count labels the attempts of one trace.
func (p *player) count(trace *simulate.Trace) Counts {
	c := Counts{Tasks: 1, ExtraReads: trace.Reads}
	if p.floor != nil {
		c.Regret = p.floor.count(trace)
	}
	for i := range trace.Attempts {
		a := &trace.Attempts[i]
		tool := a.Call.Server + "/" + a.Call.Tool
		coin := a.Truth.Kind == simulate.Coin
		switch {
		case coin:
			c.CoinAttempts++
		case a.Truth.Valid:
			c.ValidAttempts++
			if a.Blocked() {
				c.ValidBlocked++
				if p.poisoned[tool] {
					c.ValidBlockedPoi++
				}
			}
			if a.Warned() {
				c.ValidWarned++
			}
		case a.Blocked():
			c.InvalidBlocked++
		default:
			c.InvalidReached++
		}
		if a.Decision.Probe {
			c.Probes++
		}
		if a.Decision.Predicted {
			c.Decisions++
		}
		if a.Blocked() || a.Repeated || a.Call.Outcome == calllog.Rejected {
			c.WastedSteps++
		}
		if unforeseeable := p.poisoned != nil && a.Truth.Kind != simulate.Visible && a.Truth.Kind != ""; unforeseeable && a.Reached && a.Call.Outcome != calllog.OK {
			p.poisoned[tool] = true
		}
		if p.opts.Calls != nil && a.Reached && p.order == 0 {
			p.opts.Calls(p.cell.agent, p.cell.arm, &a.Call)
		}
	}
	return c
}
