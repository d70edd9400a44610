package format

import "github.com/go-json-experiment/json/jsontext"

// jsonrpcFormat is MCP messages and nothing else. Who sent one isn't written: a
// request's method tells, and an answer goes to whoever asked.
var jsonrpcFormat = Format{
	Name:  "jsonrpc",
	What:  "MCP JSON-RPC messages, one a line, both directions",
	lines: true,
	detect: func(h *Head) (bool, string) {
		ok := h.line(isRPC)
		for _, line := range h.lines {
			if line[0] == '[' {
				for _, e := range elements(line) {
					ok = ok || isRPC(objectOf(e))
				}
			}
		}
		return ok, `no line is a message with "jsonrpc":"2.0"`
	},
	read: func(in *Input) error {
		w := in.wire()
		err := in.eachLine(func(n int, line []byte) (string, error) {
			take := func(v jsontext.Value) (string, error) { return w.take(frame{line: n, msg: v}) }
			if !jsontext.Value(line).IsValid(lenient...) {
				return in.eachGlued(n, line, take)
			}
			return take(line)
		})
		if err != nil {
			return err
		}
		return w.end()
	},
}

func isRPC(o object) bool {
	return o.str("jsonrpc") == "2.0" && o.hasAny("method", "result", "error")
}
