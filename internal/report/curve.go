package report

import (
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Curve shows how a score depends on one positive hyper-parameter, on a logarithmic
// axis.
type Curve struct {
	Title  string
	X, Y   string // names of the axes
	Series []CurveSeries
	Mark   float64 // a vertical rule, 0 for none
	Tick   string  // what the rule is
}

// CurveSeries is a line of a curve, by ascending X.
type CurveSeries struct {
	Name string
	X, Y []float64 // points whose Y is NaN leave no mark
}

const curveHeight = 250 * vg.Length(1)

// WriteSVG draws the curves below a legend.
func (v *Curve) WriteSVG(w io.Writer) error {
	svg := vgsvg.New(pageWidth, curveHeight+headHeight+legendLine+2*margin)
	page := draw.New(svg)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	head := Boxes{Title: v.Title, Tick: v.Tick}
	for _, s := range v.Series {
		head.Series = append(head.Series, s.Name)
	}
	head.drawHead(page)
	v.plot().Draw(draw.Crop(page, margin, -margin, margin, -margin-headHeight-legendLine))
	return writePicture(w, svg)
}

func (v *Curve) plot() *plot.Plot {
	p := newPlot(v.X)
	p.Y.Label.Text = v.Y
	x, y, rotation := p.Y.Label.TextStyle.XAlign, p.Y.Label.TextStyle.YAlign, p.Y.Label.TextStyle.Rotation
	p.Y.Label.TextStyle = style(nameSize, ink)
	p.Y.Label.TextStyle.XAlign, p.Y.Label.TextStyle.YAlign, p.Y.Label.TextStyle.Rotation = x, y, rotation
	var xs, ys []float64
	for _, s := range v.Series {
		xs = append(xs, s.X...)
		ys = append(ys, slices.DeleteFunc(slices.Clone(s.Y), math.IsNaN)...)
	}
	if v.Mark > 0 {
		xs = append(xs, v.Mark)
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, 10, 0, 1
	if len(xs) > 0 && len(ys) > 0 {
		p.X.Min, p.X.Max = slices.Min(xs)/1.2, slices.Max(xs)*1.2
		gap := max(1e-3, slices.Max(ys)-slices.Min(ys)) / 12
		p.Y.Min, p.Y.Max = slices.Min(ys)-gap, slices.Max(ys)+gap
	}
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	p.Y.Tick.Marker = plot.TickerFunc(fewTicks)
	p.Add(curves{v})
	return p
}

// curves draws lines with a dot at every point.
type curves struct{ *Curve }

// Plot implements plot.Plotter.
func (v curves) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if v.Mark > 0 {
		c.StrokeLine2(draw.LineStyle{Color: tickColour, Width: 1.6}, x(v.Mark), c.Min.Y, x(v.Mark), c.Max.Y)
	}
	for i, s := range v.Series {
		colour := seriesColour[i%len(seriesColour)]
		var points []vg.Point
		for k := range s.X {
			if !math.IsNaN(s.Y[k]) {
				points = append(points, vg.Point{X: x(s.X[k]), Y: y(s.Y[k])})
			}
		}
		if len(points) > 1 {
			c.StrokeLines(draw.LineStyle{Color: colour, Width: 1.4}, points)
		}
		for _, at := range points {
			c.DrawGlyph(draw.GlyphStyle{Color: colour, Radius: 2.4, Shape: draw.CircleGlyph{}}, at)
		}
	}
}
