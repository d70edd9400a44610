package server

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPHandler serves s over Streamable HTTP to programs on this computer. A
// web page must not reach it through a browser: requests whose Host or Origin
// isn't this computer are refused, so that a name that was made to point here
// is of no use. Listening on a loopback address only is the caller's.
func HTTPHandler(s *mcp.Server) http.Handler {
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
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
