package adapter

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
	"mcpg/calllog"
)

// View turns a call into features. Without an adapter (a nil one) everything
// in Before and in the arguments counts, as far as it is a value that can
// repeat.
func (a *Adapter) View(c *calllog.Call) *behavior.View {
	if a == nil {
		return generic(c)
	}
	v := &behavior.View{Writes: a.Writes(c.Tool)}
	refs := a.Refs(c.Tool, c.Args)
	if len(refs) > 0 {
		v.Resource, v.Class, v.Primary = refs[0].String(), refs[0].Class, refs[0].Role
	}
	before := c
	if c.StateDirty { // what was read may have changed since
		stale := *c
		stale.Before = nil
		before = &stale
	}
	v.State = a.state(before, refs)
	v.Args = a.args(before, refs)
	if len(refs) > 0 && c.After != nil {
		if m := member(c.After, refs[0].key()); m != nil && m.Kind() == '{' {
			v.After = behavior.NewState(a.resource("", a.class(refs[0].Class), m))
			v.HasAfter = true
		}
	}
	return v
}

// Names lists all resources of a call, class:id, joined by blanks.
func (a *Adapter) Names(c *calllog.Call) string {
	var names []string
	for _, r := range a.Refs(c.Tool, c.Args) {
		if n := r.String(); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return strings.Join(names, " ")
}

func generic(c *calllog.Call) *behavior.View {
	args, before := treeOf(c.Args), tree{kind: 'n'}
	v := &behavior.View{Args: behavior.NewState(flattenTree(behavior.ArgsRole, &args, &filter{numbers: true})), Writes: (*Adapter)(nil).Writes(c.Tool)}
	switch {
	case c.Before == nil || c.StateDirty:
		v.State = behavior.State{Unknown: []behavior.Path{{}}}
	default:
		before = treeOf(c.Before)
		v.State = readings(&before, c.StateSource)
	}
	if related := proposedTrees(&args, &before); len(related) > 0 {
		v.Args = v.Args.Join(behavior.NewState(related, nil))
	}
	if c.After != nil {
		after := treeOf(c.After)
		v.After, v.HasAfter = readings(&after, c.StateSource), true
	}
	return v
}

// readings is a state as the log has it, a member a reading. In a log's own
// snapshots null is a value, absent: such logs write it for what isn't there.
// In readings of ours it says that the read failed.
func readings(t *tree, source string) behavior.State {
	fs, unknown := flattenTree("", t, &filter{numbers: true})
	if source != calllog.Snapshot && t.kind == '{' {
		for i, name := range t.keys {
			if t.list[i].kind == 'n' {
				unknown = append(unknown, behavior.Path{Field: escapeKey(name)})
			}
		}
		fs = slices.DeleteFunc(fs, func(f behavior.Feature) bool { return slices.Contains(unknown, f.Path) })
	}
	return behavior.NewState(fs, unknown)
}

// state reads Before into the features of every role of the call.
func (a *Adapter) state(c *calllog.Call, refs []Ref) behavior.State {
	var fs []behavior.Feature
	var unknown []behavior.Path
	add := func(role string, class *Class, m jsontext.Value) {
		f, u := a.resource(role, class, m)
		fs, unknown = append(fs, f...), append(unknown, u...)
	}
	for _, group := range groupByKey(refs) {
		m := member(c.Before, group[0].key())
		class := a.class(group[0].Class)
		if !group[0].many {
			add(group[0].Role, class, m)
			continue
		}
		for _, e := range elements(m) {
			add(group[0].Role, class, e)
		}
		if m == nil || m.Kind() != '[' {
			unknown = append(unknown, behavior.Path{Role: group[0].Role})
		}
		fs = append(fs, anyOf(fs, group[0].Role)...)
	}
	if len(refs) > 0 {
		for _, r := range a.Resources {
			if r.Field != "" && slices.Contains(r.Tools, c.Tool) {
				a.link(c, refs[0], r, add)
			}
		}
	}
	for _, m := range a.Ambient {
		add(m.As, &Class{Features: m.Features}, member(c.Before, m.As))
	}
	return behavior.NewState(fs, unknown)
}

// link adds a linked resource; where the first resource is known to have no
// link there is nothing in the role.
func (a *Adapter) link(c *calllog.Call, first Ref, r Resource, add func(string, *Class, jsontext.Value)) {
	m := member(c.Before, r.Role)
	if m == nil {
		state := member(c.Before, first.key())
		if state != nil && state.Kind() == '{' {
			if _, linked := lookup(state, r.Field); !linked {
				return
			}
		}
	}
	add(r.Role, a.class(r.Class), m)
}

// resource reads one resource's reading: features, or that it is unknown.
func (a *Adapter) resource(role string, class *Class, m jsontext.Value) ([]behavior.Feature, []behavior.Path) {
	exists := behavior.Exists(role)
	switch {
	case m == nil || m.Kind() != '{':
		return nil, []behavior.Path{{Role: role}}
	case isMissing(m):
		return []behavior.Feature{{Path: exists, Value: behavior.BoolToken(false)}}, nil
	}
	f := &filter{only: class.Features, volatile: class.Volatile}
	fs, unknown := flatten(role, m, f)
	if unknown != nil {
		return nil, unknown
	}
	fs = slices.DeleteFunc(fs, func(x behavior.Feature) bool { return x.Path == exists })
	return append(fs, behavior.Feature{Path: exists, Value: behavior.BoolToken(true)}), nil
}

// anyOf adds, for the booleans of a list of resources, whether any is true:
// the features themselves say what all of them have.
func anyOf(fs []behavior.Feature, role string) []behavior.Feature {
	found := map[string]bool{}
	for _, f := range fs {
		if f.Role == role && (f.Token == behavior.True || f.Token == behavior.False) {
			found[f.Field] = found[f.Field] || f.Token == behavior.True
		}
	}
	var out []behavior.Feature
	for field, is := range found {
		out = append(out, behavior.Feature{Path: behavior.Path{Role: role, Field: "any " + field}, Value: behavior.BoolToken(is)})
	}
	return out
}

// args reads the arguments that count and the relations.
func (a *Adapter) args(c *calllog.Call, refs []Ref) behavior.State {
	only, listed := a.ArgumentFeatures[c.Tool]
	if !listed {
		only, listed = a.ArgumentFeatures["*"]
	}
	f := &filter{numbers: true, skip: a.namesResource(c.Tool)}
	if listed {
		f.only = append([]string{}, only...)
	}
	fs, unknown := flatten(behavior.ArgsRole, c.Args, f)
	for _, r := range a.Relations {
		if !slices.Contains(r.Tools, c.Tool) {
			continue
		}
		holds, known, has := a.relate(&r, c, refs)
		p := behavior.Path{Role: behavior.RelationRole, Field: r.name()}
		switch {
		case !known:
			unknown = append(unknown, p)
		case has:
			fs = append(fs, behavior.Feature{Path: p, Value: behavior.BoolToken(holds)})
		}
	}
	return behavior.NewState(fs, unknown)
}

// namesResource tells which arguments are ids: their values are not learnt.
func (a *Adapter) namesResource(tool string) func(string) bool {
	names := func(param, field string) bool {
		return param == field || len(param) == len(field)+2 && strings.HasPrefix(param, field) && strings.HasSuffix(param, "[]")
	}
	return func(field string) bool {
		for _, c := range a.classes {
			if slices.ContainsFunc(c.Params, func(p string) bool { return names(p, field) }) {
				return true
			}
		}
		return slices.ContainsFunc(a.Resources, func(r Resource) bool { return names(r.Param, field) && slices.Contains(r.Tools, tool) })
	}
}
