package draw

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// DOT writes g in the language of Graphviz.
func DOT(w io.Writer, g Graph) error {
	_, err := io.WriteString(w, dot(g))
	return err
}

// dot writes g. The text of an edge from a node to itself stands in the node, in
// the edge's colour: Graphviz would put it across the other arrows.
func dot(g Graph) string {
	g = sorted(bundle(g))
	var b strings.Builder
	b.WriteString("digraph G {\n")
	fmt.Fprintf(&b, "  graph [charset=\"UTF-8\", rankdir=LR, fontname=\"Helvetica\", fontsize=14, labelloc=t, labeljust=l%s]\n", dotCaption(g))
	b.WriteString("  node [shape=box, style=rounded, color=\"#57606a\", fontname=\"Helvetica\", fontsize=12]\n")
	b.WriteString("  edge [fontname=\"Helvetica\", fontsize=10]\n")
	inside := map[string][]Edge{}
	for _, e := range g.Edges {
		if e.From == e.To && len(e.Label) > 0 {
			inside[e.From] = append(inside[e.From], e)
		}
	}
	for _, n := range g.Nodes {
		if n.Group == "" {
			b.WriteString("  " + dotNode(n, inside[n.ID]))
		}
	}
	for i, name := range groups(g) {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s\n    color=\"#d0d7de\"\n", i, dotLabel([]string{name}, `\n`))
		for _, n := range g.Nodes {
			if n.Group == name {
				b.WriteString("    " + dotNode(n, inside[n.ID]))
			}
		}
		b.WriteString("  }\n")
	}
	for _, e := range g.Edges {
		b.WriteString("  " + dotEdge(e))
	}
	b.WriteString("}\n")
	return b.String()
}

// dotCaption is the graph's label, flush left.
func dotCaption(g Graph) string {
	lines := g.caption()
	if len(lines) == 0 {
		return ""
	}
	return ", label=" + dotLabel(lines, `\l`)
}

func dotNode(n Node, inside []Edge) string {
	attrs := "label=" + dotLabel(n.Mark.signed(n.text()), `\n`)
	if len(inside) > 0 {
		attrs = "label=" + dotTable(n, inside)
	}
	if n.Pale || n.Mark != Unmarked {
		attrs += fmt.Sprintf(", color=%q, fontcolor=%q", n.color(), n.color())
	}
	switch n.Mark {
	case Unmarked:
	case Removed:
		attrs += `, penwidth=2, style="rounded,dashed"`
	default:
		attrs += ", penwidth=2"
	}
	return fmt.Sprintf("%s [%s]\n", dotID(n.ID), attrs)
}

// dotTable is a node's text, and that of its edges to itself, as Graphviz's HTML.
func dotTable(n Node, inside []Edge) string {
	var b strings.Builder
	b.WriteString(`<<table border="0" cellborder="0" cellspacing="0" cellpadding="1">`)
	for _, l := range split(n.Mark.signed(n.text())) {
		b.WriteString("<tr><td>" + dotHTML(l) + "</td></tr>")
	}
	for _, e := range inside {
		for _, l := range split(e.Label) {
			fmt.Fprintf(&b, `<tr><td align="left"><font point-size="10" color=%q>%s</font></td></tr>`, e.color(), dotHTML(l))
		}
	}
	b.WriteString("</table>>")
	return b.String()
}

// dotHTML is a line of text; an empty one would be no text at all.
func dotHTML(s string) string {
	if s == "" {
		s = " "
	}
	return htmlEscapes.Replace(clean(s))
}

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", `\`, `\\`)

func dotEdge(e Edge) string {
	attrs := fmt.Sprintf("color=%q, fontcolor=%q, arrowhead=%s", e.color(), e.color(), e.Tone.look().head)
	if e.Dashed {
		attrs += ", style=dashed"
	}
	if e.Mark != Unmarked {
		attrs += ", penwidth=2"
	}
	if len(e.Label) > 0 && e.From != e.To {
		attrs += ", label=" + dotLabel(e.Label, `\n`)
	}
	return fmt.Sprintf("%s -> %s [%s]\n", dotID(e.From), dotID(e.To), attrs)
}

// dotLabel quotes lines as a label, each ended by the given escape: \n centres
// a line, \l sets it left. In a label Graphviz obeys backslashes and HTML
// entities.
func dotLabel(lines []string, end string) string {
	var b strings.Builder
	for i, l := range split(lines) {
		if i > 0 && end == `\n` {
			b.WriteString(end)
		}
		b.WriteString(dotEscapes.Replace(clean(l)))
		if end == `\l` {
			b.WriteString(end)
		}
	}
	return `"` + b.String() + `"`
}

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")

// dotID quotes a node's name so that different ones stay different: \\, \" and
// \xHH for bytes that aren't visible text. An & is written &amp; since Graphviz
// copies what looks like an entity into the SVG, whether XML knows it or not.
func dotID(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\' || r == '"':
			b.WriteString(`\` + string(r))
		case r == '&':
			b.WriteString("&amp;")
		case visible(r) != r || r == utf8.RuneError:
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return `"` + b.String() + `"`
}
