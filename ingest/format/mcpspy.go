package format

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// mcpspyFormat is what github.com/alex-ilgayev/MCPSpy captures from the kernel.
var mcpspyFormat = Format{
	Name:  "mcpspy",
	What:  "MCPSpy captures: a message a line, with the processes that it went between",
	lines: true,
	detect: func(h *Head) (bool, string) {
		return h.line(func(o object) bool {
			return o.has("transport_type", "type") && o.hasAny("stdio_transport", "http_transport", "raw")
		}), `no line has "transport_type" with "stdio_transport" or "http_transport"`
	},
	read: func(in *Input) error {
		w := in.wire()
		err := in.eachObject(func(n int, _ []byte, o object) (string, error) {
			f := frame{line: n, time: timeOf(o.get("timestamp")), msg: spyMessage(o)}
			if f.msg == nil {
				in.find(n, "bad-line", "no message in it")
				return Faulty, nil
			}
			f.conn, f.from = spyEnds(o)
			f.session = in.Scope + "/" + f.conn
			if asked := spyMessage(o.obj("request")); asked != nil && o.str("type") == "response" && !w.waits(&f) {
				// The capture began later than the request, which it quotes.
				before := f
				before.msg, before.from = asked, f.from.other()
				if _, err := w.take(before); err != nil {
					return "", err
				}
			}
			return w.take(f)
		})
		if err != nil {
			return err
		}
		return w.end()
	},
}

// spyMessage gives the message: as it was captured, or put together from its
// parts.
func spyMessage(o object) jsontext.Value {
	if raw := o.get("raw"); raw.Kind() == '"' {
		v := jsontext.Value(unquote(raw))
		if v.IsValid(lenient...) {
			return v
		}
	}
	if !o.hasAny("method", "result", "error") {
		return nil
	}
	ms := []member{{name: "jsonrpc", value: jsontext.Value(`"2.0"`)}}
	for _, name := range []string{"id", "method", "params", "result"} {
		ms = append(ms, member{name: name, value: o.get(name)})
	}
	if hasError(o) {
		ms = append(ms, member{name: "error", value: o.get("error")})
	}
	return makeObject(ms...)
}

// spyEnds names the two processes, alike for both directions, and tells who
// sent the message.
func spyEnds(o object) (conn string, from side) {
	if h := o.obj("http_transport"); h != nil {
		from = serverSide
		if asks, ok := boolOf(h.get("is_request")); ok && asks {
			from = clientSide
		}
		if !o.has("method") || o.str("type") == "response" {
			from = unknownSide // an answer may go either way
		}
		return firstString(h.str("host"), "http") + "/" + h.str("pid"), from
	}
	t := o.obj("stdio_transport")
	ends := []string{t.str("from_pid"), t.str("to_pid")}
	slices.SortFunc(ends, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return ends[0] + "-" + ends[1], unknownSide
}
