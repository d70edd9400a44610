package format

import (
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// desktopFormat is the logs of Claude Desktop: mcp.log, where all servers are,
// and mcp-server-NAME.log. They hold messages among whatever the servers print,
// and command lines with secrets: a line that isn't understood is counted and
// never shown.
var desktopFormat = Format{
	Name:  "claude-desktop",
	What:  "Claude Desktop's mcp.log and mcp-server-*.log",
	lines: true,
	detect: func(h *Head) (bool, string) {
		for _, line := range h.lines {
			if e, ok := desktopEntry(string(line), false); ok && (e.server != "" || strings.HasPrefix(e.text, "Message from ")) {
				return true, ""
			}
		}
		return false, `no line begins with a time, a [server] and a [level]`
	},
	read: readDesktop,
}

func readDesktop(in *Input) error {
	d := &desktop{in: in, w: in.wire(), alone: serverOfFile(in.File)}
	d.w.byTime, d.w.named = true, true
	err := in.eachLine(d.line)
	if err != nil {
		return err
	}
	return d.w.end()
}

// serverOfFile is the name in mcp-server-NAME.log.
func serverOfFile(file string) string {
	name, ok := strings.CutPrefix(filepath.Base(file), "mcp-server-")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, ".log")
	return name
}

type desktop struct {
	in    *Input
	w     *wire
	alone string // the server of a file that is about one
}

// entry is what begins with a time.
type entry struct {
	time   time.Time
	server string
	text   string
}

var (
	entryStart = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z `)
	levels     = map[string]bool{"info": true, "error": true, "warn": true, "warning": true, "debug": true, "verbose": true, "silly": true, "trace": true}
)

// desktopEntry reads an entry that begins a text. The two kinds of files have
// server and level the other way round: serverFirst says that it is a file of one
// server. Names may hold brackets.
func desktopEntry(line string, serverFirst bool) (e entry, ok bool) {
	at := entryStart.FindStringIndex(line[:min(len(line), 40)])
	if at == nil || at[0] != 0 || !strings.HasPrefix(line[at[1]:], "[") {
		return e, false
	}
	e.time = parseTime(line[:at[1]-1])
	rest := line[at[1]:]
	end := headEnd(rest)
	if end < 0 {
		return e, false
	}
	head := rest[1:end]
	e.text = strings.TrimPrefix(rest[end+1:], " ")
	first, behind, two := strings.Cut(head, "] [")
	cut := strings.LastIndex(head, "] [")
	switch {
	case !two:
		if !levels[head] {
			e.server = head
		}
	case levels[first] && !(serverFirst && levels[head[cut+3:]]):
		e.server = behind
	case levels[head[cut+3:]]:
		e.server = head[:cut]
	default:
		return e, false
	}
	return e, true
}

// headEnd finds the bracket that ends an entry's head: before what Claude Desktop
// says if that can be told, else the last of the brackets that follow each other.
func headEnd(s string) int {
	for _, mark := range []string{"] Message from ", "] Initializing server"} {
		if i := strings.Index(s[:min(len(s), 500)], mark); i >= 0 && bracketed(s[:i+1]) {
			return i
		}
	}
	end := -1
	for at := 0; at < len(s) && s[at] == '['; {
		i := strings.IndexByte(s[at:], ']')
		if i < 0 {
			break
		}
		end = at + i
		if at = end + 1; at < len(s) && s[at] == ' ' {
			at++
		}
	}
	return end
}

// bracketed tells whether a text is groups in brackets, which may hold brackets,
// with a blank between them, and nothing else.
func bracketed(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth == 0 && !(c == ' ' && i+1 < len(s) && s[i+1] == '['):
			return false
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// line takes a line, which may hold several entries glued together: one begins
// right behind the other, without a blank, or behind a message.
func (d *desktop) line(n int, line []byte) (use string, err error) {
	use = "other output"
	text := string(line)
	e, ok := desktopEntry(text, d.alone != "")
	if !ok { // behind what a server printed without ending its line
		e, ok = d.message(text)
	}
	if ok {
		for {
			u, rest, message, err := d.entry(&e, n)
			if err != nil {
				return u, err
			}
			if use != Used && use != Faulty {
				use = u
			}
			if e, ok = d.next(rest, message); !ok {
				break
			}
		}
	}
	return use, nil
}

// message finds an entry that is a message behind other text, but not one that is
// quoted there.
func (d *desktop) message(text string) (entry, bool) {
	at := strings.Index(text, "] Message from ")
	if at < 0 {
		return entry{}, false
	}
	for _, begin := range entryStart.FindAllStringIndex(text[:at], -1) {
		i := begin[0]
		if i == 0 || text[i-1] == ' ' || quoted(text, i) {
			continue
		}
		if e, ok := desktopEntry(text[i:], d.alone != ""); ok && strings.HasPrefix(e.text, "Message from ") {
			return e, true
		}
	}
	return entry{}, false
}

// quoted tells whether a quotation begins at a place, or goes on there behind an
// escaped line end.
func quoted(text string, at int) bool {
	if at > 1 && text[at-2] == '\\' {
		return true
	}
	return at > 0 && strings.IndexByte("\"'`", text[at-1]) >= 0 && (at == 1 || strings.IndexByte(" \t:=,([{", text[at-2]) >= 0)
}

// afterMessage is what may stand between a message and the next entry.
var afterMessage = regexp.MustCompile(`^\s*(\{[^{}]*(\{[^{}]*\}[^{}]*)*\})?\s*$`)

// next finds the entry that is glued to what was read.
func (d *desktop) next(rest string, message bool) (entry, bool) {
	for from := 0; from < len(rest); {
		at := entryStart.FindStringIndex(rest[from:])
		if at == nil {
			return entry{}, false
		}
		begin := from + at[0]
		glued := begin == 0 || rest[begin-1] != ' ' && !quoted(rest, begin)
		if message && begin < 500 {
			glued = glued || afterMessage.MatchString(rest[:begin])
		}
		if glued {
			if e, ok := desktopEntry(rest[begin:], d.alone != ""); ok {
				return e, true
			}
		}
		from += at[1]
	}
	return entry{}, false
}

// entry takes one entry and gives what follows it, and whether it was a message.
func (d *desktop) entry(e *entry, n int) (use, rest string, message bool, err error) {
	server := firstString(e.server, d.alone)
	body, isMessage := strings.CutPrefix(e.text, "Message from ")
	if !isMessage {
		if strings.HasPrefix(e.text, "Initializing server") {
			d.w.open(&frame{conn: server, session: server, server: server, time: e.time, line: n})
			return "handshakes", e.text, false, nil
		}
		return "other output", e.text, false, nil
	}
	who, body, _ := strings.Cut(body, ": ")
	v, rest, ok := leadingJSON(body)
	if !ok {
		if !strings.HasPrefix(strings.TrimSpace(body), "{") {
			return "messages without content", body, false, nil // method="tools/list" id=1
		}
		d.in.find(n, "bad-message", "a message whose JSON is broken or cut off")
		return Faulty, "", false, nil
	}
	use, err = d.w.take(frame{conn: server, session: server, server: server, from: sides[who], time: e.time, line: n, msg: v})
	return use, rest, true, err
}

// leadingJSON reads the JSON value that a text begins with; behind it may be
// anything.
func leadingJSON(s string) (v jsontext.Value, rest string, ok bool) {
	d := jsontext.NewDecoder(strings.NewReader(s), lenient...)
	v, err := d.ReadValue()
	if err != nil || v.Kind() != '{' && v.Kind() != '[' {
		return nil, s, false
	}
	return v.Clone(), s[d.InputOffset():], true
}
