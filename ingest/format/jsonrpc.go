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
			if v := jsontext.Value(line); !v.IsValid(lenient...) {
				_, err := parseObject(line)
				if err == nil {
					err = errNotJSON
				}
				in.find(n, "bad-line", err.Error())
				return Faulty, nil
			}
			return w.take(frame{line: n, msg: line})
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
