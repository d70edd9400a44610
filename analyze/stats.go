// Package analyze answers questions put to a table of calls.
package analyze

import (
	"cmp"
	"slices"

	"mcpg/calllog"
)

// Counts are the calls of a group by outcome, and their rates.
type Counts struct {
	Calls             int            `json:"calls"`
	OK                int            `json:"ok"`
	Rejected          int            `json:"rejected"`
	Error             int            `json:"error"`
	Transport         int            `json:"transport"`
	Denied            int            `json:"denied"`
	Unanswered        int            `json:"unanswered"`
	RejectedByCause   map[string]int `json:"rejected_by_cause"`
	InvalidRate       float64        `json:"invalid_call_rate"`
	InvalidRateProven float64        `json:"invalid_call_rate_proven"`
	WithState         int            `json:"with_state"` // calls whose state before is known
}

// ToolStats is the counts of one tool of one server.
type ToolStats struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Counts
}

// Stats is the counts of a table. Rates are of calls that ran or were refused:
// rejected / (ok + rejected + error); proven leaves out refusals for unclear
// causes. 0 where there is no such call.
type Stats struct {
	Calls             int            `json:"calls"`
	Sessions          int            `json:"sessions"`
	Outcomes          map[string]int `json:"outcomes"`
	RejectedByCause   map[string]int `json:"rejected_by_cause"`
	InvalidRate       float64        `json:"invalid_call_rate"`
	InvalidRateProven float64        `json:"invalid_call_rate_proven"`
	WithState         int            `json:"with_state"`
	ByTool            []ToolStats    `json:"by_tool"`          // by server, tool
	By                []Key          `json:"by,omitempty"`     // what Groups are by, if calls were grouped
	Groups            []Group        `json:"groups,omitempty"` // sorted by their values
}

type toolKey struct{ server, tool string }

// Counter counts calls as they come. The zero value is ready.
type Counter struct {
	calls    int
	sessions map[[2]string]bool // server and session
	tools    map[toolKey]*tally
}

type tally struct {
	outcomes  [6]int
	causes    [5]int
	withState int
}

// Add counts one call.
func (n *Counter) Add(c *calllog.Call) {
	if n.tools == nil {
		n.tools, n.sessions = map[toolKey]*tally{}, map[[2]string]bool{}
	}
	n.calls++
	n.sessions[[2]string{c.Server, c.Session}] = true
	k := toolKey{c.Server, c.Tool}
	t := n.tools[k]
	if t == nil {
		t = &tally{}
		n.tools[k] = t
	}
	t.add(c)
}

func (t *tally) add(c *calllog.Call) {
	t.outcomes[c.Outcome]++
	if c.Outcome == calllog.Rejected {
		t.causes[c.Cause]++
	}
	if c.Before != nil {
		t.withState++
	}
}

func (t *tally) merge(o *tally) {
	for i, x := range o.outcomes {
		t.outcomes[i] += x
	}
	for i, x := range o.causes {
		t.causes[i] += x
	}
	t.withState += o.withState
}

// Stats gives the counts so far.
func (n *Counter) Stats() *Stats {
	s := &Stats{Calls: n.calls, Sessions: len(n.sessions), ByTool: []ToolStats{}}
	var all tally
	for k, t := range n.tools {
		all.merge(t)
		s.ByTool = append(s.ByTool, ToolStats{k.server, k.tool, t.counts()})
	}
	slices.SortFunc(s.ByTool, func(a, b ToolStats) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool)) })
	s.Outcomes = map[string]int{}
	for _, o := range calllog.Outcomes() {
		s.Outcomes[o.String()] = all.outcomes[o]
	}
	s.RejectedByCause, s.WithState = all.byCause(), all.withState
	s.InvalidRate, s.InvalidRateProven = all.rates()
	return s
}

func (t *tally) counts() Counts {
	rate, proven := t.rates()
	o := &t.outcomes
	return Counts{Calls: t.total(), OK: o[calllog.OK], Rejected: o[calllog.Rejected], Error: o[calllog.Error], Transport: o[calllog.Transport],
		Denied: o[calllog.Denied], Unanswered: o[calllog.Unanswered], RejectedByCause: t.byCause(), InvalidRate: rate, InvalidRateProven: proven, WithState: t.withState}
}

func (t *tally) total() int {
	n := 0
	for _, x := range t.outcomes {
		n += x
	}
	return n
}

func (t *tally) byCause() map[string]int {
	m := map[string]int{}
	for _, c := range calllog.Causes() {
		m[c.String()] = t.causes[c]
	}
	return m
}

func (t *tally) rates() (rate, proven float64) {
	n := t.outcomes[calllog.OK] + t.outcomes[calllog.Rejected] + t.outcomes[calllog.Error]
	if n == 0 {
		return 0, 0
	}
	rejected := t.outcomes[calllog.Rejected]
	return float64(rejected) / float64(n), float64(rejected-t.causes[calllog.Unclear]) / float64(n)
}
