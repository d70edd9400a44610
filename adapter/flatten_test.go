package adapter

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
)

// TestLists: a list is its length, and which names are in it.
func TestLists(t *testing.T) {
	t.Parallel()
	many := `[` + strings.Repeat(`"a",`, maxMembers) + `"b"]`
	for in, want := range map[string]string{
		`{"tags":["red","big size","red",true]}`: `[tags.length=4, tags[]={}, tags[].big size=true, tags[].red=true, tags[].true=true]`,
		`{"tags":[]}`:                            `[tags.length=0, tags[]={}]`,
		`{"ids":["8f14e45f-ceea","2026-01-01"]}`: `[ids.length=2]`, // no names
		`{"rows":[{"a":1}]}`:                     `[rows.length=1]`,
		`{"rows":[{"status":"open","late":true},{"status":"paid","id":"T-17"},{"status":"open","x":{"y":"z"}}]}`: `[rows.length=3, rows[].late[]={}, rows[].late[].true=true, rows[].status[]={}, rows[].status[].open=true, rows[].status[].paid=true]`,
		`{"tags":["a.b=c"]}`:    `[tags.length=1]`,
		`{"tags":["a.b"]}`:      `[tags.length=1, tags[]={}, tags[].a%2Eb=true]`,
		`{"tags":` + many + `}`: `[tags.length=65]`,
		`{"o":{"tags":["x"]}}`:  `[o={}, o.tags.length=1, o.tags[]={}, o.tags[].x=true]`,
	} {
		fs, unknown := flatten("", jsontext.Value(in), &filter{numbers: true})
		if got := behavior.NewState(fs, unknown).String(); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
