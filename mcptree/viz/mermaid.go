package viz

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"mcpg/mcptree"
)

// Mermaid writes a tree as a flowchart for Mermaid 11, and the path taken in
// it, nil for none, as a class and link styles at the end.
//
// The text is that of the reference wherever Mermaid draws it as it is meant:
// ids stand for themselves and labels are bare. Otherwise all ids are n0, n1 and
// so on, and all labels are quoted. Mermaid refuses more than MaxEdges edges
// unless the page that shows them allows more; they are written all the same.
func Mermaid(w io.Writer, t *mcptree.Tree, path []Step) error {
	g := NewGraph(t, path)
	text, ok := bare(g)
	if !ok {
		text = quoted(g)
	}
	_, err := io.WriteString(w, text)
	return err
}

// MaxEdges is how many edges Mermaid draws unless it is configured.
const MaxEdges = 500

// frame is how nodes of a type are drawn.
func frame(n Node) (open, end string) {
	switch n.Type {
	case mcptree.Condition:
		return `{"`, `"}`
	case mcptree.Judgment:
		return `[["`, `"]]`
	case mcptree.Terminal:
		return `(["`, `"])`
	}
	return `["`, `"]`
}

// writer collects a flowchart and remembers where ids stand in it.
type writer struct {
	strings.Builder
	ids []span
}

type span struct{ start, end int }

func (w *writer) id(s string) {
	w.ids = append(w.ids, span{w.Len(), w.Len() + len(s)})
	w.WriteString(s)
}

// bare is the reference's text, and whether Mermaid draws it as it is meant.
func bare(g Graph) (string, bool) {
	var w writer
	ok := true
	w.WriteString("flowchart TD\n")
	for _, n := range g.Nodes {
		label := escapeQuotes(n.Lines[0]) + "<br/>" + escapeQuotes(n.Lines[1])
		ok = ok && plainLabel(strings.Join(n.Lines, "<br/>"))
		w.WriteString("  ")
		w.id(n.ID)
		open, end := frame(n)
		w.WriteString(open + label + end + "\n")
	}
	for _, e := range g.Edges {
		w.WriteString("  ")
		w.id(e.From)
		if e.labelled {
			ok = ok && plainLabel(e.Label) && plainEdge(e.Label)
			w.WriteString(" -- " + escapeQuotes(e.Label))
		}
		w.WriteString(" --> ")
		w.id(e.To)
		w.WriteString("\n")
	}
	w.path(g, func(id string) string {
		ok = ok && !strings.Contains(id, ",") // would be two ids to a class
		return id
	})
	text := w.String()
	return text, ok && plainText(text) && plainIDs(text, w.ids)
}

func escapeQuotes(s string) string { return strings.ReplaceAll(s, `"`, "#quot;") }

// quoted is the text that Mermaid draws as it is meant whatever it holds.
func quoted(g Graph) string {
	var w writer
	w.WriteString("flowchart TD\n")
	alias := map[string]string{}
	for i, n := range g.Nodes {
		alias[n.ID] = "n" + strconv.Itoa(i)
		open, end := frame(n)
		fmt.Fprintf(&w, "  %s%s%s%s\n", alias[n.ID], open, escape(n.Lines), end)
	}
	for _, e := range g.Edges {
		arrow := "-->"
		if !blank(e.Label) {
			arrow += `|"` + escape([]string{e.Label}) + `"|`
		}
		fmt.Fprintf(&w, "  %s %s %s\n", alias[e.From], arrow, alias[e.To])
	}
	w.path(g, func(id string) string { return alias[id] })
	return w.String()
}

// path marks what was taken. Only a graph with a path has any of it.
func (w *writer) path(g Graph, name func(string) string) {
	var taken []string
	for i, e := range g.Edges {
		if e.Taken {
			taken = append(taken, strconv.Itoa(i))
		}
	}
	visited := false
	for _, n := range g.Nodes {
		if len(n.Steps) > 0 {
			visited = true
			w.WriteString("  ")
			w.id(name(n.ID))
			w.WriteString(":::taken\n")
		}
	}
	if visited {
		w.WriteString("  classDef taken stroke:#0969da,stroke-width:3px\n")
	}
	if len(taken) > 0 {
		w.WriteString("  linkStyle " + strings.Join(taken, ",") + " stroke:#0969da,stroke-width:3px\n")
	}
}
