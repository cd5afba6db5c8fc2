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

// Bars shows numbers as bars from 0 with their standard errors, panels below each other. Marks show thresholds.
type Bars struct {
	Title  string
	Panels []BarPanel
	Narrow bool // for a narrow page, which writes the title itself
}

// BarPanel is bars that share an axis, which reaches to 1 at least.
type BarPanel struct {
	Label string // of the axis
	Rule  string // what is written beside a rule at 1; "" for no rule
	Bars  []Bar
}

// Bar is a number with its standard error. The number stands beside the name.
type Bar struct {
	Name      string
	Colour    color.Color
	Value, SE float64
	Marks     []Mark
}

// Mark is a threshold on the line of a bar.
type Mark struct {
	At   float64
	Text string
}

const (
	barLine  = 40 * vg.Length(1) // the bar, and the texts of its marks below it
	barHalf  = 7 * vg.Length(1)
	nameRoom = 150 * vg.Length(1) // left of every panel, so that their bars begin together
)

// WriteSVG draws the panels as SVG.
func (b *Bars) WriteSVG(w io.Writer) error { return writeSVG(w, b) }

func (b *Bars) size() (width, height vg.Length) {
	height = b.head() + margin
	for _, p := range b.Panels {
		height += p.height() + labelHeight(axisLabel(p.Label, b.Narrow))
	}
	return inPage(b.Narrow) + 2*margin, height
}

// head is the height above the panels.
func (b *Bars) head() vg.Length {
	if b.Narrow {
		return margin
	}
	return headHeight + margin
}

func (p *BarPanel) height() vg.Length {
	height := barLine*vg.Length(len(p.Bars)) + axisHeight
	if p.Rule != "" {
		height += legendLine
	}
	return height
}

func (b *Bars) draw(canvas draw.Canvas) {
	if !b.Narrow {
		drawTitle(canvas, b.Title)
	}
	top := canvas.Max.Y - b.head()
	for i := range b.Panels {
		bottom := top - b.Panels[i].height() - labelHeight(axisLabel(b.Panels[i].Label, b.Narrow))
		b.Panels[i].draw(b.Narrow, draw.Canvas{Canvas: canvas.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: margin, Y: bottom}, Max: vg.Point{X: canvas.Max.X - margin, Y: top},
		}})
		top = bottom
	}
}

func (p *BarPanel) draw(narrow bool, c draw.Canvas) {
	high := 1.0
	for _, b := range p.Bars {
		high = max(high, min(b.Value+b.SE, 2)) // an error of many times the constant's needs no picture
	}
	axes := newPlot(axisLabel(p.Label, narrow))
	axes.HideY()
	axes.X.Min, axes.X.Max = 0, 1.04*high
	axes.Y.Min, axes.Y.Max = 0.5, float64(len(p.Bars))+0.5
	if p.Rule != "" {
		axes.Y.Max += float64(legendLine / barLine)
	}
	axes.Add(plotter(func(c draw.Canvas, axes *plot.Plot) {
		x, y := axes.Transforms(&c)
		within := func(v float64) vg.Length { return x(min(max(v, 0), axes.X.Max)) }
		if p.Rule != "" {
			c.StrokeLine2(draw.LineStyle{Color: refrule, Width: 1.4}, x(1), c.Min.Y, x(1), c.Max.Y)
			text := style(smallSize, refrule)
			text.XAlign = draw.XRight
			c.FillText(text, vg.Point{X: x(1) - 4, Y: c.Max.Y - 5}, p.Rule)
		}
		for i, b := range p.Bars {
			at := y(float64(len(p.Bars)-i)) + 8
			name := style(nameSize, ink)
			name.XAlign = draw.XRight
			label := fmt.Sprintf("%s  %.2f", shorten(b.Name, nameRunes), b.Value)
			c.FillText(name, vg.Point{X: c.Min.X - 8, Y: at}, label)
			c.FillPolygon(b.Colour, rectangle(x(0), at-barHalf, within(b.Value), at+barHalf))
			whisker := draw.LineStyle{Color: ink, Width: 1.2}
			c.StrokeLine2(whisker, within(b.Value-b.SE), at, within(b.Value+b.SE), at)
			b.drawMarks(c, x, at)
		}
	}))
	c.Min.X += nameRoom
	axes.Draw(c)
}

// drawMarks draws a tick across the bar for each mark, and its text below, within the plot: in a second line where it
// would touch one in the first.
func (b *Bar) drawMarks(c draw.Canvas, x func(float64) vg.Length, at vg.Length) {
	text := style(smallSize, pale)
	text.XAlign = draw.XCenter
	none := vg.Length(math.Inf(-1))
	free := []vg.Length{none, none} // where the texts of each line end
	for _, m := range b.Marks {     // from left to right
		line := draw.LineStyle{Color: pale, Width: 1, Dashes: []vg.Length{2, 1.5}}
		c.StrokeLine2(line, x(m.At), at-barHalf-4, x(m.At), at+barHalf+2)
		half := text.Width(m.Text) / 2
		middle := max(c.Min.X+half, min(x(m.At), c.Max.X-half))
		row := 0
		if middle-half < free[0] && free[1] <= free[0] {
			row = 1
		}
		middle = max(middle, free[row]+half)
		c.FillText(text, vg.Point{X: middle, Y: at - barHalf - 10 - vg.Length(row)*(smallSize+1)}, m.Text)
		free[row] = middle + half + 8
	}
}
