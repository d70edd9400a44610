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
	from := map[string][]string{}
	var queue []string
	for _, n := range t.Nodes {
		for _, to := range n.Targets() {
			from[to] = append(from[to], n.ID)
		}
		if n.Type == mcptree.Terminal {
			queue = append(queue, n.ID)
		}
	}
	ends := map[string]bool{}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if !ends[id] {
			ends[id] = true
			queue = append(queue, from[id]...)
		}
	}
	reached := t.Reachable()
	for _, n := range t.Nodes {
		if reached[n.ID] && !ends[n.ID] {
			warn(n.ID, d.NodeAt(n), "no terminal can be reached from here: a session runs until max_steps")
		}
	}
}
