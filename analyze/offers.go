package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/internal/letters"
)

// Resource is something that calls were about, as it was left.
type Resource struct {
	Name   string // class:id
	Server string
	Class  string
	State  behavior.State
	Known  bool   // State was observed
	At     string // the call that State is from: file:line
	Since  int    // calls about it that worked since, and may have changed it
}

// Resources remembers how each resource was left. The zero value is ready.
type Resources struct {
	byName map[[2]string]*Resource // server, name
	tools  map[toolKey]string      // fingerprint that was seen last
}

// Add takes the next call.
func (r *Resources) Add(c *calllog.Call, v *behavior.View) {
	if r.byName == nil {
		r.byName, r.tools = map[[2]string]*Resource{}, map[toolKey]string{}
	}
	r.tools[toolKey{c.Server, c.Tool}] = c.Fingerprint
	if v.Resource == "" {
		return
	}
	k := [2]string{c.Server, v.Resource}
	res := r.byName[k]
	if res == nil {
		res = &Resource{Name: v.Resource, Server: c.Server, Class: v.Class}
		r.byName[k] = res
	}
	switch before := v.State.Of(v.Primary); {
	case v.HasAfter && len(v.After.Features) > 0:
		res.State, res.Known, res.At, res.Since = v.After, true, c.Pos.String(), 0
		return
	case len(before.Features) > 0:
		res.State, res.Known, res.At, res.Since = before, true, c.Pos.String(), 0
	}
	if c.Outcome == calllog.OK {
		res.Since++
	}
}

// Find finds a resource by class:id, or by its id alone if no other has it.
func (r *Resources) Find(name string) (*Resource, error) {
	var found, all []*Resource
	for _, res := range r.byName {
		all = append(all, res)
		if _, id, _ := strings.Cut(res.Name, ":"); res.Name == name || id == name {
			found = append(found, res)
		}
	}
	byName := func(a, b *Resource) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Server, b.Server))
	}
	slices.SortFunc(all, byName)
	slices.SortFunc(found, byName)
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("resource %q is several: %s", name, names(found))
	case len(all) == 0:
		return nil, fmt.Errorf("no call is about a resource: an adapter (--adapter) says what calls are about")
	}
	var known []string
	for _, res := range all {
		known = append(known, res.Name)
	}
	return nil, fmt.Errorf("no call is about resource %q; there are %d, such as %s%s", name, len(all), names(all), letters.DidYouMean(name, known))
}

func names(list []*Resource) string {
	const most = 5
	var out []string
	for _, r := range list[:min(most, len(list))] {
		out = append(out, r.Name)
	}
	if len(list) > most {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// Fingerprint is that of a tool's last call; "" for a tool that wasn't called.
func (r *Resources) Fingerprint(server, tool string) string { return r.tools[toolKey{server, tool}] }

// OfferedTool is what is known of one tool for a resource as it is.
type OfferedTool struct {
	ID            string   `json:"id"`
	Tool          string   `json:"tool"`
	Outcome       string   `json:"outcome"` // works, fails here, contradicted, undetermined or untried
	Status        string   `json:"status"`
	NeedsApproval bool     `json:"needs_approval"`
	Reason        string   `json:"reason,omitempty"`
	Effects       []string `json:"effects,omitempty"` // field=value, what every success left so
	Worked        int      `json:"worked"`            // in this very state
	Refused       int      `json:"refused"`
}

// Offered is what can be done with a resource now.
type Offered struct {
	Resource string        `json:"resource"`
	Server   string        `json:"server"`
	State    string        `json:"state"`
	At       string        `json:"at"`
	Since    int           `json:"since"`
	Tools    []OfferedTool `json:"tools"`
	Goal     string        `json:"goal,omitempty"`
	Route    []Step        `json:"route,omitempty"`
	NoRoute  bool          `json:"no_route,omitempty"` // a goal that no observed calls lead to
	Roughly  bool          `json:"roughly,omitempty"`  // the route leaves numbers out of account
}

// Step is a tool of a route and the state that it was seen to lead to.
type Step struct {
	Tool          string `json:"tool"`
	State         string `json:"state"`
	Calls         int    `json:"calls"`
	NeedsApproval bool   `json:"needs_approval"`
}

// Offers judges every tool that was seen with the resource's class. a may be nil.
// The current fingerprint of a tool counts, if one is known.
func Offers(g *behavior.Graph, r *Resource, fingerprint func(tool string) string, a *adapter.Adapter) *Offered {
	out := &Offered{Resource: r.Name, Server: r.Server, State: r.State.Short(), At: r.At, Since: r.Since, Tools: []OfferedTool{}}
	model := g.Fingerprint()
	for _, t := range current(g, r.Server, fingerprint) {
		o, ok := t.Offer(r.Class, r.State)
		if !ok {
			continue
		}
		tool := OfferedTool{ID: behavior.OfferID(model, r.Server, t.Name, r.Name, r.State), Tool: t.Name, Status: string(o.Status), Reason: o.Reason,
			NeedsApproval: a != nil && a.NeedsApproval(t.Name)}
		tool.Worked, tool.Refused = seenIn(t, r.Class, narrowed(t, r.State))
		for _, e := range o.Effects {
			if e.Field != "exists" {
				tool.Effects = append(tool.Effects, e.Field+"="+e.To.String())
			}
		}
		tool.Outcome = outcomeText(o, tool.Worked+tool.Refused > 0)
		out.Tools = append(out.Tools, tool)
	}
	slices.SortFunc(out.Tools, func(a, b OfferedTool) int {
		return cmp.Or(cmp.Compare(outcomeOrder[a.Outcome], outcomeOrder[b.Outcome]), strings.Compare(a.Tool, b.Tool))
	})
	return out
}

var outcomeOrder = map[string]int{"works": 0, "contradicted": 1, "undetermined": 2, "untried": 3, "fails here": 4}

func outcomeText(o behavior.Offer, seen bool) string {
	switch {
	case o.Outcome == behavior.Works:
		return "works"
	case o.Outcome == behavior.Fails:
		return "fails here"
	case o.Status == behavior.Contradicted:
		return "contradicted"
	case seen:
		return "undetermined"
	}
	return "untried"
}

// current are a server's tools, each under one fingerprint: the one named, else
// the one with most calls.
func current(g *behavior.Graph, server string, fingerprint func(string) string) []*behavior.Tool {
	best := map[string]*behavior.Tool{}
	for _, t := range g.Tools {
		if t.Server != server {
			continue
		}
		have := best[t.Name]
		named := func(t *behavior.Tool) bool { return fingerprint != nil && fingerprint(t.Name) == t.Fingerprint }
		if have == nil || named(t) || !named(have) && calls([]*behavior.Tool{t}) > calls([]*behavior.Tool{have}) {
			best[t.Name] = t
		}
	}
	var out []*behavior.Tool
	for _, t := range best {
		out = append(out, t)
	}
	slices.SortFunc(out, (*behavior.Tool).Compare)
	return out
}

// narrowed is a resource's state without what is too various for the tool's cells.
func narrowed(t *behavior.Tool, s behavior.State) behavior.State {
	role := t.Role()
	return s.Drop(func(p behavior.Path) bool { return t.Guard.IsWide(behavior.Path{Role: role, Field: p.Field}) })
}

func seenIn(t *behavior.Tool, class string, state behavior.State) (worked, refused int) {
	key := state.Key()
	for _, c := range t.Cells {
		if c.Class == class && c.Node().Key() == key {
			worked += c.OK
			refused += c.Rejected()
		}
	}
	return worked, refused
}

// Goal is a field and the value that is wanted.
type Goal struct{ Field, Value string }

// ParseGoal reads FIELD=VALUE.
func ParseGoal(s string) (Goal, error) {
	field, value, ok := strings.Cut(s, "=")
	if !ok || field == "" {
		return Goal{}, fmt.Errorf("%q: want FIELD=VALUE", s)
	}
	return Goal{field, value}, nil
}

func (g Goal) met(s behavior.State) bool {
	return slices.ContainsFunc(s.Features, func(f behavior.Feature) bool { return f.Field == g.Field && f.Value.String() == g.Value })
}

// RouteTo fills in the fewest calls that were seen to lead from the resource's
// state to the goal, each in a state that the one before left; if there are none,
// those that do with numbers left out of account.
func (o *Offered) RouteTo(goal Goal, g *behavior.Graph, r *Resource, fingerprint func(tool string) string, a *adapter.Adapter) {
	o.Goal = goal.Field + "=" + goal.Value
	if goal.met(r.State) {
		return
	}
	tools := current(g, r.Server, fingerprint)
	for _, roughly := range []bool{false, true} {
		// A path that is too various for one tool's cells is left out of all.
		as := func(s behavior.State) behavior.State {
			var out behavior.State
			for _, f := range s.Features {
				wide := slices.ContainsFunc(tools, func(t *behavior.Tool) bool { return t.Guard.IsWide(behavior.Path{Role: t.Role(), Field: f.Field}) })
				if !wide && !(roughly && f.IsNumber()) {
					out.Features = append(out.Features, f)
				}
			}
			return out
		}
		m := routes{ways: map[string][]way{}}
		for _, t := range tools {
			m.add(t, r.Class, as, a != nil && a.NeedsApproval(t.Name))
		}
		if o.Route = m.shortest(as(r.State).Key(), goal); o.Route != nil {
			o.Roughly = roughly
			return
		}
	}
	o.NoRoute = true
}

// way is a step and the state that it leads to.
type way struct {
	to   behavior.State
	step Step
}

// routes are the steps that were seen, by the state that they begin in.
type routes struct{ ways map[string][]way }

func (m *routes) add(t *behavior.Tool, class string, as func(behavior.State) behavior.State, approval bool) {
	for _, c := range t.Cells {
		if c.Class != class {
			continue
		}
		from := as(c.Node()).Key()
		for _, n := range c.Next {
			if to := as(n.State); to.Key() != from {
				m.ways[from] = append(m.ways[from], way{to, Step{t.Name, n.State.Short(), n.Calls, approval}})
			}
		}
	}
}

// shortest is nil if no steps lead to the goal.
func (m *routes) shortest(start string, goal Goal) []Step {
	type arrival struct {
		from string
		step Step
	}
	for _, ws := range m.ways {
		// What was seen most often first; then by name, so that the route is one.
		slices.SortFunc(ws, func(a, b way) int {
			return cmp.Or(b.step.Calls-a.step.Calls, strings.Compare(a.step.Tool, b.step.Tool), strings.Compare(a.step.State, b.step.State))
		})
	}
	came := map[string]arrival{start: {}}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		for _, w := range m.ways[queue[0]] {
			at := w.to.Key()
			if _, ok := came[at]; ok {
				continue
			}
			came[at] = arrival{queue[0], w.step}
			if goal.met(w.to) {
				var out []Step
				for ; at != start; at = came[at].from {
					out = append(out, came[at].step)
				}
				slices.Reverse(out)
				return out
			}
			queue = append(queue, at)
		}
	}
	return nil
}

// Offer finds the tool and the resource of an offer's id.
func (r *Resources) Offer(g *behavior.Graph, id string) (*behavior.Tool, *Resource) {
	model := g.Fingerprint()
	for _, res := range r.byName {
		if !res.Known {
			continue
		}
		for _, t := range current(g, res.Server, func(tool string) string { return r.Fingerprint(res.Server, tool) }) {
			if behavior.OfferID(model, res.Server, t.Name, res.Name, res.State) == id {
				return t, res
			}
		}
	}
	return nil, nil
}
