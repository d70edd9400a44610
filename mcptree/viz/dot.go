package viz

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mcpg/mcptree"
)

// DOT writes a tree, and the path taken in it, nil for none, in the language of
// Graphviz.
func DOT(w io.Writer, t *mcptree.Tree, path []Step) error {
	_, err := io.WriteString(w, dot(NewGraph(t, path)))
	return err
}

func dot(g Graph) string {
	var b strings.Builder
	b.WriteString("digraph G {\n")
	b.WriteString(`  graph [charset="UTF-8", rankdir=TB, fontname="Helvetica", fontsize=14, labelloc=t, labeljust=l`)
	if g.Title != "" {
		b.WriteString(", label=" + dotLabel(g.Title))
	}
	b.WriteString("]\n")
	b.WriteString("  node [color=\"" + grey + "\", fontname=\"Helvetica\", fontsize=12]\n")
	b.WriteString("  edge [color=\"" + grey + "\", fontname=\"Helvetica\", fontsize=10]\n")
	for _, n := range g.Nodes {
		lines, look := n.Lines, ""
		if len(n.Steps) > 0 {
			lines = append(lines[:len(lines):len(lines)], "step "+n.at())
			look = ", color=\"" + green + "\", penwidth=2.6"
		}
		fmt.Fprintf(&b, "  %s [%s, label=%s%s]\n", dotID(n.ID), dotShape(n.Type), dotLabel(lines...), look)
	}
	for _, e := range g.Edges {
		var attrs []string
		if e.Label != "" {
			attrs = append(attrs, "label="+dotLabel(e.Label))
		}
		if e.Taken {
			attrs = append(attrs, `color="`+green+`", fontcolor="`+green+`", penwidth=2.6`)
		}
		fmt.Fprintf(&b, "  %s -> %s", dotID(e.From), dotID(e.To))
		if len(attrs) > 0 {
			b.WriteString(" [" + strings.Join(attrs, ", ") + "]")
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func dotShape(t mcptree.NodeType) string {
	switch t {
	case mcptree.Condition:
		return "shape=hexagon"
	case mcptree.Ask:
		return "shape=box, style=rounded"
	case mcptree.Judgment:
		return "shape=box, style=rounded, peripheries=2"
	case mcptree.Terminal:
		return "shape=ellipse"
	}
	return "shape=box"
}

// dotLabel quotes lines as a label, in which Graphviz obeys backslashes and
// HTML entities.
func dotLabel(lines ...string) string {
	lines = split(lines)
	for i, l := range lines {
		lines[i] = dotEscapes.Replace(clean(l))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")

// dotID quotes a node's name so that different ones stay different: \\, \" and
// \xHH for bytes that aren't visible text. An & is written &amp; since Graphviz
// copies what looks like an entity into pictures, whether XML knows it or not.
func dotID(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case visible(r) != r || r == utf8.RuneError:
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteString(dotEscapes.Replace(s[i : i+n]))
		}
		i += n
	}
	return `"` + b.String() + `"`
}
