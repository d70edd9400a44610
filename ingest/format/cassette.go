package format

import "github.com/go-json-experiment/json/jsontext"

// cassetteFormat is what github.com/devhelmhq/mcp-recorder writes: one document
// with requests and their answers.
var cassetteFormat = Format{
	Name: "mcp-recorder",
	What: "mcp-recorder cassettes: one document with interactions",
	detect: func(h *Head) (bool, string) {
		return h.first.has("interactions") && h.first.hasAny("metadata", "version"), `no "interactions" with "metadata" in the document`
	},
	read: func(in *Input) error {
		w := in.wire()
		server := ""
		d := in.document()
		err := d.each([]string{"interactions"}, func(name string, v jsontext.Value) {
			if name == "metadata" {
				server = objectOf(v).obj("server_info").str("name")
			}
		}, func(line int, rec jsontext.Value) error {
			use, err := interaction(w, server, line, rec)
			in.Uses[use]++
			return err
		})
		if err != nil {
			return err
		}
		return w.end()
	},
}

func interaction(w *wire, server string, line int, rec jsontext.Value) (string, error) {
	o := objectOf(rec)
	if o == nil {
		w.in.find(line, "bad-record", "an interaction that is no JSON object")
		return Faulty, nil
	}
	request := o.get("request")
	if request.Kind() != '{' && request.Kind() != '[' {
		return "lifecycle", nil
	}
	use, err := w.take(frame{line: line, server: server, from: clientSide, msg: request})
	if err != nil {
		return use, err
	}
	answers := o.get("response")
	if answers.Kind() != '{' && answers.Kind() != '[' {
		return use, nil
	}
	// An answer streamed as events may come after messages of other kinds.
	list := elements(answers)
	if answers.Kind() == '{' {
		list = []jsontext.Value{answers}
	}
	for _, a := range list {
		if _, err := w.take(frame{line: line, server: server, from: serverSide, took: millis(numberOf(o.get("latency_ms"))), msg: a}); err != nil {
			return use, err
		}
	}
	return use, nil
}
