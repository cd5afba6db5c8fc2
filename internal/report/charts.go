package report

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Charts shows charts with two axes each, two in a row, below a title and what the colours are.
type Charts struct {
	Title  string
	Note   string   // below the title
	Names  []string // of the colours; at most MaxColours
	Charts []Chart
}

// MaxColours is the number of colours that a picture has names for.
const MaxColours = len(Palette)

// Chart is a chart with two axes.
type Chart struct {
	Name, X, Y string
	Unit       bool // both axes are from 0 to 1; else they hold all points
	Rules      []Rule
	Lines      []ChartLine
	Dots       []ChartDots
}

// Rule is a pale dashed line from one place to another: what a chart compares with.
type Rule struct{ X0, Y0, X1, Y1 float64 }

// ChartLine joins points in their order. It has the colour of Charts.Names[Colour].
type ChartLine struct {
	Colour int
	X, Y   []float64
}

// ChartDots are points of their own.
type ChartDots struct {
	Colour int
	Size   float64 // the radius, in points
	X, Y   []float64
}

const (
	chartHeight   = 300 * vg.Length(1)
	chartsInRow   = 2
	namesInRow    = 4
	chartNameSize = nameSize + 1
)

// WriteSVG draws the charts as SVG.
func (v *Charts) WriteSVG(w io.Writer) error { return writeSVG(w, v) }

func (v *Charts) size() (width, height vg.Length) { return pageWidth + 2*margin, v.height() }

func (v *Charts) height() vg.Length {
	rows := (len(v.Charts) + chartsInRow - 1) / chartsInRow
	return v.head() + vg.Length(rows)*chartHeight + margin
}

// head is the height of what stands above the charts.
func (v *Charts) head() vg.Length {
	names := (len(v.Names) + namesInRow - 1) / namesInRow
	return 2*margin + headHeight + legendLine*vg.Length(1+names)
}

func (v *Charts) draw(c draw.Canvas) {
	at := drawTitle(c, v.Title)
	c.FillText(style(nameSize, pale), at, shorten(v.Note, 120))
	const room = pageWidth / namesInRow
	for i, name := range v.Names {
		place := vg.Point{X: margin + room*vg.Length(i%namesInRow), Y: at.Y - legendLine*vg.Length(1+i/namesInRow)}
		c.FillPolygon(Palette[i%MaxColours], square(place, 8))
		c.FillText(style(nameSize, ink), vg.Point{X: place.X + 12, Y: place.Y}, shorten(name, 24))
	}
	const width = pageWidth / chartsInRow
	for i := range v.Charts {
		left := margin + width*vg.Length(i%chartsInRow)
		top := c.Max.Y - v.head() - chartHeight*vg.Length(i/chartsInRow)
		v.Charts[i].plot().Draw(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: left, Y: top - chartHeight + margin}, Max: vg.Point{X: left + width - margin, Y: top},
		}})
	}
}

// plot makes the picture of a chart.
func (v *Chart) plot() *plot.Plot {
	p := newPlot(v.X)
	p.Title.Text = shorten(v.Name, 2*nameRunes)
	restyle(&p.Title.TextStyle, chartNameSize, ink)
	p.Title.Padding = 4
	p.Y.Label.Text = v.Y
	restyle(&p.Y.Label.TextStyle, nameSize, ink)
	v.setRange(p)
	p.Add(plotter(v.drawData))
	return p
}

// setRange makes the axes hold all that is drawn.
func (v *Chart) setRange(p *plot.Plot) {
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	if v.Unit {
		return
	}
	first := true
	hold := func(x, y float64) {
		if first {
			p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x, x, y, y
			first = false
		}
		p.X.Min, p.X.Max = min(p.X.Min, x), max(p.X.Max, x)
		p.Y.Min, p.Y.Max = min(p.Y.Min, y), max(p.Y.Max, y)
	}
	for _, r := range v.Rules {
		hold(r.X0, r.Y0)
		hold(r.X1, r.Y1)
	}
	for _, l := range v.Lines {
		for i := range l.X {
			hold(l.X[i], l.Y[i])
		}
	}
	for _, d := range v.Dots {
		for i := range d.X {
			hold(d.X[i], d.Y[i])
		}
	}
	p.X.Min, p.X.Max = widened(p.X.Min, p.X.Max)
	p.Y.Min, p.Y.Max = widened(p.Y.Min, p.Y.Max)
}

// widened returns a range with some room at both ends.
func widened(low, high float64) (float64, float64) {
	gap := high/25 - low/25
	if gap == 0 {
		gap = max(1, high/25, -high/25)
	}
	return low - gap, high + gap
}

func (v *Chart) drawData(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, r := range v.Rules {
		dashed := draw.LineStyle{Color: pale, Width: 0.8, Dashes: []vg.Length{3, 2}}
		c.StrokeLine2(dashed, x(r.X0), y(r.Y0), x(r.X1), y(r.Y1))
	}
	for _, l := range v.Lines {
		var points []vg.Point
		for i := range l.X {
			points = append(points, vg.Point{X: x(l.X[i]), Y: y(l.Y[i])})
		}
		if len(points) > 1 {
			c.StrokeLines(draw.LineStyle{Color: colourOf(l.Colour), Width: 1.4}, points)
		}
	}
	for _, d := range v.Dots {
		dot := draw.GlyphStyle{Color: colourOf(d.Colour), Radius: vg.Length(d.Size), Shape: draw.CircleGlyph{}}
		for i := range d.X {
			c.DrawGlyph(dot, vg.Point{X: x(d.X[i]), Y: y(d.Y[i])})
		}
	}
}

func colourOf(i int) color.Color { return Palette[i%MaxColours] }
