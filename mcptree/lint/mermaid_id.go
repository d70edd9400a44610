package lint

import "mcpg/mcptree/viz"

var mermaidID = Rule{
	Name: "mermaid-id",
	Doc:  "A node id can not stand in a Mermaid drawing as it is.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, next: end}
  end: {type: action, tool: t, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: ask, prompt: p, options: [{id: go, then: look-again}, {id: stop, then: z}]}
  look-again: {type: action, tool: t, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkMermaidID,
}

func checkMermaidID(d *subject, warn warner) {
	for _, n := range d.Draft.Nodes {
		if !viz.Drawable(n.ID) {
			warn(n.ID, d.NodeAt(n), "Mermaid can't read '%s' as an id: letters, digits and _ are safe, words of Mermaid's own like end are not", n.ID)
		}
	}
}
