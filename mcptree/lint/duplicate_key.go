package lint

import "mcpg/internal/yamlx"

var duplicateKey = Rule{
	Name: "duplicate-key",
	Doc:  "A key stands twice in one mapping: the first value is lost.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: ask, prompt: p, prompt: q, options: [{id: go, then: z}, {id: stop, then: z}]}
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
	check: checkDuplicateKey,
}

func checkDuplicateKey(d *subject, warn warner) { findDuplicates(warn, d.Root, "", "") }

func findDuplicates(warn warner, v place, path, node string) {
	first := map[string]place{}
	for _, m := range v.Members {
		name, inner := m.Key.Str, node
		if m.Key.Kind != yamlx.String {
			continue
		}
		if path == "nodes" {
			inner = name
		}
		if f := first[name]; f != nil && !m.Merged {
			warn(inner, m.Key, "key '%s' is there twice, first at %d:%d; the last counts", name, f.Line, f.Col)
		} else if !m.Merged {
			first[name] = m.Key
		}
		next := name
		if path != "" {
			next = path + "." + name
		}
		findDuplicates(warn, m.Value, next, inner)
	}
	for _, e := range v.Items {
		findDuplicates(warn, e, path, node)
	}
}
