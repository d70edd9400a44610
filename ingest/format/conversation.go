package format

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// conversation turns the messages of one session, in the shapes that chat APIs
// have, into calls:
//
//   - OpenAI chat completions: tool_calls of an assistant, messages of role tool;
//   - the flatter tool_calls that tau2, Inspect and LangChain write;
//   - Anthropic: blocks of type tool_use and tool_result;
//   - OpenAI Responses: items of type function_call, function_call_output, mcp_call.
//
// Answers are paired by id, or by order where they have none.
type conversation struct {
	in      *Input
	p       *pairing
	session string
	server  string
	// fail tells whether a message of role tool flags a failure; nil: its words
	// decide.
	fail func(message object) (kind string, failed, known bool)
	// text reads an answer's content; nil: contentText.
	text  func(jsontext.Value) string
	calls int
	turn  []*pair // calls of the last message that made some
	began bool    // a message began since
	seq   int
}

func (in *Input) conversation(p *pairing, session, server string) *conversation {
	return &conversation{in: in, p: p, session: session, server: server}
}

// key of a call: ids are the session's own.
func (c *conversation) key(callID string) string { return c.session + "\x00" + callID }

// call takes a call. An id that isn't there is made up of its place.
func (c *conversation) call(callID, name string, args jsontext.Value, line int, at time.Time) *pair {
	if name == "" {
		c.in.find(line, "bad-record", "a tool call without a name")
		return nil
	}
	value, noted := arguments(args)
	if noted != "" {
		c.in.note(line, "arguments", noted)
	}
	if callID == "" {
		callID = c.session + "/" + strconv.Itoa(c.seq)
	}
	c.seq++
	c.calls++
	call := &calllog.Call{ID: callID, Time: at, Session: c.session, Server: c.server, Tool: name, Args: value, Pos: c.in.pos(line)}
	if server, tool, ok := splitMCPName(name); ok {
		call.Server, call.Tool = server, tool
		call.Extra = makeObject(member{name: "tool_name", value: quote(name)})
	}
	pr := c.p.call(c.key(callID), Record{Call: call})
	if c.began || len(c.turn) > maxWaiting {
		c.turn, c.began = c.turn[:0], false
	}
	c.turn = append(c.turn, pr)
	return pr
}

// answer pairs an answer with its call and tells whether there was one: by id; or
// where it has none with the first call of the last turn that waits, of the tool
// that it names if it names one. What an earlier turn asked is not answered by a
// later one.
func (c *conversation) answer(callID, tool string, line int, fill func(*Record)) bool {
	key := c.key(callID)
	if callID == "" {
		var first *pair
		for _, pr := range c.turn {
			if pr.done || pr.gone {
				continue
			}
			if named := tool != "" && (pr.Call.Tool == tool || str(objectOf(pr.Call.Extra).get("tool_name")) == tool); named || first == nil {
				first = pr
				if named {
					break
				}
			}
		}
		if first != nil {
			key = first.key
		}
	}
	if !c.p.answer(key, fill) {
		c.in.find(line, "unpaired", "an answer to no open call")
		return false
	}
	return true
}

// message takes one message or item, and says what it was.
func (c *conversation) message(m object, line int) string {
	at := timeOf(m.firstOf("timestamp", "created_at", "ts"))
	c.began = true
	if kind := m.str("type"); kind != "" && !m.has("role") {
		if use := c.item(kind, m, line, at); use != "" {
			return use
		}
	}
	use := ""
	eachElement(m.get("tool_calls"), func(_ int, v jsontext.Value) {
		if c.toolCall(objectOf(v), line, at) {
			use = Used
		} else {
			use = Faulty
		}
	})
	if call := m.obj("function_call"); call != nil && m.get("tool_calls").Kind() != '[' { // before tool_calls
		c.call("", call.str("name"), call.get("arguments"), line, at)
		use = Used
	}
	switch role := m.str("role"); {
	case m.get("tool_messages").Kind() == '[':
		eachElement(m.get("tool_messages"), func(_ int, v jsontext.Value) { use = c.toolMessage(objectOf(v), line) })
	case role == "tool" || role == "function" || m.str("type") == "tool":
		use = c.toolMessage(m, line)
	default:
		eachElement(m.get("content"), func(_ int, v jsontext.Value) {
			if block := objectOf(v); block != nil {
				if u := c.item(block.str("type"), block, line, at); u != "" {
					use = u
				}
			}
		})
	}
	if use == "" {
		use = "other messages"
	}
	return use
}

// toolCall takes an element of tool_calls, in any of its shapes.
func (c *conversation) toolCall(o object, line int, at time.Time) bool {
	name, args := o.str("name"), o.firstOf("arguments", "args", "input")
	if f := o.obj("function"); f != nil {
		name, args = f.str("name"), f.firstOf("arguments", "args", "input")
	} else if name == "" {
		name = o.str("function")
	}
	return c.call(o.str("id"), name, args, line, at) != nil
}

// toolMessage takes a message of role tool.
func (c *conversation) toolMessage(m object, line int) string {
	callID := firstString(m.str("tool_call_id"), m.str("call_id"))
	if own := m.str("id"); callID == "" && own != "" && c.p.waits(c.key(own)) != nil { // tau2
		callID = own
	}
	text := c.contentOf(m.get("content"))
	at := timeOf(m.firstOf("timestamp", "created_at", "ts"))
	if !c.answer(callID, m.str("name"), line, func(r *Record) {
		r.Call.Latency = between(r.Call.Time, at)
		if c.fail != nil {
			if kind, failed, known := c.fail(m); known {
				r.flagged(failed, text)
				r.Evidence.Kind = kind
				return
			}
		}
		r.words(text)
	}) {
		return Faulty
	}
	return Used
}

func (c *conversation) contentOf(v jsontext.Value) string {
	if c.text != nil {
		return c.text(v)
	}
	return contentText(v)
}

// item takes an Anthropic block or a Responses item; "" if it is none that
// matters.
func (c *conversation) item(kind string, o object, line int, at time.Time) string {
	switch kind {
	case "tool_use", "server_tool_use", "mcp_tool_use":
		if pr := c.call(o.str("id"), o.str("name"), o.get("input"), line, at); pr == nil {
			return Faulty
		} else if s := o.str("server_name"); s != "" {
			pr.Call.Server = s
		}
	case "tool_result", "mcp_tool_result":
		text := c.contentOf(o.get("content"))
		failed, _ := boolOf(o.get("is_error"))
		if !c.answer(o.str("tool_use_id"), "", line, func(r *Record) {
			r.Call.Latency = between(r.Call.Time, at)
			r.flagged(failed, text)
		}) {
			return Faulty
		}
	case "function_call", "custom_tool_call", "tool_call":
		name, server := o.str("name"), o.str("namespace")
		pr := c.call(firstString(o.str("call_id"), o.str("id")), name, o.firstOf("arguments", "input"), line, at)
		if pr == nil {
			return Faulty
		}
		if server = strings.Trim(strings.TrimPrefix(server, "mcp__"), "_"); server != "" {
			pr.Call.Server = server
		}
	case "function_call_output", "custom_tool_call_output", "tool_call_output", "tool_call_output_item":
		output := o.get("output")
		if !c.answer(o.str("call_id"), "", line, func(r *Record) {
			r.Call.Latency = between(r.Call.Time, at)
			r.words(c.contentOf(output))
		}) {
			return Faulty
		}
	case "mcp_call":
		return c.mcpCall(o, line, at)
	default:
		return ""
	}
	return Used
}

// mcpCall takes a hosted MCP call: call and answer in one item.
func (c *conversation) mcpCall(o object, line int, at time.Time) string {
	pr := c.p.waits(c.key(o.str("id"))) // it was in progress, and is told again
	if pr == nil || o.str("id") == "" {
		pr = c.call(o.str("id"), o.str("name"), o.get("arguments"), line, at)
	}
	if pr == nil {
		return Faulty
	}
	if s := o.str("server_label"); s != "" {
		pr.Call.Server = s
	}
	errv := o.get("error")
	failed := errv != nil && errv.Kind() != 'n' || o.str("status") == "failed"
	if output := o.get("output"); !failed && (output == nil || output.Kind() == 'n') {
		return Used // no answer yet
	}
	c.answer(pr.Call.ID, "", line, func(r *Record) {
		if !failed {
			r.flagged(false, c.contentOf(o.get("output")))
			return
		}
		text := contentText(errv)
		if e := objectOf(errv); e != nil {
			text = firstString(e.str("message"), contentText(e.get("content")), text)
			if n, err := strconv.Atoi(e.str("code")); err == nil {
				r.Evidence.Code = n
			}
			r.Evidence.Kind = e.str("type")
		}
		r.flagged(true, text)
	})
	return Used
}

// end counts a session that made no call.
func (c *conversation) end() {
	if c.calls == 0 {
		c.in.Silent++
	}
}
