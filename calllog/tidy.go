package calllog

import "bytes"

// Odd tells what a text had between its strings that JSON doesn't know.
type Odd uint8

const (
	OddNumbers Odd = 1 << iota // NaN and Infinity, as Python and others write them
	OddMarks                   // byte order marks, as of files that were put together
	OddNULs                    // NUL bytes, as a crash leaves them
)

// Tidy reads numbers that JSON doesn't have as null, and byte order marks and NUL
// bytes as blanks. Strings stay as they are. A text that has nothing of it comes
// back itself.
func Tidy(text []byte) ([]byte, Odd) {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) && !bytes.Contains(text, byteOrderMark) && bytes.IndexByte(text, 0) < 0 {
		return text, 0
	}
	var t Tidier
	out, _ := t.Append(make([]byte, 0, len(text)+16), text, false)
	return out, t.Odd
}

// Tidier is Tidy for a text that comes in pieces.
type Tidier struct {
	Odd  Odd
	Line int // that the last byte is in, from 0
	// First is the line in which there first was something of a kind.
	First map[Odd]int

	inString, escaped bool
}

var byteOrderMark = []byte{0xef, 0xbb, 0xbf}

// odd is what is replaced, by what.
var odd = []struct {
	kind Odd
	is   []byte
	as   string
}{
	{OddNumbers, []byte("NaN"), "null"},
	{OddNumbers, []byte("Infinity"), "null"},
	{OddNumbers, []byte("-Infinity"), "null"},
	{OddMarks, byteOrderMark, " "},
	{OddNULs, []byte{0}, " "},
}

// Append adds a piece to out, and says how much of it was used: what may go on in
// the next piece, if there are more, comes again before that.
func (t *Tidier) Append(out, piece []byte, more bool) (all []byte, used int) {
	begin := 0 // of what is taken as it is
	for i := 0; i < len(piece); {
		c := piece[i]
		switch {
		case c == '\n': // no string goes on behind it: what was cut off ends here
			t.Line++
			t.inString, t.escaped = false, false
		case t.escaped:
			t.escaped = false
		case t.inString:
			t.escaped, t.inString = c == '\\', c != '"'
		case c == '"':
			t.inString = true
		case c == 'N' || c == 'I' || c == '-' || c == 0xef || c == 0:
			for _, o := range odd {
				rest := piece[i:]
				if more && len(rest) < len(o.is) && bytes.HasPrefix(o.is, rest) {
					return append(out, piece[begin:i]...), i
				}
				if bytes.HasPrefix(rest, o.is) {
					t.found(o.kind)
					out = append(append(out, piece[begin:i]...), o.as...)
					i += len(o.is) - 1
					begin = i + 1
					break
				}
			}
		}
		i++
	}
	return append(out, piece[begin:]...), len(piece)
}

func (t *Tidier) found(kind Odd) {
	if t.Odd&kind != 0 {
		return
	}
	t.Odd |= kind
	if t.First == nil {
		t.First = map[Odd]int{}
	}
	t.First[kind] = t.Line
}

// What is said of a log that had such things.
const (
	NULsRead    = "NUL bytes between the JSON, as a crash leaves them: what was to stand there is lost"
	NumbersRead = "NaN and Infinity, which JSON doesn't have, were read as null, here and in all that follows in this file"
)
