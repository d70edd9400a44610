package adapter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// Tool is an entry of a tools/list answer, as far as adapters rest on it.
type Tool struct {
	Name        string
	Description string
	ReadOnly    *bool // the annotation readOnlyHint, nil without one
	Destructive *bool
	Params      []Param
	Output      []string // members of its output schema

	unlisted bool // told from calls: what it takes besides isn't known
}

// Param is one argument of a tool; those within lists have paths.
type Param struct {
	Path     string        // release_id, names[], entities[].name
	Kind     jsontext.Kind // of the value, at the path: '"', '0', 't', '{', '[', or 0 where unknown
	Required bool
	Enum     bool
}

// ParseTools reads a tools/list answer: the result, the message around it, or
// the list alone.
func ParseTools(b []byte) ([]Tool, error) {
	v := jsontext.Value(b)
	if !v.IsValid() {
		return nil, errors.New("not JSON")
	}
	for _, name := range []string{"result", "tools"} {
		if m := member(v, name); m != nil {
			v = m
		}
	}
	if v.Kind() != '[' {
		return nil, errors.New(`no tools: want the answer to tools/list, an object with "tools", or a list of tools`)
	}
	var tools []Tool
	for i, e := range elements(v) {
		t, err := parseTool(e)
		if err != nil {
			return nil, fmt.Errorf("tool %d: %w", i+1, err)
		}
		if !slices.ContainsFunc(tools, func(o Tool) bool { return o.Name == t.Name }) {
			tools = append(tools, t)
		}
	}
	return tools, nil
}

func parseTool(v jsontext.Value) (Tool, error) {
	var head struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Input       jsontext.Value `json:"inputSchema"`
		Output      jsontext.Value `json:"outputSchema"`
		Annotations struct {
			ReadOnly    *bool `json:"readOnlyHint"`
			Destructive *bool `json:"destructiveHint"`
		} `json:"annotations"`
	}
	if err := json.Unmarshal(v, &head); err != nil {
		return Tool{}, err
	}
	if head.Name == "" {
		return Tool{}, errors.New("it has no name")
	}
	t := Tool{Name: head.Name, Description: head.Description, ReadOnly: head.Annotations.ReadOnly, Destructive: head.Annotations.Destructive}
	for name := range members(member(head.Output, "properties")) {
		t.Output = append(t.Output, name)
	}
	required := elements(member(head.Input, "required"))
	for name, schema := range members(member(head.Input, "properties")) {
		needed := slices.ContainsFunc(required, func(r jsontext.Value) bool { return r.Kind() == '"' && unquote(r) == name })
		t.Params = append(t.Params, paramsOf(name, schema, needed)...)
	}
	return t, nil
}

// paramsOf reads the schema of one argument: itself, or what its list holds.
func paramsOf(path string, schema jsontext.Value, required bool) []Param {
	kind, schema := kindOf(schema)
	p := Param{Path: path, Kind: kind, Required: required, Enum: member(schema, "enum") != nil || member(schema, "const") != nil}
	if kind != '[' || strings.Contains(path, "[]") {
		return []Param{p}
	}
	of, items := kindOf(member(schema, "items"))
	switch of {
	case '"', '0':
		p.Path, p.Kind, p.Enum = path+"[]", of, member(items, "enum") != nil
	case '{':
		out := []Param{p}
		for name, s := range members(member(items, "properties")) {
			out = append(out, paramsOf(path+"[]."+name, s, required)...)
		}
		return out
	}
	return []Param{p}
}

var schemaKinds = map[string]jsontext.Kind{"string": '"', "number": '0', "integer": '0', "boolean": 't', "object": '{', "array": '['}

// kindOf gives the kind of value that a schema wants, null aside, and the schema
// that says so, which may be one of several.
func kindOf(schema jsontext.Value) (jsontext.Kind, jsontext.Value) {
	kinds := member(schema, "type")
	if kinds == nil {
		for _, of := range []string{"anyOf", "oneOf"} {
			for _, s := range elements(member(schema, of)) {
				if member(s, "anyOf") != nil || member(s, "oneOf") != nil {
					continue // deep choices are nobody's ids
				}
				if kind, _ := kindOf(s); kind != 0 {
					return kind, s
				}
			}
		}
		return 0, schema
	}
	list := []jsontext.Value{kinds}
	if kinds.Kind() == '[' {
		list = elements(kinds)
	}
	for _, k := range list {
		if k.Kind() == '"' {
			if kind := schemaKinds[unquote(k)]; kind != 0 {
				return kind, schema
			}
		}
	}
	return 0, schema
}

func (t *Tool) param(path string) *Param {
	for i := range t.Params {
		if t.Params[i].Path == path {
			return &t.Params[i]
		}
	}
	return nil
}

// required lists the arguments that the tool can't go without.
func (t *Tool) required() []Param {
	var out []Param
	for _, p := range t.Params {
		if p.Required && !strings.Contains(p.Path, "[].") {
			out = append(out, p)
		}
	}
	return out
}

// Seen is what calls tell of a server's tools.
type Seen struct {
	Tools   []Tool              // in the order of their first calls
	Answers map[string][]string // of successful calls, the first few of each tool
	Servers map[string]int      // how many calls each had

	calls map[string]int
}

// answersKept is how many answers of a tool are looked at.
const answersKept = 20

// Add takes a call. What every call of a tool has counts as required.
func (s *Seen) Add(c *calllog.Call) {
	if s.Answers == nil {
		s.Answers, s.Servers, s.calls = map[string][]string{}, map[string]int{}, map[string]int{}
	}
	if c.Tool == "" || c.Outcome == calllog.Rejected && c.Cause == calllog.UnknownTool {
		return
	}
	s.Servers[c.Server]++
	name := strings.ToValidUTF8(c.Tool, "\uFFFD")
	i := slices.IndexFunc(s.Tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		i = len(s.Tools)
		s.Tools = append(s.Tools, Tool{Name: name, unlisted: true})
	}
	if c.Outcome != calllog.OK {
		if s.calls[name] > 0 {
			return // refused calls may lack arguments
		}
	} else if s.calls[name]++; len(s.Answers[name]) < answersKept && c.ResultText != "" {
		s.Answers[name] = append(s.Answers[name], c.ResultText)
	}
	s.Tools[i].see(c.Args, s.calls[name] <= 1)
}

// see adds the arguments of a call.
func (t *Tool) see(args jsontext.Value, first bool) {
	given := map[string]bool{}
	for name, v := range members(args) {
		for _, p := range seenParams(strings.ToValidUTF8(name, "\uFFFD"), v) {
			given[p.Path] = true
			if t.param(p.Path) == nil {
				p.Required = first
				t.Params = append(t.Params, p)
			}
		}
	}
	for i := range t.Params {
		p := &t.Params[i]
		p.Required = p.Required && given[p.Path]
	}
}

func seenParams(path string, v jsontext.Value) []Param {
	p := Param{Path: path, Kind: v.Kind()}
	if p.Kind == 'f' {
		p.Kind = 't'
	}
	es := []jsontext.Value(nil)
	if p.Kind == '[' {
		es = elements(v)
	}
	if len(es) == 0 {
		return []Param{p}
	}
	switch es[0].Kind() {
	case '"', '0':
		return []Param{{Path: path + "[]", Kind: es[0].Kind()}}
	case '{':
		out := []Param{p}
		for name, m := range members(es[0]) {
			out = append(out, Param{Path: path + "[]." + strings.ToValidUTF8(name, "\uFFFD"), Kind: m.Kind()})
		}
		return out
	}
	return []Param{p}
}
