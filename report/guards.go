package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mcpg/behavior"
)

// Bounds of what is spelt out.
const (
	maxPaths = 8 // features of a tool
	maxShown = 20
	maxName  = 80 // characters
)

// Guards writes, a tool each, when it was seen working and when refused. Thin
// evidence is told as such: counts stand beside every claim.
func Guards(w io.Writer, g *behavior.Graph) error {
	p := &printer{w: w}
	for _, t := range g.Tools {
		if t.OK()+t.Rejected() > 0 {
			p.tool(g, t)
		}
	}
	cs := g.Contradictions()
	if len(cs) > 0 {
		p.printf("\nContradictions, %d in all: calls alike in every feature that was looked at, with both outcomes\n", len(cs))
	}
	for i, c := range cs {
		if i == maxShown {
			p.printf("  … and %d more; model.json has them all\n", len(cs)-i)
			break
		}
		p.printf("  %s %s: worked %s (e.g. %s), refused %s (e.g. %s: %q); %s\n", name(c.Server, c.Tool), both(c.State, c.Args),
			calls(c.OK), Clean(c.Works.String()), calls(c.Rejected), Clean(c.Refused.String()), Clean(c.ErrorText), Clean(c.Why.String()))
	}
	p.drifts(g.Drifts())
	return p.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, a ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, a...)
	}
}

func name(server, tool string) string {
	if server == "" {
		return clip(Clean(tool), maxName)
	}
	return clip(Clean(server+"/"+tool), maxName)
}

func both(s, args behavior.State) string {
	text := s.Short()
	if len(args.Features) > 0 {
		text += " " + args.Short()
	}
	return clip(Clean(text), 240)
}

// clip cuts a line that is longer than n characters.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

func calls(n int) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

func (p *printer) tool(g *behavior.Graph, t *behavior.Tool) {
	p.printf("%s: %s worked, %d refused", name(t.Server, t.Name), calls(t.OK()), t.Rejected())
	if t.Fingerprint != "" {
		p.printf(" (fingerprint %s)", t.Fingerprint)
	}
	if t.Unobserved > 0 {
		p.printf("; state not observed for %d", t.Unobserved)
	}
	p.printf("\n")
	if t.Rejected() > 0 {
		p.guard(t)
	}
	paths := interesting(g, t)
	for i, path := range paths {
		if i == maxPaths {
			p.printf("  … and %d features more\n", len(paths)-i)
			break
		}
		p.path(g, t, path)
	}
	for _, c := range t.Guard.Clusters {
		p.cluster(t, c)
	}
	for _, e := range t.Effects {
		p.printf("  afterwards %s=%s (%s)\n", Clean(e.Field), Clean(e.To.String()), calls(e.Calls))
	}
}

// maxAtoms is how many tests a condition may have to be printed.
const maxAtoms = 12

// guard prints the smallest conditions that every success met, and how many of
// the refusals they explain: a claim about these calls, not yet about the
// server.
func (p *printer) guard(t *behavior.Tool) {
	m := t.Guard.Minimal
	explained := explained(t.Guard)
	share := fmt.Sprintf("%d of %d refusals are", explained, t.Rejected())
	if explained == t.Rejected() {
		share = "every refusal is"
	}
	switch {
	case len(m) == 0:
		p.printf("  no refusal is explained: calls alike in every feature had worked, or the state wasn't observed\n")
	case t.OK() == 0:
		p.printf("  never seen working: nothing says which condition it misses\n")
	case len(m[0]) > maxAtoms:
		p.printf("  %s explained only by a condition of %d tests, which is too long to mean much\n", share, len(m[0]))
	case len(m) == 1:
		p.printf("  %s explained by needing: %s\n", share, Clean(m[0].String()))
	default:
		options := make([]string, 0, len(m))
		for _, v := range m[:min(3, len(m))] {
			options = append(options, "("+v.String()+")")
		}
		if n := len(m) - len(options); n > 0 {
			options = append(options, fmt.Sprintf("or one of %d more", n))
		}
		p.printf("  %s explained by needing either of: %s\n", share, clip(Clean(strings.Join(options, ", ")), 1000))
	}
	if n := t.Guard.Disputed; n > 0 {
		p.printf("  %s that worked count for nothing here: nearly all calls with what they had were refused\n", calls(n))
	}
	if t.Guard.Bounded {
		p.printf("  the search for a shorter condition was cut short\n")
	}
}

// explained counts the refusals that the condition rests on.
func explained(g *behavior.Guard) int {
	n := 0
	for _, f := range g.Failures {
		if c, _ := g.ClusterOf(f.Cluster); c.Trusted() {
			n += f.Calls
		}
	}
	return n
}

// interesting lists the paths whose values say something: refused calls had
// them, or the class has values that were never tried.
func interesting(g *behavior.Graph, t *behavior.Tool) []behavior.Path {
	blamed := map[behavior.Path]bool{}
	for _, f := range t.Guard.Failures {
		for _, a := range f.Violates {
			blamed[a.Path] = true
		}
	}
	var first, rest []behavior.Path
	for _, a := range t.Guard.Allowed {
		switch {
		case blamed[a.Path]:
			first = append(first, a.Path)
		case a.Path.NamesState() && a.Path.Role != behavior.RelationRole && a.Path.Field != "exists" && len(untried(g, t, a.Path)) > 0:
			rest = append(rest, a.Path)
		}
	}
	return append(first, rest...)
}

// untried lists the values that the class was seen with and the tool never.
func untried(g *behavior.Graph, t *behavior.Tool, path behavior.Path) []string {
	if path.Role != t.Role() {
		return nil
	}
	tried := map[string]bool{}
	for _, vc := range t.ByValue(path) {
		tried[vc.Value.String()] = true
	}
	var out []string
	for _, v := range g.DomainOf(t.Server, t.Class(), path.Field) {
		if !tried[v] && v != behavior.Text {
			out = append(out, v)
		}
	}
	return out
}

// path prints one feature: "status: seen working only at delivered (34 calls);
// proven refused: exchange requested (1); never tried: pending".
func (p *printer) path(g *behavior.Graph, t *behavior.Tool, path behavior.Path) {
	var works, proven, refused, both []string
	for _, vc := range t.ByValue(path) {
		v := valueText(vc.Value)
		switch {
		case vc.OK > 0 && vc.Rejected > 0:
			works = append(works, fmt.Sprintf("%s (%s)", v, calls(vc.OK)))
			both = append(both, fmt.Sprintf("%s (%d)", v, vc.Rejected))
		case vc.OK > 0:
			works = append(works, fmt.Sprintf("%s (%s)", v, calls(vc.OK)))
		case provenBy(t, path, vc.Value):
			proven = append(proven, fmt.Sprintf("%s (%d)", v, vc.Rejected))
		default:
			refused = append(refused, fmt.Sprintf("%s (%d)", v, vc.Rejected))
		}
	}
	var parts []string
	add := func(word string, list []string) {
		if len(list) > 0 {
			parts = append(parts, word+" "+shorten(list))
		}
	}
	add("seen working only at", works)
	add("proven refused:", proven)
	add("refused, for this or something else:", refused)
	add("refused there too:", both)
	add("never tried:", untried(g, t, path))
	p.printf("  %s: %s\n", Clean(path.String()), Clean(strings.Join(parts, "; ")))
}

// valueText is a value for people.
func valueText(v behavior.Value) string {
	if v.Token == behavior.Object {
		return "there"
	}
	return v.String()
}

// shorten cuts long lists of values.
func shorten(list []string) string {
	const most = 12
	if len(list) > most {
		list = append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(list, ", ")
}

// provenBy tells whether this value alone explains a refusal: of two distinct
// calls, or of one whose text proves its cause.
func provenBy(t *behavior.Tool, path behavior.Path, v behavior.Value) bool {
	if t.OK() == 0 {
		return false
	}
	for _, f := range t.Guard.Failures {
		if len(f.Violates) != 1 || f.Violates[0].Path != path {
			continue
		}
		if c, _ := t.Guard.ClusterOf(f.Cluster); !c.Trusted() || len(f.Distinct) < 2 && !f.CauseProven() {
			continue
		}
		a := f.Violates[0]
		switch a.Op {
		case behavior.Not:
			if a.Token == v.Token && !v.IsNumber() {
				return true
			}
		case behavior.AtLeast:
			if v.IsNumber() && v.Lo <= a.Lo {
				return true
			}
		case behavior.AtMost:
			if v.IsNumber() && v.Hi >= a.Hi {
				return true
			}
		}
	}
	return false
}

// cluster prints one kind of refusal with a call to look at.
func (p *printer) cluster(t *behavior.Tool, c behavior.Cluster) {
	p.printf("  %s %q", times(c.Calls), Clean(c.Text))
	if r, ok := t.RefusedExample(c.Text); ok && r.String() != "" {
		p.printf(", e.g. %s", Clean(r.String()))
	}
	switch {
	case c.Unexplained > 0:
		p.printf("; %d of them alike in every feature to calls that worked", c.Unexplained)
	case c.Unobserved == c.Calls:
		p.printf("; too little was observed to say why")
	}
	p.printf("\n")
	for i := range t.Guard.Conditions {
		if f := &t.Guard.Conditions[i]; f.Cluster == c.Text {
			p.printf("    never seen working where %s\n", clip(Clean(f.String()), 1000))
		}
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
