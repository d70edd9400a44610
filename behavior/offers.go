package behavior

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// Offer says what is known of one tool for a resource in its present state,
// arguments and other resources left open.
type Offer struct {
	Tool    string
	Outcome Prediction
	Status  Status
	Reason  string  // the condition that isn't met, where it fails
	Verdict Verdict // on the state alone
	Effects []Effect
}

// OfferID is the first 12 hex digits of SHA-256 over what the offer rests on.
func OfferID(modelFingerprint, server, tool, resource string, state State) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{modelFingerprint, server, tool, resource, state.Key()}, "\x00")))
	return hex.EncodeToString(sum[:])[:12]
}

// Offer judges a tool for a resource whose state is known, with arguments and
// other resources open: it fails only if this state alone proves it.
func (t *Tool) Offer(class string, state State) (Offer, bool) {
	at := t.index()
	role, ok := at.primary[class]
	if !ok {
		return Offer{}, false
	}
	o := Offer{Tool: t.Name, Status: Unknown, Effects: t.Effects}
	x := state
	if role != "" {
		x = state.withRole(role)
	}
	for _, r := range at.roles {
		if r != role {
			x.Unknown = append(x.Unknown, Path{r, ""})
		}
	}
	x.Unknown = append(x.Unknown, Path{ArgsRole, ""}, Path{RelationRole, ""})
	x = NewState(x.Features, x.Unknown).Drop(t.Guard.IsWide)
	o.Verdict = t.Guard.Judge(x)
	seen := 0
	for _, c := range at.nodes[nodeKey{class, x.Of(role).Key()}] {
		seen += c.OK
		if c.OK > 0 && o.Outcome == Undetermined {
			o.Outcome, o.Status = Works, Conditional
		}
		if len(c.Refused) > 0 && o.Verdict.Outcome != Fails {
			o.Outcome, o.Status = Undetermined, Conditional
			if c.Contradicts() {
				o.Status = Contradicted
			}
			return o, true
		}
	}
	switch {
	case o.Verdict.Outcome == Fails:
		o.Outcome, o.Status = Fails, Conditional
		o.Reason = o.Verdict.By[0].Needs()
	case seen >= 2:
		o.Status = ObservedSupported
	case seen == 0 && t.OK() > 0 && len(o.Verdict.Violated) == 0 && onlyArguments(o.Verdict.Unknown):
		o.Outcome, o.Status = Works, Conditional
	}
	return o, true
}

func onlyArguments(ps []Path) bool {
	return !slices.ContainsFunc(ps, func(p Path) bool { return !p.NamesArgument() })
}

// toolIndex is what is asked of a tool's cells again and again.
type toolIndex struct {
	primary map[string]string // the role that the first resource of a class has
	roles   []string          // of resources, sorted
	nodes   map[nodeKey][]*Cell
}

type nodeKey struct{ class, state string }

// index is made when it is first asked for; the cells of a tool are always the same.
func (t *Tool) index() *toolIndex {
	if at := t.indexed.Load(); at != nil {
		return at
	}
	at := &toolIndex{primary: map[string]string{}, nodes: map[nodeKey][]*Cell{}}
	roles := map[string]bool{}
	for _, c := range t.Cells {
		if _, ok := at.primary[c.Class]; !ok {
			at.primary[c.Class] = c.Primary
		}
		for _, f := range c.State.Features {
			roles[f.Role] = true
		}
		for _, u := range c.State.Unknown {
			roles[u.Role] = true
		}
		k := nodeKey{c.Class, c.Node().Key()}
		at.nodes[k] = append(at.nodes[k], c)
	}
	at.roles = slices.Sorted(maps.Keys(roles))
	t.indexed.Store(at)
	return at
}

// roleOf finds the role that the tool's first resource of a class has.
func (t *Tool) roleOf(class string) (string, bool) {
	for _, c := range t.Cells {
		if c.Class == class {
			return c.Primary, true
		}
	}
	return "", false
}

// withRole puts a role on the facts of a single resource.
func (s State) withRole(role string) State {
	out := State{Features: slices.Clone(s.Features), Unknown: slices.Clone(s.Unknown)}
	for i := range out.Features {
		out.Features[i].Role = role
	}
	for i := range out.Unknown {
		out.Unknown[i].Role = role
	}
	return out
}

// Offers judges every tool that was seen with the class. Of several
// fingerprints of one tool the one that current names counts.
func Offers(tools []*Tool, class string, state State, current func(tool string) string) []Offer {
	var out []Offer
	for _, t := range tools {
		if current != nil && current(t.Name) != t.Fingerprint {
			continue
		}
		if o, ok := t.Offer(class, state); ok {
			out = append(out, o)
		}
	}
	return out
}
