package lint

import (
	"math"
	"mcpg/internal/yamlx"
)

var nan = Rule{
	Name: "nan",
	Doc:  "A number is NaN or infinite: JSON has no such numbers, and NaN equals nothing.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, args: {x: .nan}, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, args: {x: 1.5}, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkNan,
}

func checkNan(d *subject, warn warner) { findNaN(warn, d.Root, "", "") }

func findNaN(warn warner, v place, path, node string) {
	if v.Kind == yamlx.Float && (math.IsNaN(v.Float) || math.IsInf(v.Float, 0)) {
		warn(node, v, "NaN and infinity can't be written as JSON: clients that read strictly will fail")
	}
	for _, e := range v.Items {
		findNaN(warn, e, path, node)
	}
	for _, m := range v.Members {
		if path == "nodes" {
			node = m.Key.Str
		}
		findNaN(warn, m.Value, m.Key.Str, node)
	}
}
