package format

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// claudeCodeFormat is the transcripts of Claude Code: the files of a session and
// of its sub-agents, the web export with its "loglines", and what claude -p
// prints as stream-json. Fields: github.com/jeremedia/claude-code-log-format.
var claudeCodeFormat = Format{
	Name: "claude-code",
	What: "Claude Code transcripts, sub-agent files, loglines exports and stream-json",
	detect: func(h *Head) (bool, string) {
		if h.first.has("loglines") {
			return true, ""
		}
		is := func(o object) bool {
			return claudeTypes[o.str("type")] && (o.hasAny("sessionId", "session_id", "parentUuid", "leafUuid") || o.has("uuid", "message"))
		}
		return h.line(is) || h.elem != nil && is(h.elem), `no line has a "type" of a transcript with "sessionId", "session_id" or "uuid", and there are no "loglines"`
	},
	read: readClaudeCode,
}

var claudeTypes = map[string]bool{"user": true, "assistant": true, "system": true, "summary": true, "result": true, "attachment": true,
	"progress": true, "queue-operation": true, "file-history-snapshot": true, "turn_end": true}

func readClaudeCode(in *Input) error {
	c := &claudeCode{in: in, p: newPairing(in), roots: map[string]string{}, seen: map[string]string{}, also: map[string][]string{}}
	if c.isDocument() {
		d := in.document()
		err := d.each([]string{"loglines"}, nil, func(line int, rec jsontext.Value) error {
			o := objectOf(rec)
			if o == nil {
				in.Uses[Faulty]++
				in.find(line, "bad-record", "a log line that is no JSON object")
				return nil
			}
			in.Uses[c.take(o, line)]++
			return c.p.step()
		})
		if err != nil {
			return err
		}
		return c.p.end()
	}
	err := in.eachObject(func(n int, _ []byte, o object) (string, error) {
		use := c.take(o, n)
		return use, c.p.step()
	})
	if err != nil {
		return err
	}
	return c.p.end()
}

type claudeCode struct {
	in    *Input
	p     *pairing
	roots map[string]string   // of sub-agents' chains, by uuid of a line
	seen  map[string]string   // by key of a call, what it waits under: resumed sessions copy old lines
	also  map[string][]string // by session and id, what calls wait under
}

// isDocument looks for a document with loglines, or a list of lines.
func (c *claudeCode) isDocument() bool {
	pk, ok := c.in.R.(interface{ Peek(int) ([]byte, error) })
	if !ok {
		return false
	}
	head, _ := pk.Peek(64 << 10) // shorter at the end of a short file
	h := newHead(head)
	return h.kind == '[' || h.first.has("loglines")
}

func (c *claudeCode) take(o object, line int) string {
	session := c.session(o)
	message := o.obj("message")
	if message == nil {
		return c.other(o, line)
	}
	at := timeOf(o.get("timestamp"))
	use := "messages"
	eachElement(message.get("content"), func(_ int, v jsontext.Value) {
		block := objectOf(v)
		switch block.str("type") {
		case "tool_use", "server_tool_use", "mcp_tool_use":
			use = c.call(block, session, o.str("uuid"), line, at)
		case "tool_result", "mcp_tool_result", "web_search_tool_result":
			use = c.answer(block, o, session, line, at)
		}
	})
	return use
}

// other names a line that holds no message.
func (c *claudeCode) other(o object, line int) string {
	if kind := o.str("type"); claudeTypes[kind] {
		return kind + " lines"
	}
	return c.in.other(line, o, "other lines")
}

// claudeSession is a conversation: the id that its sub-agents share, and its name.
type claudeSession struct{ id, name string }

// session tells conversations apart. Sub-agents share their session's id: they
// have an id of their own, or are a chain of lines with a root of its own.
func (c *claudeCode) session(o object) claudeSession {
	id := firstString(o.str("sessionId"), o.str("session_id"), c.in.Scope)
	return claudeSession{id, c.chain(id, o)}
}

func (c *claudeCode) chain(name string, o object) string {
	if agent := o.str("agentId"); agent != "" {
		return name + "/" + agent
	}
	if task := o.str("parent_tool_use_id"); task != "" {
		return name + "/" + task
	}
	if side, _ := boolOf(o.get("isSidechain")); !side {
		return name
	}
	uuid, parent := o.str("uuid"), o.str("parentUuid")
	root, known := c.roots[parent]
	if !known || parent == "" {
		root = firstString(parent, uuid)
		if parent != "" {
			c.roots[strings.Clone(parent)] = root
		}
	}
	if uuid != "" {
		c.roots[strings.Clone(uuid)] = root
	}
	return name + "/" + root
}

func (c *claudeCode) call(block object, session claudeSession, uuid string, line int, at time.Time) string {
	callID, name := block.str("id"), block.str("name")
	if name == "" {
		c.in.find(line, "bad-record", "a tool_use without the name of a tool")
		return Faulty
	}
	key, own := claudeKey(callID, uuid), session.name+"\x00"+callID
	shared := session.id + "\x00" + callID
	args, noted := arguments(block.get("input"))
	if key != "" {
		if first, again := c.seen[key]; again {
			c.wait(shared, first) // an answer behind the copy may be the only one
			if pr := c.p.named[first]; pr != nil && emptyObject(pr.Call.Args) && args != nil {
				pr.Call.Args = args // it was written before its arguments had come
			}
			return "copied calls"
		}
		c.seen[key] = own
	}
	c.wait(shared, own)
	if noted != "" {
		c.in.note(line, "arguments", noted)
	}
	call := &calllog.Call{ID: callID, Time: at, Session: session.name, Server: "claude-code", Tool: name, Args: args, Pos: c.in.pos(line)}
	if server, tool, ok := splitMCPName(name); ok {
		call.Server, call.Tool = server, tool
		call.Extra = makeObject(member{name: "tool_name", value: quote(name)})
	} else if s := block.str("server_name"); s != "" {
		call.Server = s
	}
	if len(callID) < 20 && key != "" { // what a copy is known by
		call.Extra = makeObject(append(objectOf(call.Extra), member{name: "uuid", value: quote(uuid)})...)
	}
	c.p.call(own, Record{Call: call, Key: key})
	return Used
}

// wait remembers what a call waits under.
func (c *claudeCode) wait(shared, own string) {
	if !slices.Contains(c.also[shared], own) {
		c.also[shared] = append(c.also[shared], own)
	}
}

// claudeKey names a call wherever its line is copied to; "" if nothing does. Ids
// of calls are unique where Anthropic's API gives them; behind a router other
// models count them from 0 in every session. A line's own id is kept in copies.
func claudeKey(callID, uuid string) string {
	switch {
	case strings.HasPrefix(callID, "toolu_") && len(callID) >= 20:
		return "claude-code\x00" + callID
	case len(uuid) >= 32 && callID != "":
		return "claude-code\x00" + uuid + "\x00" + callID
	}
	return ""
}

func (c *claudeCode) answer(block, o object, session claudeSession, line int, at time.Time) string {
	fill := func(r *Record) {
		failed, _ := boolOf(block.get("is_error"))
		text, refused := claudeText(contentText(block.get("content")))
		r.flagged(failed || refused, text)
		r.Call.Latency = between(r.Call.Time, at)
		if more := o.firstOf("toolUseResult", "tool_use_result"); more.Kind() == '{' || more.Kind() == '[' {
			r.Call.Result = keep(more)
		}
	}
	// Of the chain's own call first: other chains of the session may use the id too.
	id := block.str("tool_use_id")
	if c.p.answer(session.name+"\x00"+id, fill) {
		return Used
	}
	others := c.also[session.id+"\x00"+id]
	for _, key := range others {
		if c.p.answer(key, fill) {
			return Used
		}
	}
	if len(others) > 0 {
		return "copied answers"
	}
	c.in.find(line, "unpaired", "an answer to no open call")
	return Faulty
}

// claudeText takes off the tags that Claude Code puts around its own refusals.
func claudeText(text string) (plain string, refused bool) {
	if inner, ok := strings.CutPrefix(text, "<tool_use_error>"); ok {
		return strings.TrimSuffix(inner, "</tool_use_error>"), true
	}
	return text, false
}
