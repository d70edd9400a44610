package simulate

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

const world = `{"a":{"s":"some text","n":3,"t":true,"nil":null,"list":["x",{"k":1,"j":2},2.0],"é.b":"dot"},"a.s":"other"}`

func TestPredicates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op    string
		at    []string
		value string
		want  bool
	}{
		{"is", []string{"a", "s"}, `"some text"`, true}, {"is", []string{"a", "s"}, `"text"`, false}, {"is", []string{"a", "n"}, `3.0`, true},
		{"is", []string{"a", "n"}, `"3"`, false}, {"is", []string{"a", "no"}, `3`, false}, {"is", []string{"a", "nil"}, `null`, true},
		{"is", []string{"a", "list"}, ` [ "x", {"j": 2, "k": 1}, 2 ] `, true}, {"is", []string{"a.s"}, `"other"`, true}, {"is", []string{"a", "é.b"}, `"d\u006ft"`, true},
		{"not", []string{"a", "s"}, `"x"`, true}, {"not", []string{"a", "s"}, `"some text"`, false}, {"not", []string{"a", "no"}, `"x"`, true}, {"not", []string{"a", "n"}, `3e0`, false},
		{"exists", []string{"a", "nil"}, ``, true}, {"exists", []string{"a", "no"}, ``, false}, {"exists", []string{"a", "s", "x"}, ``, false}, {"exists", nil, ``, true},
		{"absent", []string{"a", "no"}, ``, true}, {"absent", []string{"a", "t"}, ``, false}, {"absent", []string{"a", "list", "0"}, ``, true},
		{"contains", []string{"a", "s"}, `"me te"`, true}, {"contains", []string{"a", "s"}, `"met"`, false}, {"contains", []string{"a", "n"}, `"3"`, false}, {"contains", []string{"a", "no"}, `""`, false},
		{"over", []string{"a", "n"}, `2`, true}, {"over", []string{"a", "n"}, `3`, false}, {"over", []string{"a", "s"}, `0`, false}, {"over", []string{"a", "no"}, `0`, false},
		{"lists", []string{"a", "list"}, `"x"`, true}, {"lists", []string{"a", "list"}, `{"j":2,"k":1}`, true}, {"lists", []string{"a", "list"}, `2`, true},
		{"lists", []string{"a", "list"}, `"y"`, false}, {"lists", []string{"a", "s"}, `"s"`, false}, {"lists", []string{"a", "no"}, `"s"`, false},
	} {
		p := Predicate{At: tt.at, Op: tt.op}
		if tt.value != "" {
			p.Value = jsontext.Value(tt.value)
		}
		if err := p.Check(); err != nil {
			t.Errorf("%s %v: %v", tt.op, tt.at, err)
		}
		if got := p.Holds(jsontext.Value(world)); got != tt.want {
			t.Errorf("%v %s %s: %v", tt.at, tt.op, tt.value, got)
		}
	}
	for _, broken := range []string{``, `[`, `{"a"`, `{"a":`, `"x"`} {
		for _, op := range Ops {
			p := Predicate{At: []string{"a", "b"}, Op: op, Value: jsontext.Value(`1`)}
			if got, want := p.Holds(jsontext.Value(broken)), op == "absent" || op == "not"; got != want {
				t.Errorf("%q %s: %v", broken, op, got)
			}
		}
	}
}

func TestPredicateErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ op, value, want string }{
		{"equals", `1`, `op "equals": want one of is, not, exists, absent, contains, over, lists`},
		{"is", ``, "op is: value missing is none for it"}, {"not", ``, "op not: value missing is none for it"}, {"lists", `[`, "op lists: value [ is none for it"},
		{"contains", `5`, "op contains: value 5 is none for it"}, {"over", `"5"`, `op over: value "5" is none for it`}, {"exists", `1`, "op exists: value 1 is none for it"},
	} {
		p := Predicate{Op: tt.op}
		if tt.value != "" {
			p.Value = jsontext.Value(tt.value)
		}
		if err := p.Check(); err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	if (&Predicate{Op: "equals"}).Holds(jsontext.Value(world)) {
		t.Error("an unknown test held")
	}
}
