package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// chatFormat is chat messages in the shapes that APIs and agent frameworks keep
// them: one conversation, or records that hold one each.
var chatFormat = Format{
	Name: "chat",
	What: "chat messages with tool calls (OpenAI, Anthropic, LangChain): a list, lines, or records with messages",
	detect: func(h *Head) (bool, string) {
		holds := func(o object) bool {
			return anyElement(o, slices.Concat(chatLists, []string{"input", "output"}), isMessage)
		}
		return h.record(holds) || h.record(isToolMessage) || headElement(h.bytes, isToolMessage) || headElement(h.bytes, holds) || holds(h.first) || cutMessages(h.first),
			`no messages with "role" and tool calls`
	},
	read: func(in *Input) error {
		s := newConversations(in, "")
		d := in.document()
		err := d.each(nil, nil, func(line int, rec jsontext.Value) error {
			o := objectOf(rec)
			switch {
			case o == nil:
				return s.list(rec, line)
			case o.has("role"):
				return s.loose(o, line)
			}
			return s.record(o, rec, line)
		})
		if err != nil {
			return err
		}
		return s.end()
	},
}

// chatLists are the members that hold a record's messages.
var chatLists = []string{"messages", "conversation", "traj", "trajectory", "history"}

func isMessage(o object) bool { return o.has("role") && o.hasAny("content", "tool_calls") }

// cutMessages tells a document whose messages go on beyond the head.
func cutMessages(o object) bool {
	return o.has("messages") && o.get("messages") == nil
}

// isToolMessage wants a message that makes or answers a call.
func isToolMessage(o object) bool {
	if !o.has("role") {
		return false
	}
	if o.get("tool_calls").Kind() == '[' || o.str("role") == "tool" {
		return true
	}
	return anyElement(o, []string{"content"}, func(b object) bool {
		t := b.str("type")
		return t == "tool_use" || t == "tool_result"
	})
}

// conversations reads records that hold a conversation each, and messages that
// stand alone, which are one conversation.
type conversations struct {
	in     *Input
	p      *pairing
	server string
	names  map[string]int
	alone  *conversation

	told []toldList // the latest ones, the last at the end
}

// toldList is the conversation of a record, which a later one may tell again from
// its beginning, as logs of requests do. Several agents may write to one log.
type toldList struct {
	c    *conversation
	list []byte
	id   string
}

func newConversations(in *Input, server string) *conversations {
	return &conversations{in: in, p: newPairing(in), server: server, names: map[string]int{}}
}

// open begins a session; a name that comes again gets a number.
func (s *conversations) open(name string) *conversation {
	s.names[name]++
	if n := s.names[name]; n > 1 {
		name = fmt.Sprintf("%s#%d", name, n)
	}
	return s.in.conversation(s.p, name, s.server)
}

// loose takes a message that stands alone.
func (s *conversations) loose(o object, line int) error {
	if s.alone == nil {
		s.alone = s.open(s.in.Scope)
	}
	s.in.Uses[s.alone.message(o, line)]++
	return s.p.step()
}

// list takes a conversation that is a list of messages.
func (s *conversations) list(rec jsontext.Value, line int) error {
	if rec.Kind() != '[' {
		s.in.Uses[Faulty]++
		s.in.find(line, "bad-record", "a "+calllog.KindName(rec.Kind())+" where messages are wanted")
		return nil
	}
	c := s.open(s.in.Scope)
	return s.messages(c, rec, line)
}

// record takes an object that holds a conversation.
func (s *conversations) record(o object, rec jsontext.Value, line int) error {
	if lists := messageLists(o); len(lists) == 1 {
		return s.onlyList(o, rec, lists[0], line)
	}
	c := s.open(s.in.Scope + "/" + recordName(o, len(s.names)))
	lines := cursor{text: rec, line: line}
	lists := messageLists(o)
	for _, m := range lists {
		if err := s.messages(c, m.value, lines.of(m.at)); err != nil {
			return err
		}
	}
	if len(lists) == 0 {
		s.in.Uses[s.in.other(line, o, "records without messages")]++
		return nil
	}
	c.end()
	return s.finish(c)
}

// onlyList takes a record with one list of messages: a conversation, or one of the
// last ones with more at its end.
func (s *conversations) onlyList(o object, rec jsontext.Value, m member, line int) error {
	lines := cursor{text: rec, line: line}
	list, begin := m.value, lines.of(m.at)
	body := bytes.TrimRight(bytes.TrimSuffix(list, []byte("]")), " \t\r\n")
	t := s.before(body, recordID(o))
	if t.c == nil {
		t = toldList{c: s.open(s.in.Scope + "/" + recordName(o, len(s.names))), id: recordID(o)}
	}
	if err := s.messagesFrom(t.c, list, len(t.list), begin); err != nil {
		return err
	}
	if len(body) < minTold || len(body) > maxTold {
		t.c.end()
		return s.finish(t.c)
	}
	t.list = bytes.Clone(body)
	s.told = append(s.told, t)
	return s.forgetTold()
}

// before takes out what was told of a conversation that goes on with body, the
// most of it if there are several.
func (s *conversations) before(body []byte, id string) (t toldList) {
	const tail = 64 // is compared first: beginnings are often alike
	at := -1
	for i, old := range s.told {
		n := len(old.list)
		if old.id == id && n < len(body) && n >= len(t.list) && bytes.Equal(body[n-tail:n], old.list[n-tail:]) && bytes.HasPrefix(body, old.list) {
			at, t = i, old
		}
	}
	if at >= 0 {
		s.told = slices.Delete(s.told, at, at+1)
	}
	return t
}

// forgetTold ends the oldest conversations where too many are held.
func (s *conversations) forgetTold() error {
	size := 0
	for _, t := range s.told {
		size += len(t.list)
	}
	for len(s.told) > maxToldLists || size > maxToldBytes {
		t := s.told[0]
		s.told, size = slices.Delete(s.told, 0, 1), size-len(t.list)
		t.c.end()
		if err := s.finish(t.c); err != nil {
			return err
		}
	}
	return nil
}

// Bounds of lists of messages that a later record may tell again, in bytes, and of
// how many there are.
const (
	minTold      = 200
	maxTold      = 16 << 20
	maxToldLists = 1000
	maxToldBytes = 64 << 20
)

// messageLists are the lists of a record that hold its conversation: one, as
// others say the same again, or what went into a model and what came out.
func messageLists(o object) []member {
	for _, name := range chatLists {
		if m := o.member(name); m.value.Kind() == '[' {
			return []member{m}
		}
	}
	var out []member
	for _, name := range []string{"input", "output", "items", "new_items", "data"} {
		if m := o.member(name); m.value.Kind() == '[' {
			out = append(out, m)
		}
	}
	return out
}

// recordName names a record's session.
func recordName(o object, n int) string {
	return firstString(recordID(o), fmt.Sprint(n+1))
}

// recordID is what a record says that it is of; "" if nothing.
func recordID(o object) string {
	var parts []string
	for _, name := range []string{"session_id", "conversation_id", "thread_id", "run_id", "task_id", "id", "trial", "epoch"} {
		if s := o.str(name); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ".")
}

func (s *conversations) messages(c *conversation, list jsontext.Value, line int) error {
	return s.messagesFrom(c, list, 0, line)
}

// messagesFrom takes the messages that begin at a place or after it.
func (s *conversations) messagesFrom(c *conversation, list jsontext.Value, from, line int) error {
	lines := cursor{text: list, line: line}
	eachElement(list, func(at int, v jsontext.Value) {
		if at < from {
			s.in.Uses["messages told again"]++
			return
		}
		o := objectOf(v)
		if o == nil {
			s.in.Uses[Faulty]++
			s.in.find(lines.of(at), "bad-record", "a "+calllog.KindName(v.Kind())+" where a message is wanted")
			return
		}
		s.in.Uses[c.message(o, lines.of(at))]++
	})
	return s.p.step()
}

// finish ends a session: its open calls stay unanswered.
func (s *conversations) finish(c *conversation) error {
	prefix := c.session + "\x00"
	s.p.abandon(func(pr *pair) bool { return strings.HasPrefix(pr.key, prefix) })
	return s.p.step()
}

func (s *conversations) end() error {
	if s.alone != nil {
		s.alone.end()
	}
	for _, t := range s.told {
		t.c.end()
	}
	return s.p.end()
}
