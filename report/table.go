// Package report turns results into something to read: tables, JSON and
// pictures.
package report

import (
	"io"
	"strings"
	"unicode"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// column of a table: its head, and whether it holds numbers.
type column struct {
	head  string
	right bool
}

// writeTable writes a plain table. Cells may hold anything: what could steer a
// terminal or break a line is made visible.
func writeTable(w io.Writer, columns []column, rows [][]string) error {
	align := make([]tw.Align, len(columns))
	head := make([]any, len(columns))
	for i, c := range columns {
		head[i], align[i] = c.head, tw.AlignLeft
		if c.right {
			align[i] = tw.AlignRight
		}
	}
	cleaned := make([][]string, len(rows))
	for i, r := range rows {
		for _, c := range r {
			cleaned[i] = append(cleaned[i], Clean(c))
		}
	}
	if t, ok := w.(Terminal); ok {
		fit(columns, cleaned, t.Width())
	}
	t := tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{Global: tw.AlignLeft, PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{Global: tw.AlignLeft, PerColumn: align}),
		tablewriter.WithPadding(tw.Padding{Left: "", Right: "  ", Overwrite: true}),
		tablewriter.WithTrimSpace(tw.Off),
	)
	t.Header(head...)
	for _, r := range cleaned {
		cells := make([]any, len(r))
		for i, c := range r {
			cells[i] = c
		}
		if err := t.Append(cells...); err != nil {
			return err
		}
	}
	return t.Render()
}

// Clean makes one line of printable text of anything.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r):
			return '\uFFFD'
		case unicode.Is(unicode.Cf, r) && r != '\u200d': // joiners keep emoji whole
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
