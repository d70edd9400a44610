package analyze

import (
	"cmp"
	"slices"

	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
	"mcpg/policy"
)

// Judged are calls of one kind, valid or invalid, and what a policy would have
// made of them.
type Judged struct {
	Attempts     int `json:"attempts"`
	Blocked      int `json:"blocked"`
	Warned       int `json:"warned"`       // let through with a warning
	Undetermined int `json:"undetermined"` // neither known to work nor to fail
}

// ReplayTool is the calls of one tool.
type ReplayTool struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Valid   Judged `json:"valid"`
	Invalid Judged `json:"invalid"`
}

// ReplayResult says what a policy would have prevented, and what it would have
// wrongly prevented. Valid are calls that worked, invalid those that were
// refused; others are in calls alone.
type ReplayResult struct {
	Calls   int          `json:"calls"`
	Valid   Judged       `json:"valid"`
	Invalid Judged       `json:"invalid"`
	Probes  int          `json:"probes"`
	ByTool  []ReplayTool `json:"by_tool"`
	// Passed are invalid calls that would have reached the server, and Wronged
	// valid ones that wouldn't have; most calls first.
	Passed  []Misjudged `json:"passed"`
	Wronged []Misjudged `json:"wronged"`
}

// Misjudged are calls of a tool that one reason was given for: the server's, or
// the policy's.
type Misjudged struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Text    string `json:"text"`
	Calls   int    `json:"calls"`
	Example string `json:"example"` // where the first of them stands: file:line
}

// Replayer puts calls to a policy as they come.
type Replayer struct {
	replay *policy.Replay
	result ReplayResult
	tools  map[toolKey]*ReplayTool
	passed map[reason]*Misjudged
	wrong  map[reason]*Misjudged
}

type reason struct {
	toolKey
	text string
}

// NewReplayer judges calls by r.
func NewReplayer(r *policy.Replay) *Replayer {
	return &Replayer{replay: r, tools: map[toolKey]*ReplayTool{}, passed: map[reason]*Misjudged{}, wrong: map[reason]*Misjudged{}}
}

// Add judges one call.
func (p *Replayer) Add(c *calllog.Call, v *behavior.View) {
	d := p.replay.Call(c, v)
	p.result.Calls++
	if d.Probe {
		p.result.Probes++
	}
	if c.Outcome != calllog.OK && c.Outcome != calllog.Rejected {
		return
	}
	p.misjudged(c, d)
	k := toolKey{c.Server, c.Tool}
	t := p.tools[k]
	if t == nil {
		t = &ReplayTool{Server: c.Server, Tool: c.Tool}
		p.tools[k] = t
	}
	for _, kind := range []struct{ all, tool *Judged }{{&p.result.Valid, &t.Valid}, {&p.result.Invalid, &t.Invalid}} {
		if (c.Outcome == calllog.OK) == (kind.all == &p.result.Valid) {
			kind.all.add(d)
			kind.tool.add(d)
		}
	}
}

// misjudged notes what went wrong.
func (p *Replayer) misjudged(c *calllog.Call, d policy.Decision) {
	refused := d.Action == policy.Refuse
	if refused != (c.Outcome == calllog.OK) {
		return
	}
	list, text := p.wrong, ""
	if refused {
		text = d.Verdict.By[0].Needs()
	} else {
		list = p.passed
		text, _ = learn.Cluster(c)
	}
	k := reason{toolKey{c.Server, c.Tool}, text}
	if list[k] == nil {
		list[k] = &Misjudged{Server: c.Server, Tool: c.Tool, Text: text, Example: c.Pos.String()}
	}
	list[k].Calls++
}

func sorted(of map[reason]*Misjudged) []Misjudged {
	out := []Misjudged{}
	for _, m := range of {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Misjudged) int {
		return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Text, b.Text))
	})
	return out
}

func (j *Judged) add(d policy.Decision) {
	j.Attempts++
	switch {
	case d.Action == policy.Refuse:
		j.Blocked++
	case d.Predicted:
		j.Warned++
	case d.Verdict.Outcome != behavior.Works:
		j.Undetermined++
	}
}

// Result gives the counts so far.
func (p *Replayer) Result() *ReplayResult {
	out := p.result
	out.Passed, out.Wronged = sorted(p.passed), sorted(p.wrong)
	out.ByTool = []ReplayTool{}
	for _, t := range p.tools {
		out.ByTool = append(out.ByTool, *t)
	}
	slices.SortFunc(out.ByTool, func(a, b ReplayTool) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool)) })
	return &out
}
