package adapter

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/internal/diag"
)

// CheckTools holds an adapter against its server's tools. file is how findings call
// the adapter. Of tools told from calls the ones that no call used aren't known:
// that one is missing is then only a note.
func (a *Adapter) CheckTools(file string, tools []Tool) []diag.Finding {
	c := &checker{a: a, file: file, tools: tools}
	c.observations()
	c.names()
	c.params()
	c.changes()
	return c.found
}

type checker struct {
	a     *Adapter
	file  string
	tools []Tool
	found []diag.Finding
}

// add says something about the place that a JSON pointer names, or about none.
func (c *checker) add(rule string, note bool, at jsontext.Pointer, format string, args ...any) {
	f := diag.Finding{Pos: diag.Pos{File: c.file}, Rule: rule, Note: note, Message: fmt.Sprintf(format, args...)}
	if at != "" {
		f.Pos.Line, f.Message = lineOf(c.a.source, at), string(at)+": "+f.Message
	}
	c.found = append(c.found, f)
}

// lineOf gives the line of a place, 0 for one that isn't there.
func lineOf(src []byte, at jsontext.Pointer) int {
	d := jsontext.NewDecoder(bytes.NewReader(src))
	for {
		if _, err := d.ReadToken(); err != nil {
			return 0
		}
		if d.StackPointer() == at {
			return 1 + bytes.Count(src[:d.InputOffset()], []byte("\n"))
		}
	}
}

func (c *checker) tool(name string) *Tool {
	for i := range c.tools {
		if c.tools[i].Name == name {
			return &c.tools[i]
		}
	}
	return nil
}

// partial tells whether the tools are only those that calls used.
func (c *checker) partial() bool {
	return slices.ContainsFunc(c.tools, func(t Tool) bool { return t.unlisted })
}

// exists says that a tool isn't there.
func (c *checker) exists(name string, at jsontext.Pointer) bool {
	if c.tool(name) != nil {
		return true
	}
	if c.partial() {
		c.add("unknown-tool", true, at, "no call of %s was seen", name)
	} else {
		c.add("unknown-tool", false, at, "the server has no tool %s%s", name, c.meant(name))
	}
	return false
}

// meant suggests the tool that a name may be a slip for.
func (c *checker) meant(name string) string {
	for _, t := range c.tools {
		if fold(t.Name) == fold(name) || slices.Equal(singularWords(t.Name), singularWords(name)) {
			return "; it has " + t.Name
		}
	}
	return ""
}

// observations: the reads are there, only read, and take the id.
func (c *checker) observations() {
	read := func(o Observation, at jsontext.Pointer, id bool) {
		t := c.tool(o.Tool)
		if t == nil {
			c.exists(o.Tool, at)
			return
		}
		if t.ReadOnly != nil && !*t.ReadOnly || t.Destructive != nil && *t.Destructive && t.ReadOnly == nil {
			c.add("observation-writes", false, at, "the server says that %s doesn't only read", o.Tool)
		}
		c.readParams(t, &o, at, id)
	}
	n := 0
	if c.a.IDParam != "" {
		first := c.a.classes[0].Observations
		for i, o := range first {
			at := jsontext.Pointer("/observation_tool")
			if skip := len(first) - len(c.a.Observations); i >= skip {
				at = pointer("observations", i-skip, "tool")
			}
			read(o, at, true)
		}
		n = 1
	}
	for i, class := range c.a.classes[n:] {
		for j, o := range class.Observations {
			read(o, pointer("classes", i, "observations", j, "tool"), true)
		}
	}
	for i, m := range c.a.Ambient {
		read(Observation{Tool: m.Tool, Args: m.Args}, pointer("ambient", i, "tool"), false)
	}
}

// readParams: a read is made with the arguments that its tool has and needs.
func (c *checker) readParams(t *Tool, o *Observation, at jsontext.Pointer, id bool) {
	given := []string{}
	for name := range members(o.Args) {
		given = append(given, name)
	}
	if id {
		given = append(given, o.Param)
	}
	for _, name := range given {
		if !t.takes(name) {
			c.add("observation-param", false, at, "%s has no argument %s; it has %s", t.Name, name, orNone(paths(t.Params)))
		}
	}
	if id && t.param(o.Param) == nil && t.param(o.Param+"[]") != nil {
		c.add("observation-param", false, at, "%s wants a list in %s: write %s[]", t.Name, o.Param, o.Param)
	}
	for _, p := range t.required() {
		if name := strings.TrimSuffix(p.Path, "[]"); !t.unlisted && !slices.ContainsFunc(given, func(g string) bool { return strings.TrimSuffix(g, "[]") == name }) {
			c.add("observation-param", false, at, "%s needs %s too, which the read doesn't give", t.Name, name)
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// takes tells whether a tool has an argument, at a path as adapters write them.
func (t *Tool) takes(path string) bool {
	if t.param(path) != nil || t.param(path+"[]") != nil {
		return true
	}
	// Deeper than schemas are read here: the first step has to do.
	head, _, deep := strings.Cut(path, ".")
	return deep && !strings.HasSuffix(head, "[]") && t.param(head) != nil
}

func pointer(parts ...any) jsontext.Pointer {
	var p jsontext.Pointer
	for _, part := range parts {
		p = p.AppendToken(fmt.Sprint(part))
	}
	return p
}

// names: every tool that the adapter names is the server's.
func (c *checker) names() {
	for _, t := range slices.Sorted(maps.Keys(c.a.EffectClasses)) {
		if c.exists(t, pointer("effect_classes", t)) && c.a.EffectClasses[t] == ReadOnly {
			if tool := c.tool(t); tool.Destructive != nil && *tool.Destructive && (tool.ReadOnly == nil || !*tool.ReadOnly) {
				c.add("effect", false, pointer("effect_classes", t), "READ_ONLY, but the server says that %s destroys", t)
			}
		}
	}
	list := func(member string, tools []string, at ...any) {
		for i, t := range tools {
			if t != "*" {
				c.exists(t, pointer(append(append([]any{member}, at...), i)...))
			}
		}
	}
	list("approval_required", c.a.ApprovalRequired)
	list("returns", c.a.Returns)
	for i, o := range c.a.Observations {
		list("observations", o.Tools, i, "tools")
	}
	for i, class := range c.a.Classes {
		for j, o := range class.Observations {
			list("classes", o.Tools, i, "observations", j, "tools")
		}
	}
	for i, r := range c.a.Resources {
		list("resources", r.Tools, i, "tools")
	}
	for i, r := range c.a.Relations {
		list("relations", r.Tools, i, "tools")
	}
	for i, p := range c.a.ErrorPatterns {
		list("error_patterns", p.Tools, i, "tools")
	}
	for i, p := range c.a.SoftErrorPatterns {
		list("soft_error_patterns", p.Tools, i, "tools")
	}
	for _, t := range slices.Sorted(maps.Keys(c.a.ArgumentFeatures)) {
		if t != "*" {
			c.exists(t, pointer("argument_features", t))
		}
	}
}

// params: every argument that the adapter names is one of the tools'.
func (c *checker) params() {
	has := func(tool, path string, at jsontext.Pointer) {
		if t := c.tool(tool); t != nil && path != "" && !t.takes(path) {
			c.add("unknown-argument", t.unlisted, at, "%s has no argument %s; it has %s", tool, path, orNone(paths(t.Params)))
		}
	}
	anywhere := func(path string, at jsontext.Pointer) {
		if !slices.ContainsFunc(c.tools, func(t Tool) bool { return t.takes(path) }) {
			c.add("unknown-argument", c.partial(), at, "no tool has an argument %s", path)
		}
	}
	if c.a.IDParam != "" {
		anywhere(c.a.IDParam, "/id_param")
	}
	for i, p := range c.a.IDParamAliases {
		anywhere(p, pointer("id_param_aliases", i))
	}
	for i, class := range c.a.Classes {
		for j, p := range class.Params {
			anywhere(p, pointer("classes", i, "id_params", j))
		}
	}
	for i, r := range c.a.Resources {
		for _, t := range r.Tools {
			has(t, r.Param, pointer("resources", i, "param"))
		}
	}
	for i, r := range c.a.Relations {
		for _, t := range r.Tools {
			has(t, r.Arg, pointer("relations", i, "arg"))
			has(t, r.Arg2, pointer("relations", i, "arg2"))
		}
	}
	for _, t := range slices.Sorted(maps.Keys(c.a.ArgumentFeatures)) {
		for i, path := range c.a.ArgumentFeatures[t] {
			if t != "*" {
				has(t, path, pointer("argument_features", t, i))
			}
		}
	}
}

// changes: what changes something is known to, and names a thing.
func (c *checker) changes() {
	for i := range c.tools {
		t := &c.tools[i]
		says := t.ReadOnly != nil && !*t.ReadOnly
		switch {
		case says && !c.a.Writes(t.Name) && c.a.EffectClasses[t.Name] == "":
			c.add("effect", false, "/effect_classes", "the server says that %s doesn't only read, the adapter takes it to", t.Name)
		case !says && !c.a.Writes(t.Name):
		case len(c.a.classes) > 0 && !c.namesThing(t):
			// One that has no id to give can't be helped: it makes a thing, say.
			hasID := slices.ContainsFunc(t.Params, func(p Param) bool { return !p.Enum && idNameOf(p.Path).tail != "" })
			c.add("no-resource", !hasID, "", "%s changes something, and no argument of it names a thing; it has %s", t.Name, orNone(paths(t.Params)))
		}
	}
}

func (c *checker) namesThing(t *Tool) bool {
	declared := false
	for _, r := range c.a.Resources {
		if r.Param != "" && slices.Contains(r.Tools, t.Name) {
			declared = true
			if t.takes(r.Param) {
				return true
			}
		}
	}
	return !declared && slices.ContainsFunc(c.a.classes, func(k Class) bool {
		return slices.ContainsFunc(k.Params, t.takes)
	})
}
