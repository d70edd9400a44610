package lint

import (
	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

var existsValue = Rule{
	Name: "exists-value",
	Doc:  "The operand of exists has no effect: exists false also means that the fact is there.",
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
      - {when: {exists: false}, then: z}
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
      - {when: {not: {exists: true}}, then: z}
    default: z
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkExistsValue,
}

func checkExistsValue(d *subject, warn warner) {
	eachLeaf(d, func(n *mcptree.Node, p *mcptree.Predicate, at place) {
		if p.Op == "exists" && !(p.Operand.Kind == value.Bool && p.Operand.Bool) {
			warn(n.ID, at, "exists reports presence whatever it is given; for absence write {not: {exists: true}}")
		}
	})
}
