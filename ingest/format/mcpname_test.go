package format

import "testing"

func TestSplitMCPName(t *testing.T) {
	for _, c := range []struct {
		name, server, tool string
		ok                 bool
	}{
		{"mcp__weather__get_weather", "weather", "get_weather", true},
		{"mcp__my_server-1__a__b", "my_server-1", "a__b", true},
		{"mcp__weather", "", "", false},
		{"mcp____tool", "", "", false},
		{"mcp__weather__", "", "", false},
		{"get_weather", "", "", false},
		{"", "", "", false},
	} {
		server, tool, ok := splitMCPName(c.name)
		if server != c.server || tool != c.tool || ok != c.ok {
			t.Errorf("%q: %q %q %v", c.name, server, tool, ok)
		}
	}
}
