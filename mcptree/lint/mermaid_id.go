package lint

import (
	"regexp"
	"slices"
	"strings"
)

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
  a: {type: ask, prompt: p, options: [{id: go, then: z}, {id: stop, then: z}]}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkMermaidID,
}

var mermaidPlain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Words that Mermaid's flowchart grammar takes for itself.
var mermaidWords = strings.Fields("end graph subgraph flowchart style linkStyle classDef class click default direction href call interpolate")

func checkMermaidID(d *subject, warn warner) {
	for _, n := range d.Draft.Nodes {
		if !mermaidPlain.MatchString(n.ID) || slices.ContainsFunc(mermaidWords, func(w string) bool { return strings.EqualFold(w, n.ID) }) {
			warn(n.ID, d.NodeAt(n), "'%s' may not be drawn as it is: letters, digits and _ are safe, words of Mermaid's own like end are not", n.ID)
		}
	}
}
