package format

import "github.com/go-json-experiment/json/jsontext"

// inspectorFormat is the protocol log that MCP Inspector exports: messages, each
// with its answer where there is one.
var inspectorFormat = Format{
	Name: "mcp-inspector",
	What: "MCP Inspector exports: entries with direction, message and response",
	detect: func(h *Head) (bool, string) {
		is := func(o object) bool {
			return inspectorKinds[o.str("direction")] && o.has("message") && isRPC(o.obj("message")) && o.hasAny("timestamp", "origin", "response")
		}
		ok := h.elem != nil && is(h.elem) || h.first != nil && is(h.first)
		for _, name := range inspectorLists {
			es := elements(h.first.get(name))
			ok = ok || len(es) > 0 && is(objectOf(es[0]))
		}
		return ok, `no entries with "direction" and "message"`
	},
	read: func(in *Input) error {
		w := in.wire()
		err := in.document().each(nil, nil, func(line int, rec jsontext.Value) error {
			o := objectOf(rec)
			for _, name := range inspectorLists {
				if m := o.member(name); m.value.Kind() == '[' {
					return inspectorEntries(w, line, rec, m)
				}
			}
			return inspectorEntry(w, line, rec)
		})
		if err != nil {
			return err
		}
		return w.end()
	},
}

var inspectorKinds = map[string]bool{"request": true, "response": true, "notification": true}

// inspectorLists are the members that hold the entries if these aren't the
// document itself.
var inspectorLists = []string{"entries", "messages", "history"}

func inspectorEntries(w *wire, line int, rec jsontext.Value, list member) (err error) {
	lines := cursor{text: rec, line: line}
	eachElement(list.value, func(at int, v jsontext.Value) {
		if err == nil {
			err = inspectorEntry(w, lines.of(list.at+at), v)
		}
	})
	return err
}

func inspectorEntry(w *wire, line int, rec jsontext.Value) error {
	use, err := inspectorFrames(w, line, rec)
	w.in.Uses[use]++
	return err
}

func inspectorFrames(w *wire, line int, rec jsontext.Value) (string, error) {
	o := objectOf(rec)
	msg := o.get("message")
	if msg == nil {
		w.in.find(line, "bad-record", `an entry without "message"`)
		return Faulty, nil
	}
	at := timeOf(o.get("timestamp"))
	from := sides[o.str("origin")]
	use, err := w.take(frame{line: line, from: from, time: at, msg: msg})
	if err != nil {
		return use, err
	}
	answer := o.get("response")
	if answer.Kind() != '{' {
		return use, nil
	}
	after := at
	if ms := numberOf(o.get("duration")); ms > 0 && !at.IsZero() {
		after = at.Add(millis(ms))
	}
	_, err = w.take(frame{line: line, from: from.other(), time: after, msg: answer})
	return use, err
}
