package policy

import (
	"mcpg/behavior"
	"mcpg/calllog"
)

// Replay judges recorded calls, whose states and outcomes are known, as a session
// would have judged them.
type Replay struct {
	p      *Policy
	frozen bool
	probes bool
}

// NewReplay judges by a model, which stays as it is; without one (nil) by what
// earlier calls of the replay have taught, those that it refuses not among them.
// With probes a refused call goes through now and then, as in a session.
func NewReplay(g *behavior.Graph, opts Options, probes bool) *Replay {
	r := &Replay{p: New(nil, opts), frozen: g != nil, probes: probes}
	if g != nil {
		r.p.know(g)
	}
	return r
}

// Call judges one call, and learns from it unless the model is frozen or the call
// was refused.
func (r *Replay) Call(c *calllog.Call, v *behavior.View) Decision {
	d, _ := r.p.judge(c, v, r.probes && !r.frozen)
	if !r.frozen && d.Action == Forward {
		r.p.learn(toolKey{c.Server, c.Tool, c.Fingerprint}, c, v, d)
	}
	return d
}
