// Package walk runs scripted walks of decision trees: answers in, the nodes and
// the outcome that must come of them, and which ways they cover.
package walk

import (
	"fmt"
	"slices"
	"strings"

	"mcpg/internal/diag"
	"mcpg/internal/yamlx"
	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

// Script is one file of walks.
type Script struct {
	File  string
	Tree  string // path of the tree's file, from the script's folder
	Walks []Walk
}

// Walk is one scripted walk. Outcome, EndsAt and Path are checked where given.
type Walk struct {
	Name    string
	Pos     diag.Pos
	Steps   []Step
	Outcome *string
	EndsAt  *string
	Path    []string
}

// Step is one answer.
type Step struct {
	Pos         diag.Pos
	At          string // the node that must be waiting
	Value       value.Value
	IsError     bool
	Key         string // as which it is written: answer, result, error; "" for either
	Rationale   *string
	Rejected    string       // how the rejection must begin; "" for none
	Instruction *string      // what the envelope must say
	Args        *value.Value // what an action must be called with
}

// Parse reads a script; every fault is a finding.
func Parse(file string, src []byte) (*Script, []diag.Finding) {
	p := &parser{s: &Script{File: file}}
	root, err := yamlx.Parse(src)
	if err != nil {
		p.fail(&yamlx.Node{}, "not YAML: %v", err)
		return nil, p.findings
	}
	if root.Kind != yamlx.Map {
		p.fail(root, "a script must be a mapping of tree and walks")
		return nil, p.findings
	}
	p.known(root, "tree", "walks")
	p.s.Tree = p.text(root, "tree", true)
	walks := mcptree.Member(root, "walks")
	if walks == nil || walks.Kind != yamlx.List || len(walks.Items) == 0 {
		p.fail(root, "'walks' must be a non-empty list")
		return nil, p.findings
	}
	for _, w := range walks.Items {
		p.walk(w)
	}
	if len(p.findings) > 0 {
		return nil, p.findings
	}
	return p.s, nil
}

type parser struct {
	s        *Script
	findings []diag.Finding
}

func (p *parser) pos(n *yamlx.Node) diag.Pos {
	return diag.Pos{File: p.s.File, Line: n.Line, Col: n.Col}
}

func (p *parser) fail(n *yamlx.Node, format string, a ...any) {
	p.findings = append(p.findings, diag.Finding{Pos: p.pos(n), Rule: "script", Message: fmt.Sprintf(format, a...)})
}

func (p *parser) known(n *yamlx.Node, names ...string) {
	for _, m := range n.Members {
		if m.Key.Kind != yamlx.String || !slices.Contains(names, m.Key.Str) {
			p.fail(m.Key, "unknown field: want one of %s", strings.Join(names, ", "))
		}
	}
}

func (p *parser) text(n *yamlx.Node, name string, required bool) string {
	v := mcptree.Member(n, name)
	switch {
	case v == nil && required:
		p.fail(n, "'%s' is missing", name)
	case v != nil && v.Kind != yamlx.String:
		p.fail(v, "'%s' must be a string", name)
	case v != nil:
		return v.Str
	}
	return ""
}

func (p *parser) optional(n *yamlx.Node, name string) *string {
	if mcptree.Member(n, name) == nil {
		return nil
	}
	s := p.text(n, name, false)
	return &s
}

func (p *parser) walk(n *yamlx.Node) {
	if n.Kind != yamlx.Map {
		p.fail(n, "a walk must be a mapping")
		return
	}
	p.known(n, "name", "steps", "outcome", "ends_at", "path")
	w := Walk{Name: p.text(n, "name", true), Pos: p.pos(n), Outcome: p.optional(n, "outcome"), EndsAt: p.optional(n, "ends_at")}
	if v := mcptree.Member(n, "path"); v != nil {
		w.Path = []string{}
		if v.Kind != yamlx.List {
			p.fail(v, "'path' must be a list of nodes")
		}
		for _, e := range v.Items {
			if e.Kind != yamlx.String {
				p.fail(e, "'path' must be a list of nodes, quoted where YAML reads them as something else")
			}
			w.Path = append(w.Path, e.Str)
		}
	}
	if v := mcptree.Member(n, "steps"); v != nil {
		if v.Kind != yamlx.List {
			p.fail(v, "'steps' must be a list")
		}
		for _, e := range v.Items {
			w.Steps = append(w.Steps, p.step(e))
		}
	}
	p.s.Walks = append(p.s.Walks, w)
}

func (p *parser) step(n *yamlx.Node) Step {
	s := Step{Pos: p.pos(n)}
	if n.Kind != yamlx.Map {
		p.fail(n, "a step must be a mapping like {at: NODE, answer: VALUE}")
		return s
	}
	p.known(n, "at", "answer", "result", "error", "rationale", "rejected", "instruction", "args")
	s.At = p.text(n, "at", true)
	given := 0
	for _, name := range []string{"answer", "result", "error"} {
		if v := mcptree.Member(n, name); v != nil {
			given++
			p.plain(v)
			s.Value, s.IsError, s.Key = mcptree.ValueOf(v), name == "error", name
		}
	}
	if given != 1 {
		p.fail(n, "a step wants one of answer, result and error")
	}
	s.Rationale, s.Instruction = p.optional(n, "rationale"), p.optional(n, "instruction")
	s.Rejected = p.text(n, "rejected", false)
	if v := mcptree.Member(n, "args"); v != nil {
		args := mcptree.ValueOf(v)
		s.Args = &args
	}
	return s
}

// plain notes what JSON can't hold: it would be submitted as null.
func (p *parser) plain(n *yamlx.Node) {
	if n.Kind == yamlx.Other {
		p.fail(n, "a %s is no JSON value: quote it", n.Type)
	}
	for _, e := range n.Items {
		p.plain(e)
	}
	for _, m := range n.Members {
		p.plain(m.Value)
	}
}
