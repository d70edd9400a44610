package lint

import (
	"mcpg/mcptree"
	"mcpg/mcptree/value"
	"slices"
	"strings"
)

var schemaType = Rule{
	Name: "schema-type",
	Doc:  "A result.schema says something that the engine does not check.",
	Bad: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, result: {capture: f, schema: {type: text}}, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	Good: `mcptree: "0.2"
id: t
title: T
entry: a
nodes:
  a: {type: action, tool: t, result: {capture: f, schema: {type: object, required: [x]}}, next: z}
  z: {type: terminal, outcome: done, summary: s}
`,
	check: checkSchemaType,
}

var schemaTypes = []string{"object", "array", "string", "integer", "number", "boolean"}

func checkSchemaType(d *subject, warn warner) {
	for _, n := range d.Draft.Nodes {
		if n.Schema == nil {
			continue
		}
		for _, m := range n.Schema.Members {
			at := field(d, n, "result", "schema", m.Name)
			switch {
			case m.Name == "type" && m.Value.Kind != value.String:
				warn(n.ID, at, "'type' must be one name; other forms are not checked")
			case m.Name == "type" && !slices.Contains(schemaTypes, m.Value.Str):
				warn(n.ID, at, "unknown type '%s': want one of %s; it is not checked", m.Value.Str, strings.Join(schemaTypes, ", "))
			case m.Name == "required" && !isNames(m.Value):
				warn(n.ID, at, "'required' must be a list of names; other forms are not checked")
			case m.Name == "required" && typeOf(n) != "object":
				warn(n.ID, at, "'required' is checked for type object only")
			case m.Name != "type" && m.Name != "required":
				warn(n.ID, at, "'%s' is not checked: only type, and required for objects, are", m.Name)
			}
		}
	}
}

func typeOf(n *mcptree.Node) string {
	t, _ := n.Schema.Get("type")
	return t.Str
}

func isNames(v value.Value) bool {
	return v.Kind == value.List && !slices.ContainsFunc(v.List, func(e value.Value) bool { return e.Kind != value.String })
}
