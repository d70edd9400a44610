package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/bench/llm"
	"mcpg/simulate/agents"
)

// ResultVersion is the version of bench.json.
const ResultVersion = 1

// Counts are what is counted of tasks; calls unless said otherwise. A call is
// valid, invalid or left to chance by the simulator's own check.
type Counts struct {
	Tasks           int `json:"tasks"`
	ValidAttempts   int `json:"valid_attempts"`
	InvalidReached  int `json:"invalid_reached"`
	InvalidBlocked  int `json:"invalid_blocked"`
	ValidBlocked    int `json:"valid_blocked"`
	ValidBlockedPoi int `json:"valid_blocked_poisoned"` // after an unforeseeable failure of the tool
	ValidWarned     int `json:"valid_warned"`
	CoinAttempts    int `json:"coin_attempts"`
	Probes          int `json:"probes"`
	WastedSteps     int `json:"wasted_steps"`
	ExtraReads      int `json:"extra_reads"`
	Completed       int `json:"completed"`  // tasks
	Minefields      int `json:"minefields"` // forbidden side effects
	// Decisions are calls that the policy predicted to fail.
	Decisions int `json:"decisions"`
	// Of the agent llm: turns of the model and tokens, and tasks that it said it had
	// done, and hadn't.
	Turns            int `json:"turns,omitzero"`
	PromptTokens     int `json:"prompt_tokens,omitzero"`
	CompletionTokens int `json:"completion_tokens,omitzero"`
	FalseClaims      int `json:"false_claims,omitzero"`
	ModelErrors      int `json:"model_errors,omitzero"` // tasks that ended by an answer that couldn't be read
	// Regret says where InvalidReached went.
	Regret Regret `json:"regret"`
}

// numbers is how many numbers Counts has.
const numbers = 28

// numbers lists all of them, in the order of a row's record.
func (c *Counts) numbers() [numbers]*int {
	g := &c.Regret
	return [numbers]*int{
		&c.Tasks, &c.ValidAttempts, &c.InvalidReached, &c.InvalidBlocked, &c.ValidBlocked, &c.ValidBlockedPoi, &c.ValidWarned, &c.CoinAttempts, &c.Probes,
		&c.WastedSteps, &c.ExtraReads, &c.Completed, &c.Minefields, &c.Decisions, &c.Turns, &c.PromptTokens, &c.CompletionTokens, &c.FalseClaims, &c.ModelErrors,
		&g.Hidden, &g.Stale, &g.Chance, &g.Drift, &g.Learning, &g.Probed, &g.Error, &g.Checks, &g.Floor,
	}
}

func (c *Counts) add(d Counts) {
	from := d.numbers()
	for i, n := range c.numbers() {
		*n += *from[i]
	}
}

// ClassResult is the counts of one class.
type ClassResult struct {
	Class string `json:"class"`
	Counts
}

// TaskResult is the counts of one task: what comparisons pair.
type TaskResult struct {
	ID       string `json:"id"`
	Class    string `json:"class"`
	Template string `json:"template"`
	Counts
	// Answers is a hash of the tool list and all answers that the agent got.
	Answers string `json:"answers"`
}

// RunResult is one agent under one arm.
type RunResult struct {
	Agent   string `json:"agent"`
	Arm     string `json:"arm"`
	Learner string `json:"learner"`
	Orders  int    `json:"orders"` // of the tasks; counts are of all of them
	Counts
	// Curve is the regret so far after each 20 tasks, over all orders.
	Curve []Regret `json:"curve"`
	// ByOrder are the counts of each order.
	ByOrder []Counts      `json:"by_order,omitzero"`
	ByClass []ClassResult `json:"by_class"`
	ByTask  *Rows         `json:"by_task"`
}

// merged adds the orders of a run up, and takes the rows of the first one. Answers are those of the first one.
func merged(runs []*RunResult) *RunResult {
	out := *runs[0]
	if len(runs) == 1 {
		return &out
	}
	out.ByClass, out.Curve = slices.Clone(out.ByClass), slices.Clone(out.Curve)
	out.ByOrder = []Counts{out.Counts}
	for _, r := range runs[1:] {
		out.Orders++
		out.ByOrder = append(out.ByOrder, r.Counts)
		out.add(r.Counts)
		out.ByTask.add(r.ByTask)
		r.ByTask.Close()
		for i := range out.ByClass {
			out.ByClass[i].add(r.ByClass[i].Counts)
		}
		for i := range out.Curve {
			out.Curve[i].add(r.Curve[i])
		}
	}
	return &out
}

// Verdicts on a result.
const (
	Trustworthy   = "trustworthy"
	Untrustworthy = "untrustworthy"
)

// Result is bench.json.
type Result struct {
	Format      string      `json:"format"`
	Version     int         `json:"version"`
	Suite       string      `json:"suite"`
	SuiteSHA256 string      `json:"suite_sha256"`
	Seed        uint64      `json:"seed"`
	Tasks       int         `json:"tasks"`
	Orders      int         `json:"orders"`
	Evidence    string      `json:"evidence"`
	Results     []RunResult `json:"results"`
	Verdict     string      `json:"verdict"`
	Reasons     []string    `json:"reasons"`
}

// ResultFormat stands at the head of bench.json.
const ResultFormat = "mcpg.bench"

// Write writes bench.json.
func (r *Result) Write(w io.Writer) error {
	// The encoder ends the document with a newline.
	return json.MarshalEncode(jsontext.NewEncoder(w, jsontext.WithIndent(" ")), r)
}

// Close lets go of what the result keeps in files.
func (r *Result) Close() {
	for i := range r.Results {
		r.Results[i].ByTask.Close()
	}
}

// ReadResult reads bench.json.
func ReadResult(rd io.Reader) (*Result, error) {
	var r Result
	if err := json.UnmarshalRead(rd, &r); err != nil {
		return nil, fmt.Errorf("not a bench.json: %w", err)
	}
	if r.Format != ResultFormat || r.Version != ResultVersion {
		return nil, fmt.Errorf("not a bench.json that this version reads: format %q version %d", r.Format, r.Version)
	}
	return &r, nil
}

// Find gives the run of an agent under an arm, nil if there is none.
func (r *Result) Find(agent, arm string) *RunResult { return r.find(agent, arm) }

// find gives the run of an agent under an arm.
func (r *Result) find(agent, arm string) *RunResult {
	i := slices.IndexFunc(r.Results, func(x RunResult) bool { return x.Agent == agent && x.Arm == arm })
	if i < 0 {
		return nil
	}
	return &r.Results[i]
}

// judge settles the verdict: what makes a result worthless.
func (r *Result) judge() {
	r.Reasons = []string{}
	for i := range r.Results {
		x := &r.Results[i]
		switch {
		case x.Tasks == 0:
			r.Reasons = append(r.Reasons, fmt.Sprintf("%s under %s: no task ran", x.Agent, x.Arm))
		case x.Agent == "do-nothing" && x.Completed > 0:
			r.Reasons = append(r.Reasons, fmt.Sprintf("do-nothing completed %d tasks: their goals hold at the start", x.Completed))
		case x.Agent == "oracle" && x.Arm == ArmNone && x.Completed < x.Tasks:
			r.Reasons = append(r.Reasons, fmt.Sprintf("the oracle completed %d of %d tasks: the others can't be done, or their checks are wrong", x.Completed, x.Tasks))
		}
	}
	for _, arm := range []string{"warn", "block"} {
		ran, decided := false, 0
		for i := range r.Results {
			if x := &r.Results[i]; x.Arm == arm {
				ran = true
				decided += x.Decisions
			}
		}
		if ran && decided == 0 {
			r.Reasons = append(r.Reasons, fmt.Sprintf("%s made no decision on any call: the arm is inert", arm))
		}
	}
	for _, k := range agents.Kinds() {
		if k.Calibration && r.find(k.Name, ArmNone) == nil {
			r.Reasons = append(r.Reasons, k.Name+" didn't run: nothing shows that the tasks can be done, and not by chance")
		}
	}
	if r.Tasks == 0 {
		r.Reasons = append(r.Reasons, "no task ran")
	}
	r.Reasons = append(r.Reasons, r.transparency()...)
	r.Verdict = Trustworthy
	if len(r.Reasons) > 0 {
		r.Verdict = Untrustworthy
	}
}

// transparency compares what agents got under observe and under none.
func (r *Result) transparency() []string {
	var out []string
	for i := range r.Results {
		x := &r.Results[i]
		none := r.find(x.Agent, ArmNone)
		if x.Arm != "observe" || none == nil || x.Agent == llm.Name { // no two runs of a model are alike
			continue
		}
		var differ []string
		for j, t := range x.ByTask.All() {
			if j < none.ByTask.Len() && t.Answers != none.ByTask.at(j).Answers {
				differ = append(differ, t.ID)
			}
		}
		if len(differ) > 0 {
			out = append(out, fmt.Sprintf("%s got other answers under observe than under none in %d tasks: %s", x.Agent, len(differ), strings.Join(differ[:min(5, len(differ))], ", ")))
		}
	}
	return out
}
