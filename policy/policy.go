package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/learn"
)

// Mode is what the policy does with what it knows.
type Mode string

const (
	Observe Mode = "observe" // only learn
	Warn    Mode = "warn"    // forward everything, with notes
	Block   Mode = "block"   // refuse what is proven to fail
)

// ParseMode reads a mode's name.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Observe, Warn, Block:
		return m, nil
	}
	return "", fmt.Errorf("policy %q: want observe, warn or block", s)
}

// Evidence is how much a refusal must rest on.
type Evidence string

const (
	// Twice: two distinct failing calls.
	Twice Evidence = "twice"
	// First: one failing call whose cause is proven, or whose text names what it was
	// about, or two.
	First Evidence = "first"
)

// ParseEvidence reads an evidence setting's name.
func ParseEvidence(s string) (Evidence, error) {
	switch e := Evidence(s); e {
	case Twice, First:
		return e, nil
	}
	return "", fmt.Errorf("evidence %q: want twice or first", s)
}

// maxRefusals is how many refusals one rule may make without a failure that
// confirms it; then the next such call goes through as a probe.
const maxRefusals = 20

// Options of a policy; the zero value warns, on two distinct failures.
type Options struct {
	Mode       Mode
	Evidence   Evidence
	Approved   []string // tools that need no further approval
	ApproveAll bool
	NoHints    bool
	// Off switches learning off: nothing is known, so nothing is said.
	Off bool
	// Frozen keeps what is known from the start as it is: nothing is learnt, and no
	// rule is tested by a probe.
	Frozen bool
}

// Policy is what is known and what to do with it. Its sessions may be used from several
// goroutines at once: reads of the server go on side by side, what is known is used by
// one at a time. Everything else is for one goroutine.
type Policy struct {
	mu       sync.Mutex
	opts     Options
	adapters adapter.Set
	evidence learn.Evidence
	rules    map[ruleKey]*rule
	suspect  map[toolKey]bool     // a drift signal: the next refusal is let through
	said     map[saying][]toolKey // which tools refuse with a text
	contests map[toolKey]*contest
	lone     map[toolKey][]*lone
	held     map[toolKey]int // how many contests the tool's rules have stood
	// retest are tools that a model says have changed: their rules only warn until a
	// failure confirms them.
	retest map[toolKey]bool
}

type toolKey struct{ server, tool, fingerprint string }

func (k toolKey) compare(o toolKey) int {
	return cmp.Or(strings.Compare(k.server, o.server), strings.Compare(k.tool, o.tool), strings.Compare(k.fingerprint, o.fingerprint))
}

// saying is a normalised text of a server's.
type saying struct{ server, text string }

type ruleKey struct {
	toolKey
	violates string
}

// rule is what a block rule has done since it was last confirmed, if it was.
type rule struct {
	refusals  int
	confirmed bool
}

// New makes a policy that knows nothing yet.
func New(adapters adapter.Set, opts Options) *Policy {
	if opts.Mode == "" {
		opts.Mode = Warn
	}
	if opts.Evidence == "" {
		opts.Evidence = Twice
	}
	p := &Policy{opts: opts, adapters: adapters, rules: map[ruleKey]*rule{}, suspect: map[toolKey]bool{}, said: map[saying][]toolKey{}, contests: map[toolKey]*contest{}, lone: map[toolKey][]*lone{}, held: map[toolKey]int{}}
	p.evidence.Strict = opts.Evidence == First
	return p
}

// NewKnowing makes a policy that knows a model.
func NewKnowing(adapters adapter.Set, opts Options, g *behavior.Graph) *Policy {
	p := New(adapters, opts)
	p.know(g)
	return p
}

// know starts from a model.
func (p *Policy) know(g *behavior.Graph) {
	p.evidence = *learn.FromGraph(g)
	p.evidence.Strict = p.opts.Evidence == First
	p.retest = map[toolKey]bool{}
	for _, t := range g.Tools {
		k := toolKey{t.Server, t.Name, t.Fingerprint}
		if g.Drifted(t) {
			p.retest[k] = true
		}
		for _, c := range t.Guard.Clusters {
			p.says(k, c.Text)
		}
	}
}

// says notes a text that a tool refuses with, and tells whether it is a new one.
func (p *Policy) says(k toolKey, text string) bool {
	s := saying{k.server, text}
	if slices.Contains(p.said[s], k) {
		return false
	}
	p.said[s] = append(p.said[s], k)
	return true
}

// Graph is the model so far; successes that wait for a rule to be tested are in it.
func (p *Policy) Graph() *behavior.Graph {
	for _, k := range slices.SortedFunc(maps.Keys(p.contests), toolKey.compare) {
		p.settle(k)
	}
	return p.evidence.Induce()
}

// proof is the evidence behind a predicted failure.
type proof struct {
	failures []behavior.Failure // seen most often first
	distinct int
	calls    int
	proven   bool // enough to refuse
}

// verdict judges by proofs alone, or by what failures have in common too.
func (p *Policy) verdict(g *behavior.Guard, x behavior.State) behavior.Verdict {
	if p.opts.Evidence == First {
		return g.Classify(x)
	}
	return g.Judge(x)
}

// prove gathers the failures whose texts the atoms explain; where there are
// none, the others, which prove nothing. this is the hash of the call at hand.
func (p *Policy) prove(k toolKey, g *behavior.Guard, v behavior.Verdict, this uint64) proof {
	var pr proof
	var distinct behavior.Sample
	clear, same := false, false
	for _, f := range v.By {
		if cl, _ := g.ClusterOf(f.Cluster); f.Condition == nil && !cl.Trusted() {
			continue
		}
		pr.failures = append(pr.failures, f)
		pr.calls += f.Calls
		distinct = distinct.Merge(f.Distinct)
		clear = clear || f.CauseProven() || f.Named()
		same = same || f.NamedState() && slices.ContainsFunc(f.Distinct, func(r behavior.CallRef) bool { return r.Hash == this })
	}
	pr.distinct = len(distinct)
	supported := slices.ContainsFunc(pr.failures, g.Supported)
	// The same call again in the same state, after a text that names what is amiss in that
	// state, is no other call to be learnt of: it fails again.
	pr.proven = supported && (pr.distinct >= 2 || p.witnessed(k, g, pr.failures)) || same || pr.distinct >= 1 && clear && p.opts.Evidence == First
	if len(pr.failures) == 0 {
		pr.failures, pr.calls = slices.Clone(v.By), v.By[0].Calls
	}
	slices.SortStableFunc(pr.failures, func(a, b behavior.Failure) int { return b.Calls - a.Calls })
	return pr
}

// witnessed tells whether two distinct calls failed for what the text of one of the
// failures names, with any tool of the server's.
func (p *Policy) witnessed(k toolKey, g *behavior.Guard, failures []behavior.Failure) bool {
	for i := range failures {
		f := &failures[i]
		if f.Condition != nil || !g.Supported(*f) {
			continue
		}
		// A relation is named by either of its sides, which is too weak a bond.
		paths := slices.DeleteFunc(f.NamedPaths(), func(p behavior.Path) bool { return p.Role == behavior.RelationRole || !g.Always(f.Cluster, p) })
		if len(paths) == 0 {
			continue
		}
		found := g.Witnesses(f, paths)
		for _, o := range p.said[saying{k.server, f.Cluster}] {
			if len(found) >= 2 {
				return true
			}
			if other := p.evidence.Guard(o.server, o.tool, o.fingerprint); o != k && other != nil {
				found = found.Merge(other.Witnesses(f, paths))
			}
		}
		if len(found) >= 2 {
			return true
		}
	}
	return false
}

// approved tells whether a tool may run without a person's word.
func (p *Policy) approved(a *adapter.Adapter, tool string) bool {
	return p.opts.ApproveAll || a == nil || !a.NeedsApproval(tool) || slices.Contains(p.opts.Approved, tool)
}

// probe decides whether a call that would be refused goes through once, to see
// whether the rule still holds.
func (p *Policy) probe(k toolKey, pr proof) bool {
	if p.opts.Frozen {
		return false
	}
	if p.suspect[k] {
		delete(p.suspect, k)
		return true
	}
	r := p.rule(k, pr)
	if r.refusals >= maxRefusals {
		r.refusals = 0
		return true
	}
	return false
}

func (p *Policy) rule(k toolKey, pr proof) *rule {
	rk := ruleKey{k, pr.failures[0].Key()}
	if p.rules[rk] == nil {
		p.rules[rk] = &rule{}
	}
	return p.rules[rk]
}

func joinTools(tools []string, most int) string {
	if len(tools) > most {
		tools = append(slices.Clone(tools[:most]), fmt.Sprintf("%d more", len(tools)-most))
	}
	return strings.Join(tools, "; ")
}

// Evidence is what the policy knows; it grows with every call that is observed.
func (p *Policy) Evidence() *learn.Evidence { return &p.evidence }
