package lint

import (
	"mcpg/internal/yamlx"
	"mcpg/mcptree"
	"regexp"
	"strings"
)

var lookAlike = Rule{
	Name: "look-alike",
	Doc:  "A text looks like a placeholder and is none, or stands where none is filled.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, result: {capture: f}, next: b}
  b: {type: ask, prompt: "do {{ f-x }}?", options: [{id: go, then: z}, {id: stop, then: z}]}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, result: {capture: f}, next: b}
  b: {type: ask, prompt: "do {{ f.x }}?", options: [{id: go, then: z}, {id: stop, then: z}]}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkLookAlike,
}

var braces = regexp.MustCompile(`\$?\{\{?[^{}]*\}\}?|\{ \{[^{}]*\} \}`)

func checkLookAlike(d *subject, warn warner) {
	for _, n := range d.Draft.Nodes {
		at := d.NodeAt(n)
		filled := map[string]bool{}
		for _, text := range n.Texts() {
			filled[text] = true
		}
		eachText(at, func(v place, key bool) {
			if !strings.Contains(v.Str, "{{") {
				return
			}
			rest := mcptree.Placeholder.ReplaceAllString(v.Str, "")
			hasOne := rest != v.Str
			switch {
			case hasOne && !d.Draft.Interpolates():
				warn(n.ID, v, "placeholders are filled since mcptree 0.2; in 0.1 this text stays as it is")
			case hasOne && (key || !filled[v.Str]):
				warn(n.ID, v, "a placeholder is not filled here: only in action args, prompts and summaries")
			case strings.Contains(rest, "{{") && braces.MatchString(rest):
				warn(n.ID, v, "%s is no placeholder: {{ name }} or {{ name.part }}, of letters, digits and _", braces.FindString(rest))
			}
		})
	}
	for _, name := range []string{"title", "description"} {
		if v := mcptree.Member(d.Root, name); v != nil && mcptree.Placeholder.MatchString(v.Str) {
			warn("", v, "a placeholder is not filled here: only in action args, prompts and summaries")
		}
	}
}

// eachText visits the strings below a value, keys too.
func eachText(v place, visit func(v place, key bool)) {
	if v.Kind == yamlx.String {
		visit(v, false)
	}
	for _, e := range v.Items {
		eachText(e, visit)
	}
	for _, m := range v.Members {
		if m.Key.Kind == yamlx.String {
			visit(m.Key, true)
		}
		eachText(m.Value, visit)
	}
}
