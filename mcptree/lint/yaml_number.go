package lint

import (
	"fmt"
	"mcpg/internal/yamlx"
	"regexp"
)

var yamlNumber = Rule{
	Name: "yaml-number",
	Doc:  "YAML 1.1 reads a plain scalar as another value than it looks like.",
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
      - {when: {eq: 017}, then: z}
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
      - {when: {eq: 15}, then: z}
    default: z
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkYamlNumber,
}

var odd = regexp.MustCompile(`^[-+]?(0[0-7_]+|0[xb].*|[0-9][0-9_]*(:[0-9:._]+)|[0-9]*_[0-9_.]*)$|^(?i:yes|no|on|off)$`)

// checkYamlNumber looks at plain scalars only; texts in quotes are texts.
func checkYamlNumber(d *subject, warn warner) { findOdd(warn, d.Root, "", "") }

func findOdd(warn warner, v place, path, node string) {
	if v.Raw != "" && (v.Kind == yamlx.Int || v.Kind == yamlx.Float || v.Kind == yamlx.Bool) && odd.MatchString(v.Raw) {
		warn(node, v, "%s is read as %s (YAML 1.1): write that, or quote it", v.Raw, readAs(v))
	}
	for _, e := range v.Items {
		findOdd(warn, e, path, node)
	}
	for _, m := range v.Members {
		if path == "nodes" {
			node = m.Key.Str
		}
		findOdd(warn, m.Value, m.Key.Str, node)
	}
}

func readAs(v place) string {
	switch v.Kind {
	case yamlx.Bool:
		return fmt.Sprint(v.Bool)
	case yamlx.Int:
		return v.Int.String()
	}
	return fmt.Sprint(v.Float)
}
