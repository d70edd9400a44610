package mcptree

// Rule is one demand of the protocol; a document that breaks it is rejected.
type Rule struct {
	Name string
	Doc  string // one sentence
	Bad  string // a document that breaks it
}

// Rules lists the protocol's demands in the order in which they are looked at.
func Rules() []Rule {
	z := "  z: {type: terminal, outcome: done, summary: s}\n"
	tree := func(nodes string) string {
		return "mcptree: \"0.2\"\nid: t\ntitle: T\nentry: a\nnodes:\n" + nodes + z
	}
	return []Rule{
		{"yaml", "The document is no YAML 1.1, or larger or deeper than the limits.", "a: ["},
		{"top-level", "The document isn't a mapping.", "- a\n"},
		{"key", "A key isn't a string: YAML reads a bare yes, no or 1 as something else.", tree("  a: {type: ask, prompt: p, capture: c, next: z, no: 1}\n")},
		{"json", "A value can't be written as JSON, such as a bare date.", tree("  a: {type: action, tool: t, args: {on: x, day: 2026-01-02}, next: z}\n")},
		{"version", "mcptree is neither \"0.1\" nor \"0.2\".", "mcptree: \"0.3\"\nid: t\ntitle: T\nentry: z\nnodes:\n" + z},
		{"missing-field", "A required field is missing.", tree("  a: {type: ask, capture: c, next: z}\n")},
		{"field-type", "A field's value is of another type than it must be.", tree("  a: {type: action, tool: 1, args: {}, next: z}\n")},
		{"max-steps", "max_steps isn't an integer above 0.", "mcptree: \"0.2\"\nid: t\ntitle: T\nentry: z\nmax_steps: 0\nnodes:\n" + z},
		{"nodes", "nodes isn't a mapping with at least one node.", "mcptree: \"0.2\"\nid: t\ntitle: T\nentry: z\nnodes: {}\n"},
		{"node", "A node isn't a mapping.", tree("  a: text\n")},
		{"node-type", "A node's type is none of condition, ask, judgment, action and terminal.", tree("  a: {type: wait}\n")},
		{"branches", "A condition's branches aren't a list with at least one.", tree("  a: {type: condition, on: x, branches: [], default: z}\n")},
		{"branch", "A branch isn't a mapping.", tree("  a: {type: condition, on: x, branches: [z], default: z}\n")},
		{"predicate", "A predicate isn't one known comparison.", tree("  a: {type: condition, on: x, branches: [{when: {like: 1}, then: z}], default: z}\n")},
		{"options", "A question's options aren't a list with at least one.", tree("  a: {type: judgment, prompt: p, options: []}\n")},
		{"option", "An option isn't a mapping.", tree("  a: {type: judgment, prompt: p, options: [z]}\n")},
		{"capture", "A judgment captures, which 0.1 doesn't have.", "mcptree: \"0.1\"\nid: t\ntitle: T\nentry: a\nnodes:\n  a: {type: judgment, prompt: p, capture: c, options: [{id: x, then: z}]}\n" + z},
		{"evidence", "evidence isn't a list of names.", tree("  a: {type: judgment, prompt: p, evidence: x, options: [{id: x, then: z}]}\n")},
		{"reference", "The entry, or where a node leads, is no node.", tree("  a: {type: ask, prompt: p, capture: c, next: nowhere}\n")},
		{"default", "A condition has no default.", tree("  a: {type: condition, on: x, branches: [{when: {eq: 1}, then: z}]}\n")},
		{"ask", "An ask has neither options nor both capture and next, or options and next.", tree("  a: {type: ask, prompt: p, next: z}\n")},
		{"no-terminal", "The tree has no terminal.", "mcptree: \"0.2\"\nid: t\ntitle: T\nentry: a\nnodes:\n  a: {type: ask, prompt: p, capture: c, next: a}\n"},
		{"unreachable", "No way leads from the entry to a node.", tree("  a: {type: terminal, outcome: o, summary: s}\n")},
		{"placeholder", "A placeholder names what no node captures.", tree("  a: {type: ask, prompt: \"{{ x }}\", capture: c, next: z}\n")},
	}
}
