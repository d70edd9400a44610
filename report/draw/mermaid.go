package draw

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mermaid writes g as a flowchart for Mermaid 11. It is cut like a picture:
// Mermaid lays out in the reader's browser, and refuses more than 500 edges and
// more than maxMermaid characters.
func Mermaid(w io.Writer, g Graph) error {
	text := mermaid(sorted(shorten(Cut(g, MaxNodes, mermaidEdges))))
	for n := mermaidEdges; len(text) > maxMermaid && n > 0; {
		n = n * 3 / 4
		text = mermaid(sorted(shorten(Cut(g, max(2*n, 1), n))))
	}
	_, err := io.WriteString(w, text)
	return err
}

const (
	mermaidEdges = 300
	maxMermaid   = 50_000 // Mermaid's maxTextSize, here in bytes
)

func mermaid(g Graph) string {
	var b strings.Builder
	if g.Title != "" {
		fmt.Fprintf(&b, "---\ntitle: %s\n---\n", yamlString(g.Title))
	}
	b.WriteString("flowchart LR\n")
	ids := map[string]string{}
	for i, n := range g.Nodes {
		ids[n.ID] = fmt.Sprintf("n%d", i)
		if n.Group == "" {
			b.WriteString("  " + mermaidNode(ids[n.ID], n))
		}
	}
	for i, name := range groups(g) {
		fmt.Fprintf(&b, "  subgraph g%d[%s]\n", i, mermaidLabel([]string{name}))
		for _, n := range g.Nodes {
			if n.Group == name {
				b.WriteString("    " + mermaidNode(ids[n.ID], n))
			}
		}
		b.WriteString("  end\n")
	}
	for _, e := range g.Edges {
		b.WriteString("  " + mermaidEdge(e, ids))
	}
	b.WriteString(mermaidStyles(g, ids))
	g.Title = "" // it stands above
	if lines := g.caption(); len(lines) > 0 {
		fmt.Fprintf(&b, "  note0[%s]\n  style note0 fill:none,stroke:none\n", mermaidLabel(lines))
	}
	return b.String()
}

// mermaidStyles gives edges and nodes their colours, a line a look.
func mermaidStyles(g Graph, ids map[string]string) string {
	var lines []string
	edges, nodes := map[string][]string{}, map[string][]string{}
	for i, e := range g.Edges {
		look := fmt.Sprintf("stroke:%s,color:%s", e.color(), e.color())
		if e.Mark != Unmarked {
			look += ",stroke-width:3px"
		}
		edges[look] = append(edges[look], fmt.Sprint(i))
	}
	for _, n := range g.Nodes {
		look := fmt.Sprintf("stroke:%s,color:%s", n.color(), n.color())
		switch {
		case n.Mark == Removed:
			look += ",stroke-width:3px,stroke-dasharray:5 3"
		case n.Mark != Unmarked:
			look += ",stroke-width:3px"
		case !n.Pale:
			continue
		}
		nodes[look] = append(nodes[look], ids[n.ID])
	}
	for _, look := range slices.Sorted(maps.Keys(edges)) {
		lines = append(lines, fmt.Sprintf("  linkStyle %s %s\n", strings.Join(edges[look], ","), look))
	}
	for i, look := range slices.Sorted(maps.Keys(nodes)) {
		lines = append(lines, fmt.Sprintf("  classDef c%d %s\n  class %s c%d\n", i, look, strings.Join(nodes[look], ","), i))
	}
	return strings.Join(lines, "")
}

func mermaidNode(id string, n Node) string {
	return fmt.Sprintf("%s(%s)\n", id, mermaidLabel(n.Mark.signed(n.text())))
}

func mermaidEdge(e Edge, ids map[string]string) string {
	look := e.Tone.look()
	link := look.link
	if e.Dashed {
		link = look.dash
	}
	if len(e.Label) > 0 {
		link += "|" + mermaidLabel(e.Label) + "|"
	}
	return fmt.Sprintf("%s %s %s\n", ids[e.From], link, ids[e.To])
}

// mermaidLabel quotes lines as a label.
func mermaidLabel(lines []string) string {
	out := split(lines)
	for i, l := range out {
		out[i] = mermaidText(clean(l))
	}
	text := strings.Join(out, "<br/>")
	if text == "" {
		text = " " // Mermaid takes no empty string
	}
	return `"` + text + `"`
}

// mermaidText writes as an entity code, #34; for a quote, whatever Mermaid or
// the Markdown and HTML in it could obey: all ASCII but letters, digits,
// blanks and a few signs, and the letters with which Mermaid marks its own
// entities.
func mermaidText(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if mermaidPlain(runes, i) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

func mermaidPlain(s []rune, i int) bool {
	switch r := s[i]; {
	case r == 'ﬂ' || r == '¶':
		return false
	case r >= utf8.RuneSelf || wordRune(r):
		return true
	case strings.ContainsRune(" =,()/", r):
		return true
	case strings.ContainsRune("-._", r):
		// Inside a word no Markdown begins: run_tests, but not "1. ".
		return i > 0 && i+1 < len(s) && wordRune(s[i-1]) && wordRune(s[i+1])
	}
	return false
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// yamlString quotes s for YAML, with everything escaped that Mermaid looks for
// before it reads the YAML.
func yamlString(s string) string {
	var b strings.Builder
	for _, r := range clean(strings.Join(split([]string{s}), " ")) {
		switch {
		case r >= utf8.RuneSelf || wordRune(r) || strings.ContainsRune(" _-.,:()=/", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return `"` + b.String() + `"`
}
