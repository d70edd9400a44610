package engine_test

import (
	"fmt"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

func Example() {
	doc := mcptree.Parse("deploy.yaml", []byte(`{mcptree: "0.2", id: deploy, title: Deploy, entry: ci, nodes: {
		ci: {type: action, tool: get_ci, args: {branch: main}, result: {capture: ci}, next: green},
		green: {type: condition, on: ci.failed, branches: [{when: {eq: 0}, then: go}], default: wait},
		go: {type: terminal, outcome: go, summary: Deploy.},
		wait: {type: terminal, outcome: wait, summary: "{{ ci.failed }} jobs failed."}}}`))
	if doc.Errors() {
		fmt.Println(doc.Reason())
		return
	}
	m, err := engine.New(doc.Tree)
	if err != nil {
		fmt.Println(err)
		return
	}
	const now = "2026-01-02T03:04:05+00:00" // the engine has no clock
	state, trace := m.Start(now, nil)
	e := m.Envelope("ses_1", &state, "")
	fmt.Println(e.Node, e.State)

	result := value.OfMap(value.Member{Name: "failed", Value: value.OfInt(2)})
	trace, reject := m.Submit(&state, &engine.Answer{Step: state.Step, Value: result, Source: engine.SourceAnswer}, now, trace)
	e = m.Envelope("ses_1", &state, reject)
	fmt.Println(e.Node, e.State, e.Outcome, e.Instruction)
	for _, t := range trace {
		fmt.Println(t.Seq, t.Node)
	}
	// Output:
	// ci awaiting_tool_result
	// wait done wait 2 jobs failed.
	// 1 ci
	// 2 green
	// 3 wait
}
