// Package mcpserve is how our MCP servers are reached: over stdin and stdout, and
// over Streamable HTTP by programs on this computer.
package mcpserve

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handler serves s over Streamable HTTP to programs on this computer.
func Handler(s *mcp.Server) http.Handler {
	ours := func(*http.Request) *mcp.Server { return s }
	sessions := mcp.NewStreamableHTTPHandler(ours, nil)
	stateless := mcp.NewStreamableHTTPHandler(ours, &mcp.StreamableHTTPOptions{Stateless: true})
	return Local(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The SDK speaks either era in one handler, not both.
		if r.Header.Get("Mcp-Protocol-Version") >= firstStateless {
			stateless.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	}))
}

// Local lets h serve programs on this computer only. A web page must not reach it
// through a browser: requests whose Host or Origin isn't this computer are refused,
// so that a name that was made to point here is of no use. Listening on a loopback
// address only is the caller's.
func Local(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsLoopback(r.Host) {
			http.Error(w, "Forbidden: Host isn't this computer", http.StatusForbidden)
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if u, err := url.Parse(origin); err != nil || u.Scheme != "http" && u.Scheme != "https" || !IsLoopback(u.Host) {
				http.Error(w, "Forbidden: Origin isn't this computer", http.StatusForbidden)
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

// firstStateless is the first revision without sessions.
const firstStateless = "2026-07-28"

// IsLoopback tells whether a host, perhaps with a port, is this computer by
// its name or address alone.
func IsLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// LoopbackAddress tells whether an address to listen on has a port, and a host
// that is this computer.
func LoopbackAddress(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	return err == nil && port != "" && IsLoopback(host)
}
