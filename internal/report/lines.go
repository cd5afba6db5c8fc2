package report

import (
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	lineHeight = 19 * vg.Length(1)
	axisHeight = 44 * vg.Length(1)
	lineRunes  = 34 // hold "RVFL+, Triangular basis function"
)

// linesHeight is the height of a plot of so many lines, with its axis.
func linesHeight(lines int) vg.Length { return lineHeight*vg.Length(lines) + axisHeight }

// newLines returns a plot of values from low to high with a line for each name, the first on top. Line i of n stands
// at n−i.
func newLines(names []string, label string, low, high float64) *plot.Plot {
	p := newPlot(label)
	var ticks []plot.Tick
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(len(names) - i), Label: shorten(name, lineRunes)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	p.Y.Min, p.Y.Max = 0.4, float64(len(names))+0.6
	gap := (high - low) / 40
	if gap == 0 {
		gap = 1
	}
	p.X.Min, p.X.Max = low-gap, high+gap
	return p
}

// valuePlot returns a plot with a title, a line for each name, and an axis on which all values that have a place fit.
func valuePlot(title string, names []string, label string, values []float64, log bool) *plot.Plot {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if hasPlace(v, log) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		low, high = 1, 2
	}
	p := newLines(names, label, low, high)
	p.Title.Text = shorten(title, 2*nameRunes)
	restyle(&p.Title.TextStyle, nameSize+1, ink)
	p.Title.Padding = 2
	p.Y.Tick.Label.Font.Size, p.X.Tick.Label.Font.Size = smallSize+0.5, smallSize
	p.X.Tick.Marker = plot.TickerFunc(fewTicks)
	if log {
		p.X.Min, p.X.Max = low/1.3, high*1.3
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	}
	return p
}

// hasPlace reports whether a value has a place on an axis, which may be logarithmic.
func hasPlace(v float64, log bool) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!log || v > 0)
}

// Intervals shows estimates with their confidence intervals, a line each, and a rule at 0.
type Intervals struct {
	Label  string // of the axis
	Lines  []IntervalLine
	Narrow bool // for a narrow page
}

// IntervalLine is an estimate and its confidence interval.
type IntervalLine struct {
	Name            string
	Colour          color.Color
	Mean, Low, High float64
}

// WriteSVG draws a dot and a bar for each line.
func (v *Intervals) WriteSVG(w io.Writer) error { return writeSVG(w, v) }

func (v *Intervals) size() (width, height vg.Length) {
	return inPage(v.Narrow), linesHeight(len(v.Lines))
}

func (v *Intervals) draw(c draw.Canvas) {
	var names []string
	low, high := 0.0, 0.0
	for _, l := range v.Lines {
		names = append(names, l.Name)
		low, high = min(low, l.Low), max(high, l.High)
	}
	p := newLines(names, axisLabel(v.Label, v.Narrow), low, high)
	p.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		rule := draw.LineStyle{Color: pale, Width: 0.7, Dashes: []vg.Length{3, 2}}
		c.StrokeLine2(rule, x(0), c.Min.Y, x(0), c.Max.Y)
		for i, l := range v.Lines {
			at := y(float64(len(v.Lines) - i))
			c.StrokeLine2(draw.LineStyle{Color: l.Colour, Width: 1.6}, x(l.Low), at, x(l.High), at)
			for _, end := range []float64{l.Low, l.High} {
				c.StrokeLine2(draw.LineStyle{Color: l.Colour, Width: 1}, x(end), at-3, x(end), at+3)
			}
			dot := draw.GlyphStyle{Color: l.Colour, Radius: 3.4, Shape: draw.CircleGlyph{}}
			c.DrawGlyph(dot, vg.Point{X: x(l.Mean), Y: at})
		}
	}))
	p.Draw(c)
}

// Strips shows every one of repeated measurements, a line for each method, and a bar at their mean.
type Strips struct {
	Label  string // of the axis
	Lines  []StripLine
	Narrow bool // for a narrow page
}

// StripLine holds the measurements of one method.
type StripLine struct {
	Name   string
	Colour color.Color
	Values []float64
	Mean   float64
}

// WriteSVG draws a ring for each value. Equal values share a ring, whose area tells how many they are.
func (v *Strips) WriteSVG(w io.Writer) error { return writeSVG(w, v) }

func (v *Strips) size() (width, height vg.Length) {
	return inPage(v.Narrow), linesHeight(len(v.Lines)) + labelHeight(axisLabel(v.Label, v.Narrow))
}

func (v *Strips) draw(c draw.Canvas) {
	var names []string
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range v.Lines {
		names = append(names, l.Name)
		for _, value := range l.Values {
			low, high = min(low, value), max(high, value)
		}
	}
	if low > high {
		low, high = 1, 2
	}
	p := newLines(names, axisLabel(v.Label, v.Narrow), low, high)
	p.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for i, l := range v.Lines {
			at := y(float64(len(v.Lines) - i))
			c.StrokeLine2(draw.LineStyle{Color: palest, Width: 0.5}, c.Min.X, at, c.Max.X, at)
			sorted := slices.Sorted(slices.Values(l.Values))
			for from := 0; from < len(sorted); {
				to := from + 1
				for to < len(sorted) && sorted[to] == sorted[from] {
					to++
				}
				radius := min(lineHeight/2, 1.7*vg.Length(math.Sqrt(float64(to-from))))
				ring := draw.GlyphStyle{Color: l.Colour, Radius: radius, Shape: draw.RingGlyph{}}
				c.DrawGlyph(ring, vg.Point{X: x(sorted[from]), Y: at})
				from = to
			}
			c.StrokeLine2(draw.LineStyle{Color: l.Colour, Width: 2}, x(l.Mean), at-6.5, x(l.Mean), at+6.5)
		}
	}))
	p.Draw(c)
}
