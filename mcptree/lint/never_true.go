package lint

import (
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"slices"
)

var neverTrue = Rule{
	Name: "never-true",
	Doc:  "No fact can make a predicate true.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, result: {capture: f}, next: b}
  b:
    type: condition
    on: f.x
    branches:
      - {when: {in: []}, then: z}
    default: z
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
      - {when: {in: [1, 2]}, then: z}
    default: z
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkNeverTrue,
}

func checkNeverTrue(d *subject, warn warner) {
	eachCondition(d, func(n *mcptree.Node, facts []fact) {
		for i, b := range n.Branches {
			if !slices.ContainsFunc(facts, func(f fact) bool { return engine.Matches(b.When, f.value, f.present) }) {
				warn(n.ID, item(d, n, "branches", i), "no fact is %s: this branch is never taken", b.When)
			}
		}
	})
}
