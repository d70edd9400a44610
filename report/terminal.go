package report

import (
	"io"
	"slices"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Terminal is an output that may be one: Width is its columns, 0 if it is none.
type Terminal interface {
	Width() int
	Color() bool
}

// minColumn is how narrow a column of text may become.
const minColumn = 8

// fit shortens texts until the rows fit the width, the widest column first. Numbers stay.
func fit(columns []column, rows [][]string, width int) {
	if width <= 0 {
		return
	}
	widths := make([]int, len(columns))
	total := 0
	for i, c := range columns {
		widths[i] = twwidth.Width(c.head)
		for _, r := range rows {
			if i < len(r) {
				widths[i] = max(widths[i], twwidth.Width(r[i]))
			}
		}
		total += widths[i] + 2
	}
	for total > width {
		widest := -1
		for i, c := range columns {
			if !c.right && widths[i] > max(minColumn, twwidth.Width(c.head)) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return // shortening doesn't help: numbers and heads alone are wider
		}
		widths[widest]--
		total--
	}
	for _, r := range rows {
		for i := range r {
			if i < len(columns) && !columns[i].right && twwidth.Width(r[i]) > widths[i] {
				r[i] = narrow(r[i], widths[i])
			}
		}
	}
}

// narrow cuts a text to so many columns.
func narrow(s string, width int) string {
	out, n := []rune{}, 0
	for _, x := range s {
		w := twwidth.Width(string(x))
		if n+w > width-1 {
			break
		}
		out, n = append(out, x), n+w
	}
	return string(out) + "…"
}

// Tones of words.
const (
	toneGood = "32"
	toneBad  = "31;1"
)

// paint colours a word where there are colours.
func paint(w io.Writer, tone, word string) string {
	t, ok := w.(Terminal)
	if !ok || !t.Color() || !slices.Contains([]string{toneGood, toneBad}, tone) {
		return word
	}
	return "\x1b[" + tone + "m" + word + "\x1b[0m"
}
