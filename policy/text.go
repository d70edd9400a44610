package policy

import (
	"fmt"
	"slices"
	"strings"

	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

// Bounds of what one line names.
const (
	maxOffered = 6
	maxSteps   = 3
)

// hint is the line after an answer: the state, what works in it, what doesn't,
// and what leads on. "" where nothing is known of the state.
func (s *Session) hint(c *calllog.Call, v *behavior.View) string {
	state := v.After
	if !v.HasAfter {
		state = v.State.Of(v.Primary)
	}
	if len(state.Features) == 0 {
		return ""
	}
	ok, no, steps := s.sort(s.offers(v.Class, state))
	if len(ok) == 0 && len(no) == 0 {
		return ""
	}
	parts := []string{"mcpg " + state.Short()}
	if len(ok) > 0 {
		parts[0] += " ok: " + joinTools(ok, maxOffered)
	}
	if len(no) > 0 {
		parts = append(parts, "no: "+joinTools(no, maxOffered))
	}
	return strings.Join(append(parts, steps...), " | ")
}

// sort parts offers into what works, what doesn't, and steps that would change
// what stands in the way: "to tests_passed=true: run_tests".
func (s *Session) sort(offers []behavior.Offer) (ok, no, steps []string) {
	for _, o := range offers {
		switch o.Outcome {
		case behavior.Works:
			ok = append(ok, o.Tool+effectText(o.Effects))
		case behavior.Fails:
			k := toolKey{s.name, o.Tool, s.server.Fingerprint(o.Tool)}
			g := s.p.evidence.Tool(k.server, k.tool, k.fingerprint).Guard
			if s.p.prove(k, g, o.Verdict, 0).proven {
				no = append(no, o.Tool)
				steps = append(steps, stepsFor(o, offers)...)
			}
		}
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	return ok, no, steps[:min(len(steps), maxSteps)]
}

func effectText(es []behavior.Effect) string {
	for _, e := range es {
		if e.Field != "exists" {
			return fmt.Sprintf(" -> %s becomes %s", e.Field, e.To)
		}
	}
	return ""
}

// stepsFor looks for working tools that change what the failing one minds.
func stepsFor(failing behavior.Offer, offers []behavior.Offer) []string {
	var out []string
	for _, atom := range failing.Verdict.By[0].Violates {
		if atom.Op != behavior.Not || atom.Path.NamesArgument() {
			continue
		}
		for _, o := range offers {
			if o.Outcome == behavior.Fails || o.Tool == failing.Tool {
				continue
			}
			for _, e := range o.Effects {
				if e.Field == atom.Path.Field && !e.To.IsNumber() && e.To.Token != atom.Token {
					out = append(out, fmt.Sprintf("to %s=%s: %s", e.Field, e.To, o.Tool))
				}
			}
		}
	}
	return out
}

// warning is the sentence for a predicted failure.
func warning(c *calllog.Call, g *behavior.Guard, pr proof) string {
	return fmt.Sprintf("mcpg: %s was refused %s in such a state: it %s.", c.Tool, times(pr.calls), seems(g, pr.failures[0]))
}

// seems says what a failure may be about: what its text names, if it does; where the tool
// hasn't worked yet nothing else tells.
func seems(g *behavior.Guard, f behavior.Failure) string {
	if f.Condition != nil {
		return f.Needs()
	}
	paths := f.NamedPaths()
	named := slices.DeleteFunc(slices.Clone(f.Violates), func(a behavior.Atom) bool { return !slices.Contains(paths, a.Path) })
	switch {
	case len(named) > 0 && (len(named) <= 2 || g.Worked()):
		return "seems to need " + named.String()
	case !g.Worked():
		return "hasn't worked yet"
	}
	return "seems to need " + f.Violates.String()
}

// contradiction is the sentence for a state that was seen with both outcomes.
func contradiction(c *calllog.Call, cell *behavior.Cell) string {
	return fmt.Sprintf("mcpg: in this very state %s has worked %s and was refused %s.", c.Tool, times(cell.OK), times(cell.Rejected()))
}

// refusal is the answer to a call that is not sent: state, counts, guard and
// what works now.
func (s *Session) refusal(c *calllog.Call, v *behavior.View, t *behavior.Tool, pr proof) string {
	var b strings.Builder
	f := pr.failures[0]
	fmt.Fprintf(&b, "mcpg refused %s; it was not sent to the server. In state %s it would fail: it was refused %s before, in %s. The server's words would be like: %s.",
		c.Tool, v.State.Short(), times(pr.calls), distinctCalls(pr.distinct), quoteShort(learn.Expected(f.Example, c)))
	if g := t.Guard; g.Worked() {
		fmt.Fprintf(&b, " It %s; it has worked %s.", f.Needs(), times(t.OK()))
	} else { // what it would need instead is anybody's guess
		fmt.Fprintf(&b, " It hasn't worked yet.")
	}
	if v.Resource == "" {
		return b.String()
	}
	ok, _, steps := s.sort(s.offers(v.Class, v.State.Of(v.Primary)))
	if len(ok) > 0 {
		fmt.Fprintf(&b, " What works now: %s.", joinTools(ok, maxOffered))
	}
	for _, st := range steps {
		fmt.Fprintf(&b, " | %s", st)
	}
	return b.String()
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func distinctCalls(n int) string {
	switch {
	case n == 1:
		return "one distinct call"
	case n >= behavior.SampleSize:
		return fmt.Sprintf("at least %d distinct calls", n) // no more are kept
	}
	return fmt.Sprintf("%d distinct calls", n)
}

func quoteShort(s string) string {
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return `"` + s + `"`
}

func joinSentences(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

func joinLines(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, "\n")
}
