package jsonerr

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`{"a":{"b":1}}`: "", `{"c":1}`: "unknown field /c", `{"a":{"b":"x"}}`: "field /a/b: want int, not a JSON string",
		`{"a":`: "not JSON: unexpected EOF", `[1]`: "field : want ", `{"a":{},"a":{}}`: "not JSON: duplicate object member name",
	} {
		var into struct {
			A map[string]int `json:"a"`
		}
		err := Plain(json.Unmarshal([]byte(src), &into, json.RejectUnknownMembers(true)))
		if got := text(err); (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
