package lint

import "mcpg/mcptree"

var oneOption = Rule{
	Name: "one-option",
	Doc:  "A question or judgment with one option decides nothing.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: judgment, prompt: p, options: [{id: go, then: z}]}
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
	check: checkOneOption,
}

func checkOneOption(d *subject, warn warner) {
	for _, n := range d.Draft.Nodes {
		if len(n.Options) == 1 && n.Type == mcptree.Judgment {
			warn(n.ID, field(d, n, "options"), "the only option is '%s': there is nothing to judge", n.Options[0].ID)
		}
	}
}
