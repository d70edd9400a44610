package adapter

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestProposed: every way in which an argument can refer to the state, by types.
func TestProposed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args, before string
		want         []string // a relation, =, and its value; all that there are
	}{
		"texts":             {`{"a":"x"}`, `{"s":"x","t":"y","u":5}`, []string{"args a equals s=true", "args a equals t=false"}},
		"numbers":           {`{"a":5}`, `{"s":5.0,"t":"5"}`, []string{"args a is at most s=true", "args a is at least s=true"}},
		"member":            {`{"a":"x","b":2}`, `{"l":["x","y"],"e":[],"n":[1,2.0]}`, []string{"args a is one of l=true", "args a is one of e=false", "args b is one of e=false", "args b is one of n=true"}},
		"key":               {`{"a":"k1"}`, `{"m":{"k1":{"open":true,"size":3},"k2":{"open":false,"size":1}}}`, []string{"args a is a key of m=true", "open in m of args a=true", "size in m of args a=3"}},
		"no key":            {`{"a":"k9"}`, `{"m":{"k1":{"open":true},"k2":{"open":false}}}`, []string{"args a is a key of m=false"}},
		"number under key":  {`{"a":"k1","n":4}`, `{"m":{"k1":{"size":3}}}`, []string{"args a is a key of m=true", "size in m of args a=3", "size in m of args a is at most args n=true", "size in m of args a is at least args n=false"}},
		"row":               {`{"id":"row-000017"}`, `{"r":[{"id":"row-000016","open":true},{"id":"row-000017","open":false}]}`, []string{"args id equals r[0].id=false", "args id is one of r[].id=true", "id in r with id args id=(text)", "open in r with id args id=false"}},
		"all in a list":     {`{"l":["x","x"]}`, `{"s":["x","y","x"],"t":["x"]}`, []string{"all of args l are in s=true", "all of args l are in t=false"}},
		"as long":           {`{"l":["x","y"],"m":[1,2],"n":[1]}`, ``, []string{"args l is as long as args m=true", "args l is as long as args n=false", "args m is as long as args n=false"}},
		"nothing alike":     {`{"a":true,"b":null}`, `{"s":true,"b":null}`, nil},
		"no arguments":      {`[]`, `{"s":1}`, nil},
		"a broken state":    {`{"a":"x"}`, `{"s":"x","t":{"u":"x`, []string{"args a equals s=true"}},
		"signs in names":    {`{"a=b":"x"}`, `{"s#":"x"}`, []string{"args a%3Db equals s%23=true"}},
		"members once each": {`{"a":"x"}`, `{"s":{"t":"x","u":[1]}}`, []string{"args a equals s.t=true"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var before jsontext.Value
			if tt.before != "" {
				before = jsontext.Value(tt.before)
			}
			var got []string
			for _, f := range proposed(jsontext.Value(tt.args), before) {
				got = append(got, f.Field+"="+f.Value.String())
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestProposedIsBounded: a call of many arguments against a large state costs no
// more than so many relations.
func TestProposedIsBounded(t *testing.T) {
	t.Parallel()
	var args, before strings.Builder
	for range 3000 {
		args.WriteString(`,"a":"x"`)
		before.WriteString(`,"s":"x"`)
	}
	got := proposed(jsontext.Value("{"+args.String()[1:]+"}"), jsontext.Value("{"+before.String()[1:]+"}"))
	if len(got) > maxRelated {
		t.Errorf("%d relations", len(got))
	}
	deep := strings.Repeat(`{"a":[`, 5000)
	proposed(jsontext.Value(deep), jsontext.Value(deep))
}
