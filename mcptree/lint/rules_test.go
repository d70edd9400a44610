package lint

import (
	"testing"

	"mcpg/mcptree"
)

// TestExamples runs every rule's own documentation: its bad tree must give a
// finding of the rule, its good one none.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, r := range Rules() {
		if r.check == nil {
			continue
		}
		for _, c := range []struct {
			text string
			want bool
		}{{r.Bad, true}, {r.Good, false}} {
			d := mcptree.Parse("t.yaml", []byte(c.text))
			if d.Errors() {
				t.Errorf("%s: the example is rejected: %s", r.Name, d.Reason())
			}
			Check(d)
			got := false
			for _, f := range d.Findings {
				if f.Rule == r.Name {
					got = true
					if f.Pos.Line == 0 {
						t.Errorf("%s: a finding without a line: %s", r.Name, f.Message)
					}
				}
			}
			if got != c.want {
				t.Errorf("%s: finding %v, want %v in\n%s%v", r.Name, got, c.want, c.text, d.Findings)
			}
		}
	}
}

func TestDuplicateTrees(t *testing.T) {
	t.Parallel()
	one, two := mcptree.Parse("a.yaml", []byte(trap.Good)), mcptree.Parse("b.yaml", []byte(trap.Good))
	CheckAll([]*mcptree.Document{one, two})
	if len(one.Findings) != 0 || len(two.Findings) != 1 || two.Findings[0].Rule != "duplicate-tree" {
		t.Errorf("%v %v", one.Findings, two.Findings)
	}
}

// Names are those of one rule: --ignore and SARIF know rules by them.
func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range mcptree.Rules() {
		seen[r.Name] = true
	}
	for _, r := range Rules() {
		if seen[r.Name] {
			t.Errorf("%s is the name of two rules", r.Name)
		}
		seen[r.Name] = true
	}
}
