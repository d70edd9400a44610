package lint

import "mcpg/mcptree"

var lowMaxSteps = Rule{
	Name: "low-max-steps",
	Doc:  "The step budget is below the shortest way to a terminal.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
max_steps: 2
nodes:
  a: {type: action, tool: t, next: b}
  b: {type: action, tool: t, next: c}
  c: {type: action, tool: t, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
max_steps: 9
nodes:
  a: {type: ask, prompt: p, options: [{id: go, then: z}, {id: stop, then: z}]}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkLowMaxSteps,
}

// The engine ends a session before a node once the trace has more than max_steps
// entries; a way of n nodes has n-1 entries before its terminal.
func checkLowMaxSteps(d *subject, warn warner) {
	t := d.Draft
	depth := map[string]int{t.Entry: 0}
	queue := []string{t.Entry}
	for len(queue) > 0 {
		n := t.Node(queue[0])
		queue = queue[1:]
		if n == nil {
			continue
		}
		if n.Type == mcptree.Terminal {
			if entries := depth[n.ID] + 1; entries > t.MaxSteps {
				warn("", mcptree.Member(d.Root, "max_steps"), "max_steps is %d, but the shortest way to a terminal (%s) has %d entries: every session is aborted", t.MaxSteps, n.ID, entries)
			}
			return
		}
		for _, to := range n.Targets() {
			if _, seen := depth[to]; !seen {
				depth[to] = depth[n.ID] + 1
				queue = append(queue, to)
			}
		}
	}
}
