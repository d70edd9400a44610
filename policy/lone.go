package policy

import (
	"slices"

	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

// maxLone is how many lone successes of a tool are remembered.
const maxLone = 32

// lone is the only session's success that had some value. If sessions after it are
// refused with a text that names that value, and nothing else tells their calls from it,
// it is contested like a success against a rule that was there before it.
type lone struct {
	aside
	values []behavior.Feature
	again  map[uint64]bool // distinct calls of other sessions that were refused for one of the values
}

// first notes a success that is the first with a value; other sessions' with the same
// value aren't alone any more.
func (p *Policy) first(k toolKey, c *calllog.Call, v *behavior.View) {
	has := func(f behavior.Feature) bool { return slices.Contains(v.Features().Features, f) }
	kept := p.lone[k][:0]
	for _, l := range p.lone[k] {
		if l.call.Session != c.Session {
			l.values = slices.DeleteFunc(l.values, has)
		}
		if len(l.values) > 0 {
			kept = append(kept, l)
		}
	}
	fresh := &lone{aside: aside{c, v}, again: map[uint64]bool{}}
	g := p.evidence.Guard(k.server, k.tool, k.fingerprint)
	for _, f := range v.Features().Features {
		if flag(f) && (g == nil || !g.Allows(f)) {
			fresh.values = append(fresh.values, f)
		}
	}
	if len(fresh.values) > 0 && len(kept) < maxLone {
		kept = append(kept, fresh)
	}
	p.lone[k] = kept
}

// flag tells whether a value is one that a text names by its path alone.
func flag(f behavior.Feature) bool {
	return f.Token == behavior.True || f.Token == behavior.False || f.Token == behavior.Absent
}

// doubts takes a refusal that nothing predicted.
func (p *Policy) doubts(k toolKey, c *calllog.Call, v *behavior.View) {
	if v.HasAfter && !slices.Equal(v.State.Of(v.Primary).Features, v.After.Features) {
		return // another one wrote meanwhile
	}
	cluster, example := learn.Cluster(c)
	features := v.Features().Features
	for i, l := range p.lone[k] {
		if l.call.Session == c.Session {
			continue
		}
		f := behavior.Failure{Cluster: cluster, Example: example}
		for _, x := range l.values {
			if slices.Contains(features, x) {
				f.Violates = append(f.Violates, behavior.Atom{Path: x.Path, Op: behavior.Not, Token: x.Token})
			}
		}
		if len(f.Violates) == 0 || !f.Named() {
			continue
		}
		g := p.evidence.Guard(k.server, k.tool, k.fingerprint)
		if !p.alike(k, g, []behavior.Failure{f}, l.view) {
			continue
		}
		if l.again[learn.Example(c)] = true; len(l.again) >= p.enough(k) {
			p.held[k]++
			delete(p.suspect, k) // the refusal is explained now
			p.evidence.Withdraw(l.call, l.view)
			p.lone[k] = slices.Delete(p.lone[k], i, i+1)
			return
		}
	}
}
