package viz

import (
	"fmt"
	"io"
	"math"

	"github.com/fogleman/gg"
	"github.com/golang/freetype/truetype"
	"golang.org/x/image/font"

	"mcpg/mcptree"
)

// Scale of the image, in pixels a unit of the SVG, and the most pixels that it
// may have: a larger picture gets a smaller scale.
const (
	pngScale  = 1.5
	maxPixels = 40e6
)

// PNG is SVG as an image. Its font has Latin, Greek and Cyrillic letters.
func PNG(w io.Writer, t *mcptree.Tree, path []Step) error {
	c, err := newPicture(t, path).paint()
	if err != nil {
		return fmt.Errorf("paint: %w", err)
	}
	return c.EncodePNG(w)
}

// pixels is the size of the image, and its scale.
func (p picture) pixels() (w, h int, scale float64) {
	scale = min(pngScale, math.Sqrt(maxPixels/(p.w*p.h)))
	return max(1, int(p.w*scale)), max(1, int(p.h*scale)), scale
}

func (p picture) paint() (*gg.Context, error) {
	ttf, err := goFont()
	if err != nil {
		return nil, err
	}
	w, h, scale := p.pixels()
	c := gg.NewContext(w, h)
	faces := map[float64]font.Face{}
	for _, g := range p.groups {
		for _, s := range g.shapes {
			if s.text == "" {
				s.paint(c, scale)
				continue
			}
			if faces[s.size] == nil {
				faces[s.size] = truetype.NewFace(ttf, &truetype.Options{Size: s.size * scale})
			}
			c.SetFontFace(faces[s.size])
			c.SetHexColor(s.fill)
			c.DrawStringAnchored(s.text, s.at.x*scale, s.baseline()*scale, s.anchor, 0)
		}
	}
	return c, nil
}

func (s shape) paint(c *gg.Context, scale float64) {
	for _, g := range s.path {
		var at []float64
		for _, p := range g.to {
			at = append(at, p.x*scale, p.y*scale)
		}
		switch g.op {
		case 'M':
			c.MoveTo(at[0], at[1])
		case 'L':
			c.LineTo(at[0], at[1])
		case 'C':
			c.CubicTo(at[0], at[1], at[2], at[3], at[4], at[5])
		case 'Z':
			c.ClosePath()
		}
	}
	if s.fill != "" {
		c.SetHexColor(s.fill)
		c.FillPreserve()
	}
	if s.stroke != "" {
		c.SetHexColor(s.stroke)
		c.SetLineWidth(s.line * scale)
		c.StrokePreserve()
	}
	c.ClearPath()
}
