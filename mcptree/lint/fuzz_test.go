package lint

import (
	"testing"

	"mcpg/mcptree"
)

// FuzzCheck reads anything as a tree and runs all rules on what could be read.
func FuzzCheck(f *testing.F) {
	for _, r := range Rules() {
		f.Add([]byte(r.Bad))
		f.Add([]byte(r.Good))
	}
	f.Add([]byte("mcptree: '0.2'\nid: t\ntitle: t\nentry: a\nnodes:\n  a: {type: condition, on: x, branches: [{when: {not: {all: [{in: {a: 1}}, {gt: [1]}]}}, then: a}], default: a}\n  1: x\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		d := mcptree.Parse("t.yaml", in)
		Check(d)
		CheckAll([]*mcptree.Document{d, d})
		if d.Errors() == (d.Tree != nil) {
			t.Fatalf("errors %v, tree %v", d.Errors(), d.Tree != nil)
		}
		if d.Errors() && d.Reason() == "" {
			t.Fatal("rejected without a reason")
		}
		if d.Tree != nil {
			again, err := mcptree.FromValue(d.Tree.Document)
			if err != nil || again.Hash != d.Tree.Hash {
				t.Fatalf("the document's value reads back as %v, %v", again, err)
			}
		}
	})
}
