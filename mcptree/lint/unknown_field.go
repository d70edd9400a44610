package lint

import (
	"mcpg/internal/yamlx"
	"mcpg/mcptree"
	"slices"
	"strings"
)

var unknownField = Rule{
	Name: "unknown-field",
	Doc:  "A field is not one that the protocol knows here; it has no effect.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, on_eror: z, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, on_error: z, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkUnknownField,
}

var topFields = strings.Fields("mcptree id title description entry max_steps nodes")

var nodeFields = map[mcptree.NodeType][]string{
	mcptree.Condition: strings.Fields("type on branches default"),
	mcptree.Ask:       strings.Fields("type prompt options capture next"),
	mcptree.Judgment:  strings.Fields("type prompt options evidence require_rationale capture"),
	mcptree.Action:    strings.Fields("type tool args result next on_error"),
	mcptree.Terminal:  strings.Fields("type outcome summary"),
}

func checkUnknownField(d *subject, warn warner) {
	known := func(node, where string, v place, fields []string) {
		for _, m := range v.Members {
			if m.Key.Kind != yamlx.String || slices.Contains(fields, m.Key.Str) {
				continue
			}
			hint := ": want one of " + strings.Join(fields, ", ")
			if s := closest(m.Key.Str, fields); s != "" {
				hint = "; did you mean '" + s + "'?"
			}
			if m.Key.Str == "capture" || m.Key.Str == "schema" {
				hint = "; in an action it belongs into 'result'"
			}
			warn(node, m.Key, "unknown field '%s' of %s%s", m.Key.Str, where, hint)
		}
	}
	known("", "the tree", d.Root, topFields)
	for _, n := range d.Draft.Nodes {
		fields := nodeFields[n.Type]
		if fields == nil {
			continue
		}
		at := d.NodeAt(n)
		known(n.ID, "the "+string(n.Type), at, fields)
		for i := range n.Branches {
			known(n.ID, "a branch", item(d, n, "branches", i), []string{"when", "then"})
		}
		for i := range n.Options {
			known(n.ID, "an option", item(d, n, "options", i), []string{"id", "then"})
		}
		if r := mcptree.Member(at, "result"); r != nil {
			known(n.ID, "result", r, []string{"capture", "schema"})
		}
	}
}
