package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mcpg/behavior"
)

// Explanation is what a tool's guard rests on, and what it says of one state.
type Explanation struct {
	Server      string   `json:"server"`
	Tool        string   `json:"tool"`
	Fingerprint string   `json:"fingerprint,omitempty"`
	Worked      int      `json:"worked"`
	Refused     int      `json:"refused"`
	Needs       []string `json:"needs"`      // the smallest conditions that agree with all calls: one of them
	Conditions  []string `json:"conditions"` // where it was never seen working
	Disputed    int      `json:"disputed"`   // successes that count for nothing

	State    string     `json:"state,omitempty"` // that was asked about
	Outcome  string     `json:"outcome,omitempty"`
	Positive []Evidence `json:"positive"`
	Negative []Evidence `json:"negative"`
	// Contrast is the success that is most like the state that was asked about.
	Contrast *Contrast `json:"contrast,omitempty"`
	// Undetermined is what the calls so far don't tell; Read and Try what would.
	Contradictions []string `json:"contradictions"`
	Undetermined   []string `json:"undetermined"`
	Read           []string `json:"read"`
	Try            []string `json:"try"`

	minded map[behavior.Path]bool
}

// text is a cell's state as far as the tool's guards mind it.
func (e *Explanation) text(c *behavior.Cell) string {
	all := c.All()
	var out behavior.State
	for _, f := range all.Features {
		if e.minded[f.Path] {
			out.Features = append(out.Features, f)
		}
	}
	if len(out.Features) == 0 {
		return all.Short()
	}
	return out.String()
}

// Evidence is a call.
type Evidence struct {
	At    string `json:"at"` // file:line, or the call's id where the place isn't known
	State string `json:"state"`
	Text  string `json:"text,omitempty"` // of a refusal
	Here  bool   `json:"here,omitempty"` // in the state that was asked about
}

// Contrast is a success and what is different there.
type Contrast struct {
	At      string   `json:"at"`
	State   string   `json:"state"`
	Differs []string `json:"differs"` // "status=open, here closed"
}

// most is how many calls are shown of each kind.
const most = 3

// Explain says what a tool's guard rests on. about is the state of its first
// resource, role taken off, nil to ask about none.
func Explain(g *behavior.Graph, t *behavior.Tool, class string, about *behavior.State) *Explanation {
	e := &Explanation{Server: t.Server, Tool: t.Name, Fingerprint: t.Fingerprint, Worked: t.OK(), Refused: t.Rejected(), Disputed: t.Guard.Disputed,
		Needs: []string{}, Conditions: []string{}, Positive: []Evidence{}, Negative: []Evidence{}, Contradictions: []string{}, Undetermined: []string{}, Read: []string{}, Try: []string{}}
	if t.OK() > 0 {
		for _, m := range t.Guard.Minimal {
			e.Needs = append(e.Needs, m.String())
		}
	}
	for _, c := range t.Guard.Conditions {
		e.Conditions = append(e.Conditions, c.String())
	}
	e.minded = map[behavior.Path]bool{}
	minded([]*behavior.Tool{t}, e.minded)
	if about == nil {
		e.examples(t.Cells, t.Cells, nil)
		e.contradict(g, t.Cells)
		e.open(t.Guard)
		return e
	}
	o, _ := t.Offer(class, *about)
	here := narrowed(t, *about)
	worked, refused := seenIn(t, class, here)
	e.State, e.Outcome = about.Short(), outcomeText(o, worked+refused > 0)
	in := func(c *behavior.Cell) bool { return c.Class == class && c.Node().Key() == here.Key() }
	e.examples(t.Cells, proving(t, o, in), in)
	e.contradict(g, slices.DeleteFunc(slices.Clone(t.Cells), func(c *behavior.Cell) bool { return !in(c) }))
	if o.Outcome != behavior.Works {
		e.contrast(t, class, here)
	}
	e.settle(o)
	return e
}

// contradict says why calls that are alike had both outcomes.
func (e *Explanation) contradict(g *behavior.Graph, cells []*behavior.Cell) {
	for _, c := range cells {
		if c.Contradicts() {
			e.Contradictions = append(e.Contradictions, fmt.Sprintf("%d worked (%s) and %d were refused (%s) in %s; %s", c.OK, c.OKSample[0],
				c.Rejected(), c.RefusedSample()[0], e.text(c), g.CauseOf(c)))
		}
	}
}

// proving are the refused cells that a verdict rests on, else those of the state.
func proving(t *behavior.Tool, o behavior.Offer, in func(*behavior.Cell) bool) []*behavior.Cell {
	var out []*behavior.Cell
	for _, c := range t.Cells {
		refs := c.RefusedSample()
		rests := slices.ContainsFunc(o.Verdict.By, func(f behavior.Failure) bool {
			return slices.ContainsFunc(f.Distinct, func(r behavior.CallRef) bool {
				return slices.ContainsFunc(refs, func(s behavior.CallRef) bool { return s.Hash == r.Hash })
			})
		})
		if rests || len(o.Verdict.By) == 0 && in(c) {
			out = append(out, c)
		}
	}
	return out
}

// examples shows calls that worked and calls that were refused, those of the state
// that was asked about first, of as many states as may be.
func (e *Explanation) examples(worked, refused []*behavior.Cell, in func(*behavior.Cell) bool) {
	order := func(cells []*behavior.Cell, calls func(*behavior.Cell) int) []*behavior.Cell {
		cells = slices.DeleteFunc(slices.Clone(cells), func(c *behavior.Cell) bool { return calls(c) == 0 })
		rank := func(c *behavior.Cell) int {
			if in != nil && in(c) {
				return math.MinInt
			}
			return -calls(c)
		}
		slices.SortStableFunc(cells, func(a, b *behavior.Cell) int { return cmp.Compare(rank(a), rank(b)) })
		return cells
	}
	here := func(c *behavior.Cell) bool { return in != nil && in(c) }
	for _, c := range order(worked, func(c *behavior.Cell) int { return c.OK }) {
		if len(e.Positive) == most {
			break
		}
		if len(c.OKSample) > 0 {
			e.Positive = append(e.Positive, Evidence{At: c.OKSample[0].String(), State: e.text(c), Here: here(c)})
		}
	}
	for _, c := range order(refused, (*behavior.Cell).Rejected) {
		for _, r := range c.Refused {
			if len(e.Negative) < most && len(r.Sample) > 0 {
				e.Negative = append(e.Negative, Evidence{At: r.Sample[0].String(), State: e.text(c), Text: r.Cluster, Here: here(c)})
			}
		}
	}
}

// contrast finds the success whose state differs in the fewest features.
func (e *Explanation) contrast(t *behavior.Tool, class string, here behavior.State) {
	best := math.MaxInt
	for _, c := range t.Cells {
		if c.OK == 0 || c.Class != class || len(c.OKSample) == 0 {
			continue
		}
		if d := differences(here, c.Node()); len(d) > 0 && len(d) < best {
			best = len(d)
			e.Contrast = &Contrast{At: c.OKSample[0].String(), State: c.Node().Short(), Differs: d}
		}
	}
}

func differences(here, there behavior.State) []string {
	var out []string
	values := func(s behavior.State, p behavior.Path) string {
		var vs []string
		for _, f := range s.Features {
			if f.Path == p {
				vs = append(vs, f.Value.String())
			}
		}
		return strings.Join(vs, ",")
	}
	seen := map[behavior.Path]bool{}
	for _, s := range []behavior.State{here, there} {
		for _, f := range s.Features {
			if seen[f.Path] {
				continue
			}
			seen[f.Path] = true
			if a, b := values(here, f.Path), values(there, f.Path); a != b {
				out = append(out, fmt.Sprintf("%s=%s, here %s", f.Path, cmp.Or(b, behavior.Absent), cmp.Or(a, behavior.Absent)))
			}
		}
	}
	return out
}

// settle says what isn't told of a state, and what would tell.
func (e *Explanation) settle(o behavior.Offer) {
	proven := map[string]bool{}
	for _, f := range o.Verdict.By {
		for _, a := range f.Violates {
			proven[a.String()] = true
		}
	}
	for _, a := range o.Verdict.Violated {
		if !proven[a.String()] {
			e.Undetermined = append(e.Undetermined, fmt.Sprintf("whether it needs %s: no success is without it, and no refusal proves it alone", a))
		}
	}
	for _, p := range o.Verdict.Unknown {
		if p.NamesState() && !p.NamesArgument() {
			what := p.String()
			if p.Field == "" {
				what = "what " + cmp.Or(p.Role, "the resource") + " is"
			}
			e.Read = append(e.Read, what)
		}
	}
	switch {
	case o.Outcome == behavior.Fails && len(o.Verdict.By[0].Violates) > 1:
		e.apart(o.Verdict.By[0].Violates)
	case o.Outcome == behavior.Undetermined && len(o.Verdict.Violated) > 0:
		e.Try = append(e.Try, "a call in this very state: if it works, nothing of the above is needed")
	case o.Outcome == behavior.Undetermined && len(e.Read) == 0:
		e.Try = append(e.Try, "a call in this very state: the arguments decide, or nothing was seen of it yet")
	}
}

// open says of refusals with several possible reasons that these can't be told
// apart.
func (e *Explanation) open(g *behavior.Guard) {
	fs := g.Failures
	several := slices.DeleteFunc(slices.Clone(fs), func(f behavior.Failure) bool {
		told := slices.ContainsFunc(g.Conditions, func(c behavior.Condition) bool { return c.Cluster == f.Cluster })
		return len(f.Violates) < 2 || told
	})
	single := map[string]bool{}
	for _, f := range fs {
		if len(f.Violates) == 1 {
			single[f.Violates[0].String()] = true
		}
	}
	slices.SortStableFunc(several, func(a, b behavior.Failure) int { return b.Calls - a.Calls })
	for _, f := range several {
		if len(e.Undetermined) == most {
			return
		}
		if slices.ContainsFunc(f.Violates, func(a behavior.Atom) bool { return single[a.String()] }) {
			continue // that one explains it
		}
		e.Undetermined = append(e.Undetermined, fmt.Sprintf("which of these is the reason of %q (refused %d times): %s", f.Cluster, f.Calls, either(f.Violates)))
		if len(e.Try) == 0 {
			e.apart(f.Violates)
		}
	}
}

func (e *Explanation) apart(v behavior.Violation) {
	e.Try = append(e.Try, "a call that has all but one of: "+either(v)+"; it tells whether that one is needed")
}

// either lists atoms, a few of them.
func either(v behavior.Violation) string {
	const few = 5
	var parts []string
	for _, a := range v[:min(few, len(v))] {
		parts = append(parts, a.String())
	}
	if n := len(v) - few; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, "; ")
}
