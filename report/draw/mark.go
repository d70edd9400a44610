package draw

import "fmt"

// Mark is what became of a node or an edge between two graphs. It is shown by
// colour and by a sign.
type Mark uint8

const (
	Unmarked Mark = iota
	Added
	Removed
	Changed
)

var marks = [...]struct{ name, sign, color string }{
	Unmarked: {"", "", ""},
	Added:    {"added", "+", "#1a7f37"},
	Removed:  {"removed", "-", "#cf222e"},
	Changed:  {"changed", "~", "#9a6700"},
}

// pale is the colour of what only surrounds a change; it still reads on white.
const pale = "#6e7781"

func (m Mark) String() string {
	if int(m) < len(marks) {
		return marks[m].name
	}
	return fmt.Sprintf("mark(%d)", uint8(m))
}

// MarshalText writes the mark's name.
func (m Mark) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Sign is +, - or ~.
func (m Mark) Sign() string {
	if int(m) < len(marks) {
		return marks[m].sign
	}
	return "?"
}

// signed puts the sign before the first line.
func (m Mark) signed(lines []string) []string {
	if m == Unmarked {
		return lines
	}
	if len(lines) == 0 {
		return []string{m.Sign()}
	}
	return append([]string{m.Sign() + " " + lines[0]}, lines[1:]...)
}

// color is the mark's colour, else the one given.
func (m Mark) color(other string) string {
	if m == Unmarked || int(m) >= len(marks) {
		return other
	}
	return marks[m].color
}

func (e Edge) color() string {
	if e.Pale {
		return pale
	}
	return e.Mark.color(e.Tone.look().color)
}

func (n Node) color() string {
	if n.Pale {
		return pale
	}
	return n.Mark.color("#57606a")
}
