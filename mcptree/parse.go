package mcptree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"mcpg/internal/diag"
	"mcpg/internal/yamlx"
	"mcpg/mcptree/value"
)

// parser reads the document's tree, noting every fault.
type parser struct {
	d   *Document
	t   *Tree
	bad bool // a fault of parse phase was noted
}

// read builds Draft and, if nothing is wrong, Tree.
func (d *Document) read() {
	doc := d.toValue(d.Root, "", "")
	p := &parser{d: d, t: &Tree{File: d.File, MaxSteps: 50, Document: doc, index: map[string]*Node{}}}
	p.top()
	d.Draft = p.t
	if !d.Errors() {
		d.checkGraph()
	}
	if d.Errors() {
		return
	}
	sum := sha256.Sum256(value.AppendCanonical(nil, doc))
	p.t.Hash = hex.EncodeToString(sum[:])
	d.Tree = p.t
}

// FromValue reads a tree from the JSON value of a document, such as a session
// pins.
func FromValue(v value.Value) (*Tree, error) {
	d := &Document{Root: fromValue(v)}
	if d.Root.Kind != yamlx.Map {
		return nil, errors.New("a tree must be a mapping")
	}
	d.read()
	if d.Tree == nil {
		return nil, errors.New(d.Reason())
	}
	return d.Tree, nil
}

func fromValue(v value.Value) *yamlx.Node {
	n := &yamlx.Node{Bool: v.Bool, Float: v.Float, Str: v.Str}
	switch v.Kind {
	case value.Null:
		n.Kind = yamlx.Null
	case value.Bool:
		n.Kind = yamlx.Bool
	case value.Int:
		n.Kind, n.Int = yamlx.Int, v.Big
		if v.Big == nil {
			n.Int = big.NewInt(v.Int)
		}
	case value.Float:
		n.Kind = yamlx.Float
	case value.String:
		n.Kind = yamlx.String
	case value.List:
		n.Kind = yamlx.List
		for _, e := range v.List {
			n.Items = append(n.Items, fromValue(e))
		}
	case value.Map:
		n.Kind = yamlx.Map
		for _, m := range v.Members {
			n.Members = append(n.Members, yamlx.Member{Key: &yamlx.Node{Kind: yamlx.String, Str: m.Name}, Value: fromValue(m.Value)})
		}
	}
	return n
}

// toValue turns YAML into JSON: of equal keys the last wins, in the place of the
// first, as in the reference's dictionaries. path and node say where it is.
func (d *Document) toValue(n *yamlx.Node, path, node string) value.Value {
	switch n.Kind {
	case yamlx.Bool:
		return value.OfBool(n.Bool)
	case yamlx.Int:
		if n.Int.IsInt64() {
			return value.OfInt(n.Int.Int64())
		}
		return value.Value{Kind: value.Int, Big: n.Int}
	case yamlx.Float:
		return value.OfFloat(n.Float)
	case yamlx.String:
		return value.OfString(n.Str)
	case yamlx.Other:
		d.fail(phaseJSON, "json", node, n, "tree contains non-JSON values (quote dates and other scalars): Object of type %s is not JSON serializable", n.Type)
	case yamlx.List:
		out := value.Value{Kind: value.List, List: make([]value.Value, 0, len(n.Items))}
		for i, e := range n.Items {
			out.List = append(out.List, d.toValue(e, path+"["+strconv.Itoa(i)+"]", node))
		}
		return out
	case yamlx.Map:
		return d.mapValue(n, path, node)
	}
	return value.Value{}
}

func (d *Document) mapValue(n *yamlx.Node, path, node string) value.Value {
	out := value.Value{Kind: value.Map, Members: make([]value.Member, 0, len(n.Members))}
	var places map[string]int // of names; a few are found faster without
	if len(n.Members) > 16 {
		places = make(map[string]int, len(n.Members))
	}
	isNode := strings.HasPrefix(path, "nodes.") && path == "nodes."+node
	for i := range n.Members {
		m := &n.Members[i]
		name, ok := d.keyName(n, m, path, node, isNode)
		if !ok {
			continue
		}
		inner, innerNode := name, node
		if path != "" {
			inner = path + "." + name
		}
		if path == "nodes" {
			innerNode = name
		}
		v := d.toValue(m.Value, inner, innerNode)
		j, again := places[name]
		if places == nil {
			j = slices.IndexFunc(out.Members, func(m value.Member) bool { return m.Name == name })
			again = j >= 0
		}
		if again {
			out.Members[j].Value = v
			continue
		}
		if places != nil {
			places[name] = len(out.Members)
		}
		out.Members = append(out.Members, value.Member{Name: name, Value: v})
	}
	return out
}

// keyName gives a member's name; a bare on, which YAML 1.1 reads as true, is
// "on" in a node that has no "on" of its own.
func (d *Document) keyName(n *yamlx.Node, m *yamlx.Member, path, node string, isNode bool) (string, bool) {
	if m.Key.Kind == yamlx.String {
		return m.Key.Str, true
	}
	if isNode && m.Key.Kind == yamlx.Bool && m.Key.Bool && member(n, "on") == nil {
		m.Key = &yamlx.Node{Kind: yamlx.String, Str: "on", Line: m.Key.Line, Col: m.Key.Col}
		return "on", true
	}
	where := path
	if where == "" {
		where = "top level"
	}
	d.fail(phaseKeys, "key", node, m.Key, "non-string mapping key %s at %s — quote YAML boolean-like keys ('on', 'yes', ...) and other non-string scalars", pyText(m.Key), where)
	return "", false
}

// pyText writes a scalar as the reference's language does.
func pyText(n *yamlx.Node) string {
	switch n.Kind {
	case yamlx.Null:
		return "None"
	case yamlx.Bool:
		if n.Bool {
			return "True"
		}
		return "False"
	case yamlx.Int:
		return n.Int.String()
	case yamlx.Float:
		return string(value.AppendDumps(nil, value.OfFloat(n.Float)))
	case yamlx.Other:
		return n.Type
	}
	return pyQuote(n.Str)
}

// pyQuote quotes a string as Python's repr does where it matters.
func pyQuote(s string) string {
	if !strings.ContainsAny(s, "'\\\n\t") {
		return "'" + s + "'"
	}
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return `"` + s + `"`
	}
	return "'" + pyEscaper.Replace(s) + "'"
}

var pyEscaper = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`)

// member gives the value of a key: of equal keys the last.
func member(n *yamlx.Node, name string) *yamlx.Node {
	for i := len(n.Members) - 1; i >= 0; i-- {
		if k := n.Members[i].Key; k.Kind == yamlx.String && k.Str == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// Member is member for the rules.
func Member(n *yamlx.Node, name string) *yamlx.Node { return member(n, name) }

func (p *parser) fail(rule, node string, at *yamlx.Node, format string, a ...any) {
	p.bad = true
	p.d.fail(phaseParse, rule, node, at, format, a...)
}

// str reads a string field. where begins the message: "tree" or "node 'a'".
func (p *parser) str(n *yamlx.Node, name, where, node string, required bool) string {
	v := member(n, name)
	switch {
	case v == nil && required:
		p.fail("missing-field", node, n, "%s: missing required field '%s'", where, name)
	case v == nil || v.Kind == yamlx.Null && !required:
	case v.Kind != yamlx.String:
		p.fail("field-type", node, v, "%s: field '%s' must be a string", where, name)
	default:
		return v.Str
	}
	return ""
}

func (p *parser) top() {
	root, t := p.d.Root, p.t
	t.Version = p.str(root, "mcptree", "tree", "", true)
	if v := member(root, "mcptree"); v != nil && v.Kind == yamlx.String && v.Str != "0.1" && v.Str != "0.2" {
		p.fail("version", "", v, "unsupported spec version %s (this build supports ['0.1', '0.2'])", pyQuote(v.Str))
	}
	t.ID = p.str(root, "id", "tree", "", true)
	t.Title = p.str(root, "title", "tree", "", true)
	t.Entry = p.str(root, "entry", "tree", "", true)
	if v := member(root, "description"); v != nil && v.Kind == yamlx.String {
		t.Description = v.Str
	}
	if v := member(root, "max_steps"); v != nil {
		if v.Kind != yamlx.Int || v.Int.Sign() <= 0 {
			p.fail("max-steps", "", v, "tree: 'max_steps' must be a positive integer")
		} else if v.Int.IsInt64() && v.Int.Int64() < 1<<53 {
			t.MaxSteps = int(v.Int.Int64())
		} else {
			t.MaxSteps = 1 << 53
		}
	}
	nodes := member(root, "nodes")
	if nodes == nil || nodes.Kind != yamlx.Map || len(nodes.Members) == 0 {
		at := nodes
		if at == nil {
			at = root
		}
		p.fail("nodes", "", at, "tree: 'nodes' must be a non-empty mapping")
		return
	}
	last := make(map[string]int, len(nodes.Members)) // the last of equal keys counts
	for i, m := range nodes.Members {
		if m.Key.Kind == yamlx.String {
			last[m.Key.Str] = i
		}
	}
	for i, m := range nodes.Members {
		if m.Key.Kind != yamlx.String || last[m.Key.Str] != i {
			continue
		}
		n := p.node(m.Key.Str, m.Value)
		n.Pos = p.pos(m.Key)
		t.Nodes = append(t.Nodes, n)
		t.index[n.ID] = n
	}
}

func (p *parser) pos(n *yamlx.Node) diag.Pos {
	return diag.Pos{File: p.d.File, Line: n.Line, Col: n.Col}
}

func (p *parser) node(id string, v *yamlx.Node) *Node {
	n := &Node{ID: id}
	where := "node " + pyQuote(id)
	if v.Kind != yamlx.Map {
		p.fail("node", id, v, "%s: must be a mapping", where)
		return n
	}
	kind := p.str(v, "type", where, id, true)
	n.Type = NodeType(kind)
	switch n.Type {
	case Condition:
		p.condition(n, v, where)
	case Ask:
		p.ask(n, v, where)
	case Judgment:
		p.judgment(n, v, where)
	case Action:
		p.action(n, v, where)
	case Terminal:
		n.Outcome = p.str(v, "outcome", where, id, true)
		n.Summary = p.str(v, "summary", where, id, true)
	default:
		if kind != "" || member(v, "type") != nil && member(v, "type").Kind == yamlx.String {
			p.fail("node-type", id, member(v, "type"), "%s: unknown node type %s", where, pyQuote(kind))
		}
	}
	return n
}

func (p *parser) condition(n *Node, v *yamlx.Node, where string) {
	n.On = p.str(v, "on", where, n.ID, true)
	n.OnPath = strings.Split(n.On, ".")
	branches := member(v, "branches")
	switch {
	case branches == nil:
		p.fail("missing-field", n.ID, v, "%s: missing required field 'branches'", where)
	case branches.Kind != yamlx.List || len(branches.Items) == 0:
		p.fail("branches", n.ID, branches, "%s: 'branches' must be a non-empty list", where)
	default:
		for i, b := range branches.Items {
			n.Branches = append(n.Branches, p.branch(n, b, fmt.Sprintf("%s.branches[%d]", where, i)))
		}
	}
	n.Default = p.str(v, "default", where, n.ID, false)
}

func (p *parser) branch(n *Node, v *yamlx.Node, where string) Branch {
	b := Branch{Pos: p.pos(v)}
	if v.Kind != yamlx.Map {
		p.fail("branch", n.ID, v, "%s must be a mapping", where)
		return b
	}
	if when := member(v, "when"); when == nil {
		p.fail("missing-field", n.ID, v, "%s: missing required field 'when'", where)
	} else {
		b.When = p.predicate(n, when, where, "'when'")
	}
	b.Then = p.str(v, "then", where, n.ID, true)
	return b
}

var leaves = map[string]bool{"eq": true, "neq": true, "gt": true, "gte": true, "lt": true, "lte": true, "in": true, "exists": true}

// predicate reads one predicate; what names it in messages.
func (p *parser) predicate(n *Node, v *yamlx.Node, where, what string) *Predicate {
	pr := &Predicate{Pos: p.pos(v)}
	if v.Kind != yamlx.Map || len(v.Members) != 1 || v.Members[0].Key.Kind != yamlx.String {
		if v.Kind == yamlx.Map && len(v.Members) == 1 {
			return pr // the key has a finding of its own
		}
		p.fail("predicate", n.ID, v, "%s: %s must be a single-key mapping like {eq: 200}", where, what)
		return pr
	}
	pr.Op = v.Members[0].Key.Str
	operand := v.Members[0].Value
	switch {
	case leaves[pr.Op]:
		quiet := &Document{} // its faults were noted with the whole document's
		pr.Operand = quiet.toValue(operand, "", "")
	case pr.Op != "all" && pr.Op != "any" && pr.Op != "not":
		p.fail("predicate", n.ID, v.Members[0].Key, "%s: unknown predicate op %s", where, pyQuote(pr.Op))
	case p.t.Version == "0.1":
		p.fail("predicate", n.ID, v.Members[0].Key, "%s: predicate '%s' requires mcptree 0.2", where, pr.Op)
	case pr.Op == "not":
		pr.Of = []*Predicate{p.predicate(n, operand, where+".not", "'not'")}
	case operand.Kind != yamlx.List || len(operand.Items) == 0:
		p.fail("predicate", n.ID, operand, "%s: '%s' must be a non-empty list of predicates", where, pr.Op)
	default:
		for i, e := range operand.Items {
			pr.Of = append(pr.Of, p.predicate(n, e, fmt.Sprintf("%s.%s[%d]", where, pr.Op, i), "'"+pr.Op+"'"))
		}
	}
	return pr
}

func (p *parser) options(n *Node, v *yamlx.Node, where string) {
	for i, o := range v.Items {
		at := fmt.Sprintf("%s.options[%d]", where, i)
		if o.Kind != yamlx.Map {
			p.fail("option", n.ID, o, "%s must be a mapping", at)
			continue
		}
		n.Options = append(n.Options, Option{ID: p.str(o, "id", at, n.ID, true), Then: p.str(o, "then", at, n.ID, true), Pos: p.pos(o)})
	}
}

func (p *parser) ask(n *Node, v *yamlx.Node, where string) {
	n.Prompt = p.str(v, "prompt", where, n.ID, true)
	if o := member(v, "options"); o != nil && o.Kind != yamlx.Null {
		if o.Kind != yamlx.List || len(o.Items) == 0 {
			p.fail("options", n.ID, o, "%s: 'options' must be a non-empty list", where)
		} else {
			p.options(n, o, where)
		}
	}
	n.Capture = p.str(v, "capture", where, n.ID, false)
	n.Next = p.str(v, "next", where, n.ID, false)
}

func (p *parser) judgment(n *Node, v *yamlx.Node, where string) {
	n.Prompt = p.str(v, "prompt", where, n.ID, true)
	switch o := member(v, "options"); {
	case o == nil:
		p.fail("missing-field", n.ID, v, "%s: missing required field 'options'", where)
	case o.Kind != yamlx.List || len(o.Items) == 0:
		p.fail("options", n.ID, o, "%s: 'options' must be a non-empty list", where)
	default:
		p.options(n, o, where)
	}
	if e := member(v, "evidence"); e != nil {
		p.evidence(n, e, where)
	}
	if r := member(v, "require_rationale"); r != nil {
		if r.Kind != yamlx.Bool {
			p.fail("field-type", n.ID, r, "%s: 'require_rationale' must be a boolean", where)
		}
		n.RequireRationale = r.Bool
	}
	if c := member(v, "capture"); c != nil && p.t.Version == "0.1" {
		p.fail("capture", n.ID, c, "%s: 'capture' on judgment requires mcptree 0.2", where)
	}
	n.Capture = p.str(v, "capture", where, n.ID, false)
}

func (p *parser) evidence(n *Node, e *yamlx.Node, where string) {
	ok := e.Kind == yamlx.List
	for _, x := range e.Items {
		ok = ok && x.Kind == yamlx.String
		n.Evidence = append(n.Evidence, x.Str)
	}
	if !ok {
		n.Evidence = nil
		p.fail("evidence", n.ID, e, "%s: 'evidence' must be a list of fact names", where)
	}
}

func (p *parser) action(n *Node, v *yamlx.Node, where string) {
	quiet := &Document{}
	n.Tool = p.str(v, "tool", where, n.ID, true)
	n.Args = value.OfMap()
	if a := member(v, "args"); a != nil {
		if a.Kind != yamlx.Map {
			p.fail("field-type", n.ID, a, "%s: 'args' must be a mapping", where)
		} else {
			n.Args = quiet.toValue(a, "", "")
		}
	}
	if r := member(v, "result"); r != nil {
		if r.Kind != yamlx.Map {
			p.fail("field-type", n.ID, r, "%s: 'result' must be a mapping", where)
		} else {
			n.Capture = p.str(r, "capture", where+".result", n.ID, false)
			p.schema(n, member(r, "schema"), where)
		}
	}
	n.Next = p.str(v, "next", where, n.ID, true)
	n.OnError = p.str(v, "on_error", where, n.ID, false)
}

func (p *parser) schema(n *Node, s *yamlx.Node, where string) {
	switch {
	case s == nil || s.Kind == yamlx.Null:
	case s.Kind != yamlx.Map:
		p.fail("field-type", n.ID, s, "%s.result: 'schema' must be a mapping", where)
	default:
		quiet := &Document{}
		v := quiet.toValue(s, "", "")
		n.Schema = &v
	}
}

// ValueOf is the JSON value of a YAML value; what JSON can't express is null.
func ValueOf(n *yamlx.Node) value.Value {
	quiet := &Document{}
	return quiet.toValue(n, "", "")
}
