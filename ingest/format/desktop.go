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
			if e, ok := desktopEntry(string(line)); ok && (e.server != "" || strings.HasPrefix(e.text, "Message from ")) {
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

// desktopEntry reads the head of an entry. The two kinds of files have server
// and level the other way round.
func desktopEntry(line string) (e entry, ok bool) {
	at := entryStart.FindStringIndex(line)
	if at == nil || at[0] != 0 {
		return e, false
	}
	e.time = parseTime(line[:at[1]-1])
	rest := line[at[1]:]
	for range 2 {
		word, after, ok := bracket(rest)
		if !ok {
			break
		}
		if !levels[word] {
			e.server = word
		}
		rest = after
	}
	e.text = rest
	return e, len(rest) < len(line)-at[1]
}

// bracket takes "[word] " off; the word may hold brackets itself.
func bracket(s string) (word, rest string, ok bool) {
	if !strings.HasPrefix(s, "[") {
		return "", s, false
	}
	i := strings.Index(s, "] ")
	if i < 0 {
		if strings.HasSuffix(s, "]") {
			return s[1 : len(s)-1], "", true
		}
		return "", s, false
	}
	return s[1:i], s[i+2:], true
}

// line takes a line, which may hold several entries glued together.
func (d *desktop) line(n int, line []byte) (use string, err error) {
	use = "other output"
	text := string(line)
	for text != "" {
		at := entryStart.FindStringIndex(text)
		if at == nil {
			return use, nil
		}
		e, ok := desktopEntry(text[at[0]:])
		if !ok {
			text = text[at[1]:]
			continue
		}
		u, rest, err := d.entry(&e, n)
		if err != nil {
			return u, err
		}
		if use != Used && use != Faulty {
			use = u
		}
		text = rest
	}
	return use, nil
}

// entry takes one entry and gives what follows it.
func (d *desktop) entry(e *entry, n int) (use, rest string, err error) {
	server := firstString(e.server, d.alone)
	body, isMessage := strings.CutPrefix(e.text, "Message from ")
	if !isMessage {
		if strings.HasPrefix(e.text, "Initializing server") {
			d.w.open(&frame{conn: server, session: server, server: server, time: e.time, line: n})
			return "handshakes", e.text, nil
		}
		return "other output", e.text, nil
	}
	who, body, _ := strings.Cut(body, ": ")
	v, rest, ok := leadingJSON(body)
	if !ok {
		if !strings.HasPrefix(strings.TrimSpace(body), "{") {
			return "messages without content", body, nil // method="tools/list" id=1
		}
		d.in.find(n, "bad-message", "a message whose JSON is broken or cut off")
		return Faulty, "", nil
	}
	use, err = d.w.take(frame{conn: server, session: server, server: server, from: sides[who], time: e.time, line: n, msg: v})
	return use, rest, err
}

// leadingJSON reads the JSON value that a text begins with; behind it may be
// anything.
func leadingJSON(s string) (v jsontext.Value, rest string, ok bool) {
	d := newDecoder([]byte(s))
	v, err := d.ReadValue()
	if err != nil || v.Kind() != '{' && v.Kind() != '[' {
		return nil, s, false
	}
	return v.Clone(), s[d.InputOffset():], true
}
