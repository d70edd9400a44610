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

func dot(g Graph) string {
	g = sorted(g)
	var b strings.Builder
	b.WriteString("digraph G {\n")
	fmt.Fprintf(&b, "  graph [charset=\"UTF-8\", rankdir=LR, fontname=\"Helvetica\", fontsize=14, labelloc=t, labeljust=l%s]\n", caption(g))
	b.WriteString("  node [shape=box, style=rounded, color=\"#57606a\", fontname=\"Helvetica\", fontsize=12]\n")
	b.WriteString("  edge [fontname=\"Helvetica\", fontsize=10]\n")
	for _, n := range g.Nodes {
		if n.Group == "" {
			b.WriteString("  " + dotNode(n))
		}
	}
	for i, name := range groups(g) {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s\n    color=\"#d0d7de\"\n", i, dotLabel([]string{name}, `\n`))
		for _, n := range g.Nodes {
			if n.Group == name {
				b.WriteString("    " + dotNode(n))
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

// caption is the graph's label: title and note, flush left.
func caption(g Graph) string {
	var lines []string
	for _, s := range []string{g.Title, g.Note} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return ", label=" + dotLabel(lines, `\l`)
}

func dotNode(n Node) string {
	return fmt.Sprintf("%s [label=%s]\n", dotID(n.ID), dotLabel(n.text(), `\n`))
}

func dotEdge(e Edge) string {
	look := e.Tone.look()
	attrs := fmt.Sprintf("color=%q, fontcolor=%q, arrowhead=%s", look.color, look.color, look.head)
	if e.Dashed {
		attrs += ", style=dashed"
	}
	if len(e.Label) > 0 {
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
