package bench

import (
	"cmp"
	"fmt"

	"mcpg/calllog"
	"mcpg/policy"
	"mcpg/simulate"
)

// ArmNone is the arm without a policy.
const ArmNone = "none"

// Arm is what stands between agent and server.
type Arm struct {
	Name, What string
	// Control arms show what a gain is worth; they run on demand, but the circuit
	// breaker, which always does.
	Control bool

	// gate opens the arm for one player; nil for none.
	gate func(p *player) func(id string, live simulate.Live) simulate.Gate
}

func under(mode policy.Mode) func(p *player) func(string, simulate.Live) simulate.Gate {
	return func(p *player) func(string, simulate.Live) simulate.Gate { return simulate.Under(p.learner(mode)) }
}

// AllArms lists every arm.
func AllArms() []Arm {
	return []Arm{
		{ArmNone, "no policy", false, nil},
		{"observe", "the policy watches and learns", false, under(policy.Observe)},
		{"warn", "it adds hints and warnings", false, under(policy.Warn)},
		{"block", "it refuses what is proven to fail", false, under(policy.Block)},
		{ArmBreaker, "refuses a call that failed, with the same arguments, until another one works", true, breakerArm},
		{"block-all", "refuses every call", true, blockAllArm},
		{ArmRandom, "refuses at random, as many as block does", true, blockRandomArm},
		{"oracle-guard", "refuses what the server's true guards forbid, by a fresh reading", true, oracleArm},
		{"scrambled-hint", "warn, with the hint that another call got", true, scrambledArm},
	}
}

// Arms of which others know.
const (
	ArmBreaker = "circuit-breaker"
	ArmRandom  = "block-random"
)

// Arms lists the names of the arms that run unless others are asked for.
func Arms() []string { return armNames(func(a Arm) bool { return !a.Control || a.Name == ArmBreaker }) }

// EveryArm lists the names of all.
func EveryArm() []string { return armNames(func(Arm) bool { return true }) }

func armNames(take func(Arm) bool) []string {
	var out []string
	for _, a := range AllArms() {
		if take(a) {
			out = append(out, a.Name)
		}
	}
	return out
}

func findArm(name string) (Arm, bool) {
	for _, a := range AllArms() {
		if a.Name == name {
			return a, true
		}
	}
	return Arm{}, false
}

// refusal is what a control says instead of the server.
func refusal(tool, why string) policy.Decision {
	return policy.Decision{Action: policy.Refuse, Predicted: true,
		Text: "mcpg refused " + tool + "; it was not sent to the server. " + why}
}

// stateless is a control that neither reads nor says anything on what goes through.
type stateless struct {
	check func(c *calllog.Call) policy.Decision
}

func (s stateless) Check(c *calllog.Call) policy.Decision       { return s.check(c) }
func (stateless) Observe(*calllog.Call, policy.Decision) string { return "" }
func (stateless) Reads() int                                    { return 0 }

func blockAllArm(*player) func(string, simulate.Live) simulate.Gate {
	return func(string, simulate.Live) simulate.Gate {
		return stateless{func(c *calllog.Call) policy.Decision { return refusal(c.Tool, "Every call is.") }}
	}
}

// blockRandomArm refuses the share of calls that block refused, whichever they are.
func blockRandomArm(p *player) func(string, simulate.Live) simulate.Gate {
	return func(id string, _ simulate.Live) simulate.Gate {
		n := 0
		return stateless{func(c *calllog.Call) policy.Decision {
			n++
			if chance(p.opts.Seed, id, p.cell.agent, fmt.Sprint(n), ArmRandom) < p.rate {
				return refusal(c.Tool, "It would fail.")
			}
			return policy.Decision{}
		}}
	}
}

// breaker is a circuit breaker: a call that failed isn't made again with the same
// arguments until another call of the session has worked, which may have mended it.
type breaker struct{ failed map[string]bool }

func breakerArm(*player) func(string, simulate.Live) simulate.Gate {
	return func(string, simulate.Live) simulate.Gate { return &breaker{map[string]bool{}} }
}

func breakerKey(c *calllog.Call) string { return c.Tool + "\x00" + calllog.Canonical(c.Args) }

func (b *breaker) Check(c *calllog.Call) policy.Decision {
	if b.failed[breakerKey(c)] {
		return refusal(c.Tool, "The same call failed before, and nothing has worked since.")
	}
	return policy.Decision{}
}

func (b *breaker) Observe(c *calllog.Call, _ policy.Decision) string {
	if c.Outcome == calllog.OK {
		clear(b.failed)
	} else {
		b.failed[breakerKey(c)] = true
	}
	return ""
}

func (*breaker) Reads() int { return 0 }

// oracleArm knows the true guards and the present state: what more can't be had by
// refusing. It passes what no reading shows.
func oracleArm(*player) func(string, simulate.Live) simulate.Gate {
	return func(_ string, live simulate.Live) simulate.Gate {
		return stateless{func(c *calllog.Call) policy.Decision {
			t := live.Truth(c.Tool, c.Args)
			if t.Valid || t.Kind != simulate.Visible && t.Kind != simulate.Drift {
				return policy.Decision{}
			}
			return refusal(c.Tool, "The server's words would be: "+t.Text)
		}}
	}
}

// scrambled is warn with the texts of other calls.
type scrambled struct {
	*policy.Session
	p  *player
	id string
	n  int
}

func scrambledArm(p *player) func(string, simulate.Live) simulate.Gate {
	under := p.learner(policy.Warn)
	return func(id string, live simulate.Live) simulate.Gate {
		return &scrambled{Session: under.Session(id, live.Name(), live), p: p, id: id}
	}
}

func (s *scrambled) Observe(c *calllog.Call, d policy.Decision) string {
	said := s.Session.Observe(c, d)
	s.n++
	if said == "" {
		return ""
	}
	var others []string
	for _, h := range s.p.said {
		if h.tool != c.Tool {
			others = append(others, h.text)
		}
	}
	s.p.said = append(s.p.said, saying{c.Tool, said})
	const most = 256 // sayings that are remembered
	if len(s.p.said) > most {
		s.p.said = s.p.said[1:]
	}
	if len(others) == 0 {
		return ""
	}
	return others[int(chance(s.p.opts.Seed, s.id, s.p.cell.agent, fmt.Sprint(s.n), "scrambled")*float64(len(others)))]
}

// saying is a text that a policy added to an answer.
type saying struct{ tool, text string }

// rateOf is the share of attempts that an arm refused.
func rateOf(r *RunResult) float64 {
	refused := r.InvalidBlocked + r.ValidBlocked
	return float64(refused) / float64(cmp.Or(r.ValidAttempts+r.InvalidReached+r.InvalidBlocked+r.CoinAttempts, 1))
}
