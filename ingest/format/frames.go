package format

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// framesFormat is a proxy's or a test driver's record: each MCP message in an
// envelope that says when it went which way.
var framesFormat = Format{
	Name:  "mcp-frames",
	What:  `MCP messages in envelopes, one a line: {"ts", "dir": "c2s" or "s2c", "msg"}`,
	lines: true,
	detect: func(h *Head) (bool, string) {
		return h.line(func(o object) bool { return isRPC(objectOf(enveloped(o))) && direction(o) != "" }),
			`no line is an object with a direction and a JSON-RPC message in "msg", "message", "raw" or "payload"`
	},
	read: func(in *Input) error {
		w := in.wire()
		servers := map[string]string{} // the last that a session was said to be with
		err := in.eachObject(func(n int, _ []byte, o object) (string, error) {
			msg, dir := enveloped(o), strings.ToLower(direction(o))
			if msg.Kind() == '"' {
				msg = jsontext.Value(strings.TrimSpace(unquote(msg)))
			}
			if dir == "" && len(msg) == 0 {
				return in.other(n, o, "other output"), nil
			}
			if dir == "stderr" || len(msg) == 0 || msg[0] != '{' && msg[0] != '[' {
				return "other output", nil
			}
			if !msg.IsValid(lenient...) {
				in.find(n, "bad-message", "a message whose JSON is broken or cut off")
				return Faulty, nil
			}
			session, server := o.str("session"), o.str("server")
			if server == "" {
				server = servers[session]
			}
			servers[session] = server
			return w.take(frame{conn: session + "\x00" + server, session: session, server: server, from: sides[dir],
				time: timeOf(o.firstOf("ts", "timestamp", "time", "t")), line: n, msg: msg})
		})
		if err != nil {
			return err
		}
		return w.end()
	},
}

func enveloped(o object) jsontext.Value {
	return o.firstOf("msg", "message", "raw", "payload", "data", "frame")
}

func direction(o object) string {
	return firstString(o.str("dir"), o.str("direction"), o.str("from"))
}
