package bench

import (
	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
	"mcpg/simulate"
)

// curveStep is after how many tasks each the regret is noted.
const curveStep = 20

// Regret says where the invalid calls that reached the server went: those that nobody
// could foresee, those that a learner must make to learn, and its own errors. All are
// calls.
type Regret struct {
	Hidden int `json:"hidden"` // rested on what nothing shows
	Stale  int `json:"stale"`  // another actor wrote in between
	Chance int `json:"chance"` // refused by chance; no invalid calls, and no part of their sum
	Drift  int `json:"drift"`  // the server's rules had changed
	// Learning are those that no learner without false blocks could have known to
	// fail, from the calls before: the exact floor M*.
	Learning int `json:"learning"`
	// Probed are those that were let through once to test a rule.
	Probed int `json:"probed"`
	// Error are other ones that the calls before prove to fail.
	Error int `json:"error"`
	// Checks are distinct true checks that invalid attempts met for the first time,
	// blocked ones too.
	Checks int `json:"checks"`
	// Floor is M* over all attempts, blocked ones too.
	Floor int `json:"floor"`
}

func (r *Regret) add(o Regret) {
	r.Hidden += o.Hidden
	r.Stale += o.Stale
	r.Chance += o.Chance
	r.Drift += o.Drift
	r.Learning += o.Learning
	r.Probed += o.Probed
	r.Error += o.Error
	r.Checks += o.Checks
	r.Floor += o.Floor
}

// Clairvoyant is the lower bound of invalid calls for whoever knows all guards:
// failures that nobody can foresee. What chance refuses isn't invalid.
func (r *Regret) Clairvoyant() int { return r.Hidden + r.Stale }

// Cold is the lower bound for whoever begins with nothing: that, and one failure for
// each distinct check.
func (r *Regret) Cold() int { return r.Clairvoyant() + r.Checks }

// floor is a learner that makes no mistake, beside the one that is measured: it learns
// from the same calls, takes every proof at once, and isn't misled by what nobody can foresee: failures, and successes under other rules.
type floor struct {
	adapters adapter.Set
	ideal    learn.Evidence
	frozen   bool
	met      map[string]bool // checks
	known    []bool          // of the attempts of an episode: proven to fail
	checks   int             // met for the first time in the episode
	call     calllog.Call    // the attempt that was foreseen last
	view     *behavior.View
}

// newFloor begins with nothing, or with what a frozen learner knows, and is frozen too.
func newFloor(adapters adapter.Set, known *behavior.Graph) *floor {
	f := &floor{adapters: adapters, met: map[string]bool{}}
	if known != nil {
		f.ideal, f.frozen = *learn.FromGraph(known), true
	}
	f.ideal.Strict = true
	return f
}

// foresee judges an attempt before it is made.
func (f *floor) foresee(a *simulate.Attempt) {
	f.call = a.Call
	f.view = f.adapters.For(a.Call.Server).View(&f.call)
	g := f.ideal.Guard(a.Call.Server, a.Call.Tool, a.Call.Fingerprint)
	f.known = append(f.known, g != nil && g.Classify(f.view.Features()).Outcome == behavior.Fails)
}

// made learns from an attempt that reached the server.
func (f *floor) made(a *simulate.Attempt) {
	c, t := &f.call, a.Truth
	visible := !t.Valid && t.Kind == simulate.Visible
	if key := c.Server + "/" + c.Tool + "/" + t.Check; visible && !f.met[key] {
		f.met[key] = true
		f.checks++
	}
	c.Outcome, c.Cause, c.ErrorText = a.Call.Outcome, a.Call.Cause, a.Call.ErrorText
	if !f.frozen && a.Reached && (visible || c.Outcome == calllog.OK && t.Kind != simulate.Drift) {
		f.ideal.Add(c, f.view)
	}
}

// count splits the invalid calls of an episode that reached the server, and begins
// the next one.
func (f *floor) count(trace *simulate.Trace) Regret {
	r := Regret{Checks: f.checks}
	for i := range trace.Attempts {
		a := &trace.Attempts[i]
		visible := !a.Truth.Valid && a.Truth.Kind == simulate.Visible
		if visible && !f.known[i] {
			r.Floor++
		}
		if !a.Reached || a.Truth.Valid {
			continue
		}
		switch a.Truth.Kind {
		case simulate.Hidden:
			r.Hidden++
		case simulate.Stale:
			r.Stale++
		case simulate.Coin:
			if a.Call.Outcome != calllog.OK {
				r.Chance++
			}
		case simulate.Drift:
			r.Drift++
		default:
			switch {
			case !f.known[i]:
				r.Learning++
			case a.Decision.Probe:
				r.Probed++
			default:
				r.Error++
			}
		}
	}
	f.known, f.checks = f.known[:0], 0
	return r
}
