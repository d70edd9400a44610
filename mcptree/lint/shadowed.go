package lint

import (
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
)

var shadowed = Rule{
	Name: "shadowed-branch",
	Doc:  "An earlier branch takes every fact that a branch would take.",
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
      - {when: {gte: 1}, then: z}
      - {when: {gte: 5}, then: z}
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
      - {when: {gte: 5}, then: z}
      - {when: {gte: 1}, then: z}
    default: z
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkShadowed,
}

func checkShadowed(d *subject, warn warner) {
	eachCondition(d, func(n *mcptree.Node, facts []fact) {
		for i, b := range n.Branches {
			matches, first := 0, 0
			for _, f := range facts {
				if !engine.Matches(b.When, f.value, f.present) {
					continue
				}
				matches++
				if firstMatch(n, f) == i {
					first++
				}
			}
			if matches > 0 && first == 0 {
				warn(n.ID, item(d, n, "branches", i), "this branch is never taken: whatever is %s is taken by an earlier one", b.When)
			}
		}
	})
}

func firstMatch(n *mcptree.Node, f fact) int {
	for i, b := range n.Branches {
		if engine.Matches(b.When, f.value, f.present) {
			return i
		}
	}
	return -1
}
