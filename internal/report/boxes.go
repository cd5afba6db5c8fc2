package report

import (
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Boxes shows repeated measurements as box plots: a panel for each data set, a line for each method, and a tick where
// a reference value lies, such as a paper's number.
type Boxes struct {
	Title  string
	Label  string   // of the axis of values
	Series []string // names of the boxes of one line, a colour each; at most three
	Tick   string   // name of the reference values, "" without any
	Log    bool     // a logarithmic axis, on which values that are not positive leave no mark
	Panels []BoxPanel
}

// BoxPanel is the picture of one data set.
type BoxPanel struct {
	Name  string
	Lines []BoxLine
}

// BoxLine is a line of a panel, from top to bottom.
type BoxLine struct {
	Name   string
	Values [][]float64 // of each series; nil for none
	Tick   float64     // the reference value, NaN for none
}

const (
	boxLine   = 11 * vg.Length(1) // of each series
	boxGap    = 6 * vg.Length(1)
	boxAxes   = 46 * vg.Length(1)
	boxColumn = 2 // panels side by side
)

// WriteSVG draws the panels below a legend.
func (b *Boxes) WriteSVG(w io.Writer) error { return writeSVG(w, b) }

const boxHead = headHeight + legendLine + margin // above the panels

// rows divides the panels into rows.
func (b *Boxes) rows() (rows [][]BoxPanel, columns int) {
	columns = max(1, min(boxColumn, len(b.Panels)))
	return slices.Collect(slices.Chunk(b.Panels, columns)), columns
}

func (b *Boxes) size() (width, height vg.Length) {
	rows, _ := b.rows()
	height = boxHead + margin
	for _, row := range rows {
		height += b.height(row)
	}
	return pageWidth + 2*margin, height
}

func (b *Boxes) draw(canvas draw.Canvas) {
	rows, columns := b.rows()
	drawLegend(canvas, b.Title, b.Series, b.Tick)
	wide := (pageWidth - vg.Length(columns-1)*margin) / vg.Length(columns)
	top := canvas.Max.Y - boxHead
	for _, row := range rows {
		bottom := top - b.height(row)
		for i := range row {
			left := margin + vg.Length(i)*(wide+margin)
			b.plot(&row[i]).Draw(draw.Canvas{Canvas: canvas.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: left, Y: bottom + margin/2}, Max: vg.Point{X: left + wide, Y: top},
			}})
		}
		top = bottom
	}
}

// height returns the height of a row of panels: that of the panel with the most lines.
func (b *Boxes) height(row []BoxPanel) vg.Length {
	most := 1
	for _, p := range row {
		most = max(most, len(p.Lines))
	}
	return vg.Length(most)*b.lineHeight() + boxAxes
}

func (b *Boxes) lineHeight() vg.Length { return boxLine*vg.Length(max(1, len(b.Series))) + boxGap }

// plot makes the picture of a panel.
func (b *Boxes) plot(panel *BoxPanel) *plot.Plot {
	var names []string
	var values []float64
	for _, l := range panel.Lines {
		names, values = append(names, l.Name), append(append(values, slices.Concat(l.Values...)...), l.Tick)
	}
	p := valuePlot(panel.Name, names, b.Label, values, b.Log)
	p.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		half := b.lineHeight() / 2
		for i, l := range panel.Lines {
			at := y(float64(len(panel.Lines) - i))
			c.StrokeLine2(draw.LineStyle{Color: palest, Width: 0.5}, c.Min.X, at-half, c.Max.X, at-half)
			top := at + boxLine*vg.Length(len(l.Values)-1)/2
			for s, values := range l.Values {
				b.drawBox(c, x, values, top-boxLine*vg.Length(s), series[s%len(series)])
			}
			if b.shown(l.Tick) {
				c.StrokeLine2(draw.LineStyle{Color: refrule, Width: 1.6}, x(l.Tick), at-half+2, x(l.Tick), at+half-2)
			}
		}
	}))
	return p
}

// shown reports whether a value leaves a mark.
func (b *Boxes) shown(v float64) bool { return hasPlace(v, b.Log) }

// drawBox draws the quartiles, the median and the extremes of values, or a dot where all are equal.
func (b *Boxes) drawBox(c draw.Canvas, x func(float64) vg.Length, values []float64, at vg.Length, colour color.Color) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !b.shown(v) })
	slices.Sort(sorted)
	if len(sorted) == 0 {
		return
	}
	first, last := x(sorted[0]), x(sorted[len(sorted)-1])
	if sorted[0] == sorted[len(sorted)-1] {
		dot := draw.GlyphStyle{Color: colour, Radius: 2.6, Shape: draw.CircleGlyph{}}
		c.DrawGlyph(dot, vg.Point{X: first, Y: at})
		return
	}
	const half = 3.4
	from, to, median := x(quantile(sorted, 0.25)), x(quantile(sorted, 0.75)), x(quantile(sorted, 0.5))
	line := draw.LineStyle{Color: colour, Width: 1}
	c.StrokeLine2(line, first, at, from, at)
	c.StrokeLine2(line, to, at, last, at)
	c.StrokeLines(line, append(rectangle(from, at-half, to, at+half), vg.Point{X: from, Y: at - half}))
	c.StrokeLine2(draw.LineStyle{Color: colour, Width: 2}, median, at-half, median, at+half)
}

// quantile interpolates between sorted values.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	below := int(at)
	if below+1 == len(sorted) {
		return sorted[below]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}
