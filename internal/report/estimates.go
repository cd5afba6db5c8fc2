package report

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Estimates shows numbers with their standard errors, panels below each other that each have an axis of their own.
type Estimates struct {
	Title  string
	Note   string // below the title
	Panels []EstimatePanel
}

// EstimatePanel is estimates on one axis: bars from 0 or, where Free is set, points on an axis that need not hold 0.
type EstimatePanel struct {
	Label string // of the axis
	Free  bool
	Lines []Estimate
}

// Estimate is a number on a line of its own. The line says it at its end too.
type Estimate struct {
	Name      string
	Value, SE float64   // SE is NaN where it is not known
	Parts     []float64 // what Value is the mean of, drawn as circles; nil for none
	Tick      float64   // a number to compare with, drawn as a rule; NaN for none
}

const (
	estimateHalf = 5 * vg.Length(1)   // of a bar
	partsHeight  = 16 * vg.Length(1)  // added to a line by its circles
	valueRoom    = 110 * vg.Length(1) // right of the axis, for the numbers
)

// WriteSVG draws the panels as SVG.
func (e *Estimates) WriteSVG(w io.Writer) error { return writeSVG(w, e) }

func (e *Estimates) size() (width, height vg.Length) {
	height = headHeight + legendLine + 2*margin
	for i := range e.Panels {
		height += e.Panels[i].height()
	}
	return pageWidth + 2*margin, height
}

func (p *EstimatePanel) height() vg.Length { return p.line()*vg.Length(len(p.Lines)) + axisHeight }

// line is the height of a line.
func (p *EstimatePanel) line() vg.Length {
	for _, l := range p.Lines {
		if l.Parts != nil {
			return lineHeight + partsHeight
		}
	}
	return lineHeight
}

func (e *Estimates) draw(canvas draw.Canvas) {
	at := drawTitle(canvas, e.Title)
	canvas.FillText(style(nameSize, pale), at, fitting(e.Note, 200, nameSize, canvas.Max.X-2*margin))
	top := canvas.Max.Y - margin - headHeight - legendLine
	for i := range e.Panels {
		bottom := top - e.Panels[i].height()
		e.Panels[i].plot().Draw(draw.Canvas{Canvas: canvas.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: margin, Y: bottom}, Max: vg.Point{X: canvas.Max.X - margin - valueRoom, Y: top},
		}})
		top = bottom
	}
}

// plot makes the picture of a panel.
func (p *EstimatePanel) plot() *plot.Plot {
	low, high := p.limits()
	var names []string
	for _, l := range p.Lines {
		names = append(names, l.Name)
	}
	axes := newLines(names, p.Label, low, high)
	axes.Add(plotter(func(c draw.Canvas, axes *plot.Plot) {
		x, y := axes.Transforms(&c)
		if !p.Free {
			c.StrokeLine2(draw.LineStyle{Color: pale, Width: 1}, x(0), c.Min.Y, x(0), c.Max.Y)
		}
		for i := range p.Lines {
			p.drawLine(c, &p.Lines[i], x, y(float64(len(p.Lines)-i)))
		}
	}))
	return axes
}

// limits returns the ends of what the axis has to hold.
func (p *EstimatePanel) limits() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	hold := func(v float64) {
		if hasPlace(v, false) {
			low, high = min(low, v), max(high, v)
		}
	}
	if !p.Free {
		hold(0)
	}
	for _, l := range p.Lines {
		for _, v := range append([]float64{l.Value, l.Value - l.SE, l.Value + l.SE, l.Tick}, l.Parts...) {
			hold(v)
		}
	}
	if low > high {
		return 0, 1
	}
	return low, high
}

// drawLine draws an estimate, its error, its parts and its number, on the line at a height.
func (p *EstimatePanel) drawLine(c draw.Canvas, l *Estimate, x func(float64) vg.Length, at vg.Length) {
	if l.Parts != nil {
		ring := draw.GlyphStyle{Color: pale, Radius: 2.6, Shape: draw.RingGlyph{}}
		for _, v := range l.Parts {
			if hasPlace(v, false) {
				c.DrawGlyph(ring, vg.Point{X: x(v), Y: at - partsHeight/2})
			}
		}
		at += partsHeight / 2
	}
	if hasPlace(l.Tick, false) {
		rule := draw.LineStyle{Color: refrule, Width: 1.6}
		c.StrokeLine2(rule, x(l.Tick), at-p.line()/2, x(l.Tick), at+estimateHalf+2)
	}
	if !hasPlace(l.Value, false) {
		return
	}
	if p.Free {
		dot := draw.GlyphStyle{Color: Palette[0], Radius: 3.4, Shape: draw.CircleGlyph{}}
		c.DrawGlyph(dot, vg.Point{X: x(l.Value), Y: at})
	} else {
		var colour color.Color = Palette[0]
		if l.Value < 0 {
			colour = Palette[9]
		}
		c.FillPolygon(colour, rectangle(x(0), at-estimateHalf, x(l.Value), at+estimateHalf))
	}
	text := fmt.Sprintf("%.4g", l.Value)
	if hasPlace(l.SE, false) {
		whisker := draw.LineStyle{Color: ink, Width: 1.2}
		c.StrokeLine2(whisker, x(l.Value-l.SE), at, x(l.Value+l.SE), at)
		text += fmt.Sprintf(" ± %.2g", l.SE)
	}
	c.FillText(style(nameSize, ink), vg.Point{X: c.Max.X + 12, Y: at}, text)
}
