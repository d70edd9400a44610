package report

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"mcpg/bench"
)

// inks are told apart by those who don't see colours too: by their darkness, and each
// line has dashes of its own.
var inks = []color.RGBA{{0x1f, 0x5f, 0xa8, 255}, {0xb3, 0x20, 0x2a, 255}, {0x1a, 0x7f, 0x37, 255}, {0x8a, 0x5a, 0, 255}, {0x5b, 0x3f, 0x9e, 255}, {0x40, 0x48, 0x50, 255}}

var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {3, 5}, {12, 3}}

// picture gives a plot as an svg element.
func picture(p *plot.Plot, width, height vg.Length) (string, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(width, height))
	p.BackgroundColor = color.Transparent
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	out := b.Bytes()
	if i := bytes.Index(out, []byte("<svg")); i > 0 {
		out = out[i:]
	}
	return string(out), nil
}

// trendChart draws the invalid-call rate a day with its interval.
func trendChart(days []pageDay) (string, error) {
	p := plot.New()
	p.Y.Label.Text = "invalid calls, %"
	p.Y.Min = 0
	points := make(plotter.XYs, len(days))
	errors := make(plotter.YErrors, len(days))
	var ticks []plot.Tick
	every := max(1, len(days)/8)
	for i, d := range days {
		points[i] = plotter.XY{X: float64(i), Y: 100 * d.Rate}
		errors[i].Low, errors[i].High = 100*(d.Rate-d.Low), 100*(d.High-d.Rate)
		if i%every == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: d.Day})
		}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return "", err
	}
	line.Color, dots.Color, dots.Shape = inks[0], inks[0], draw.CircleGlyph{}
	bars, err := plotter.NewYErrorBars(struct {
		plotter.XYer
		plotter.YErrorer
	}{points, errors})
	if err != nil {
		return "", err
	}
	bars.Color = inks[5]
	p.Add(plotter.NewGrid(), bars, line, dots)
	return picture(p, 9*vg.Inch, 2.6*vg.Inch)
}

// regretChart draws the invalid calls that reached the server so far, for the agent of
// the primary comparison, a line an arm; "" where there is none.
func regretChart(r *bench.Result) (string, error) {
	const agent = "error-reader"
	p := plot.New()
	p.Title.Text = agent
	p.X.Label.Text = "tasks"
	p.Y.Label.Text = "invalid calls so far"
	p.Y.Min = 0
	p.Legend.Top, p.Legend.Left = true, true
	n := 0
	for i := range r.Results {
		x := &r.Results[i]
		if x.Agent != agent || len(x.Curve) < 2 {
			continue
		}
		points := plotter.XYs{{}}
		for j, c := range x.Curve {
			at := min(float64(20*(j+1)), float64(r.Tasks))
			points = append(points, plotter.XY{X: at, Y: float64(c.Hidden + c.Stale + c.Drift + c.Learning + c.Probed + c.Error)})
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return "", err
		}
		line.Color, line.Dashes, line.Width = inks[n%len(inks)], dashes[n%len(dashes)], vg.Points(1.6)
		p.Add(line)
		p.Legend.Add(fmt.Sprint(Clean(x.Arm)), line)
		n++
	}
	if n == 0 {
		return "", nil
	}
	return picture(p, 9*vg.Inch, 3.6*vg.Inch)
}
