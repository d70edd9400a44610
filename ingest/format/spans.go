package format

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// toolSpan is a span of a tool call. Several may be of one call.
type toolSpan struct {
	Record
	trace, id, parent string
	layer             int
	callID            string
	mcpSession        string
	session           string
	end               time.Time
	answered          bool // the log says that the call ended
	hasResult         bool
	failed            bool
	recovered         bool   // another attempt of the same call went well
	text              string // what the failure said, beside the result
	size              int
	seq               int       // in the input
	at                time.Time // its own, or that of the span before it

	into  *toolSpan // the outer span of the same call
	parts []*toolSpan
	seen  uint8
}

// newToolSpan takes what the attributes say.
func newToolSpan(in *Input, f toolFacts, line int) *toolSpan {
	s := &toolSpan{layer: f.layer, callID: f.id, mcpSession: f.mcpSession, session: f.session, failed: f.failed, text: f.text}
	s.Evidence.Code, s.Evidence.Kind = f.code, f.kind
	args, noted := arguments(f.args)
	if noted != "" {
		in.note(line, "arguments", noted)
	}
	s.Call = &calllog.Call{Tool: f.tool, Server: f.server, Args: notNull(args), Pos: in.pos(line)}
	if server, tool, ok := splitMCPName(f.tool); ok {
		s.Call.Server, s.Call.Tool = firstString(f.server, server), tool
		s.Call.Extra = makeObject(member{name: "tool_name", value: quote(f.tool)})
	}
	if f.result != nil && f.result.Kind() != 'n' {
		s.hasResult, s.answered = true, true
		s.toolResult(f.result)
		s.failed = s.failed || s.Call.Outcome != calllog.OK
	}
	s.answered = s.answered || s.failed
	s.size = len(s.Call.Args) + len(s.Call.ResultText) + len(s.Call.Result) + len(s.text)
	return s
}

// notNull takes null, which may be written in a string, for no value.
func notNull(v jsontext.Value) jsontext.Value {
	if v.Kind() == 'n' {
		return nil
	}
	return v
}

// take fills what is open from a span further in, and its failure.
func (s *toolSpan) take(in *toolSpan) {
	c, d := s.Call, in.Call
	if c.Args == nil {
		c.Args = d.Args
	}
	c.Server = firstString(c.Server, d.Server)
	s.callID = firstString(s.callID, in.callID)
	s.mcpSession, s.session = firstString(s.mcpSession, in.mcpSession), firstString(s.session, in.session)
	if !s.hasResult && in.hasResult {
		s.hasResult, c.ResultText, c.Result = true, d.ResultText, d.Result
	}
	if in.failed {
		s.text = firstString(s.text, in.text, d.ErrorText)
		if s.Evidence.Code == 0 {
			s.Evidence.Code = in.Evidence.Code
		}
		s.Evidence.Kind = firstString(s.Evidence.Kind, in.Evidence.Kind)
	}
	s.failed, s.answered, s.recovered = s.failed || in.failed, s.answered || in.answered, s.recovered || in.recovered
}

// finish says how the call ended, and whose it is.
func (s *toolSpan) finish(in *Input) *Record {
	c := s.Call
	c.ID = firstString(s.callID, s.id)
	c.Session = firstString(s.mcpSession, s.session, s.trace, in.Scope)
	c.Latency = between(c.Time, s.end)
	if s.recovered {
		s.failed, s.Evidence = false, calllog.Evidence{}
	}
	c.Cause, c.ErrorText = calllog.NoCause, ""
	switch {
	case s.failed:
		text, result := firstString(s.text, c.ResultText), c.ResultText
		s.flagged(true, text)
		c.ResultText = firstString(result, text)
	case !s.answered:
		c.Outcome = calllog.Unanswered
	default:
		s.flagged(false, c.ResultText)
	}
	if c.Outcome != calllog.Unanswered && !s.hasResult && c.ResultText == "" {
		in.NoResult++
	}
	return &s.Record
}

// Bounds of what is held, as spans may come in any order.
var (
	maxSpans     = 200_000
	maxSpanBytes = 256 << 20
)

// spanStore holds spans of tool calls until their calls are complete.
type spanStore struct {
	in    *Input
	what  string // they are called
	spans []*toolSpan
	byID  map[string]*toolSpan // by trace and span

	parents map[string]string // of other spans, likewise
	bytes   int
	seq     int
	last    time.Time // that a span had
}

func newSpanStore(in *Input, what string) *spanStore {
	return &spanStore{in: in, what: what, byID: map[string]*toolSpan{}}
}

func spanKey(trace, id string) string { return trace + "\x00" + id }

// find gives a span that is held; nil if there is none.
func (st *spanStore) find(trace, id string) *toolSpan { return st.byID[spanKey(trace, id)] }

// add holds a span, and says what it was: one that is there already is the same
// span, written twice.
func (st *spanStore) add(s *toolSpan) (use string, err error) {
	if s.id != "" {
		if old := st.find(s.trace, s.id); old != nil {
			size := old.size
			old.again(s)
			st.bytes += old.size - size
			return "repeated " + st.what, nil
		}
		st.byID[spanKey(s.trace, s.id)] = s
	}
	s.seq = st.seq
	st.seq++
	if !s.Call.Time.IsZero() {
		st.last = s.Call.Time
	}
	s.at = st.last
	st.bytes += s.size
	st.spans = append(st.spans, s)
	if len(st.spans) > maxSpans || st.bytes > maxSpanBytes && len(st.spans) > 1 {
		return Used, st.flush(len(st.spans) / 2)
	}
	return Used, nil
}

// again takes the same span as it was written once more: before the call had
// ended, and after it. Either may say what the other doesn't.
func (s *toolSpan) again(next *toolSpan) {
	first := *s
	if next.answered && !s.answered {
		next.seq, next.at, next.Call.Pos = s.seq, s.at, s.Call.Pos
		*s = *next
		next = &first
	}
	c, d := s.Call, next.Call
	if (c.Args == nil || emptyObject(c.Args)) && d.Args != nil {
		c.Args = d.Args
	}
	if c.Time.IsZero() {
		c.Time = d.Time
	}
	if s.end.IsZero() && s.answered {
		s.end = next.end
	}
	c.Server, s.parent = firstString(c.Server, d.Server), firstString(s.parent, next.parent)
	s.callID, s.mcpSession, s.session = firstString(s.callID, next.callID), firstString(s.mcpSession, next.mcpSession), firstString(s.session, next.session)
	s.size = max(first.size, next.size, len(c.Args)+len(c.ResultText)+len(c.Result)+len(s.text))
}

func (st *spanStore) end() error { return st.flush(len(st.spans)) }

// flush hands on the oldest calls until at least n spans are gone.
func (st *spanStore) flush(n int) error {
	slices.SortStableFunc(st.spans, func(a, b *toolSpan) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.Call.Pos.Line, b.Call.Pos.Line), cmp.Compare(a.seq, b.seq))
	})
	st.link()
	gone := map[*toolSpan]bool{}
	for _, s := range st.spans {
		if len(gone) >= n {
			break
		}
		if s.into != nil {
			continue
		}
		if err := st.hand(s, gone); err != nil {
			return err
		}
	}
	st.spans = slices.DeleteFunc(st.spans, func(s *toolSpan) bool { return gone[s] })
	clear(st.byID)
	st.bytes = 0
	for _, s := range st.spans { // later spans may change what belongs together
		s.into, s.parts, s.seen = nil, nil, 0
		st.bytes += s.size
		if s.id != "" {
			st.byID[spanKey(s.trace, s.id)] = s
		}
	}
	return nil
}

// hand hands on a call with all its spans, those further out first.
func (st *spanStore) hand(s *toolSpan, gone map[*toolSpan]bool) error {
	all := []*toolSpan{s}
	for i := 0; i < len(all); i++ {
		gone[all[i]] = true
		all = append(all, all[i].parts...)
	}
	for _, in := range all[1:] {
		s.take(in)
	}
	return st.in.emit(s.finish(st.in))
}

// link finds the spans that are of one call: a span and its child, which is
// what the call looked like further in. Of several children in one layer only
// the first is: others are another attempt.
func (st *spanStore) link() {
	for _, s := range st.spans {
		outer := st.outer(s)
		if outer == nil || outer == s || !sameCall(outer, s) {
			continue
		}
		if slices.ContainsFunc(outer.parts, func(p *toolSpan) bool { return p.layer == s.layer }) {
			continue
		}
		s.into = outer
		outer.parts = append(outer.parts, s)
	}
	for _, s := range st.spans {
		s.cutLoop()
	}
}

// maxBetween is how many other spans may lie between two of one call: those of
// HTTP, of both sides.
const maxBetween = 8

// outer finds the nearest span around s that is a tool's.
func (st *spanStore) outer(s *toolSpan) *toolSpan {
	parent := s.parent
	for range maxBetween {
		if outer := st.find(s.trace, parent); outer != nil || parent == "" {
			return outer
		}
		parent = st.parents[spanKey(s.trace, parent)]
	}
	return nil
}

// pass remembers where a span that is no tool's hangs.
func (st *spanStore) pass(trace, id, parent string) {
	if st.parents == nil {
		st.parents = map[string]string{}
	}
	if id != "" && parent != "" && len(st.parents) < maxParents {
		st.parents[spanKey(trace, id)] = parent
	}
}

// maxParents bounds how many spans that are no tools' are remembered.
const maxParents = 500_000

// cutLoop ends a chain of spans that are each other's parents.
func (s *toolSpan) cutLoop() {
	const onPath, done = 1, 2
	var path []*toolSpan
	for at := s; at != nil && at.seen != done; at = at.into {
		if at.seen == onPath {
			at.into.parts = slices.DeleteFunc(at.into.parts, func(p *toolSpan) bool { return p == at })
			at.into = nil
			break
		}
		at.seen = onPath
		path = append(path, at)
	}
	for _, p := range path {
		p.seen = done
	}
}

// sameCall tells whether a child is the same call as its parent. A call may
// pass through a tool of the same name in another server, or a tool may call
// itself: then the arguments tell.
func sameCall(outer, inner *toolSpan) bool {
	if !sameTool(outer.Call.Tool, inner.Call.Tool) || outer.callID != "" && inner.callID != "" && outer.callID != inner.callID {
		return false
	}
	a, b := outer.Call.Args, inner.Call.Args
	return a == nil || b == nil || calllog.Canonical(a) == calllog.Canonical(b)
}

// sameTool compares names, of which the outer may be prefixed by the server's.
func sameTool(outer, inner string) bool {
	prefix, ok := strings.CutSuffix(outer, inner)
	return ok && (prefix == "" || strings.ContainsAny(prefix[len(prefix)-1:], "_-./:"))
}
