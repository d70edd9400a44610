package behavior

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func f(role, field, token string) Feature { return Feature{Path{role, field}, Value{Token: token}} }

func n(role, field string, x float64) Feature { return Feature{Path{role, field}, Number(x)} }

func TestStateText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s           State
		long, short string
	}{
		{NewState([]Feature{f("", "tests_passed", False), f("", "status", "DRAFT"), f("", "exists", True)}, nil),
			"[exists=true, status=DRAFT, tests_passed=false]", "[status=DRAFT, tests_passed=false]"},
		{NewState([]Feature{f("", "exists", False)}, nil), "[exists=false]", "[exists=false]"},
		{NewState([]Feature{f("destination", "exists", True), n("", "approvals", 2)}, []Path{{Role: "parent"}}),
			"[approvals=2, destination.exists=true, parent=?]", "[approvals=2, destination.exists=true, parent=?]"},
		{NewState([]Feature{n("", "n", 1), n("", "n", 3), f("", "s", "b"), f("", "s", "a"), f("", "s", "a")}, nil), "[n=1..3, s=a, s=b]", "[n=1..3, s=a, s=b]"},
		{State{}, "[]", "[]"},
	} {
		if c.s.String() != c.long || c.s.Short() != c.short {
			t.Errorf("%s %s, want %s %s", c.s, c.s.Short(), c.long, c.short)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"DRAFT": "DRAFT", "absent": `"absent"`, "true": `"true"`, "a=b": `"a=b"`, "": `""`, "x\ny": `"x\ny"`, "pending (item modified)": "pending (item modified)"} {
		if got := StringToken(in).Token; got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]bool{"pending (item modified)": true, "economy": true, "basic_economy": true, "#W123": false, "2024-01-02": false,
		"mia@example.com": false, "/a/b": false, "credit_card_9513926": false, "a sentence that has too many words in it": false, "": false, "v2": false, "x1234": false, "version2": true} {
		if EnumLike(in) != want {
			t.Errorf("EnumLike(%q) is %v", in, !want)
		}
	}
	if Number(negativeZero()).String() != "0" {
		t.Error("-0 is not 0")
	}
}

func negativeZero() float64 {
	zero := 0.0
	return -zero
}

// TestAbsent: what lacks a value is absent only where its parent is there.
func TestAbsent(t *testing.T) {
	t.Parallel()
	there := NewState([]Feature{f("", "exists", True), f("", "a", Object), f("dep", "exists", True)}, []Path{{"", "hidden"}})
	for _, c := range []struct {
		s     State
		p     Path
		want  string
		known bool
	}{
		{there, Path{"", "x"}, "[absent]", true},
		{there, Path{"", "a.b"}, "[absent]", true},
		{there, Path{"", "b.c"}, "[]", true},
		{there, Path{"", "hidden"}, "[]", false},
		{there, Path{"", "hidden.deep"}, "[]", false},
		{there, Path{"", "hiddenness"}, "[absent]", true},
		{there, Path{"dep", "x"}, "[absent]", true},
		{there, Path{"other", "x"}, "[]", true},
		{there, Path{"other", "exists"}, "[]", true},
		{there, Path{ArgsRole, "x"}, "[absent]", true},
		{there, Path{RelationRole, "x"}, "[]", true},
		{NewState([]Feature{f("", "exists", False)}, nil), Path{"", "x"}, "[]", true},
		{NewState(nil, []Path{{}}), Path{"", "x"}, "[]", false},
	} {
		vs, known := c.s.at(c.p)
		if fmt.Sprint(vs) != c.want || known != c.known {
			t.Errorf("%s at %v: %v %v, want %s %v", c.s, c.p, vs, known, c.want, c.known)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	tok := func(field string) Atom { return Atom{Path: Path{Field: field}, Op: Not, Token: "x"} }
	below := func(at float64) Atom { return Atom{Path: Path{Field: "n"}, Op: AtLeast, Lo: at, Hi: 9} }
	above := func(at float64) Atom { return Atom{Path: Path{Field: "n"}, Op: AtMost, Lo: 9, Hi: at} }
	for _, c := range []struct {
		v, x Violation
		want bool
	}{
		{Violation{tok("a")}, Violation{tok("a"), tok("b")}, true},
		{Violation{tok("a"), tok("c")}, Violation{tok("a"), tok("b")}, false},
		{Violation{}, Violation{}, true},
		{Violation{below(3)}, Violation{below(2)}, true},
		{Violation{below(3)}, Violation{below(4)}, false},
		{Violation{above(12)}, Violation{above(13)}, true},
		{Violation{above(12)}, Violation{above(11)}, false},
		{Violation{below(3)}, Violation{above(20)}, false},
	} {
		if got := c.v.Covers(c.x); got != c.want {
			t.Errorf("%v covers %v: %v", c.v, c.x, got)
		}
	}
}

// TestSampleMerges: any order and any grouping keeps the same calls.
func TestSampleMerges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		var refs []CallRef
		for range 12 {
			refs = append(refs, CallRef{Hash: uint64(r.IntN(7)), ID: fmt.Sprint(r.IntN(3))})
		}
		var want Sample
		for _, x := range refs {
			want = want.Add(x)
		}
		r.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
		var parts [3]Sample
		for _, x := range refs {
			i := r.IntN(3)
			parts[i] = parts[i].Add(x)
		}
		got := Sample(nil).Merge(parts[2]).Merge(parts[0]).Merge(parts[1])
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

func TestEdgeStatus(t *testing.T) {
	t.Parallel()
	ref := func(h uint64) Sample { return Sample{{Hash: h}} }
	two := Sample{{Hash: 1}, {Hash: 2}}
	state := NewState([]Feature{f("", "exists", True), f("", "s", "a")}, nil)
	args := NewState([]Feature{f(ArgsRole, "x", "1")}, nil)
	refused := func(s Sample) []Refusals { return []Refusals{{Cause: 4, Calls: len(s), Sample: s}} }
	for name, c := range map[string]struct {
		cells   []*Cell
		outcome EdgeOutcome
		status  Status
	}{
		"once":            {[]*Cell{{State: state, OK: 1, OKSample: ref(1)}}, EdgeWorks, Conditional},
		"same call twice": {[]*Cell{{State: state, OK: 2, OKSample: ref(1)}}, EdgeWorks, Conditional},
		"two calls":       {[]*Cell{{State: state, OK: 2, OKSample: two}}, EdgeWorks, ObservedSupported},
		"two refusals":    {[]*Cell{{State: state, Refused: refused(two)}}, EdgeFails, ObservedSupported},
		"one cell, both":  {[]*Cell{{State: state, OK: 1, OKSample: ref(1), Refused: refused(ref(2))}}, EdgeMixed, Contradicted},
		"parted by args":  {[]*Cell{{State: state, OK: 1, OKSample: ref(1)}, {State: state, Args: args, Refused: refused(ref(2))}}, EdgeMixed, Conditional},
		"an argument's fault": {[]*Cell{{State: state, OK: 2, OKSample: two, Refused: []Refusals{{Cause: 2, Calls: 1, Sample: ref(3)}}}},
			EdgeMixed, Conditional},
	} {
		tool := &Tool{Name: "t", Cells: c.cells}
		edges := tool.edges()
		if len(edges) != 1 || edges[0].Outcome != c.outcome || edges[0].Status != c.status {
			t.Errorf("%s: %+v", name, edges)
		}
	}
}

func TestOfferID(t *testing.T) {
	t.Parallel()
	s := NewState([]Feature{f("", "s", "a")}, nil)
	id := OfferID("m", "srv", "tool", "x:1", s)
	if len(id) != 12 || id != OfferID("m", "srv", "tool", "x:1", s) || id == OfferID("m", "srv", "tool", "x:2", s) {
		t.Error(id)
	}
}
