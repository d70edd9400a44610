package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/internal/letters"
)

// Key is what calls can be grouped by.
type Key string

// Keys lists every key.
func Keys() []Key {
	return []Key{"server", "tool", "outcome", "cause", "session", "day", "state", "file"}
}

// ParseKeys reads names of keys.
func ParseKeys(names []string) ([]Key, error) {
	var out []Key
	for _, n := range names {
		k := Key(n)
		if !slices.Contains(Keys(), k) {
			var names []string
			for _, k := range Keys() {
				names = append(names, string(k))
			}
			return nil, fmt.Errorf("unknown key %q: want some of %s%s", n, strings.Join(names, ", "), letters.DidYouMean(n, names))
		}
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out, nil
}

// Group is the counts of the calls that have the same values of the keys.
type Group struct {
	Values []string `json:"values"` // one a key
	Counts
}

// Grouper counts calls by keys as they come. States are told apart by their
// categories alone: a path of more than behavior.MaxValues values, over the
// calls of a server, is no part of them.
type Grouper struct {
	keys   []Key
	groups map[string]*group
	spread map[string]*behavior.Spread // by server
}

type group struct {
	values []string
	server string
	state  behavior.State
	tally
}

// NewGrouper counts by the given keys. A state says something of its server only:
// where it is a key, the server is one too.
func NewGrouper(keys []Key) *Grouper {
	if slices.Contains(keys, "state") && !slices.Contains(keys, "server") {
		keys = append([]Key{"server"}, keys...)
	}
	return &Grouper{keys: keys, groups: map[string]*group{}, spread: map[string]*behavior.Spread{}}
}

// Add counts one call. view, asked where a key is state, sees its features.
func (g *Grouper) Add(c *calllog.Call, view func() *behavior.View) {
	in := group{server: c.Server, values: make([]string, len(g.keys))}
	for i, k := range g.keys {
		if k != "state" {
			in.values[i] = k.of(c)
			continue
		}
		in.state = view().State
		spread := g.spread[c.Server]
		if spread == nil {
			spread = &behavior.Spread{Numbers: true}
			g.spread[c.Server] = spread
		}
		if spread.Add(in.state) {
			g.narrow()
		}
		in.state = spread.Narrow(in.state)
	}
	g.at(&in).add(c)
}

// of gives a call's value of a key.
func (k Key) of(c *calllog.Call) string {
	switch k {
	case "server":
		return c.Server
	case "tool":
		return c.Tool
	case "outcome":
		return c.Outcome.String()
	case "cause":
		return c.Cause.String()
	case "session":
		return c.Session
	case "file":
		return c.Pos.File
	case "day":
		if !c.Time.IsZero() {
			return c.Time.UTC().Format("2006-01-02")
		}
	}
	return ""
}

// at gives the group that is like in, made of it where there is none.
func (g *Grouper) at(in *group) *group {
	key := strings.Join(in.values, "\x00") + "\x00" + in.state.Key()
	out := g.groups[key]
	if out == nil {
		out = &group{values: in.values, server: in.server, state: in.state}
		g.groups[key] = out
	}
	return out
}

// narrow puts together the groups whose states differ in nothing any more.
func (g *Grouper) narrow() {
	old := g.groups
	g.groups = make(map[string]*group, len(old))
	for _, o := range old {
		in := *o
		in.state = g.spread[o.server].Narrow(o.state)
		g.at(&in).merge(&o.tally)
	}
}

// Keys are what it counts by.
func (g *Grouper) Keys() []Key { return g.keys }

// Groups gives the counts so far, sorted by the keys' values.
func (g *Grouper) Groups() []Group {
	out := make([]Group, 0, len(g.groups))
	for _, in := range g.groups {
		values := slices.Clone(in.values)
		for i, k := range g.keys {
			if k == "state" {
				values[i] = in.state.Short()
			}
		}
		out = append(out, Group{values, in.counts()})
	}
	slices.SortFunc(out, func(a, b Group) int { return cmp.Or(slices.Compare(a.Values, b.Values), cmp.Compare(a.Calls, b.Calls)) })
	return out
}
