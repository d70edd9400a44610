package lint

import (
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"slices"
)

var alwaysTrue = Rule{
	Name: "always-true",
	Doc:  "A predicate is true whatever the fact, so what follows it is never looked at.",
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
      - {when: {any: [{exists: true}, {not: {exists: true}}]}, then: z}
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
      - {when: {exists: true}, then: z}
    default: z
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkAlwaysTrue,
}

func checkAlwaysTrue(d *subject, warn warner) {
	eachCondition(d, func(n *mcptree.Node, facts []fact) {
		for i, b := range n.Branches {
			if !slices.ContainsFunc(facts, func(f fact) bool { return !engine.Matches(b.When, f.value, f.present) }) {
				warn(n.ID, item(d, n, "branches", i), "%s is always true: what follows, the default too, is never taken", b.When)
			}
		}
	})
}
