package behavior

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestModelRoundTrip: what is read back classifies alike and writes the same.
func TestModelRoundTrip(t *testing.T) {
	t.Parallel()
	allowed := NewAllowed(Path{"", "status"})
	allowed.Allow(Value{Token: "open"}, 3)
	numbers := NewAllowed(Path{ArgsRole, "n"})
	numbers.Allow(Number(2), 1)
	numbers.Allow(Number(5.5), 2)
	v := Violation{
		{Path: Path{"", "status"}, Op: Not, Token: "closed"},
		{Path: Path{ArgsRole, "n"}, Op: AtLeast, Lo: -1, Hi: 2},
		{Path: Path{ArgsRole, "m"}, Op: AtMost, Lo: math.Inf(-1), Hi: 0},
	}
	g := &Graph{Calls: 4, Tools: []*Tool{{
		Server: "s", Name: "t", Fingerprint: "f", Counts: [6]int{3, 1},
		Guard: &Guard{
			Wide: []Path{{"", "id"}}, Allowed: []*Allowed{allowed, numbers}, Minimal: []Violation{v[:1]},
			Failures: []Failure{{Violates: v, Cluster: "no", Example: "no", Calls: 1, Causes: []string{"unclear"}, Distinct: Sample{{Hash: 7, ID: "x"}}}},
			Clusters: []Cluster{{Text: "no", Calls: 1}},
			Conditions: []Condition{{
				Cluster: "no", Calls: 20, Causes: []string{"unclear"}, Example: "no", Distinct: Sample{{Hash: 8, ID: "y"}},
				Literals: []Literal{{Path: Path{"", "status"}, Token: "closed"}, {Path: Path{"", "a>b"}, Op: IsNot, Token: "=!x"}, {Path: Path{ArgsRole, "n"}, Op: NoLess, Bound: 5.5}, {Path: Path{ArgsRole, "m"}, Op: NoMore}, {Path: Path{ArgsRole, "n"}, Op: Over, Form: ProductTo, With: [2]Path{{ArgsRole, "m"}, {"", "left"}}}},
				Reading:  []Literal{{Path: Path{"", "status"}, Token: "closed"}},
			}},
		},
		Effects: []Effect{{Field: "status", To: Value{Token: "closed"}, Calls: 3}, {Field: "n", To: Number(2), Calls: 3}},
		Cells:   []*Cell{{Class: "c", State: NewState([]Feature{f("", "status", "open")}, nil), Args: NewState([]Feature{n(ArgsRole, "n", 2)}, []Path{{RelationRole, "r"}}), OK: 3, OKSample: Sample{{Hash: 1, ID: "a"}}}},
	}}}
	g.Tools[0].Guard.Build()
	var one, two bytes.Buffer
	if err := g.Write(&one); err != nil {
		t.Fatal(err)
	}
	back, err := Read(bytes.NewReader(one.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Write(&two); err != nil {
		t.Fatal(err)
	}
	if one.String() != two.String() {
		t.Errorf("%s\nbecame\n%s", one.String(), two.String())
	}
	if got := back.Tools[0].Guard.Failures[0].Violates; !reflect.DeepEqual(got, v) {
		t.Errorf("%v, want %v", got, v)
	}
	if got, want := back.Tools[0].Guard.Conditions, g.Tools[0].Guard.Conditions; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := back.Tools[0].Guard.Allowed[1].Numbers; got != 3 {
		t.Errorf("%d numbers, want 3", got)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "{}", `{"format":"mcpg.model","version":2}`, `{"format":"mcpg.model","version":1,"tools":[{"outcomes":{"fine":1}}]}`,
		`{"format":"mcpg.model","version":1,"tools":[{"guard":{"wide":["x"]}}]}`,
		`{"format":"mcpg.model","version":1,"tools":[{"guard":{"conditions":[{"literals":[{"path":":a","op":"at_least"}]}]}}]}`,
		`{"format":"mcpg.model","version":1,"tools":[{"guard":{"conditions":[{"reading":[{"path":":a","op":"like","token":"x"}]}]}}]}`,
		`{"format":"mcpg.model","version":1,"tools":[{"guard":{"conditions":[{"literals":[{"path":":a","op":"over","bound":0,"form":"sum"}]}]}}]}`,
		`{"format":"mcpg.model","version":1,"tools":[{"guard":{"conditions":[{"literals":[{"path":":a","op":"over","bound":0,"form":"root"}]}]}}]}`} {
		if _, err := Read(strings.NewReader(in)); err == nil {
			t.Errorf("%q was taken", in)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format":"mcpg.model","version":1,"tools":[{"cells":[{"state":[":a=b","r:n#1..2"],"unknown":["args:"]}]}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		g, err := Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		if err := g.Write(&bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
	})
}
