package format

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// codexFormat is the rollout files of Codex: Responses items in envelopes, and
// events that know more of some calls.
var codexFormat = Format{
	Name:  "codex",
	What:  "Codex rollouts: session_meta, response_item and event_msg lines",
	lines: true,
	detect: func(h *Head) (bool, string) {
		return h.line(func(o object) bool { return codexTypes[o.str("type")] && o.has("payload") }),
			`no line is a "session_meta", "response_item" or "event_msg" with a "payload"`
	},
	read: readCodex,
}

var codexTypes = map[string]bool{"session_meta": true, "response_item": true, "event_msg": true, "turn_context": true, "compacted": true}

func readCodex(in *Input) error {
	p := newPairing(in)
	c := in.conversation(p, in.Scope, "codex")
	err := in.eachObject(func(n int, _ []byte, o object) (string, error) {
		payload := o.obj("payload")
		at := timeOf(o.get("timestamp"))
		switch o.str("type") {
		case "session_meta":
			id := payload.str("id")
			switch {
			case id == "" || id == c.session:
			case c.calls == 0:
				c.session = id
			default: // another rollout in the same file
				for _, pr := range p.queue {
					p.forget(pr)
					pr.done = true
				}
				c.end()
				c = in.conversation(p, id, "codex")
				return "session marks", p.step()
			}
			return "session marks", nil
		case "response_item":
			use := codexItem(c, payload, n, at)
			return use, holdStep(p)
		case "event_msg":
			use := codexEvent(c, payload, n, at)
			return use, holdStep(p)
		}
		return in.other(n, o, "other lines"), nil
	})
	if err != nil {
		return err
	}
	c.end()
	return p.end()
}

// holdStep hands on what is ready but the last calls, of which an event that
// follows may know more.
func holdStep(p *pairing) error {
	if len(p.queue) < 64 {
		return nil
	}
	return p.step()
}

func codexItem(c *conversation, o object, line int, at time.Time) string {
	c.began = true
	switch o.str("type") {
	case "local_shell_call":
		c.call(firstString(o.str("call_id"), o.str("id")), "local_shell", o.get("action"), line, at)
		return Used
	case "function_call_output", "custom_tool_call_output":
		if pr := c.p.named[c.key(o.str("call_id"))]; pr != nil && pr.told {
			pr.told = false
			return Used
		}
		text, failed, known := codexOutput(o.get("output"))
		if !c.answer(o.str("call_id"), "", line, func(r *Record) {
			r.Call.Latency = between(r.Call.Time, at)
			if !known {
				r.words(text)
				return
			}
			if r.flagged(failed, text); failed {
				r.Evidence.Kind = "exit_code"
			}
		}) {
			return Faulty
		}
		return Used
	}
	if use := c.item(o.str("type"), o, line, at); use != "" {
		return use
	}
	return "other items"
}

// codexOutput gives the text of an output; and, if that is known, whether a
// command in it ended with another code than 0.
func codexOutput(v jsontext.Value) (text string, failed, known bool) {
	text = contentText(v)
	if o := objectOf(v); o != nil {
		if body := o.firstOf("output", "content"); body != nil {
			text = contentText(body)
		}
		if ok, is := boolOf(o.get("success")); is {
			return text, !ok, true
		}
		code := o.obj("metadata").get("exit_code")
		return text, code.Kind() == '0' && string(code) != "0", code.Kind() == '0'
	}
	// The header before the output says it, in its first line or in one of its own.
	head, _, _ := strings.Cut(text[:min(len(text), 1000)], "\nOutput:")
	first := true
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if code, ok := strings.CutPrefix(line, "Process exited with code "); ok && len(head) < len(text) {
			return text, code != "0", true
		}
		if code, ok := strings.CutPrefix(line, "Exit code: "); ok && first {
			return text, code != "0", true
		}
		first = false
	}
	return text, false, false
}

// codexEvent takes what an event knows of a call of an MCP server: the server's
// name, and its answer with the flag.
func codexEvent(c *conversation, o object, line int, at time.Time) string {
	if o.str("type") != "mcp_tool_call_end" {
		return "events"
	}
	pr := c.p.named[c.key(o.str("call_id"))]
	if pr == nil {
		return "events"
	}
	if inv := o.obj("invocation"); inv != nil {
		pr.Call.Server, pr.Call.Tool = firstString(inv.str("server"), pr.Call.Server), firstString(inv.str("tool"), pr.Call.Tool)
	}
	codexResult(&pr.Record, o.obj("result"))
	pr.Call.Latency = between(pr.Call.Time, at)
	if !pr.done {
		pr.done = true
		c.p.forget(pr)
		pr.told = true // the output that follows says it again
	}
	return Used
}

func codexResult(r *Record, result object) {
	if ok := result.get("Ok"); ok != nil {
		r.Evidence.Words = false
		r.mcpResult(ok)
		return
	}
	if e := result.get("Err"); e != nil {
		r.Evidence.Words = false
		r.flagged(true, contentText(e))
	}
}
