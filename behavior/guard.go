package behavior

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
)

// Allowed is what successes had at one path: the tokens, each with the number
// of successful calls, and the range of the numbers.
type Allowed struct {
	Path   Path
	Tokens map[string]int
	Lo, Hi float64 // Lo > Hi where no success had a number here
	// Numbers counts the successes that had one.
	Numbers int
}

// NewAllowed has no tokens and an empty range.
func NewAllowed(p Path) *Allowed {
	return &Allowed{Path: p, Tokens: map[string]int{}, Lo: math.Inf(1), Hi: math.Inf(-1)}
}

// Allow counts n successes that had the value.
func (a *Allowed) Allow(v Value, n int) {
	if v.IsNumber() {
		a.Lo, a.Hi = min(a.Lo, v.Lo), max(a.Hi, v.Hi)
		a.Numbers += n
	} else {
		a.Tokens[v.Token] += n
	}
}

// Allows tells whether a success had the value, or numbers around it.
func (a *Allowed) Allows(v Value) bool {
	if v.IsNumber() {
		return a.Lo <= v.Lo && v.Hi <= a.Hi
	}
	return a.Tokens[v.Token] > 0
}

// Lacked counts n successes more, or fewer, whose parent was there and the path
// wasn't, and tells whether that is the first, or was the last.
func (a *Allowed) Lacked(n int) (changed bool) {
	if !a.Path.mayLack() {
		return false
	}
	had := a.Tokens[Absent] > 0
	if a.Tokens[Absent] += n; a.Tokens[Absent] == 0 {
		delete(a.Tokens, Absent)
	}
	return had != (a.Tokens[Absent] > 0)
}

// settled tells whether no atom on the path is left: it has only the values
// true and false, and both were seen to work.
func (a *Allowed) settled() bool {
	return (a.Path.Role == RelationRole || a.Path.Field == "exists") && a.Tokens[True] > 0 && a.Tokens[False] > 0
}

// Op says what kind of atom an Atom is.
type Op uint8

const (
	// Not: the value is not the token.
	Not Op = iota
	// AtLeast: the number is at least some threshold in (Lo, Hi].
	AtLeast
	// AtMost: the number is at most some threshold in [Lo, Hi).
	AtMost
)

// Atom is one test, or for numbers the chain of tests that one value fails:
// AtLeast stands for every threshold in (Lo, Hi], AtMost for [Lo, Hi).
// An infinite end means that no success had a number there.
type Atom struct {
	Path   Path
	Op     Op
	Token  string
	Lo, Hi float64
}

// Compare orders atoms by path, kind, token and ends.
func (a Atom) Compare(b Atom) int {
	if c := a.Path.Compare(b.Path); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Op, b.Op), strings.Compare(a.Token, b.Token),
		cmp.Compare(a.Lo, b.Lo), cmp.Compare(a.Hi, b.Hi))
}

// Same tells whether one hitting test can stand for both atoms.
func (a Atom) Same(b Atom) bool { return a.Path == b.Path && a.Op == b.Op && a.Token == b.Token }

// String states the atom as a condition for success.
func (a Atom) String() string {
	p := a.Path.String()
	switch a.Op {
	case AtLeast:
		if math.IsInf(a.Hi, 1) {
			return fmt.Sprintf("%s is no number up to %s", p, FormatNumber(a.Lo))
		}
		return fmt.Sprintf("%s >= threshold in (%s, %s]", p, FormatNumber(a.Lo), FormatNumber(a.Hi))
	case AtMost:
		if math.IsInf(a.Lo, -1) {
			return fmt.Sprintf("%s is no number from %s on", p, FormatNumber(a.Hi))
		}
		return fmt.Sprintf("%s <= threshold in [%s, %s)", p, FormatNumber(a.Lo), FormatNumber(a.Hi))
	}
	switch a.Token {
	case True:
		return p + "=false"
	case False:
		return p + "=true"
	case Absent:
		if a.Path.Role == ArgsRole {
			return p + " is given"
		}
		return p + " is there"
	}
	return p + " is not " + a.Token
}

// Violation is V(z): the atoms of S that are false in z, sorted.
type Violation []Atom

// Covers tells whether every atom of v is also in x.
func (v Violation) Covers(x Violation) bool {
	j := 0
	for i := range v {
		a := &v[i]
		for j < len(x) && compareKind(&x[j], a) < 0 {
			j++
		}
		if j == len(x) || compareKind(&x[j], a) != 0 {
			return false
		}
		switch b := &x[j]; {
		case a.Op == AtLeast && b.Lo > a.Lo, a.Op == AtMost && b.Hi < a.Hi:
			return false
		}
	}
	return true
}

func compareKind(a, b *Atom) int {
	if c := a.Path.Compare(b.Path); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Op, b.Op), strings.Compare(a.Token, b.Token))
}

// Compare orders violations by size, then atom by atom.
func (v Violation) Compare(w Violation) int {
	return cmp.Or(cmp.Compare(len(v), len(w)), slices.CompareFunc(v, w, Atom.Compare))
}

func (v Violation) String() string {
	parts := make([]string, len(v))
	for i, a := range v {
		parts[i] = a.String()
	}
	return strings.Join(parts, " and ")
}

// Cause narrows what a failure can blame.
type Blame uint8

const (
	BlameAny Blame = iota
	BlameArguments
	BlameState
)

func (b Blame) takes(p Path) bool {
	switch b {
	case BlameArguments:
		return p.NamesArgument()
	case BlameState:
		return p.NamesState()
	}
	return true
}

// Failure is one set of atoms that refused calls violated, with its evidence.
type Failure struct {
	Violates Violation
	Cluster  string   // the normalised error text
	Example  string   // an error text of it, names of values in ‹›
	Calls    int      // refused calls
	Distinct Sample   // distinct calls among them
	Causes   []string // causes that were proven or not, sorted

	Condition *Condition // what the failures have in common, if that is the proof
}

// Key is canonical: failures with one proof have one key.
func (f Failure) Key() string {
	if f.Condition != nil {
		return "where\x1d" + f.Cluster + "\x1d" + f.Condition.String()
	}
	return f.Violates.Key()
}

// Needs is the sentence part for people: "it needs status=open", "it was never
// seen working where kind=gift card and n > 2".
func (f Failure) Needs() string {
	if f.Condition != nil {
		return "was never seen working where " + f.Condition.String()
	}
	return "needs " + f.Violates.String()
}

// CauseProven tells whether a text proved what the failure was about.
func (f Failure) CauseProven() bool {
	return slices.ContainsFunc(f.Causes, func(c string) bool { return c == "state" || c == "argument" })
}

// Cluster is a group of failures with the same normalised error text.
type Cluster struct {
	Text        string
	Calls       int
	Unexplained int // violated no atom: a call just like it worked
	Unobserved  int // too little was observed to blame an atom
}

// maxUnexplained is the share of unexplained failures from which on a cluster
// blocks nothing: what it checks isn't among the atoms.
const maxUnexplained = 0.10

// Trusted tells whether the cluster's failures are explained by the atoms.
func (c Cluster) Trusted() bool {
	return float64(c.Unexplained) <= maxUnexplained*float64(c.Calls)
}

// Guard is the version space of one tool: what successes allow, what failures
// violate, and the smallest guards that agree with both.
type Guard struct {
	Allowed  []*Allowed // by path; paths of too many values are left out
	Wide     []Path     // those left out, sorted
	Failures []Failure  // sorted by Violates, then Cluster
	Clusters []Cluster  // sorted by text
	Minimal  []Violation
	// Conditions are what the failures of one text have in common and no success
	// had, sorted by text.
	Conditions []Condition
	// Disputed are successes that count for nothing here: nearly all calls with what
	// they had, and other successes hadn't, were refused.
	Disputed int
	// Bounded says that the search for Minimal was cut short: a smaller guard
	// may exist.
	Bounded bool

	byPath map[Path]*Allowed
	known  []known                // of Allowed
	proofs atomic.Pointer[proofs] // of Failures; nil until somebody asks
}

// known is what is asked of a path again and again.
type known struct {
	path     Path
	required bool    // no success lacked it
	tokens   *tokens // that successes had, if they are few
}

// Build makes the lookups after Allowed is set, or has other values; Changed after
// Failures has others.
func (g *Guard) Build() {
	byPath := func(a, b *Allowed) int { return a.Path.Compare(b.Path) }
	if !slices.IsSortedFunc(g.Allowed, byPath) {
		slices.SortFunc(g.Allowed, byPath)
	}
	g.byPath = make(map[Path]*Allowed, len(g.Allowed))
	g.known = make([]known, len(g.Allowed))
	for i, a := range g.Allowed {
		g.byPath[a.Path] = a
		k := &g.known[i]
		k.path, k.required = a.Path, a.Path.mayLack() && a.Tokens[Absent] == 0
		if len(a.Tokens) <= mostTokens {
			var had []string
			for t, n := range a.Tokens {
				if n > 0 {
					had = append(had, t)
				}
			}
			k.tokens = newTokens(had)
		}
	}
	g.Changed()
}

// Changed says that there are other Failures.
func (g *Guard) Changed() { g.proofs.Store(nil) }

// allows tells whether successes had the value at the i-th path.
func (g *Guard) allows(i int, token string) bool {
	if t := g.known[i].tokens; t != nil {
		return t.has(token)
	}
	return g.Allowed[i].Tokens[token] > 0
}

// WideMark ends the field of a path in Wide that stands for all members of an
// object.
const WideMark = ".*"

// IsWide tells whether a path is left out of guards: it, or an object around
// it, has too many values.
func (g *Guard) IsWide(p Path) bool { return IsWide(p, g.isListed) }

func (g *Guard) isListed(p Path) bool {
	_, ok := slices.BinarySearchFunc(g.Wide, p, Path.Compare)
	return ok
}

// IsWide asks a list of wide paths for a path and the objects around it.
func IsWide(p Path, listed func(Path) bool) bool {
	if listed(p) || strings.HasSuffix(p.Field, "[]") && listed(Path{p.Role, p.Field + WideMark}) {
		return true
	}
	for i := strings.LastIndexByte(p.Field, '.'); i >= 0; i = strings.LastIndexByte(p.Field[:i], '.') {
		if listed(Path{p.Role, p.Field[:i] + WideMark}) {
			return true
		}
	}
	return listed(Path{p.Role, WideMark[1:]})
}

// Violations gives V(z): atoms certainly false in z, and the paths whose atoms
// can't be judged for want of an observation.
func (g *Guard) Violations(z State, blame Blame) (Violation, []Path) {
	v, unknown, _ := g.violations(&z, blame)
	return v, unknown
}

// violations tells too whether z has paths that the guard doesn't know. Both lists
// are sorted, so they are walked side by side.
func (g *Guard) violations(z *State, blame Blame) (v Violation, unknown []Path, strange bool) {
	j, last := 0, -1 // the next of Allowed, and the one before
	for i := range z.Features {
		f := &z.Features[i]
		at := -1
		switch {
		case j < len(g.known) && f.Path == g.known[j].path:
			at, last, j = j, j, j+1
		case last >= 0 && f.Path == g.known[last].path:
			at = last
		default:
			for j < len(g.known) && g.known[j].path.Compare(f.Path) < 0 {
				v, unknown = g.lacking(z, blame, j, v, unknown)
				j++
			}
			if j < len(g.known) && g.known[j].path == f.Path {
				at, last, j = j, j, j+1
			}
		}
		strange = strange || at < 0
		switch {
		case !blame.takes(f.Path) || at < 0 && len(g.Wide) > 0 && g.IsWide(f.Path):
		case f.Token == "" && at < 0:
			v = appendBeyond(v, f.Path, nil, f.Value)
		case f.Token == "":
			v = appendBeyond(v, f.Path, g.Allowed[at], f.Value)
		case at < 0 || !g.allows(at, f.Token):
			v = appendAtom(v, Atom{Path: f.Path, Op: Not, Token: f.Token})
		}
	}
	for ; j < len(g.known); j++ {
		v, unknown = g.lacking(z, blame, j, v, unknown)
	}
	for _, u := range z.Unknown {
		if a := g.byPath[u]; blame.takes(u) && (a == nil || !a.settled()) && (len(g.Wide) == 0 || !g.IsWide(u)) {
			unknown = append(unknown, u)
		}
	}
	if len(v) > 1 {
		slices.SortFunc(v, Atom.Compare)
	}
	if len(unknown) > 1 {
		slices.SortFunc(unknown, Path.Compare)
		unknown = slices.Compact(unknown)
	}
	return v, unknown, strange
}

// appendAtom makes room for a few atoms at once.
func appendAtom(v Violation, a Atom) Violation {
	if v == nil {
		v = make(Violation, 0, 3)
	}
	return append(v, a)
}

// lacking judges that z has no value at the j-th path.
func (g *Guard) lacking(z *State, blame Blame, j int, v Violation, unknown []Path) (Violation, []Path) {
	p := g.Allowed[j].Path
	if !g.known[j].required || !blame.takes(p) || !z.lists(p.Parent()) {
		return v, unknown
	}
	if z.isUnknown(p) {
		return v, append(unknown, p)
	}
	return append(v, Atom{Path: p, Op: Not, Token: Absent}), unknown
}

// appendBeyond adds the tests of a number that is beyond those of successes.
func appendBeyond(v Violation, p Path, a *Allowed, x Value) Violation {
	lo, hi := math.Inf(1), math.Inf(-1)
	if a != nil {
		lo, hi = a.Lo, a.Hi
	}
	if x.Lo < lo {
		v = append(v, Atom{Path: p, Op: AtLeast, Lo: x.Lo, Hi: lo})
	}
	if x.Hi > hi {
		v = append(v, Atom{Path: p, Op: AtMost, Lo: hi, Hi: x.Hi})
	}
	return v
}

// Verdict is the answer to: would this call work?
type Verdict struct {
	Outcome  Prediction
	Violated Violation // atoms of S that are false
	Unknown  []Path    // paths that were not observed and could decide
	By       []Failure // the failures that prove Fails, fewest atoms first
}

// Prediction is the three-way verdict.
type Prediction uint8

const (
	Undetermined Prediction = iota
	Works
	Fails
)

func (p Prediction) String() string { return [...]string{"undetermined", "works", "fails"}[p] }

// Classify judges a call by its state and argument features.
func (g *Guard) Classify(x State) Verdict {
	v, unknown, strange := g.violations(&x, BlameAny)
	out := Verdict{Violated: v, Unknown: unknown}
	if len(v) > 0 && len(g.Failures) > 0 && (!strange || g.knows(x)) {
		p := g.proofs.Load()
		if p == nil {
			p = newProofs(g.Failures)
			g.proofs.Store(p)
		}
		var room [16]int
		if by := p.within(room[:0], g.Failures, v); len(by) > 0 {
			out.By = make([]Failure, len(by))
			for n, i := range by {
				out.By[n] = g.Failures[i]
			}
		}
	}
	switch {
	case len(out.By) > 0:
		out.Outcome = Fails
	case len(v) == 0 && len(unknown) == 0:
		out.Outcome = Works
	}
	return out
}

// Judge is Classify, and holds the call against the failing conditions too. These
// come of counts, not of a proof.
func (g *Guard) Judge(x State) Verdict {
	out := g.Classify(x)
	for i := range g.Conditions {
		if c := &g.Conditions[i]; c.Holds(x) {
			out.By = append(out.By, c.failure(out.Violated))
			out.Outcome = Fails
		}
	}
	return out
}

// knows tells whether the absence of every path that only x has is known to be
// harmless. Until a success lacked it, its absence may be what failures are
// about, and they prove nothing of x.
func (g *Guard) knows(x State) bool {
	for _, f := range x.Features {
		if g.byPath[f.Path] == nil && !g.IsWide(f.Path) && f.Role != RelationRole && f.Field != "exists" && !g.absenceWorked(f.Path) {
			return false
		}
	}
	return true
}

func (g *Guard) absenceWorked(p Path) bool {
	if parent, nested := p.parent(); nested {
		a := g.byPath[parent]
		return a != nil && a.Tokens[Object] > 0
	}
	if a := g.byPath[Exists(p.Role)]; a != nil {
		return a.Tokens[True] > 0
	}
	return slices.ContainsFunc(g.Allowed, func(a *Allowed) bool {
		return a.Path.Role == p.Role && (len(a.Tokens) > 0 || a.Lo <= a.Hi)
	})
}

// byChance is how likely it may be that a number says nothing of a failure that
// it is blamed for.
const byChance = 0.001

// Supported tells whether a failure's atoms are more than numbers that lie beyond
// those of successes by chance: of n successes and k failures whose numbers come
// from one source, the k are the greatest once in (n + k choose k).
func (g *Guard) Supported(f Failure) bool {
	return len(f.Violates) == 0 || slices.ContainsFunc(f.Violates, func(a Atom) bool {
		if a.Op == Not {
			return true
		}
		allowed := g.byPath[a.Path]
		if allowed == nil {
			return false
		}
		chance := 1.0
		for i := range len(f.Distinct) {
			chance *= float64(i+1) / float64(allowed.Numbers+i+1)
		}
		return chance <= byChance
	})
}

// Worked tells whether the tool was ever seen to work.
func (g *Guard) Worked() bool {
	return slices.ContainsFunc(g.Allowed, func(a *Allowed) bool { return a.Numbers > 0 || len(a.Tokens) > 0 })
}

// Witnesses are distinct calls that failed with the words of f, which may be another
// tool's, at one of the paths that these name, whatever stood there. A text that was
// seen once may be about what nothing shows; one that keeps naming the path where
// something is amiss is about that.
func (g *Guard) Witnesses(f *Failure, named []Path) Sample {
	var out Sample
	for i := range g.Failures {
		o := &g.Failures[i]
		if o.Cluster != f.Cluster && o.Example != f.Example {
			continue
		}
		if c, _ := g.ClusterOf(o.Cluster); !c.Trusted() {
			continue
		}
		if slices.ContainsFunc(o.NamedPaths(), func(p Path) bool { return slices.Contains(named, p) }) {
			out = out.Merge(o.Distinct)
		}
	}
	return out
}

// Always tells whether all failures with a text violate an atom at the path.
func (g *Guard) Always(cluster string, p Path) bool {
	for i := range g.Failures {
		f := &g.Failures[i]
		if f.Cluster == cluster && !slices.ContainsFunc(f.Violates, func(a Atom) bool { return a.Path == p }) {
			return false
		}
	}
	return true
}

// Allows tells whether a success had the value at the path.
func (g *Guard) Allows(f Feature) bool {
	a := g.byPath[f.Path]
	return a != nil && a.Allows(f.Value)
}

// ClusterOf finds a cluster by its text.
func (g *Guard) ClusterOf(text string) (Cluster, bool) {
	i, ok := slices.BinarySearchFunc(g.Clusters, text, func(c Cluster, t string) int { return strings.Compare(c.Text, t) })
	if !ok {
		return Cluster{}, false
	}
	return g.Clusters[i], true
}

// Compare orders failures by what they violate, then by cluster.
func (f Failure) Compare(g Failure) int {
	return cmp.Or(f.Violates.Compare(g.Violates), strings.Compare(f.Cluster, g.Cluster))
}

// Key is canonical: equal violations, equal keys.
func (v Violation) Key() string {
	var b strings.Builder
	for _, a := range v {
		fmt.Fprintf(&b, "%s\x1f%s\x1f%d\x1f%s\x1f%x\x1f%x\x1e", a.Path.Role, a.Path.Field, a.Op, a.Token, math.Float64bits(a.Lo), math.Float64bits(a.Hi))
	}
	return b.String()
}
