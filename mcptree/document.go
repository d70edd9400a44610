package mcptree

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpg/internal/diag"
	"mcpg/internal/yamlx"
	"mcpg/mcptree/value"
)

// Severity of a finding.
type Severity uint8

const (
	Error   Severity = iota // the protocol rejects the tree
	Warning                 // it loads, and will surprise
)

func (s Severity) String() string { return [...]string{"error", "warning"}[s] }

// Finding is one remark about a document. Node is "" for the whole tree.
type Finding struct {
	diag.Finding
	Node     string
	Severity Severity

	phase phase
}

// phase is how far reading had come: a document fails at the first phase that
// has an error.
type phase uint8

const (
	phaseRead phase = iota
	phaseYAML
	phaseShape
	phaseKeys
	phaseJSON
	phaseParse
	phaseGraph
	phaseLint
)

// Document is what one file holds. All findings come from one reading; Draft is
// the tree as far as it could be read, Tree the same if nothing is wrong.
type Document struct {
	File     string
	Source   []byte
	Root     *yamlx.Node // nil if it isn't YAML
	Draft    *Tree
	Tree     *Tree
	Findings []Finding

	places map[string]*yamlx.Node // of nodes, by id
}

// Trim keeps what a report of findings needs: the source, and of the tree its
// names and hash. Of many documents the rest would be most of the memory.
func (d *Document) Trim() {
	if d.Tree != nil {
		t := *d.Tree
		t.Nodes, t.index, t.Document = nil, nil, value.Value{}
		d.Tree = &t
	}
	d.Draft, d.places = nil, nil
	if d.Root == nil {
		return
	}
	root := yamlx.Node{Kind: d.Root.Kind, Line: d.Root.Line, Col: d.Root.Col}
	if id := member(d.Root, "id"); id != nil {
		at := *id
		root.Members = []yamlx.Member{{Key: &yamlx.Node{Kind: yamlx.String, Str: "id"}, Value: &at}}
	}
	d.Root = &root
}

// Errors tells whether the protocol rejects the document.
func (d *Document) Errors() bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Severity == Error })
}

// Add appends a finding at a place in the document.
func (d *Document) Add(severity Severity, rule, node string, at *yamlx.Node, format string, a ...any) {
	pos := diag.Pos{File: d.File}
	if at != nil {
		pos.Line, pos.Col = at.Line, at.Col
	}
	d.Findings = append(d.Findings, Finding{
		Finding: diag.Finding{Pos: pos, Rule: rule, Message: fmt.Sprintf(format, a...)}, Node: node, Severity: severity, phase: phaseLint,
	})
}

func (d *Document) fail(p phase, rule, node string, at *yamlx.Node, format string, a ...any) {
	d.Add(Error, rule, node, at, format, a...)
	d.Findings[len(d.Findings)-1].phase = p
}

// Reason is the failure as the reference words it, in one line: the first error
// of the first phase that has any, or all errors of the graph.
func (d *Document) Reason() string {
	first := phaseLint
	for _, f := range d.Findings {
		if f.Severity == Error {
			first = min(first, f.phase)
		}
	}
	var graph []string
	for _, f := range d.Findings {
		switch {
		case f.Severity != Error || f.phase != first:
		case first != phaseGraph:
			return f.Message
		case f.Node == "":
			graph = append(graph, "[tree] "+f.Message)
		default:
			graph = append(graph, "["+f.Node+"] "+f.Message)
		}
	}
	return "invalid tree: " + strings.Join(graph, "; ")
}

// Parse reads a document. It never stops at the first fault.
func Parse(file string, src []byte) *Document {
	d := &Document{File: file, Source: src}
	root, err := yamlx.Parse(src)
	if err != nil {
		d.yamlError(err)
		return d
	}
	d.Root = root
	if root.Kind != yamlx.Map {
		d.fail(phaseShape, "top-level", "", root, "top level must be a mapping")
		return d
	}
	d.read()
	return d
}

func (d *Document) yamlError(err error) {
	if errors.Is(err, yamlx.ErrNotUTF8) {
		d.fail(phaseRead, "utf-8", "", nil, "%v", err)
		return
	}
	at := &yamlx.Node{}
	msg := err.Error()
	var y *yamlx.Error
	if errors.As(err, &y) {
		at.Line, at.Col = y.Line, y.Col
	}
	d.fail(phaseYAML, "yaml", "", at, "invalid YAML: %s", msg)
}
