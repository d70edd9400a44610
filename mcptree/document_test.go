package mcptree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcpg/mcptree/value"
)

const head = "mcptree: \"0.2\"\nid: t\ntitle: T\nentry: a\nnodes:\n"

const end = "  z: {type: terminal, outcome: done, summary: s}\n"

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want string }{
		{head + "  a: {type: ask, prompt: p, options: [{id: x, then: z}]}\n" + end, ""},
		{"", "1:1 [top-level]"},
		{"a: [", "1:0 [yaml]"},
		{"a: &x [*x]\n", "1:8 [yaml]"},
		{head + "  a: {type: ask, prompt: p, capture: c, next: nowhere}\n" + end, "6:47 [reference]; 7:3 [unreachable]"},
		{head + "  a: {type: ask, prompt: \"{{ c }}\", capture: d, next: z}\n" + end, "6:26 [placeholder]"},
		{head + "  a: {type: condition, on: x.y, branches: [{when: {eq: 1, gt: 2}, then: z}], default: z}\n" + end, "6:51 [predicate]"},
		{head + "  a: {type: action, next: z}\n  b: {type: nothing}\n" + end, "6:6 [missing-field]; 7:13 [node-type]"},
		{"mcptree: 0.2\nid: 7\ntitle: T\nentry: a\nmax_steps: 0\nnodes: {}\n", "1:10 [field-type]; 2:5 [field-type]; 5:12 [max-steps]; 6:8 [nodes]"},
	} {
		d := Parse("t.yaml", []byte(c.src))
		var got []string
		for _, f := range d.Findings {
			if f.Severity == Error {
				got = append(got, fmt.Sprintf("%d:%d [%s]", f.Pos.Line, f.Pos.Col, f.Rule))
			}
		}
		slices.Sort(got)
		if s := strings.Join(got, "; "); s != c.want || d.Errors() == (d.Tree != nil) {
			t.Errorf("%s\ngot  %s\nwant %s\n%v", c.src, s, c.want, d.Findings)
		}
	}
}

// The hash is of the canonical document: neither comments, quotes nor the order
// of keys count, but how a scalar is typed does.
func TestHash(t *testing.T) {
	t.Parallel()
	hash := func(src string) string {
		d := Parse("t.yaml", []byte(src))
		if d.Tree == nil {
			t.Fatal(d.Reason())
		}
		return d.Tree.Hash
	}
	a := "  a: {type: action, tool: t, args: {n: %s}, next: z}\n" + end
	one := hash(head + fmt.Sprintf(a, "1"))
	same := hash("# c\nnodes:\n  z: {summary: s, 'type': terminal, outcome: done}\n  a: {tool: t, next: z, args: {\"n\": 0x1}, type: action}\nentry: a\ntitle: T\nid: t\nmcptree: '0.2'\n")
	if one != same {
		t.Error("key order, quotes or comments change the hash")
	}
	for _, n := range []string{"1.0", "'1'", "yes", "[1]"} {
		if hash(head+fmt.Sprintf(a, n)) == one {
			t.Errorf("%s hashes as 1 does", n)
		}
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	d := Parse("t.yaml", []byte(head+`  a: {type: condition, on: x, branches: [{when: {eq: 1}, then: b}, {when: {eq: 2}, then: z}], default: c}
  b: {type: ask, prompt: p, options: [{id: x, then: z}, {id: y, then: c}]}
  c: {type: action, tool: t, args: {}, next: d, on_error: z}
  d: {type: ask, prompt: p, capture: f, next: z}
`+end))
	if d.Tree == nil {
		t.Fatal(d.Reason())
	}
	for _, n := range d.Tree.Nodes {
		var want []string
		for _, e := range n.Edges() {
			want = append(want, e.To)
		}
		if got := n.Targets(); !slices.Equal(got, want) {
			t.Errorf("%s: targets %v, edges to %v", n.ID, got, want)
		}
	}
}

func TestFromValue(t *testing.T) {
	t.Parallel()
	v, err := value.ParseJSON([]byte(`{"mcptree":"0.2","id":"t","title":"T","entry":"z","nodes":{"z":{"type":"terminal","outcome":"o","summary":"s"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := FromValue(v)
	if err != nil || tree.ID != "t" || len(tree.Hash) != 64 {
		t.Error(tree, err)
	}
	if _, err := FromValue(value.OfInt(1)); err == nil {
		t.Error("1 is read as a tree")
	}
}
