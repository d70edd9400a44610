package lint

import (
	"mcpg/internal/yamlx"
	"mcpg/mcptree"
)

var description = Rule{
	Name: "description-type",
	Doc:  "The description is no text; readers will see how it is written.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
description: [a, b]
nodes:
  a: {type: ask, prompt: p, options: [{id: go, then: z}, {id: stop, then: z}]}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
description: about this
nodes:
  a: {type: ask, prompt: p, options: [{id: go, then: z}, {id: stop, then: z}]}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkDescription,
}

func checkDescription(d *subject, warn warner) {
	if v := mcptree.Member(d.Root, "description"); v != nil && v.Kind != yamlx.String {
		warn("", v, "'description' must be a string; it is left out")
	}
}
