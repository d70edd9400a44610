package lint

import "mcpg/mcptree"

var uncaptured = Rule{
	Name: "uncaptured",
	Doc:  "A fact is used that no node captures, or none that comes before.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: condition, on: g.x, branches: [{when: {eq: 1}, then: z}], default: z}
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
      - {when: {eq: 1}, then: z}
    default: z
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkUncaptured,
}

func checkUncaptured(d *subject, warn warner) {
	t := d.Draft
	all, before := t.Captures(), capturesBefore(t)
	reached := t.Reachable()
	for _, n := range t.Nodes {
		use := func(path string, at place, what string) {
			root := mcptree.FirstSegment(path)
			switch {
			case root == "" || !reached[n.ID]:
			case len(all[root]) == 0:
				if what != "placeholder" || !t.Interpolates() { // else the protocol rejects it
					warn(n.ID, at, "%s '%s': no node captures '%s'%s", what, path, root, nearest(root, all))
				}
			case !before[n.ID][root]:
				warn(n.ID, at, "%s '%s': no way from the entry to here captures '%s'", what, path, root)
			}
		}
		if n.Type == mcptree.Condition {
			use(n.On, field(d, n, "on"), "on")
		}
		for i, e := range n.Evidence {
			use(e, item(d, n, "evidence", i), "evidence")
		}
		if !t.Interpolates() {
			continue
		}
		for _, text := range n.Texts() {
			for _, m := range mcptree.Placeholders(text) {
				use(m[1], d.NodeAt(n), "placeholder")
			}
		}
	}
}

func nearest(name string, all map[string][]*mcptree.Node) string {
	var names []string
	for n := range all {
		names = append(names, n)
	}
	if s := closest(name, names); s != "" {
		return "; did you mean '" + s + "'?"
	}
	return ""
}

// capturesBefore gives, by node, the facts that some way from the entry to it
// has captured.
func capturesBefore(t *mcptree.Tree) map[string]map[string]bool {
	before := map[string]map[string]bool{}
	queue := []string{t.Entry}
	before[t.Entry] = map[string]bool{}
	for len(queue) > 0 {
		n := t.Node(queue[0])
		queue = queue[1:]
		if n == nil {
			continue
		}
		for _, e := range n.Edges() {
			to := before[e.To]
			grown := to == nil
			if to == nil {
				to = map[string]bool{}
				before[e.To] = to
			}
			add := func(c string) {
				if c != "" && !to[c] {
					to[c], grown = true, true
				}
			}
			for c := range before[n.ID] {
				add(c)
			}
			if n.Type != mcptree.Action || e.Label != "on_error" {
				add(n.Capture)
			}
			if grown {
				queue = append(queue, e.To)
			}
		}
	}
	return before
}
