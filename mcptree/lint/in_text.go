package lint

import (
	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

var inText = Rule{
	Name: "in-text",
	Doc:  "A predicate looks for the fact inside a text or a mapping instead of a list.",
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
      - {when: {in: production}, then: z}
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
      - {when: {in: [production]}, then: z}
    default: z
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkInText,
}

func checkInText(d *subject, warn warner) {
	eachLeaf(d, func(n *mcptree.Node, p *mcptree.Predicate, at place) {
		if p.Op == "in" && p.Operand.Kind == value.String {
			warn(n.ID, at, "in '%s' is true for every part of that text, the empty one too; for one of several values write a list", p.Operand.Str)
		}
		if p.Op == "in" && p.Operand.Kind == value.Map {
			warn(n.ID, at, "in a mapping looks among its keys; for one of several values write a list")
		}
	})
}
