package format

import "strings"

// splitMCPName takes apart the name under which a client offers a server's tool
// to its model: mcp__server__tool. The server is what comes before the next two
// underscores; a tool's name may hold more of them.
func splitMCPName(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, "__")
	if !ok || server == "" || tool == "" {
		return "", "", false
	}
	return server, tool, true
}
