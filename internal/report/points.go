package report

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Points shows estimates of many variants with their errors: a panel for each method, a line for each data set, a
// point for each variant, and a tick where a reference value lies, such as a paper's number.
type Points struct {
	Title  string
	Label  string   // of the axis of values
	Series []string // one way in which variants differ, a colour and a row of a line each; at most four
	Shapes []string // another way, a shape each; at most four
	Tick   string   // name of the reference values, "" without any
	Log    bool     // a logarithmic axis, on which values that are not positive leave no mark
	Panels []PointPanel
}

// PointPanel is the picture of one method.
type PointPanel struct {
	Name  string
	Lines []PointLine
}

// PointLine is a line of a panel, from top to bottom.
type PointLine struct {
	Name   string
	Points []Point
	Tick   float64 // the reference value, NaN for none
}

// Point is an estimate of one variant.
type Point struct {
	Series, Shape int     // positions in Points.Series and Points.Shapes
	Mean, Error   float64 // half the length of the bar; NaN for none
}

const pointRow = 8 * vg.Length(1) // of each series in a line

// pointColours are those of series, the last one pale.
var pointColours = []color.Color{Palette[0], Palette[2], Palette[1], Palette[9]}

// pointShapes are the glyphs of shapes.
var pointShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}}

// WriteSVG draws the panels one below the other, under a legend.
func (v *Points) WriteSVG(w io.Writer) error { return writeSVG(w, v) }

const pointHead = headHeight + 2*legendLine + margin // above the panels

func (v *Points) size() (width, height vg.Length) {
	height = pointHead + margin
	for i := range v.Panels {
		height += v.height(&v.Panels[i])
	}
	return pageWidth + 2*margin, height
}

func (v *Points) draw(canvas draw.Canvas) {
	drawLegend(canvas, v.Title, nil, v.Tick)
	at := vg.Point{X: margin + 60, Y: canvas.Max.Y - margin - headHeight - legendLine/2}
	for i, name := range v.Series {
		canvas.FillPolygon(pointColours[i], square(at, 8))
		canvas.FillText(style(nameSize, ink), vg.Point{X: at.X + 12, Y: at.Y}, name)
		at.X += style(nameSize, ink).Width(name) + 28
	}
	at = vg.Point{X: margin + 60, Y: at.Y - legendLine}
	for i, name := range v.Shapes {
		canvas.DrawGlyph(glyph(i, pale), vg.Point{X: at.X + 4, Y: at.Y})
		canvas.FillText(style(nameSize, ink), vg.Point{X: at.X + 12, Y: at.Y}, name)
		at.X += style(nameSize, ink).Width(name) + 28
	}
	top := canvas.Max.Y - pointHead
	for i := range v.Panels {
		bottom := top - v.height(&v.Panels[i])
		v.plot(&v.Panels[i]).Draw(draw.Canvas{Canvas: canvas.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: margin, Y: bottom + margin/2}, Max: vg.Point{X: margin + pageWidth, Y: top},
		}})
		top = bottom
	}
}

func glyph(shape int, c color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: 2.6, Shape: pointShapes[shape]}
}

func (v *Points) height(p *PointPanel) vg.Length {
	return vg.Length(max(1, len(p.Lines)))*v.lineHeight() + boxAxes
}

func (v *Points) lineHeight() vg.Length { return pointRow*vg.Length(max(1, len(v.Series))) + boxGap }

// plot makes the picture of a panel.
func (v *Points) plot(panel *PointPanel) *plot.Plot {
	var names []string
	var values []float64
	for _, l := range panel.Lines {
		names, values = append(names, l.Name), append(values, l.Tick)
		for _, p := range l.Points {
			values = append(values, p.Mean)
		}
	}
	p := valuePlot(panel.Name, names, v.Label, values, v.Log)
	p.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		half := v.lineHeight() / 2
		for i, l := range panel.Lines {
			at := y(float64(len(panel.Lines) - i))
			c.StrokeLine2(draw.LineStyle{Color: palest, Width: 0.5}, c.Min.X, at-half, c.Max.X, at-half)
			if v.shown(l.Tick) {
				c.StrokeLine2(draw.LineStyle{Color: refrule, Width: 1.6}, x(l.Tick), at-half+2, x(l.Tick), at+half-2)
			}
			top := at + pointRow*vg.Length(len(v.Series)-1)/2
			for _, point := range l.Points {
				if !v.shown(point.Mean) {
					continue
				}
				row, colour := top-pointRow*vg.Length(point.Series), pointColours[point.Series]
				if from, to := point.Mean-point.Error, point.Mean+point.Error; v.shown(from) && v.shown(to) {
					bar := draw.LineStyle{Color: colour, Width: 0.7}
					c.StrokeLine2(bar, max(c.Min.X, x(from)), row, min(c.Max.X, x(to)), row)
				}
				c.DrawGlyph(glyph(point.Shape, colour), vg.Point{X: x(point.Mean), Y: row})
			}
		}
	}))
	return p
}

// shown reports whether a value leaves a mark.
func (v *Points) shown(value float64) bool { return hasPlace(value, v.Log) }
