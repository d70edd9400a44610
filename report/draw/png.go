package draw

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fogleman/gg"
	"github.com/golang/freetype/truetype"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
)

// Scale of the image, in pixels a point, and the most pixels that it may have:
// a larger picture gets a smaller scale.
const (
	pngScale  = 4.0 / 3
	maxPixels = 40e6
)

// PNG is SVG as an image. Its font has Latin, Greek and Cyrillic letters, and
// no emoji.
//
// It is painted here, from the SVG: Graphviz's own images, as the library
// makes them, fill lines, leave out frames and take longer.
func PNG(ctx context.Context, w io.Writer, g Graph) error {
	out, err := render(ctx, g)
	if err != nil {
		return err
	}
	p, err := paint(out)
	if err != nil {
		return fmt.Errorf("paint: %w", err)
	}
	return p.EncodePNG(w)
}

// element is an element of Graphviz's SVG, with all that any of them has.
type element struct {
	XMLName   xml.Name
	Width     string    `xml:"width,attr"`
	Height    string    `xml:"height,attr"`
	Transform string    `xml:"transform,attr"`
	Fill      string    `xml:"fill,attr"`
	Stroke    string    `xml:"stroke,attr"`
	Dash      string    `xml:"stroke-dasharray,attr"`
	Pen       float64   `xml:"stroke-width,attr"`
	Points    string    `xml:"points,attr"`
	Path      string    `xml:"d,attr"`
	X         float64   `xml:"x,attr"`
	Y         float64   `xml:"y,attr"`
	Anchor    string    `xml:"text-anchor,attr"`
	Size      float64   `xml:"font-size,attr"`
	Text      string    `xml:",chardata"`
	Children  []element `xml:",any"`
}

// painter paints elements.
type painter struct {
	*gg.Context
	scale float64
	font  *truetype.Font
	faces map[float64]font.Face // by size
}

// paint paints an SVG.
func paint(svg []byte) (*gg.Context, error) {
	var root element
	if err := xml.NewDecoder(bytes.NewReader(svg)).Decode(&root); err != nil {
		return nil, err
	}
	size, err := numbers(strings.ReplaceAll(root.Width+" "+root.Height, "pt", ""))
	if err != nil || len(size) != 2 {
		return nil, fmt.Errorf("size %s × %s", root.Width, root.Height)
	}
	ttf, err := truetype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	scale := min(pngScale, math.Sqrt(maxPixels/(size[0]*size[1])))
	p := &painter{
		Context: gg.NewContext(int(size[0]*scale)+1, int(size[1]*scale)+1),
		scale:   scale,
		font:    ttf,
		faces:   map[float64]font.Face{},
	}
	p.Scale(scale, scale)
	return p.Context, p.all(root.Children)
}

// all paints elements in their order.
func (p *painter) all(elements []element) error {
	for _, e := range elements {
		if err := p.one(e); err != nil {
			return fmt.Errorf("%s: %w", e.XMLName.Local, err)
		}
	}
	return nil
}

func (p *painter) one(e element) error {
	switch e.XMLName.Local {
	case "g":
		return p.group(e)
	case "text":
		return p.text(e)
	case "polygon", "polyline":
		if err := p.line(e.Points); err != nil {
			return err
		}
		if e.XMLName.Local == "polygon" {
			p.ClosePath()
		}
		p.ink(e)
	case "path":
		if err := p.curve(e.Path); err != nil {
			return err
		}
		p.ink(e)
	case "title":
	default:
		return fmt.Errorf("not known")
	}
	return nil
}

// group paints a group; only the outermost is moved.
func (p *painter) group(e element) error {
	if _, move, ok := strings.Cut(e.Transform, "translate("); ok {
		at, err := numbers(strings.TrimSuffix(move, ")"))
		if err != nil || len(at) != 2 {
			return fmt.Errorf("transform %q", e.Transform)
		}
		p.Translate(at[0], at[1])
	}
	return p.all(e.Children)
}

// line begins the path of a polygon.
func (p *painter) line(points string) error {
	at, err := numbers(points)
	if err != nil || len(at)%2 != 0 {
		return fmt.Errorf("points %q", points)
	}
	for i := 0; i < len(at); i += 2 {
		p.LineTo(at[i], at[i+1])
	}
	return nil
}

// curve begins a path M x,y C x,y x,y x,y …, the only kind that Graphviz makes.
func (p *painter) curve(path string) error {
	at, err := numbers(strings.NewReplacer("M", " ", "C", " ").Replace(path))
	if err != nil || len(at)%6 != 2 {
		return fmt.Errorf("path %q", path)
	}
	p.MoveTo(at[0], at[1])
	for i := 2; i < len(at); i += 6 {
		p.CubicTo(at[i], at[i+1], at[i+2], at[i+3], at[i+4], at[i+5])
	}
	return nil
}

// ink fills and strokes the path.
func (p *painter) ink(e element) {
	if color, ok := ink(e.Fill); ok {
		p.SetHexColor(color)
		p.FillPreserve()
	}
	if color, ok := ink(e.Stroke); ok {
		p.SetHexColor(color)
		p.SetLineWidth(p.scale * max(1, e.Pen))
		p.SetDash()
		if e.Dash != "" {
			p.SetDash(5*p.scale, 2*p.scale)
		}
		p.StrokePreserve()
	}
	p.ClearPath()
}

// ink returns the colour to paint with, if any.
func ink(name string) (string, bool) {
	switch name {
	case "", "none", "transparent":
		return "", false
	case "white":
		return "#ffffff", true
	case "black":
		return "#000000", true
	}
	return name, strings.HasPrefix(name, "#")
}

func (p *painter) text(e element) error {
	color, ok := ink(e.Fill)
	if !ok {
		color = "#000000"
	}
	anchor, ok := map[string]float64{"start": 0, "middle": 0.5, "end": 1}[e.Anchor]
	if !ok {
		return fmt.Errorf("anchor %q", e.Anchor)
	}
	p.SetHexColor(color)
	p.SetFontFace(p.face(e.Size * p.scale))
	// Glyphs are made in their size: scaled ones would be blurred.
	x, y := p.TransformPoint(e.X, e.Y)
	p.Push()
	p.Identity()
	p.DrawStringAnchored(e.Text, x, y, anchor, 0)
	p.Pop()
	return nil
}

func (p *painter) face(size float64) font.Face {
	if p.faces[size] == nil {
		p.faces[size] = truetype.NewFace(p.font, &truetype.Options{Size: size})
	}
	return p.faces[size]
}

// numbers reads numbers between blanks and commas.
func numbers(s string) ([]float64, error) {
	var out []float64
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' }) {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}
