package lint

import (
	"mcpg/mcptree"
	"regexp"
)

var captureName = Rule{
	Name: "capture-name",
	Doc:  "A capture has a name that no placeholder and no fact path can reach.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, result: {capture: f.x}, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, result: {capture: f}, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkCaptureName,
}

var factName = regexp.MustCompile(`^[A-Za-z_][\p{L}\p{N}_]*$`)

func checkCaptureName(d *subject, warn warner) {
	for _, n := range d.Draft.Nodes {
		if n.Capture == "" || factName.MatchString(n.Capture) {
			continue
		}
		at := field(d, n, "capture")
		if n.Type == mcptree.Action {
			at = field(d, n, "result", "capture")
		}
		warn(n.ID, at, "capture '%s': a dot or a sign in the name keeps paths and placeholders from finding it; use letters, digits and _", n.Capture)
	}
}
