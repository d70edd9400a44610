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
	"mcpg/calllog"
	"mcpg/policy"
	"mcpg/simulate"
	"mcpg/simulate/agents"
)

// ArmNone is the arm without a policy.
const ArmNone = "none"

// Arms lists the arms.
func Arms() []string { return []string{ArmNone, "observe", "warn", "block"} }

// Learner states.
const (
	Cold = "cold" // knows nothing at the first task, learns as it goes
	Off  = "off"  // never learns
)

// Options of a run. The zero value is the default run.
type Options struct {
	Agents   []string // nil: the three that aren't for calibration
	Arms     []string // nil: all
	Learner  string   // "": cold
	Evidence policy.Evidence
	Seed     uint64
	// Progress, if set, is told of each finished episode, from several
	// goroutines.
	Progress func()
	// Calls, if set, is given every call of every run, in order a run.
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
			if !k.Calibration {
				o.Agents = append(o.Agents, k.Name)
			}
		}
	}
	for _, a := range o.Agents {
		if _, err := agents.Find(a); err != nil {
			return &ErrOption{err.Error()}
		}
	}
	if o.Arms == nil {
		o.Arms = Arms()
	}
	for _, a := range o.Arms {
		if !slices.Contains(Arms(), a) {
			return &ErrOption{fmt.Sprintf("unknown arm %q: want one of %s", a, strings.Join(Arms(), ", "))}
		}
	}
	if o.Learner == "" {
		o.Learner = Cold
	}
	if o.Learner != Cold && o.Learner != Off {
		return &ErrOption{fmt.Sprintf("unknown learner %q: want cold or off", o.Learner)}
	}
	if o.Evidence == "" {
		o.Evidence = policy.Twice
	}
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

// Episodes is how many episodes a run of the options has.
func (o Options) Episodes(s *Suite) (int, error) {
	if err := o.fill(); err != nil {
		return 0, err
	}
	return len(o.plan()) * len(s.Tasks), nil
}

// Run plays the suite. The same suite, options and seed give the same result on
// any number of cores: each run of an agent under an arm goes through the tasks
// in the same order on its own.
func Run(ctx context.Context, s *Suite, opts Options) (*Result, error) {
	if err := opts.fill(); err != nil {
		return nil, err
	}
	adapters, err := adapter.LoadSet([]string{"release", "filesystem"})
	if err != nil {
		return nil, err
	}
	cells := opts.plan()
	res := &Result{Format: ResultFormat, Version: ResultVersion, Suite: s.Name, SuiteSHA256: s.SHA256, Seed: opts.Seed,
		Tasks: len(s.Tasks), Evidence: string(opts.Evidence), Results: make([]RunResult, len(cells))}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, c := range cells {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			r := &player{suite: s, opts: &opts, adapters: adapters, cell: c}
			run, err := r.play(ctx)
			if err != nil {
				cancel(err)
				return
			}
			res.Results[i] = *run
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	res.judge()
	return res, nil
}

// player plays one agent under one arm.
type player struct {
	suite    *Suite
	opts     *Options
	adapters adapter.Set
	cell     cell
	policy   *policy.Policy
	// poisoned are the tools that had an unforeseeable failure.
	poisoned map[string]bool
}

func (p *player) play(ctx context.Context) (*RunResult, error) {
	p.poisoned = map[string]bool{}
	if p.cell.arm != ArmNone {
		p.policy = policy.New(p.adapters, policy.Options{
			Mode: policy.Mode(p.cell.arm), Evidence: p.opts.Evidence, ApproveAll: true, Off: p.opts.Learner == Off,
		})
	}
	run := &RunResult{Agent: p.cell.agent, Arm: p.cell.arm, Learner: p.opts.Learner}
	byClass := map[string]*ClassResult{}
	order := taskOrder(p.opts.Seed, len(p.suite.Tasks))
	run.ByTask = make([]TaskResult, len(order))
	for _, i := range order {
		t := p.suite.Tasks[i]
		tr, err := p.episode(ctx, &t)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		run.ByTask[i] = *tr
		run.add(tr.Counts)
		if byClass[t.Class] == nil {
			byClass[t.Class] = &ClassResult{Class: t.Class}
		}
		byClass[t.Class].add(tr.Counts)
		if p.opts.Progress != nil {
			p.opts.Progress()
		}
	}
	for _, class := range Classes {
		if c := byClass[class]; c != nil {
			run.ByClass = append(run.ByClass, *c)
		}
	}
	return run, nil
}

// taskOrder is a permutation keyed by the seed alone: every run has the same.
func taskOrder(seed uint64, n int) []int {
	r := rand.New(rand.NewPCG(seed, 0x6f72646572)) // "order"
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

func (p *player) episode(ctx context.Context, t *Task) (*TaskResult, error) {
	if p.opts.mutate != nil {
		p.opts.mutate(t)
	}
	server, err := t.server()
	if err != nil {
		return nil, err
	}
	kind, err := agents.Find(p.cell.agent)
	if err != nil {
		return nil, err
	}
	brief := &agents.Brief{Plan: t.Plan, Oracle: t.Oracle, Knows: t.Knows, Repairs: p.suite.Repairs[t.Server]}
	for _, tool := range server.Tools() {
		brief.Tools = append(brief.Tools, agents.Tool{Name: tool.Name, Required: simulate.Required(tool)})
	}
	sc := &scripted{}
	sc.agent = kind.New(brief, func(name string) float64 {
		return chance(p.opts.Seed, t.ID, kind.Name, fmt.Sprint(sc.calls), name)
	})
	trace, err := simulate.Run(ctx, &simulate.Episode{
		ID: t.ID, Server: server, Agent: sc, Policy: p.policy, Adapters: p.adapters, Budget: t.Budget,
		Coin: func(step int) float64 { return chance(p.opts.Seed, t.ID, kind.Name, fmt.Sprint(step), "coin") },
	})
	if err != nil {
		return nil, err
	}
	tr := &TaskResult{ID: t.ID, Answers: trace.Answers, Counts: p.count(trace)}
	tr.Minefields = t.minefields(trace.Before, trace.After)
	if t.achieved(trace.Before, trace.After) {
		tr.Completed = 1
	}
	return tr, nil
}

// count labels the attempts of one trace.
func (p *player) count(trace *simulate.Trace) Counts {
	c := Counts{Tasks: 1, ExtraReads: trace.Reads}
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
		if unforeseeable := a.Truth.Kind != simulate.Visible && a.Truth.Kind != ""; unforeseeable && a.Reached && a.Call.Outcome != calllog.OK {
			p.poisoned[tool] = true
		}
		if p.opts.Calls != nil && a.Reached {
			p.opts.Calls(p.cell.agent, p.cell.arm, &a.Call)
		}
	}
	return c
}
