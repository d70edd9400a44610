package lint

import "mcpg/mcptree"

var trap = Rule{
	Name: "trap",
	Doc:  "From a node no terminal can be reached: a session that comes there never ends by itself.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: ask, prompt: p, options: [{id: go, then: b}, {id: stop, then: z}]}
  b: {type: action, tool: t, next: c}
  c: {type: action, tool: t, next: b}
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
	check: checkTrap,
}

func checkTrap(d *subject, warn warner) {
	t := d.Draft
	ends := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, n := range t.Nodes {
			if ends[n.ID] {
				continue
			}
			reaches := n.Type == mcptree.Terminal
			for _, to := range n.Targets() {
				reaches = reaches || ends[to]
			}
			if reaches {
				ends[n.ID], changed = true, true
			}
		}
	}
	reached := t.Reachable()
	for _, n := range t.Nodes {
		if reached[n.ID] && !ends[n.ID] {
			warn(n.ID, d.NodeAt(n), "no terminal can be reached from here: a session runs until max_steps")
		}
	}
}
