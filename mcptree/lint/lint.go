// Package lint holds the rules for trees that load and will surprise: one rule
// a file, each with a bad and a good example that its test runs.
package lint

import (
	"cmp"
	"slices"
	"sync"

	"mcpg/internal/yamlx"
	"mcpg/mcptree"
)

// Rule is one named check.
type Rule struct {
	Name string
	Doc  string // one sentence
	// Bad must give a finding of this rule, Good none; both are whole trees.
	Bad, Good string

	check func(*subject, warner)
}

// Rules lists the rules in the order of their names.
func Rules() []Rule { return slices.Clone(ordered()) }

var ordered = sync.OnceValue(func() []Rule {
	rules := []Rule{
		alwaysTrue, captureName, description, duplicateKey, duplicateOption, duplicateTree, emptyText, existsValue, inText, lookAlike, lowMaxSteps,
		mermaidID, nan, neverTrue, oneOption, reservedOutcome, schemaType, shadowed, spinning, trap, uncaptured, unknownField, yamlNumber,
	}
	slices.SortFunc(rules, func(a, b Rule) int { return cmp.Compare(a.Name, b.Name) })
	return rules
})

// Check runs the rules on a document, as far as it could be read.
func Check(doc *mcptree.Document) {
	if doc.Draft == nil {
		return
	}
	d := &subject{Document: doc}
	for _, r := range ordered() {
		if r.check != nil {
			r.check(d, func(node string, at place, format string, a ...any) {
				d.Add(mcptree.Warning, r.Name, node, at, format, a...)
			})
		}
	}
}

// subject is a document, and what several rules need to know of it.
type subject struct {
	*mcptree.Document
	conditions []condition
	gathered   bool
}

// CheckAll runs the rules that look at several documents.
func CheckAll(docs []*mcptree.Document) { checkDuplicateTrees(docs) }

type place = *yamlx.Node

// warner adds a finding of a rule about a node, "" for the tree.
type warner func(node string, at place, format string, a ...any)

// field gives the value of a node's field, or the node itself.
func field(d *subject, n *mcptree.Node, names ...string) place {
	at := d.NodeAt(n)
	for _, name := range names {
		v := mcptree.Member(at, name)
		if v == nil {
			return at
		}
		at = v
	}
	return at
}

// item gives an element of a node's list field.
func item(d *subject, n *mcptree.Node, name string, i int) place {
	at := field(d, n, name)
	if i < len(at.Items) {
		return at.Items[i]
	}
	return at
}
