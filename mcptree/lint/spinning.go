package lint

import "mcpg/mcptree"

var spinning = Rule{
	Name: "spinning",
	Doc:  "Conditions form a cycle: nothing changes between them, so a session that enters it spins until max_steps.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, result: {capture: f}, next: b}
  b: {type: condition, on: f.x, branches: [{when: {eq: 1}, then: z}], default: c}
  c: {type: condition, on: f.y, branches: [{when: {eq: 1}, then: z}], default: b}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, result: {capture: f}, next: b}
  b:
    type: condition
    on: f.x
    branches:
      - {when: {eq: 1}, then: z}
    default: z
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkSpinning,
}

func checkSpinning(d *subject, warn warner) {
	for _, n := range d.Draft.Nodes {
		if n.Type == mcptree.Condition && comesBack(d.Draft, n) {
			warn(n.ID, d.NodeAt(n), "a way through conditions alone leads back here: no fact changes on it, so it is walked until max_steps")
		}
	}
}

// comesBack tells whether conditions alone lead from a node to itself.
func comesBack(t *mcptree.Tree, from *mcptree.Node) bool {
	seen := map[string]bool{}
	stack := []*mcptree.Node{from}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, id := range n.Targets() {
			to := t.Node(id)
			if to == from {
				return true
			}
			if to != nil && to.Type == mcptree.Condition && !seen[to.ID] {
				seen[to.ID] = true
				stack = append(stack, to)
			}
		}
	}
	return false
}
