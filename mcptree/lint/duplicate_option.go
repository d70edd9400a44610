package lint

import (
	"mcpg/mcptree"
	"slices"
)

var duplicateOption = Rule{
	Name: "duplicate-option",
	Doc:  "Two options of a node have one id: the second can never be chosen.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: ask, prompt: p, options: [{id: go, then: z}, {id: go, then: z}]}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: ask, prompt: p, options: [{id: go, then: z}, {id: stop, then: z}]}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkDuplicateOption,
}

func checkDuplicateOption(d *subject, warn warner) {
	for _, n := range d.Draft.Nodes {
		for i, o := range n.Options {
			j := slices.IndexFunc(n.Options, func(p mcptree.Option) bool { return p.ID == o.ID })
			if j < i {
				warn(n.ID, item(d, n, "options", i), "option '%s' is there twice, first at %d:%d; only the first can be chosen", o.ID, n.Options[j].Pos.Line, n.Options[j].Pos.Col)
			}
		}
	}
}
