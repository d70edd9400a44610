package format

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// mcptapeFormat is what github.com/craigm26/mcp-tape records.
var mcptapeFormat = Format{
	Name:  "mcp-tape",
	What:  `mcp-tape recordings: {"t", "dir": "in" or "out", "raw"}, a message a line`,
	lines: true,
	detect: func(h *Head) (bool, string) {
		return h.line(func(o object) bool {
			return o.str("type") == "meta" && o.has("v") && o.has("startedAt") || o.has("t", "dir", "raw")
		}), `no line has "t", "dir" and "raw"`
	},
	read: func(in *Input) error {
		w := in.wire()
		label := ""
		conn := 0
		err := in.eachObject(func(n int, _ []byte, o object) (string, error) {
			switch o.str("type") {
			case "meta": // a tape begins, perhaps behind another one
				label = o.str("label")
				conn++
				return "tape marks", nil
			case "end":
				return "tape marks", nil
			}
			raw := o.get("raw")
			if raw == nil {
				in.find(n, "bad-line", `no "raw" message`)
				return Faulty, nil
			}
			if raw.Kind() == '"' {
				raw = jsontext.Value(unquote(raw))
			}
			return w.take(frame{conn: strconv.Itoa(conn), server: label, from: sides[o.str("dir")], time: timeOf(o.get("t")), line: n, msg: raw})
		})
		if err != nil {
			return err
		}
		return w.end()
	},
}
