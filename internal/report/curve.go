package report

import (
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve shows how a score depends on one positive hyper-parameter, on a logarithmic axis.
type Curve struct {
	Title  string
	X, Y   string // names of the axes
	Series []CurveSeries
	Mark   float64 // where a vertical rule stands, 0 for none
	Tick   string  // name of the rule
}

// CurveSeries is a line of a curve, by ascending X.
type CurveSeries struct {
	Name string
	X, Y []float64 // points whose Y is NaN leave no mark
}

const curveHeight = 250 * vg.Length(1)

// WriteSVG draws the curves below a legend.
func (v *Curve) WriteSVG(w io.Writer) error { return writeSVG(w, v) }

func (v *Curve) size() (width, height vg.Length) {
	return pageWidth, curveHeight + headHeight + legendLine + 2*margin
}

func (v *Curve) draw(canvas draw.Canvas) {
	p := newPlot(v.X)
	p.Y.Label.Text = v.Y
	restyle(&p.Y.Label.TextStyle, nameSize, ink)
	var names []string
	var xs, ys []float64
	for _, s := range v.Series {
		names, xs = append(names, s.Name), append(xs, s.X...)
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
	p.Add(plotter(v.drawLines))
	drawLegend(canvas, v.Title, names, v.Tick)
	p.Draw(draw.Crop(canvas, margin, -margin, margin, -margin-headHeight-legendLine))
}

// drawLines draws the rule, and lines with a dot at every point.
func (v *Curve) drawLines(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if v.Mark > 0 {
		c.StrokeLine2(draw.LineStyle{Color: refrule, Width: 1.6}, x(v.Mark), c.Min.Y, x(v.Mark), c.Max.Y)
	}
	for i, s := range v.Series {
		colour := series[i%len(series)]
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
