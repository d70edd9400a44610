// Package mcptree owns decision trees: the document, its findings, and its
// hash. Sub-packages walk trees, keep sessions and serve them.
package mcptree

import (
	"mcpg/internal/diag"
	"mcpg/mcptree/value"
)

// NodeType selects what a node is.
type NodeType string

const (
	Condition NodeType = "condition"
	Ask       NodeType = "ask"
	Judgment  NodeType = "judgment"
	Action    NodeType = "action"
	Terminal  NodeType = "terminal"
)

// Tree is a document that has no errors; it isn't changed once made.
type Tree struct {
	File        string
	Version     string // "0.1" or "0.2"
	ID, Title   string
	Description string
	Entry       string
	MaxSteps    int
	Nodes       []*Node // in the order of the document
	Document    value.Value
	Hash        string // SHA-256 of the canonical document, hex

	index map[string]*Node
}

// Node gives a node by id, nil if there is none.
func (t *Tree) Node(id string) *Node { return t.index[id] }

// Interpolates tells whether {{ placeholders }} are filled: since 0.2.
func (t *Tree) Interpolates() bool { return t.Version != "0.1" }

// Node is one node. Which fields mean something depends on Type.
type Node struct {
	ID   string
	Type NodeType
	Pos  diag.Pos

	On       string   // condition: dotted fact path
	OnPath   []string // its segments
	Branches []Branch
	Default  string

	Prompt           string // ask, judgment
	Options          []Option
	Capture          string // ask, judgment: "" for none; action: of its result
	Next             string // ask (free text), action
	Evidence         []string
	RequireRationale bool

	Tool    string // action
	Args    value.Value
	Schema  *value.Value // result.schema, nil without one
	OnError string

	Outcome, Summary string // terminal
}

// Branch of a condition.
type Branch struct {
	When *Predicate
	Then string
	Pos  diag.Pos
}

// Option of an ask or judgment.
type Option struct {
	ID, Then string
	Pos      diag.Pos
}

// Predicate is a leaf (Op eq neq gt gte lt lte in exists, with Operand) or a
// composite (all, any with Of; not with one in Of).
type Predicate struct {
	Op      string
	Operand value.Value
	Of      []*Predicate
	Pos     diag.Pos
}
