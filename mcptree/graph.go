package mcptree

import (
	"regexp"
	"strings"

	"mcpg/internal/yamlx"
	"mcpg/mcptree/value"
)

// Edge is one way from a node, as it can be taken at run time.
type Edge struct {
	To    string
	Label string
}

// Edges lists the ways from a node in the order of the document. The next of an
// ask that has options is never taken.
func (n *Node) Edges() []Edge {
	var out []Edge
	switch n.Type {
	case Condition:
		for _, b := range n.Branches {
			out = append(out, Edge{b.Then, b.When.String()})
		}
		if n.Default != "" {
			out = append(out, Edge{n.Default, "default"})
		}
	case Ask, Judgment:
		for _, o := range n.Options {
			out = append(out, Edge{o.Then, o.ID})
		}
		if n.Type == Ask && len(n.Options) == 0 && n.Next != "" {
			out = append(out, Edge{n.Next, ""})
		}
	case Action:
		out = append(out, Edge{n.Next, ""})
		if n.OnError != "" {
			out = append(out, Edge{n.OnError, "on_error"})
		}
	}
	return out
}

// Targets lists where the ways lead, one a way.
func (n *Node) Targets() []string {
	out := make([]string, 0, len(n.Branches)+len(n.Options)+2)
	for i := range n.Branches {
		out = append(out, n.Branches[i].Then)
	}
	for i := range n.Options {
		out = append(out, n.Options[i].Then)
	}
	if n.Default != "" {
		out = append(out, n.Default)
	}
	if n.Type == Action || n.Type == Ask && len(n.Options) == 0 && n.Next != "" {
		out = append(out, n.Next)
	}
	if n.OnError != "" {
		out = append(out, n.OnError)
	}
	return out
}

// checkGraph holds the tree against the protocol's rules on its whole, in the
// order in which the reference reports them.
func (d *Document) checkGraph() {
	t := d.Draft
	fail := func(rule string, n *Node, at *yamlx.Node, format string, a ...any) {
		id := ""
		if n != nil {
			id = n.ID
		}
		d.fail(phaseGraph, rule, id, at, format, a...)
	}
	if t.index[t.Entry] == nil {
		fail("reference", nil, member(d.Root, "entry"), "entry %s is not a node", pyQuote(t.Entry))
	}
	for _, n := range t.Nodes {
		d.checkNode(n, fail)
	}
	terminal := false
	for _, n := range t.Nodes {
		terminal = terminal || n.Type == Terminal
	}
	if !terminal {
		fail("no-terminal", nil, member(d.Root, "nodes"), "tree has no terminal node")
	}
	if t.Interpolates() {
		d.checkPlaceholders(fail)
	}
	reached := t.Reachable()
	for _, n := range t.Nodes {
		if t.index[t.Entry] != nil && !reached[n.ID] {
			fail("unreachable", n, d.NodeAt(n), "node %s is unreachable from entry", pyQuote(n.ID))
		}
	}
}

// NodeAt gives the mapping of a node in the document.
func (d *Document) NodeAt(n *Node) *yamlx.Node {
	if d.places == nil {
		d.places = map[string]*yamlx.Node{}
		for _, m := range member(d.Root, "nodes").Members {
			if m.Key.Kind == yamlx.String && m.Value.Kind == yamlx.Map {
				d.places[m.Key.Str] = m.Value
			}
		}
		for _, n := range d.Draft.Nodes {
			at := &yamlx.Node{Line: n.Pos.Line, Col: n.Pos.Col}
			if v := d.places[n.ID]; v != nil {
				at.Kind, at.Members = v.Kind, v.Members
			}
			d.places[n.ID] = at
		}
	}
	return d.places[n.ID]
}

type graphFail func(rule string, n *Node, at *yamlx.Node, format string, a ...any)

func (d *Document) checkNode(n *Node, fail graphFail) {
	at := d.NodeAt(n)
	ref := func(id string, field *yamlx.Node) {
		if d.Draft.index[id] == nil {
			if field == nil {
				field = at
			}
			fail("reference", n, field, "reference to unknown node %s", pyQuote(id))
		}
	}
	has := func(name string) bool { v := member(at, name); return v != nil && v.Kind == yamlx.String }
	for i, b := range n.Branches {
		ref(b.Then, member(member(at, "branches").Items[i], "then"))
	}
	for i, o := range n.Options {
		ref(o.Then, member(member(at, "options").Items[i], "then"))
	}
	for _, name := range []string{"default", "next", "on_error"} {
		if has(name) && usesField(n.Type, name) {
			ref(member(at, name).Str, member(at, name))
		}
	}
	switch n.Type {
	case Condition:
		if !has("default") {
			fail("default", n, at, "condition node requires a 'default' branch")
		}
	case Ask:
		switch {
		case len(n.Options) == 0 && (n.Capture == "" || n.Next == ""):
			fail("ask", n, at, "ask node needs 'options', or 'capture' plus 'next'")
		case len(n.Options) > 0 && has("next"):
			fail("ask", n, member(at, "next"), "ask node with 'options' must not also have 'next' (it is ignored at runtime)")
		}
	}
}

func usesField(t NodeType, name string) bool {
	switch name {
	case "default":
		return t == Condition
	case "next":
		return t == Ask || t == Action
	}
	return t == Action
}

// Reachable is the ids of nodes that can be come to.
func (t *Tree) Reachable() map[string]bool {
	reached := map[string]bool{}
	queue := []string{t.Entry}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		n := t.index[id]
		if n == nil || reached[id] {
			continue
		}
		reached[id] = true
		queue = append(queue, n.Targets()...)
	}
	return reached
}

// Placeholder finds {{ path }}; \w and \s are Unicode's, as in the reference's
// language.
var Placeholder = regexp.MustCompile(`\{\{[\s\p{Z}\x{1c}-\x{1f}\x{85}]*([A-Za-z_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)*)[\s\p{Z}\x{1c}-\x{1f}\x{85}]*\}\}`)

// Placeholders finds the placeholders of a text, each with its path.
func Placeholders(text string) [][]string {
	if !strings.Contains(text, "{{") {
		return nil
	}
	return Placeholder.FindAllStringSubmatch(text, -1)
}

// Captures is the facts that nodes declare, with the nodes that do.
func (t *Tree) Captures() map[string][]*Node {
	out := map[string][]*Node{}
	for _, n := range t.Nodes {
		if n.Capture != "" {
			out[n.Capture] = append(out[n.Capture], n)
		}
	}
	return out
}

// Texts lists the strings of a node in which placeholders are filled.
func (n *Node) Texts() []string {
	switch n.Type {
	case Ask, Judgment:
		return []string{n.Prompt}
	case Terminal:
		return []string{n.Summary}
	case Action:
		return appendStrings(nil, n.Args)
	}
	return nil
}

func appendStrings(out []string, v value.Value) []string {
	switch v.Kind {
	case value.String:
		return append(out, v.Str)
	case value.List:
		for _, e := range v.List {
			out = appendStrings(out, e)
		}
	case value.Map:
		for _, m := range v.Members {
			out = appendStrings(out, m.Value)
		}
	}
	return out
}

func (d *Document) checkPlaceholders(fail graphFail) {
	captures := d.Draft.Captures()
	for _, n := range d.Draft.Nodes {
		for _, text := range n.Texts() {
			for _, m := range Placeholders(text) {
				root := FirstSegment(m[1])
				if len(captures[root]) == 0 {
					fail("placeholder", n, d.findText(n, text), "placeholder %s references unknown capture %s", pyQuote(m[0]), pyQuote(root))
				}
			}
		}
	}
}

// FirstSegment is the part of a fact path before its first dot.
func FirstSegment(path string) string {
	for i := range len(path) {
		if path[i] == '.' {
			return path[:i]
		}
	}
	return path
}

// findText gives the scalar of a node that holds a text.
func (d *Document) findText(n *Node, text string) *yamlx.Node {
	at := d.NodeAt(n)
	if found := find(at, text); found != nil {
		return found
	}
	return at
}

func find(n *yamlx.Node, text string) *yamlx.Node {
	if n.Kind == yamlx.String && n.Str == text {
		return n
	}
	for _, e := range n.Items {
		if f := find(e, text); f != nil {
			return f
		}
	}
	for _, m := range n.Members {
		if f := find(m.Value, text); f != nil {
			return f
		}
	}
	return nil
}

// String writes a predicate as pictures label it: eq 200, all(gte 1, lte 2).
func (p *Predicate) String() string {
	if p == nil {
		return ""
	}
	if len(p.Of) > 0 {
		text := p.Op + "("
		for i, of := range p.Of {
			if i > 0 {
				text += ", "
			}
			text += of.String()
		}
		return text + ")"
	}
	if p.Operand.Kind == value.String {
		return p.Op + " " + p.Operand.Str
	}
	return p.Op + " " + string(value.AppendDumps(nil, p.Operand))
}
