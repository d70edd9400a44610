package explore

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

// tool is a tool as its schema describes it.
type tool struct {
	name        string
	fingerprint string
	params      []param
}

// param is one argument.
type param struct {
	name     string
	required bool
	schema   schema
}

// schema is the part of a JSON schema that values are made from.
type schema struct {
	Type       jsontext.Value    `json:"type"`
	Enum       []jsontext.Value  `json:"enum"`
	Const      jsontext.Value    `json:"const"`
	Default    jsontext.Value    `json:"default"`
	Examples   []jsontext.Value  `json:"examples"`
	Minimum    jsontext.Value    `json:"minimum"`
	Maximum    jsontext.Value    `json:"maximum"`
	Items      *schema           `json:"items"`
	AnyOf      []schema          `json:"anyOf"`
	OneOf      []schema          `json:"oneOf"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
}

func parseTool(t simulate.Tool) tool {
	var doc struct {
		Input schema `json:"inputSchema"`
	}
	_ = json.Unmarshal(t.Raw, &doc) // what has no schema takes no arguments
	out := tool{name: t.Name, fingerprint: simulate.Fingerprint(t)}
	for name, s := range doc.Input.Properties {
		out.params = append(out.params, param{name, slices.Contains(doc.Input.Required, name), s})
	}
	slices.SortFunc(out.params, func(a, b param) int { return strings.Compare(a.name, b.name) })
	return out
}

// candidates makes calls of a tool with values that its arguments may have.
func (e *explorer) candidates(t *tool) []*candidate {
	const optional = 0.3 // share of calls that have one
	seen := map[string]bool{}
	var out []*candidate
	for range 3 * maxCandidates {
		args := map[string]jsontext.Value{}
		for i := range t.params {
			p := &t.params[i]
			if !p.required && e.rng.Float64() >= optional {
				continue
			}
			if vs := e.valuesFor(p.name, &p.schema, 0); len(vs) > 0 {
				args[p.name] = vs[e.rng.IntN(len(vs))]
			}
		}
		b, err := json.Marshal(args, json.Deterministic(true))
		if err != nil || seen[string(b)] {
			continue
		}
		seen[string(b)] = true
		out = append(out, &candidate{tool: t, args: b})
		if len(out) == maxCandidates {
			break
		}
	}
	return out
}

// valuesFor lists values for an argument: those of its schema, and those that were
// given or seen under its name or one like it.
func (e *explorer) valuesFor(name string, s *schema, depth int) []jsontext.Value {
	switch {
	case len(s.Enum) > 0:
		return s.Enum
	case s.Const != nil:
		return []jsontext.Value{s.Const}
	case depth > 3:
		return nil
	}
	if of := append(slices.Clone(s.AnyOf), s.OneOf...); len(of) > 0 {
		var out []jsontext.Value
		for i := range of {
			out = append(out, e.valuesFor(name, &of[i], depth+1)...)
		}
		return out
	}
	out := slices.Clone(s.Examples)
	if s.Default != nil {
		out = append(out, s.Default)
	}
	switch kindOf(s) {
	case "boolean":
		return []jsontext.Value{jsontext.Value("true"), jsontext.Value("false")}
	case "integer", "number":
		for _, v := range e.known(name) {
			if jsontext.Value(v).IsValid() && jsontext.Value(v).Kind() == '0' {
				out = append(out, jsontext.Value(v))
			}
		}
		for _, v := range []jsontext.Value{s.Minimum, s.Maximum, jsontext.Value("0"), jsontext.Value("1")} {
			if v != nil {
				out = append(out, v)
			}
		}
	case "array":
		if s.Items != nil {
			for _, v := range e.valuesFor(strings.TrimSuffix(name, "s"), s.Items, depth+1) {
				out = append(out, jsontext.Value("["+string(v)+"]"))
			}
		}
		out = append(out, jsontext.Value("[]"))
	case "object":
		if v := e.object(s, depth); v != nil {
			out = append(out, v)
		}
	default:
		for _, v := range e.known(name) {
			out = append(out, quoted(v))
		}
		out = append(out, quoted("no-such-"+name))
	}
	return out
}

func (e *explorer) object(s *schema, depth int) jsontext.Value {
	doc := map[string]jsontext.Value{}
	for _, name := range s.Required {
		p := s.Properties[name]
		vs := e.valuesFor(name, &p, depth+1)
		if len(vs) == 0 {
			return nil
		}
		doc[name] = vs[e.rng.IntN(len(vs))]
	}
	b, err := json.Marshal(doc, json.Deterministic(true))
	if err != nil {
		return nil
	}
	return b
}

// kindOf is a schema's type, the first that isn't null.
func kindOf(s *schema) string {
	var one string
	if json.Unmarshal(s.Type, &one) == nil {
		return one
	}
	var several []string
	_ = json.Unmarshal(s.Type, &several) // no type at all takes texts
	for _, t := range several {
		if t != "null" {
			return t
		}
	}
	return ""
}

func quoted(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, s) // what isn't UTF-8 is replaced
	return b
}

// known lists the values for an argument of a name: those that stood under it, or
// under what it is the id or name of.
func (e *explorer) known(name string) []string {
	out := slices.Clone(e.pool[name])
	add := func(key string) {
		for _, v := range e.pool[key] {
			if len(out) < maxValues && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	lower := strings.ToLower(name)
	for _, end := range []string{"_id", "id", "_name", "name", "_ref"} {
		if base, ok := strings.CutSuffix(lower, end); ok && base != "" {
			add(strings.TrimSuffix(base, "_"))
			add("id")
			add("name")
			break
		}
	}
	return out
}
