package viz

import (
	"encoding/xml"
	"io"
	"math"
	"strconv"
	"strings"

	"mcpg/mcptree"
)

// SVG writes a tree, and the path taken in it, nil for none, as an svg element
// that needs nothing else: no script, no style sheet, no font.
func SVG(w io.Writer, t *mcptree.Tree, path []Step) error {
	_, err := io.WriteString(w, newPicture(t, path).svg())
	return err
}

func (p picture) svg() string {
	var b strings.Builder
	width, height := decimal(p.w), decimal(p.h)
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" width="` + width + `" height="` + height +
		`" viewBox="0 0 ` + width + " " + height + `" font-family="Go, Helvetica, Arial, sans-serif">` + "\n")
	if p.title != "" {
		b.WriteString("<title>" + xmlText(p.title) + "</title>\n")
	}
	for _, g := range p.groups {
		b.WriteString(`<g class="` + g.class + `">`)
		if g.tip != "" {
			b.WriteString("<title>" + xmlText(g.tip) + "</title>")
		}
		for _, s := range g.shapes {
			s.svg(&b)
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (s shape) svg(b *strings.Builder) {
	if s.text != "" {
		b.WriteString(`<text x="` + decimal(s.at.x) + `" y="` + decimal(s.baseline()) + `" font-size="` + decimal(s.size) + `" fill="` + s.fill + `"`)
		if s.anchor > 0 {
			b.WriteString(` text-anchor="middle"`)
		}
		b.WriteString(">" + xmlText(s.text) + "</text>")
		return
	}
	b.WriteString(`<path d="`)
	for _, g := range s.path {
		b.WriteByte(g.op)
		for i, p := range g.to {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(decimal(p.x) + "," + decimal(p.y))
		}
	}
	fill := s.fill
	if fill == "" {
		fill = "none"
	}
	b.WriteString(`" fill="` + fill + `"`)
	if s.stroke != "" {
		b.WriteString(` stroke="` + s.stroke + `" stroke-width="` + decimal(s.line) + `"`)
	}
	b.WriteString("/>")
}

// baseline is where the letters of a text stand.
func (s shape) baseline() float64 { return s.at.y + 0.36*s.size }

// decimal writes a number with one place, and none where it is 0.
func decimal(x float64) string {
	return strconv.FormatFloat(math.Round(x*10)/10+0, 'f', -1, 64)
}

// xmlText escapes clean text.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes all
	return b.String()
}
