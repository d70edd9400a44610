package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mcpg/behavior"
)

// maxPaths is how many features of a tool are spelt out.
const maxPaths = 8

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
		p.printf("\nContradictions, %d in all: the same state and arguments with both outcomes\n", len(cs))
	}
	for _, c := range cs {
		p.printf("  %s %s: worked %s (e.g. %s), refused %s (e.g. %s: %q); cause %s\n", name(c.Server, c.Tool), both(c.State, c.Args),
			calls(c.OK), c.Works.Pos, calls(c.Rejected), c.Refused.Pos, Clean(c.ErrorText), c.Cause)
	}
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
		return Clean(tool)
	}
	return Clean(server + "/" + tool)
}

func both(s, args behavior.State) string {
	text := s.Short()
	if len(args.Features) > 0 {
		text += " " + args.Short()
	}
	return Clean(text)
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

// maxAtoms is how many tests a condition may have to be worth reading.
const maxAtoms = 6

// guard prints the smallest conditions that agree with everything seen: a claim
// about these calls, not yet about the server.
func (p *printer) guard(t *behavior.Tool) {
	m := t.Guard.Minimal
	switch {
	case len(m) == 0:
		p.printf("  no condition: what was refused had worked alike, or its state wasn't observed\n")
	case t.OK() == 0:
		p.printf("  never seen working: nothing says which condition it misses\n")
	case len(m[0]) > maxAtoms:
		p.printf("  no short condition agrees with all calls (the shortest has %d tests): what it checks isn't among the features\n", len(m[0]))
	case len(m) == 1:
		p.printf("  all calls agree with: %s\n", Clean(m[0].String()))
	default:
		options := make([]string, 0, len(m))
		for _, v := range m[:min(3, len(m))] {
			options = append(options, "("+v.String()+")")
		}
		if n := len(m) - len(options); n > 0 {
			options = append(options, fmt.Sprintf("and %d or more others", n))
		}
		p.printf("  all calls agree with either of: %s\n", Clean(strings.Join(options, ", ")))
	}
	if t.Guard.Bounded {
		p.printf("  the search for a shorter condition was cut short\n")
	}
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
	add("refused there too, for something else:", both)
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

// provenBy tells whether this value alone explains a refusal.
func provenBy(t *behavior.Tool, path behavior.Path, v behavior.Value) bool {
	for _, f := range t.Guard.Failures {
		if len(f.Violates) != 1 || f.Violates[0].Path != path {
			continue
		}
		if c, _ := t.Guard.ClusterOf(f.Cluster); !c.Trusted() {
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
	if r, ok := t.RefusedExample(c.Text); ok && r.Pos.File != "" {
		p.printf(", e.g. %s", r.Pos)
	}
	switch {
	case c.Unexplained > 0:
		p.printf("; %d of them where the same had worked: what it checks isn't among the features", c.Unexplained)
	case c.Unobserved == c.Calls:
		p.printf("; too little was observed to say why")
	}
	p.printf("\n")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
