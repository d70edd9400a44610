package draw

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mermaid writes g as a flowchart for Mermaid 11. It is cut like a picture:
// Mermaid lays out in the reader's browser and refuses more than 500 edges.
func Mermaid(w io.Writer, g Graph) error {
	_, err := io.WriteString(w, mermaid(sorted(shorten(Cut(g, MaxNodes, MaxEdges)))))
	return err
}

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
	for i, e := range g.Edges {
		b.WriteString(mermaidEdge(i, e, ids))
	}
	if g.Note != "" {
		fmt.Fprintf(&b, "  note0[%s]\n  style note0 fill:none,stroke:none\n", mermaidLabel([]string{g.Note}))
	}
	return b.String()
}

func mermaidNode(id string, n Node) string {
	return fmt.Sprintf("%s(%s)\n", id, mermaidLabel(n.text()))
}

// mermaidEdge is edge number i and its colour.
func mermaidEdge(i int, e Edge, ids map[string]string) string {
	look := e.Tone.look()
	link := look.link
	if e.Dashed {
		link = look.dash
	}
	if len(e.Label) > 0 {
		link += "|" + mermaidLabel(e.Label) + "|"
	}
	return fmt.Sprintf("  %s %s %s\n  linkStyle %d stroke:%s,color:%s\n",
		ids[e.From], link, ids[e.To], i, look.color, look.color)
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
