package format

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

func newDecoder(b []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(b), lenient...)
}

// object is a JSON object's members in their order. Values point into what was
// parsed.
type object []member

type member struct {
	name  string
	value jsontext.Value
	at    int // where the value begins in what was parsed
}

// parseObject takes a JSON object apart. Beside an error it gives the members
// before the fault.
func parseObject(b []byte) (object, error) {
	d := newDecoder(b)
	if k := d.PeekKind(); k != '{' {
		if _, err := d.ReadToken(); err != nil {
			return nil, plainJSONError(err)
		}
		return nil, errors.New("a " + calllog.KindName(k) + " where an object is wanted")
	}
	o := object{}
	if err := o.read(d, b); err != nil {
		return o, plainJSONError(err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return o, errors.New("something follows the JSON object")
	}
	return o, nil
}

// membersOf reads the members at the decoder's next token, as far as they go.
func membersOf(d *jsontext.Decoder) object {
	o := object{}
	_ = o.read(d, nil) // cut anywhere
	return o
}

// read appends the members of the object that is next. With src, which is what
// the decoder reads, values point into it; without, they are copied, and of one
// that is cut off the name is kept.
func (o *object) read(d *jsontext.Decoder, src []byte) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		tok, err := d.ReadToken()
		if err != nil {
			return err
		}
		m := member{name: tok.String()}
		if src == nil {
			*o = append(*o, m)
		}
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		if src == nil {
			(*o)[len(*o)-1].value = v.Clone()
			continue
		}
		end := int(d.InputOffset())
		m.at = end - len(v)
		m.value = src[m.at:end:end]
		*o = append(*o, m)
	}
	_, err := d.ReadToken()
	return err
}

// get gives a member, of several of one name the last; nil if there is none.
func (o object) get(name string) jsontext.Value { return o.member(name).value }

func (o object) member(name string) member {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].name == name {
			return o[i]
		}
	}
	return member{}
}

// has tells whether all members are there, be it as null.
func (o object) has(names ...string) bool {
	for _, n := range names {
		found := false
		for _, m := range o {
			found = found || m.name == n
		}
		if !found {
			return false
		}
	}
	return true
}

// hasAny tells whether one of the members is there.
func (o object) hasAny(names ...string) bool {
	for _, n := range names {
		if o.has(n) {
			return true
		}
	}
	return false
}

// str gives a member's text: a string, or a number as it is written; else "".
func (o object) str(name string) string { return str(o.get(name)) }

// obj gives a member that is an object; nil if it is none.
func (o object) obj(name string) object { return objectOf(o.get(name)) }

// oneOf gives the first member that is there and not null.
func (o object) oneOf(names ...string) member {
	for _, n := range names {
		if m := o.member(n); m.value != nil && m.value.Kind() != 'n' {
			return m
		}
	}
	return member{}
}

// from counts the place from the start of what the object lies in.
func (m member) from(at int) member {
	m.at += at
	return m
}

// str2 gives the text of the first member that has one.
func (o object) str2(names ...string) string {
	for _, n := range names {
		if s := o.str(n); s != "" {
			return s
		}
	}
	return ""
}

// firstOf gives the first member that is there and not null.
func (o object) firstOf(names ...string) jsontext.Value {
	for _, n := range names {
		if v := o.get(n); v != nil && v.Kind() != 'n' {
			return v
		}
	}
	return nil
}

// objectOf takes a value apart that is a JSON object, or a string that holds
// one; nil if it is neither.
func objectOf(v jsontext.Value) object {
	if v.Kind() == '"' {
		if s := strings.TrimSpace(unquote(v)); strings.HasPrefix(s, "{") {
			v, _ = calllog.Tidy([]byte(s))
		}
	}
	if v.Kind() != '{' {
		return nil
	}
	o, err := parseObject(v)
	if err != nil {
		return nil
	}
	return o
}

// elements lists a list's elements; nil for what is none.
func elements(v jsontext.Value) []jsontext.Value {
	var out []jsontext.Value
	eachElement(v, func(_ int, e jsontext.Value) { out = append(out, e) })
	return out
}

// eachElement calls f with a list's elements and where in v they begin.
func eachElement(v jsontext.Value, f func(at int, e jsontext.Value)) {
	if v.Kind() != '[' {
		return
	}
	d := newDecoder(v)
	if _, err := d.ReadToken(); err != nil {
		return
	}
	for d.PeekKind() != ']' {
		e, err := d.ReadValue()
		if err != nil {
			return
		}
		end := int(d.InputOffset())
		f(end-len(e), v[end-len(e):end:end])
	}
}

func str(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return unquote(v)
	case '0':
		return string(v)
	}
	return ""
}

func unquote(v jsontext.Value) string {
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(b)
}

// quote writes a JSON string; what isn't UTF-8 is replaced.
func quote(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	return b
}

// boolOf reads true or false; ok is false for anything else.
func boolOf(v jsontext.Value) (b, ok bool) {
	switch v.Kind() {
	case 't':
		return true, true
	case 'f':
		return false, true
	}
	return false, false
}

// keep copies a raw value; null is no value.
func keep(v jsontext.Value) jsontext.Value {
	if len(v) == 0 || v.Kind() == 'n' {
		return nil
	}
	return v.Clone()
}

// makeObject writes a JSON object.
func makeObject(ms ...member) jsontext.Value {
	b := []byte{'{'}
	for _, m := range ms {
		if m.value == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, quote(m.name)...), ':'), m.value...)
	}
	return append(b, '}')
}

// contentText is the text of an answer: a string, or blocks with texts, where
// what isn't text is named in brackets.
func contentText(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return unquote(v)
	case '[':
		var parts []string
		for _, e := range elements(v) {
			parts = append(parts, blockText(e))
		}
		return strings.Join(parts, "\n")
	case 'n', 0:
		return ""
	}
	return string(v)
}

func blockText(v jsontext.Value) string {
	o := objectOf(v)
	if o == nil {
		if v.Kind() == '"' {
			return unquote(v)
		}
		return string(v)
	}
	for _, name := range []string{"text", "output_text", "reasoning", "content"} {
		if t := o.get(name); t.Kind() == '"' {
			return unquote(t)
		}
	}
	if r := o.obj("resource"); r != nil {
		if t := r.get("text"); t.Kind() == '"' {
			return unquote(t)
		}
		return "[resource " + r.str("uri") + "]"
	}
	kind := o.str("type")
	if kind == "" {
		return string(v)
	}
	if mime := firstString(o.str("mimeType"), o.obj("source").str("media_type"), o.str("uri")); mime != "" {
		kind += " " + mime
	}
	return "[" + kind + "]"
}

func firstString(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// arguments takes a call's arguments: JSON, or a string that holds JSON, be it
// written as a string again, or a Python literal. Text that is neither is kept as a string; noted is then why.
func arguments(v jsontext.Value) (args jsontext.Value, noted string) {
	if v.Kind() != '"' {
		return keep(v), ""
	}
	text := strings.TrimSpace(unquote(v))
	if text == "" {
		return nil, ""
	}
	inner := jsontext.Value(text)
	if inner.IsValid(lenient...) {
		for deep := inner; deep.Kind() == '"'; { // written as a string more than once
			if deep = jsontext.Value(strings.TrimSpace(unquote(deep))); !deep.IsValid(lenient...) {
				break
			}
			if deep.Kind() == '{' {
				return deep, ""
			}
		}
		return inner, ""
	}
	if plain, odd := calllog.Tidy(inner); odd == calllog.OddNumbers && jsontext.Value(plain).IsValid(lenient...) {
		return plain, "the arguments hold NaN or Infinity, which JSON doesn't have; read as null"
	}
	if p, ok := pythonValue(text); ok && p.Kind() == '{' {
		return p, "the arguments are written in Python, not JSON; they were translated"
	}
	return v.Clone(), "the arguments are not JSON; kept as text"
}

// timeOf reads a time: RFC 3339, without a zone as UTC, or a number of seconds,
// milliseconds, microseconds or nanoseconds since 1970, told by its size. Zero
// for what is none.
func timeOf(v jsontext.Value) time.Time {
	switch v.Kind() {
	case '"':
		return parseTime(unquote(v))
	case '0':
		return numberTime(string(v))
	}
	return time.Time{}
}

var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04:05.999999999Z0700"}

func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return numberTime(s)
}

func numberTime(s string) time.Time {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		switch abs := max(n, -n); {
		case abs < 0 || abs == 0:
			return time.Time{}
		case abs < 1e11:
			return time.Unix(n, 0).UTC()
		case abs < 1e14:
			return time.UnixMilli(n).UTC()
		case abs < 1e17:
			return time.UnixMicro(n).UTC()
		}
		return time.Unix(0, n).UTC()
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || f == 0 {
		return time.Time{}
	}
	switch abs := math.Abs(f); {
	case abs < 1e11:
		f *= 1e6
	case abs < 1e14:
		f *= 1e3
	case abs < 1e17:
	case abs < math.MaxInt64:
		f /= 1e3
	default:
		return time.Time{}
	}
	return time.UnixMicro(int64(f)).UTC()
}

// between is the time from one to the other, 0 where one isn't known or they
// are the wrong way round.
func between(from, to time.Time) time.Duration {
	if from.IsZero() || to.IsZero() || to.Before(from) {
		return 0
	}
	return to.Sub(from)
}

// numberOf reads a number; 0 for what is none.
func numberOf(v jsontext.Value) float64 {
	f, err := strconv.ParseFloat(str(v), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// millis is a number of milliseconds, as far as a Duration can hold it.
func millis(ms float64) time.Duration {
	if ms < 0 || ms > 1e12 {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// id is a JSON-RPC or other id as a key: type and value count, 7 is not "7".
func id(v jsontext.Value) string {
	if v.Kind() == 0 {
		return ""
	}
	if v.Kind() == '0' && bytes.IndexByte(v, '.') > 0 && !bytes.ContainsAny(v, "eE") { // 7.0 is 7
		return string(bytes.TrimSuffix(bytes.TrimRight(v, "0"), []byte(".")))
	}
	return calllog.Canonical(v)
}

// plainJSONError says what is wrong without quoting the input, which may hold
// secrets.
func plainJSONError(err error) error {
	text := strings.TrimPrefix(err.Error(), "jsontext: ")
	if i := strings.Index(text, " within "); i >= 0 {
		text = text[:i]
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		text = "it ends too early"
	}
	return errors.New("not JSON: " + text)
}
