package policy

import (
	"slices"

	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

// contest is a rule against a success that it had predicted to fail. A server that
// was another one for a while, an override by hand, and a change for good begin
// alike; what comes next tells them apart. Until then the rule lets calls through.
type contest struct {
	session string          // that the successes are of
	asides  []aside         // of which nothing is learnt yet
	rules   []string        // keys of the failures that predicted otherwise
	again   map[uint64]bool // distinct calls of other sessions that failed as the rule has it
}

// maxAsides is how many successes of one session may wait.
const maxAsides = 2

// aside is a success that waits.
type aside struct {
	call *calllog.Call
	view *behavior.View
}

// about tells whether a verdict rests on the contested rule.
func (c *contest) about(v behavior.Verdict) bool {
	return c != nil && slices.ContainsFunc(v.By, func(f behavior.Failure) bool { return slices.Contains(c.rules, f.Key()) })
}

// contested takes a success that was predicted to fail, and tells whether it waits:
// the rule was proven, its text names what is amiss, and nothing about the call is new
// that might explain why it worked. With a success of a second session, or a
// third one, the change is real, and all are learnt of.
func (p *Policy) contested(k toolKey, c *calllog.Call, v *behavior.View, d Decision) bool {
	if t := p.contests[k]; t != nil {
		if !t.about(d.Verdict) {
			return false
		}
		if t.session == c.Session && len(t.asides) < maxAsides {
			t.asides = append(t.asides, aside{c, v})
			return true
		}
		p.settle(k)
		return false
	}
	g := p.evidence.Guard(k.server, k.tool, k.fingerprint)
	if g == nil {
		return false
	}
	verdict := p.verdict(g, v.Features())
	if verdict.Outcome != behavior.Fails || !p.prove(k, g, verdict, 0).proven ||
		!slices.ContainsFunc(verdict.By, func(f behavior.Failure) bool { return f.Named() }) || !p.alike(k, g, verdict.By, v) {
		return false
	}
	t := &contest{session: c.Session, again: map[uint64]bool{}, asides: []aside{{c, v}}}
	for _, f := range verdict.By {
		t.rules = append(t.rules, f.Key())
	}
	p.contests[k] = t
	return true
}

// alike tells whether every value of a call's, numbers aside, was seen in a call that
// failed as predicted.
func (p *Policy) alike(k toolKey, g *behavior.Guard, by []behavior.Failure, v *behavior.View) bool {
	seen := map[behavior.Feature]bool{}
	for _, cell := range p.evidence.Cells(k.server, k.tool, k.fingerprint) {
		if slices.ContainsFunc(cell.Refused, func(r behavior.Refusals) bool {
			return slices.ContainsFunc(by, func(f behavior.Failure) bool { return f.Cluster == r.Cluster })
		}) {
			for _, f := range cell.All().Features {
				seen[f] = true
			}
		}
	}
	for _, f := range v.Features().Features {
		if !f.IsNumber() && !seen[f] && !g.IsWide(f.Path) {
			return false
		}
	}
	return true
}

// confirms takes a refusal that a contested rule had predicted; when enough calls of
// other sessions were refused, the rule stands and the successes are dropped.
func (p *Policy) confirms(k toolKey, c *calllog.Call, d Decision) {
	t := p.contests[k]
	if !t.about(d.Verdict) || c.Session == t.session {
		return
	}
	if t.again[learn.Example(c)] = true; len(t.again) >= p.enough(k) {
		p.held[k]++
		delete(p.contests, k)
	}
}

// enough is how many refusals outweigh a success: twice as many each time, so that a
// rule that is wrong now and then is believed ever less.
func (p *Policy) enough(k toolKey) int {
	return 2 << p.held[k]
}

// settle learns of the successes that wait.
func (p *Policy) settle(k toolKey) {
	t := p.contests[k]
	delete(p.contests, k)
	for _, a := range t.asides {
		p.evidence.Add(a.call, a.view)
	}
}
