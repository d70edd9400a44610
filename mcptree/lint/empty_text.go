package lint

import (
	"mcpg/internal/yamlx"
	"mcpg/mcptree"
	"strings"
)

var emptyText = Rule{
	Name: "empty-text",
	Doc:  "An id, title, prompt, tool or outcome is empty.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: ask, prompt: "", options: [{id: go, then: z}, {id: stop, then: z}]}
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
	check: checkEmptyText,
}

func checkEmptyText(d *subject, warn warner) {
	empty := func(node string, at place, name string) {
		if v := mcptree.Member(at, name); v != nil && v.Kind == yamlx.String && strings.TrimSpace(v.Str) == "" {
			warn(node, v, "'%s' is empty", name)
		}
	}
	for _, name := range []string{"id", "title", "entry"} {
		empty("", d.Root, name)
	}
	for _, n := range d.Draft.Nodes {
		if n.ID == "" {
			warn(n.ID, d.NodeAt(n), "a node's id is empty")
		}
		at := d.NodeAt(n)
		for _, name := range []string{"prompt", "tool", "outcome", "summary", "on", "capture"} {
			empty(n.ID, at, name)
		}
		for i := range n.Options {
			empty(n.ID, item(d, n, "options", i), "id")
		}
	}
}
