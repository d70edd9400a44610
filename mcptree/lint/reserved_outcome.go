package lint

import (
	"mcpg/mcptree"
	"strings"
)

var reservedOutcome = Rule{
	Name: "reserved-outcome",
	Doc:  "An outcome looks like one that the engine itself gives.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: z
nodes:
  z: {type: terminal, outcome: "aborted:max_steps", summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: ask, prompt: p, options: [{id: go, then: z}, {id: stop, then: z}]}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkReservedOutcome,
}

func checkReservedOutcome(d *subject, warn warner) {
	for _, n := range d.Draft.Nodes {
		if n.Type == mcptree.Terminal && strings.HasPrefix(n.Outcome, "aborted:") {
			warn(n.ID, field(d, n, "outcome"), "outcomes that begin with 'aborted:' are the engine's own: a reader can't tell this end from a used-up budget")
		}
	}
}
