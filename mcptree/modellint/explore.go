package modellint

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

// maxWays bounds the pairs of node and knowledge that are looked at.
const maxWays = 20_000

// resource is what a way knows of one thing: which captured fact shows it, the
// values of fields, and values that they are known not to have.
type resource struct {
	class, id string
	is        map[string]string
	not       map[string]map[string]bool
}

// env is what a way knows, by the capture that shows it. It isn't changed once
// made.
type env map[string]resource

// key is canonical.
func (e env) key() string {
	var b strings.Builder
	for _, c := range slices.Sorted(maps.Keys(e)) {
		r := e[c]
		b.WriteString(c + "\x00" + r.class + "\x00" + r.id + "\x00")
		for _, f := range slices.Sorted(maps.Keys(r.is)) {
			b.WriteString(f + "=" + r.is[f] + "\x00")
		}
		for _, f := range slices.Sorted(maps.Keys(r.not)) {
			b.WriteString(f + "!" + strings.Join(slices.Sorted(maps.Keys(r.not[f])), "\x01") + "\x00")
		}
		b.WriteByte('\x02')
	}
	return b.String()
}

func (e env) with(capture string, r resource) env {
	out := maps.Clone(e)
	if out == nil {
		out = env{}
	}
	out[capture] = r
	return out
}

// narrowed is r with one more thing known; ok is false where it contradicts.
func (r resource) narrowed(field, token string, equal bool) (resource, bool) {
	if known, ok := r.is[field]; ok {
		return r, (known == token) == equal
	}
	if equal && r.not[field][token] {
		return r, false
	}
	if equal {
		r.is = maps.Clone(r.is)
		if r.is == nil {
			r.is = map[string]string{}
		}
		r.is[field] = token
		return r, true
	}
	r.not = maps.Clone(r.not)
	if r.not == nil {
		r.not = map[string]map[string]bool{}
	}
	r.not[field] = maps.Clone(r.not[field])
	if r.not[field] == nil {
		r.not[field] = map[string]bool{}
	}
	r.not[field][token] = true
	return r, true
}

// rulesOut tells whether a field is known not to have a value.
func (r resource) rulesOut(field, token string) bool {
	if known, ok := r.is[field]; ok {
		return known != token
	}
	if r.not[field][token] {
		return true
	}
	return token == behavior.False && r.is[field] == behavior.True
}

// state is what is known as a state for the tool's guard; all else is unknown.
func (r resource) state(t *behavior.Tool) behavior.State {
	role := t.Role()
	var fs []behavior.Feature
	unknown := []behavior.Path{{Role: behavior.ArgsRole}, {Role: behavior.RelationRole}}
	for field, token := range r.is {
		fs = append(fs, behavior.Feature{Path: behavior.Path{Role: role, Field: field}, Value: tokenValue(token)})
	}
	for _, a := range t.Guard.Allowed {
		switch _, known := r.is[a.Path.Field]; {
		case a.Path.NamesArgument():
		case a.Path.Role != role:
			unknown = append(unknown, behavior.Path{Role: a.Path.Role})
		case !known:
			unknown = append(unknown, a.Path)
		}
	}
	return behavior.NewState(fs, unknown)
}

func (r resource) text() string {
	var parts []string
	for _, f := range slices.Sorted(maps.Keys(r.is)) {
		if f != "exists" || len(r.is) == 1 {
			parts = append(parts, f+"="+r.is[f])
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// tokenValue turns a token back into a value; numbers are written with a mark.
func tokenValue(token string) behavior.Value {
	if text, ok := strings.CutPrefix(token, "#"); ok {
		if v, err := value.ParseJSON([]byte(text)); err == nil {
			return behavior.Number(floatOf(v))
		}
	}
	return behavior.Value{Token: token}
}

func floatOf(v value.Value) float64 {
	if v.Kind == value.Float {
		return v.Float
	}
	return float64(v.Int)
}

// token writes a JSON scalar as the model does; "" for what isn't one.
func token(v value.Value) string {
	switch v.Kind {
	case value.Bool:
		return behavior.BoolToken(v.Bool).Token
	case value.String:
		if behavior.EnumLike(v.Str) {
			return behavior.StringToken(v.Str).Token
		}
		return ""
	case value.Int, value.Float:
		return "#" + string(value.AppendJSON(nil, v))
	case value.Null:
		return behavior.Absent
	}
	return ""
}

// explore walks every way from the entry and collects, by node, what different
// ways know when they come to it.
func explore(t *mcptree.Tree, c *checker) map[string][]env {
	type stop struct {
		node string
		env  env
	}
	out := map[string][]env{}
	seen := map[string]bool{}
	stack := []stop{{t.Entry, env{}}}
	for len(stack) > 0 && len(seen) < maxWays {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		key := s.node + "\x03" + s.env.key()
		n := t.Node(s.node)
		if seen[key] || n == nil {
			continue
		}
		seen[key] = true
		out[s.node] = append(out[s.node], s.env)
		for _, next := range c.steps(n, s.env) {
			stack = append(stack, stop{next.to, next.env})
		}
	}
	if len(seen) >= maxWays {
		return nil // not all ways: nothing can be said of every way
	}
	return out
}

type step struct {
	to  string
	env env
}

func (c *checker) steps(n *mcptree.Node, e env) []step {
	switch n.Type {
	case mcptree.Action:
		out := []step{{n.Next, c.after(n, e)}}
		if n.OnError != "" {
			out = append(out, step{n.OnError, c.afterError(n, e)})
		}
		return out
	case mcptree.Condition:
		return conditionSteps(n, e)
	}
	var out []step
	for _, edge := range n.Edges() {
		out = append(out, step{edge.To, e})
	}
	return out
}

// conditionSteps narrows what is known of the captured thing along each branch.
func conditionSteps(n *mcptree.Node, e env) []step {
	capture, field := n.OnPath[0], strings.Join(n.OnPath[1:], ".")
	r, shows := e[capture]
	if !shows || field == "" {
		var out []step
		for _, edge := range n.Edges() {
			out = append(out, step{edge.To, e})
		}
		return out
	}
	var out []step
	feasible := true
	for _, b := range n.Branches {
		taken, left, ok, rest := split(r, field, b.When)
		if ok && feasible {
			out = append(out, step{b.Then, e.with(capture, taken)})
		}
		r, feasible = left, feasible && rest
	}
	if feasible {
		out = append(out, step{n.Default, e.with(capture, r)})
	}
	return out
}

// split gives what is known where a predicate holds, and where it doesn't. What
// it can't use it passes over: less is known, nothing wrong.
func split(r resource, field string, p *mcptree.Predicate) (taken, left resource, ok, rest bool) {
	t := ""
	if len(p.Of) == 0 {
		t = token(p.Operand)
	}
	switch {
	case p.Op == "eq" && t != "":
		taken, ok = r.narrowed(field, t, true)
		left, rest = r.narrowed(field, t, false)
		return taken, left, ok, rest
	case p.Op == "neq" && t != "":
		taken, ok = r.narrowed(field, t, false)
		return taken, r, ok, true // missing facts are not taken either
	case p.Op == "not":
		taken, left, ok, rest = split(r, field, p.Of[0])
		return left, taken, rest, ok
	case p.Op == "all":
		taken, ok = r, true
		for _, of := range p.Of {
			var one bool
			taken, _, one, _ = split(taken, field, of)
			ok = ok && one
		}
		return taken, r, ok, true
	}
	return r, r, true, true
}

func (c *checker) adapterOf(n *mcptree.Node) (*adapter.Adapter, *behavior.Tool) {
	found, problem := c.tools(n.Tool)
	if problem != "" {
		return c.m.Adapters.For(c.m.Server), nil
	}
	t := newest(found)
	return c.m.Adapters.For(t.Server), t
}

func refsOf(a *adapter.Adapter, n *mcptree.Node) []adapter.Ref {
	if a == nil {
		return nil
	}
	return a.Refs(n.Tool, jsontext.Value(value.AppendJSON(nil, n.Args)))
}

// after is what is known once an action has worked: a read shows a thing anew;
// a write makes what it names unknown but for what it was always seen to do.
func (c *checker) after(n *mcptree.Node, e env) env {
	a, t := c.adapterOf(n)
	refs := refsOf(a, n)
	if a == nil || len(refs) == 0 {
		if a != nil && a.Writes(n.Tool) {
			return env{}
		}
		return forget(e, n.Capture)
	}
	fresh := resource{class: refs[0].Class, id: refs[0].ID, is: map[string]string{"exists": behavior.True}}
	switch {
	case a.ShowsState(n.Tool):
		if n.Capture == "" {
			return e
		}
		return forget(e, n.Capture).with(n.Capture, fresh)
	case a.Writes(n.Tool):
		out := forget(e, n.Capture)
		for capture, r := range out {
			if r.class != fresh.class || !mayBe(r.id, fresh.id) {
				continue
			}
			known := resource{class: r.class, id: r.id}
			if t != nil && r.id == fresh.id {
				known.is = effects(t)
			}
			out = out.with(capture, known)
		}
		if n.Capture != "" && slices.Contains(a.Returns, n.Tool) {
			if t != nil {
				fresh.is = effects(t)
			}
			out = out.with(n.Capture, fresh)
		}
		return out
	}
	return forget(e, n.Capture)
}

// afterError: the tool may have done half of its work.
func (c *checker) afterError(n *mcptree.Node, e env) env {
	a, _ := c.adapterOf(n)
	refs := refsOf(a, n)
	if a == nil || !a.Writes(n.Tool) {
		return forget(e, n.Capture)
	}
	out := env{}
	for capture, r := range e {
		if len(refs) == 0 || r.class == refs[0].Class && mayBe(r.id, refs[0].ID) {
			r = resource{class: r.class, id: r.id}
		}
		out[capture] = r
	}
	return out
}

func forget(e env, capture string) env {
	if _, ok := e[capture]; !ok || capture == "" {
		return e
	}
	out := maps.Clone(e)
	delete(out, capture)
	return out
}

// mayBe tells whether two ids can name one thing: they are equal, or one is
// filled in only when the tree is walked.
func mayBe(a, b string) bool {
	return a == b || strings.Contains(a, "{{") || strings.Contains(b, "{{")
}

func effects(t *behavior.Tool) map[string]string {
	out := map[string]string{"exists": behavior.True}
	for _, e := range t.Effects {
		if !e.To.IsNumber() {
			out[e.Field] = e.To.Token
		}
	}
	return out
}

// about gives what a way knows of the thing that an action is about.
func (e env) about(c *checker, n *mcptree.Node, t *behavior.Tool) (resource, bool) {
	refs := refsOf(c.m.Adapters.For(t.Server), n)
	if len(refs) == 0 {
		return resource{}, false
	}
	for _, capture := range slices.Sorted(maps.Keys(e)) {
		if r := e[capture]; r.class == refs[0].Class && r.id == refs[0].ID {
			return r, true
		}
	}
	return resource{}, false
}
