package simulate

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestFingerprint(t *testing.T) {
	t.Parallel()
	tool := func(name, raw string) Tool { return Tool{Name: name, Raw: jsontext.Value(raw)} }
	base := Fingerprint(tool("t", `{"name":"t","inputSchema":{"type":"object","properties":{"a":{"maximum":1},"b":{}}}}`))
	if len(base) != 12 {
		t.Errorf("%q", base)
	}
	for name, tt := range map[string]struct {
		tool Tool
		same bool
	}{
		"order and blanks": {tool("t", `{ "inputSchema" : {"properties":{"b":{},"a":{"maximum":1.0}},"type":"object"}}`), true},
		"description":      {tool("t", `{"description":"x","annotations":{},"inputSchema":{"type":"object","properties":{"a":{"maximum":1},"b":{}}}}`), true},
		"name":             {tool("u", `{"inputSchema":{"type":"object","properties":{"a":{"maximum":1},"b":{}}}}`), false},
		"input":            {tool("t", `{"inputSchema":{"type":"object","properties":{"a":{"maximum":2},"b":{}}}}`), false},
		"output":           {tool("t", `{"inputSchema":{"type":"object","properties":{"a":{"maximum":1},"b":{}}},"outputSchema":{}}`), false},
		"moved to output":  {tool("t", `{"outputSchema":{"type":"object","properties":{"a":{"maximum":1},"b":{}}}}`), false},
		"not a tool":       {tool("t", `[`), false},
	} {
		if got := Fingerprint(tt.tool); (got == base) != tt.same {
			t.Errorf("%s: %s and %s", name, got, base)
		}
		if got := fingerprint(tt.tool); got != Fingerprint(tt.tool) || got != fingerprint(tt.tool) {
			t.Errorf("%s: remembered as %s", name, got)
		}
	}
	if fingerprint(tool("a", `{}`)) == fingerprint(tool("b", `{}`)) {
		t.Error("the name counts where it isn't in the JSON too")
	}
}

func TestRequired(t *testing.T) {
	t.Parallel()
	if got := Required(Tool{Raw: jsontext.Value(`{"inputSchema":{"required":["b","a"]}}`)}); !slices.Equal(got, []string{"b", "a"}) {
		t.Error(got)
	}
	if got := Required(Tool{Raw: jsontext.Value(`[`)}); got != nil {
		t.Error(got)
	}
}
