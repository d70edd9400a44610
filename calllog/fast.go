package calllog

import (
	"slices"
	"time"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// fast decodes lines without a decoder's tokens. Values and texts of its calls
// point into the line that it is given; names that repeat are kept from call to
// call.
type fast struct {
	session, server, tool, source string

	reuse bool
	raws  []raw    // made by the dozen, or one that is used again
	extra []member // of the line that no field holds
	text  []byte   // texts without their escapes
	found string   // the result's text
}

// call decodes a line, which must stay as it is while the call is used, and be
// valid UTF-8. ok is false for a line that isn't as plain as most: jsontext has the last word.
func (f *fast) call(line []byte) (c *Call, ok bool) {
	r := f.next()
	i := skipBlank(line, 0)
	if i >= len(line) || line[i] != '{' {
		return nil, false
	}
	i = skipBlank(line, i+1)
	if i < len(line) && line[i] == '}' {
		return nil, false
	}
	for {
		if i >= len(line) || line[i] != '"' {
			return nil, false
		}
		end, escaped := scanString(line, i)
		if end < 0 || escaped {
			return nil, false
		}
		name := line[i+1 : end-1]
		if i = skipBlank(line, end); i >= len(line) || line[i] != ':' {
			return nil, false
		}
		i = skipBlank(line, i+1)
		if end = f.member(r, name, line, i); end < 0 {
			return nil, false
		}
		if i = skipBlank(line, end); i >= len(line) {
			return nil, false
		}
		if line[i] == '}' {
			break
		}
		if line[i] != ',' {
			return nil, false
		}
		i = skipBlank(line, i+1)
	}
	if skipBlank(line, i+1) != len(line) {
		return nil, false
	}
	r.extra = f.extra
	c, err := r.finish()
	r.extra, r.text = nil, nil
	return c, err == nil
}

// next gives an empty call to fill.
func (f *fast) next() *raw {
	f.extra = f.extra[:0]
	if f.reuse {
		f.text = f.text[:0]
		if len(f.raws) == 0 {
			f.raws = make([]raw, 1)
		}
		f.raws[0] = raw{}
		return &f.raws[0]
	}
	f.text = nil
	if len(f.raws) == 0 {
		f.raws = make([]raw, 16)
	}
	r := &f.raws[0]
	f.raws = f.raws[1:]
	return r
}

// member takes the value that begins at i and gives its end, or -1.
func (f *fast) member(r *raw, name, line []byte, i int) int {
	c := &r.call
	if i < len(line) && line[i] == '"' {
		end, escaped := scanString(line, i)
		if end < 0 {
			return -1
		}
		text := line[i+1 : end-1 : end-1]
		switch string(name) {
		case "ts":
			t, ok := fastTime(text)
			if !ok {
				return f.slow(r, name, line[i:end:end], end)
			}
			c.Time = t
			return end
		case "call_id", "session", "server", "tool", "resource", "result_text", "outcome", "cause", "error_text", "state_source", "fingerprint":
			if escaped {
				text = f.unescape(text)
			}
			if !f.set(r, name, text) {
				return f.slow(r, name, line[i:end:end], end)
			}
			return end
		}
		return f.value(r, name, line[i:end:end], end)
	}
	end := scanValue(line, i, 1)
	if end < 0 {
		return -1
	}
	return f.value(r, name, line[i:end:end], end)
}

// set sets a member that is a string; false for one that wants more looking.
func (f *fast) set(r *raw, name, text []byte) bool {
	c := &r.call
	switch string(name) {
	case "call_id":
		c.ID = share(text)
	case "session":
		c.Session = repeated(&f.session, text)
	case "server":
		c.Server = repeated(&f.server, text)
	case "tool":
		c.Tool = repeated(&f.tool, text)
	case "resource":
		c.Resource = share(text)
	case "result_text":
		f.found = share(text)
		r.text = &f.found
	case "error_text":
		c.ErrorText = share(text)
	case "state_source":
		c.StateSource = repeated(&f.source, text)
	default:
		return false
	}
	return true
}

// value sets a member that is kept raw, or is rare.
func (f *fast) value(r *raw, name []byte, v jsontext.Value, end int) int {
	c := &r.call
	switch string(name) {
	case "args":
		c.Args = notNull(v)
	case "result":
		c.Result = notNull(v)
	case "before":
		c.Before = notNull(v)
	case "after":
		c.After = notNull(v)
	case "is_error":
		switch v[0] {
		case 't':
			r.flagged = &yes
		case 'f':
			r.flagged = &no
		default:
			return f.slow(r, name, v, end)
		}
	case "ts", "call_id", "session", "server", "tool", "resource", "result_text", "outcome", "cause", "error_text",
		"state_source", "state_age_us", "state_calls", "state_dirty", "latency_us", "fingerprint":
		return f.slow(r, name, v, end)
	default:
		if v[0] == 'n' {
			v = nil
		}
		f.extra = append(f.extra, member{share(name), v})
	}
	return end
}

var yes, no = true, false

// slow sets a member in the way that all are set.
func (f *fast) slow(r *raw, name []byte, v jsontext.Value, end int) int {
	if r.set(string(name), v) != nil {
		return -1
	}
	return end
}

func notNull(v jsontext.Value) jsontext.Value {
	if v[0] == 'n' {
		return nil
	}
	return v
}

// share makes a string of bytes that nobody will change.
func share(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// repeated gives the string that was last, if the bytes say the same, else a
// copy, so that it doesn't hold its line in memory.
func repeated(last *string, b []byte) string {
	if string(b) != *last {
		*last = string(b)
	}
	return *last
}

// unescape undoes the escapes of a checked string. Half a surrogate pair is
// U+FFFD.
func (f *fast) unescape(b []byte) []byte {
	from := len(f.text)
	f.text = slices.Grow(f.text, len(b)) // what escapes stand for is never longer
	out := f.text[from : from+len(b)]
	to := 0
	for i := 0; i < len(b); {
		c := b[i]
		if c != '\\' {
			out[to] = c
			to++
			i++
			continue
		}
		switch c = b[i+1]; c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, n := escapedRune(b[i:])
			i += n
			to += utf8.EncodeRune(out[to:], r)
			continue
		}
		out[to] = c
		to++
		i += 2
	}
	f.text = f.text[:from+to]
	return out[:to:to]
}

// escapedRune reads \uXXXX, or two of them that are a pair, and how long it is.
func escapedRune(b []byte) (r rune, n int) {
	r = fourHex(b[2:])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if pair := utf16.DecodeRune(r, fourHex(b[8:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func fourHex(b []byte) rune {
	return hexValue(b[0])<<12 | hexValue(b[1])<<8 | hexValue(b[2])<<4 | hexValue(b[3])
}

// fastTime reads 2006-01-02T15:04:05Z with up to nine decimals; everything else
// is left to others.
func fastTime(b []byte) (time.Time, bool) {
	if len(b) < 20 || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' || b[len(b)-1] != 'Z' {
		return time.Time{}, false
	}
	year, ok1 := digits(b[0:4])
	month, ok2 := digits(b[5:7])
	day, ok3 := digits(b[8:10])
	hour, ok4 := digits(b[11:13])
	minute, ok5 := digits(b[14:16])
	second, ok6 := digits(b[17:19])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	nano := 0
	if frac := b[19 : len(b)-1]; len(frac) > 0 {
		if frac[0] != '.' || len(frac) < 2 || len(frac) > 10 {
			return time.Time{}, false
		}
		n, ok := digits(frac[1:])
		if !ok {
			return time.Time{}, false
		}
		for range 10 - len(frac) {
			n *= 10
		}
		nano = n
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, nano, time.UTC), true
}

func digits(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
