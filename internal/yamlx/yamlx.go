// Package yamlx reads YAML documents with positions, typing plain scalars by
// YAML 1.1 as PyYAML's safe loader does. Aliases, depth and size are bounded.
package yamlx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Kind of a Node.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Map
	Other // what JSON can't express: Type names it as the reference does
)

// Node is a typed value with its place.
type Node struct {
	Kind    Kind
	Bool    bool
	Int     *big.Int
	Float   float64
	Str     string // of a String
	Type    string // of an Other: date, datetime, bytes, set
	Raw     string // a plain scalar as it is written
	Items   []*Node
	Members []Member // in the order of the document; keys may repeat
	Line    int
	Col     int
}

// Member is one pair of a mapping.
type Member struct {
	Key, Value *Node
	Merged     bool // came in by a merge key
}

// Limits of a document.
const (
	MaxDepth  = 1000
	MaxNodes  = 1_000_000 // after aliases are followed
	maxDigits = 4300      // of an integer, the reference's own bound
)

// Error is why a document can't be read, with its place.
type Error struct {
	Line, Col int
	Msg       string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

// ErrNotUTF8 says that the input isn't text.
var ErrNotUTF8 = errors.New("not valid UTF-8")

// Parse reads the one document of an input; an empty one is a null Node.
func Parse(b []byte) (*Node, error) {
	if i := invalidUTF8(b); i >= 0 {
		return nil, fmt.Errorf("%w: at byte %d", ErrNotUTF8, i)
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if depth := flowDepth(b); depth > MaxDepth {
		return nil, &Error{Msg: fmt.Sprintf("nested more than %d deep", MaxDepth)}
	}
	b = jsonEscapes(b)
	d := yaml.NewDecoder(bytes.NewReader(b))
	var doc yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return &Node{Line: 1, Col: 1}, nil
	case err != nil:
		return nil, syntaxError(b, err)
	}
	var second yaml.Node
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, &Error{Line: second.Line, Col: second.Column, Msg: "expected a single document in the stream, but found another document"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(b, err)
	}
	c := &converter{open: map[*yaml.Node]bool{}}
	return c.node(doc.Content[0], 0)
}

func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// flowDepth is an upper bound of how deep brackets nest: cheap protection from
// inputs that the parser would recurse into.
func flowDepth(b []byte) int {
	depth, most := 0, 0
	for _, c := range b {
		switch c {
		case '[', '{':
			depth++
			most = max(most, depth)
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return most
}

var linePrefix = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

func syntaxError(src []byte, err error) error {
	text := err.Error()
	m := linePrefix.FindStringSubmatch(text)
	line, _ := strconv.Atoi(m[1]) // 0 where there is none
	msg := strings.TrimPrefix(text, m[0])
	if parserFaults[msg] {
		// What is missing at the end is missed after the last line.
		line = min(line+1, bytes.Count(bytes.TrimSuffix(src, []byte("\n")), []byte("\n"))+1)
	}
	return &Error{Line: line, Msg: msg}
}

// parserFaults are the errors whose lines the library counts from 0: those of
// its parser, not of its scanner.
var parserFaults = map[string]bool{
	"did not find expected ',' or ']'":       true,
	"did not find expected ',' or '}'":       true,
	"did not find expected '-' indicator":    true,
	"did not find expected <document start>": true,
	"did not find expected <stream-start>":   true,
	"did not find expected key":              true,
	"did not find expected node content":     true,
	"found duplicate %TAG directive":         true,
	"found duplicate %YAML directive":        true,
	"found incompatible YAML document":       true,
	"found undefined tag handle":             true,
}

type converter struct {
	open  map[*yaml.Node]bool // anchors that are being read
	nodes int
	block []Node // nodes are small and many: they are made a block at a time
}

func (c *converter) add(n Node) *Node {
	if len(c.block) == cap(c.block) {
		c.block = make([]Node, 0, 32)
	}
	c.block = append(c.block, n)
	return &c.block[len(c.block)-1]
}

func (c *converter) fail(n *yaml.Node, format string, a ...any) error {
	return &Error{Line: n.Line, Col: n.Column, Msg: fmt.Sprintf(format, a...)}
}

func (c *converter) node(n *yaml.Node, depth int) (*Node, error) {
	if c.nodes++; c.nodes > MaxNodes {
		return nil, c.fail(n, "more than %d values once aliases are followed", MaxNodes)
	}
	if depth > MaxDepth {
		return nil, c.fail(n, "nested more than %d deep", MaxDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.alias(n, depth)
	case yaml.SequenceNode:
		return c.list(n, depth)
	case yaml.MappingNode:
		return c.mapping(n, depth)
	}
	return c.scalar(n)
}

func (c *converter) alias(n *yaml.Node, depth int) (*Node, error) {
	if c.open[n.Alias] {
		return nil, c.fail(n, "alias *%s stands inside what it names", n.Value)
	}
	v, err := c.node(n.Alias, depth)
	if err != nil {
		return nil, err
	}
	at := *v
	at.Line, at.Col = n.Line, n.Column
	return &at, nil
}

func (c *converter) list(n *yaml.Node, depth int) (*Node, error) {
	t := explicitTag(n)
	if t == "!!omap" || t == "!!pairs" {
		return c.pairs(n, depth)
	}
	if t != "" && t != "!!seq" {
		return c.tagged(n, t)
	}
	c.open[n] = true
	defer delete(c.open, n)
	out := &Node{Kind: List, Line: n.Line, Col: n.Column, Items: make([]*Node, 0, len(n.Content))}
	for _, e := range n.Content {
		v, err := c.node(e, depth+1)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, v)
	}
	return out, nil
}

// pairs reads an ordered mapping: a list of mappings of one pair each, which
// becomes a list of lists of two.
func (c *converter) pairs(n *yaml.Node, depth int) (*Node, error) {
	c.open[n] = true
	defer delete(c.open, n)
	out := &Node{Kind: List, Line: n.Line, Col: n.Column}
	for _, e := range n.Content {
		v, err := c.node(e, depth+1)
		if err != nil {
			return nil, err
		}
		if v.Kind != Map || len(v.Members) != 1 {
			return nil, c.fail(e, "expected a mapping of one pair")
		}
		m := v.Members[0]
		out.Items = append(out.Items, &Node{Kind: List, Line: v.Line, Col: v.Col, Items: []*Node{m.Key, m.Value}})
	}
	return out, nil
}

func (c *converter) mapping(n *yaml.Node, depth int) (*Node, error) {
	if t := explicitTag(n); t != "" && t != "!!map" {
		return c.tagged(n, t)
	}
	c.open[n] = true
	defer delete(c.open, n)
	out := c.add(Node{Kind: Map, Line: n.Line, Col: n.Column, Members: make([]Member, 0, len(n.Content)/2)})
	var merged []Member
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Value == "<<" && plain(k) {
			ms, err := c.merge(n.Content[i+1], depth)
			if err != nil {
				return nil, err
			}
			merged = append(merged, ms...)
			continue
		}
		k, err := c.node(n.Content[i], depth+1)
		if err != nil {
			return nil, err
		}
		if k.Kind == List || k.Kind == Map {
			return nil, c.fail(n.Content[i], "found unhashable key")
		}
		v, err := c.node(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		out.Members = append(out.Members, Member{Key: k, Value: v})
	}
	if len(merged) > 0 {
		out.Members = append(merged, out.Members...)
	}
	return out, nil
}

// merge gives the members that a merge key brings: of a list, the first
// mapping's last, so that it wins.
func (c *converter) merge(n *yaml.Node, depth int) ([]Member, error) {
	v, err := c.node(n, depth+1)
	if err != nil {
		return nil, err
	}
	maps := []*Node{v}
	if v.Kind == List {
		maps = v.Items
	}
	var out []Member
	for i := len(maps) - 1; i >= 0; i-- {
		if maps[i].Kind != Map {
			return nil, c.fail(n, "expected a mapping or list of mappings for merging")
		}
		for _, m := range maps[i].Members {
			m.Merged = true
			out = append(out, m)
		}
	}
	return out, nil
}

func plain(n *yaml.Node) bool { return n.Style == 0 || n.Style == yaml.FlowStyle }

// explicitTag is a tag that the document writes, in its short form.
func explicitTag(n *yaml.Node) string {
	if n.Style&yaml.TaggedStyle == 0 || n.Tag == "!" {
		return ""
	}
	return n.ShortTag()
}

func (c *converter) tagged(n *yaml.Node, tag string) (*Node, error) {
	if tag == "!!set" {
		return &Node{Kind: Other, Type: "set", Line: n.Line, Col: n.Column}, nil
	}
	return nil, c.fail(n, "could not determine a constructor for the tag %q", tag)
}

func (c *converter) scalar(n *yaml.Node) (*Node, error) {
	out := c.add(Node{Kind: String, Str: n.Value, Line: n.Line, Col: n.Column})
	tag := explicitTag(n)
	if tag == "" && !plain(n) {
		return out, nil
	}
	if tag == "" {
		tag, out.Raw = resolve(n.Value), n.Value
	}
	var err error
	switch tag {
	case "!!str":
	case "!!null":
		out.Kind, out.Str = Null, ""
	case "!!bool":
		b, ok := bools[strings.ToLower(n.Value)]
		if !ok {
			return nil, c.fail(n, "%q is no boolean", n.Value)
		}
		out.Kind, out.Bool, out.Str = Bool, b, ""
	case "!!int":
		out.Kind, out.Str = Int, ""
		out.Int, err = parseInt(n.Value)
	case "!!float":
		out.Kind, out.Str = Float, ""
		out.Float, err = parseFloat(n.Value)
	case "!!timestamp":
		out.Kind, out.Str = Other, ""
		out.Type, err = dateType(n.Value)
	case "!!binary":
		out.Kind, out.Str, out.Type = Other, "", "bytes"
	default:
		return c.tagged(n, tag)
	}
	if err != nil {
		return nil, c.fail(n, "%v", err)
	}
	return out, nil
}
