package report

import (
	"bytes"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Boxes shows repeated measurements as box plots, a panel for each data set, with a tick
// where somebody else's number is.
type Boxes struct {
	Title  string
	Label  string   // of the axis of values
	Series []string // what boxes of one line are, a colour each; at most three
	Tick   string   // what the ticks are, "" without any
	Log    bool     // a logarithmic axis; what is not positive leaves no mark
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
	Values [][]float64 // one for each series; nil for none
	Tick   float64     // NaN for none
}

const (
	boxLine   = 11 * vg.Length(1) // of each series
	boxGap    = 6 * vg.Length(1)
	boxAxes   = 46 * vg.Length(1)
	boxColumn = 2 // panels side by side
)

var (
	seriesColour = []color.Color{palette[0], palette[2], palette[3]}
	tickColour   = palette[5]
)

// WriteSVG draws the panels below a legend.
func (b *Boxes) WriteSVG(w io.Writer) error {
	rows := slices.Collect(slices.Chunk(b.Panels, max(1, min(boxColumn, len(b.Panels)))))
	const head = headHeight + legendLine + margin
	height := head + margin
	for _, row := range rows {
		height += b.height(row)
	}
	svg := vgsvg.New(pageWidth+2*margin, height)
	page := draw.New(svg)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	b.drawHead(page)
	top := page.Max.Y - head
	for _, row := range rows {
		b.drawRow(page, row, len(rows[0]), top)
		top -= b.height(row)
	}
	return writePicture(w, svg)
}

// drawRow draws panels side by side below top, where there is room for so many.
func (b *Boxes) drawRow(page draw.Canvas, row []BoxPanel, columns int, top vg.Length) {
	wide := (pageWidth - vg.Length(columns-1)*margin) / vg.Length(columns)
	bottom := top - b.height(row) + margin/2
	for i := range row {
		left := margin + vg.Length(i)*(wide+margin)
		b.plot(&row[i]).Draw(draw.Canvas{Canvas: page.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: left + wide, Y: top},
		}})
	}
}

// writePicture writes what was drawn, with fonts that every reader has one of.
func writePicture(w io.Writer, svg *vgsvg.Canvas) error {
	var picture bytes.Buffer
	if _, err := svg.WriteTo(&picture); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(picture.Bytes(), []byte(fontFamily), []byte(fontFamily+",Arial,Helvetica,sans-serif")))
	return err
}

// height returns that of the highest of some panels.
func (b *Boxes) height(panels []BoxPanel) vg.Length {
	most := 1
	for _, p := range panels {
		most = max(most, len(p.Lines))
	}
	return vg.Length(most)*b.lineHeight() + boxAxes
}

func (b *Boxes) lineHeight() vg.Length { return boxLine*vg.Length(max(1, len(b.Series))) + boxGap }

func (b *Boxes) drawHead(page draw.Canvas) {
	at := vg.Point{X: margin, Y: page.Max.Y - margin - headHeight/2}
	page.FillText(style(titleSize, ink), at, shorten(b.Title, 90))
	at.Y -= headHeight/2 + legendLine/2
	for i, name := range b.Series {
		page.FillPolygon(seriesColour[i%len(seriesColour)], square(at, 8))
		page.FillText(style(nameSize, ink), vg.Point{X: at.X + 12, Y: at.Y}, name)
		at.X += style(nameSize, ink).Width(name) + 28
	}
	if b.Tick != "" {
		page.StrokeLine2(draw.LineStyle{Color: tickColour, Width: 1.8}, at.X+3, at.Y-6, at.X+3, at.Y+6)
		page.FillText(style(nameSize, ink), vg.Point{X: at.X + 10, Y: at.Y}, b.Tick)
	}
}

// plot makes the picture of a panel.
func (b *Boxes) plot(panel *BoxPanel) *plot.Plot {
	low, high := b.span(panel)
	var lines []line
	for _, l := range panel.Lines {
		lines = append(lines, line{name: l.Name})
	}
	p := newLines(lines, b.Label, low, high)
	p.Title.Text = shorten(panel.Name, 2*nameRunes)
	p.Title.TextStyle = style(nameSize+1, ink)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.Padding = 2
	p.Y.Tick.Label.Font.Size, p.X.Tick.Label.Font.Size = smallSize+0.5, smallSize
	p.X.Tick.Marker = plot.TickerFunc(fewTicks)
	if b.Log {
		p.X.Min, p.X.Max = low/1.3, high*1.3
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	}
	p.Add(boxes{b, panel})
	return p
}

// span returns the range of a panel's values and ticks.
func (b *Boxes) span(panel *BoxPanel) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, l := range panel.Lines {
		for _, v := range append(slices.Concat(l.Values...), l.Tick) {
			if b.shown(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low > high {
		return 1, 2
	}
	return low, high
}

func (b *Boxes) shown(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!b.Log || v > 0)
}

// fewTicks names three to six round numbers, which do not touch in a narrow panel.
func fewTicks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/3)))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step > 5 {
			step *= factor
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k*step <= high && len(ticks) < 12; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: strconv.FormatFloat(math.Round(k*step*1e9)/1e9, 'g', 6, 64)})
	}
	return ticks
}

// decades names powers of ten, in a narrow range the numbers that begin with 1, 2 or 5,
// or, where that is not even two, round ones.
func decades(low, high float64) []plot.Tick {
	span := math.Log10(high / low)
	step, factors := max(1, math.Ceil(span/6)), []float64{1}
	if span < 3 {
		factors = []float64{1, 2, 5}
	}
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e += step {
		for _, f := range factors {
			if v := f * math.Pow(10, e); v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
			}
		}
	}
	if len(ticks) < 2 {
		return fewTicks(low, high)
	}
	return ticks
}

// boxes draws the lines of a panel.
type boxes struct {
	b     *Boxes
	panel *BoxPanel
}

// Plot implements plot.Plotter.
func (d boxes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := d.b.lineHeight() / 2
	for i, l := range d.panel.Lines {
		at := y(float64(len(d.panel.Lines) - i))
		c.StrokeLine2(draw.LineStyle{Color: color.Gray{0xE6}, Width: 0.5}, c.Min.X, at-half, c.Max.X, at-half)
		top := at + boxLine*vg.Length(len(l.Values)-1)/2
		for s, values := range l.Values {
			d.box(c, x, values, top-boxLine*vg.Length(s), seriesColour[s%len(seriesColour)])
		}
		if d.b.shown(l.Tick) {
			c.StrokeLine2(draw.LineStyle{Color: tickColour, Width: 1.6}, x(l.Tick), at-half+2, x(l.Tick), at+half-2)
		}
	}
}

// box draws the quartiles, the median and the extremes of one series, or a dot for one
// value.
func (d boxes) box(c draw.Canvas, x func(float64) vg.Length, values []float64, at vg.Length, colour color.Color) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !d.b.shown(v) })
	slices.Sort(sorted)
	if len(sorted) == 0 {
		return
	}
	if sorted[0] == sorted[len(sorted)-1] {
		c.DrawGlyph(draw.GlyphStyle{Color: colour, Radius: 2.6, Shape: draw.CircleGlyph{}}, vg.Point{X: x(sorted[0]), Y: at})
		return
	}
	const half = 3.4
	from, to := x(quantile(sorted, 0.25)), x(quantile(sorted, 0.75))
	line := draw.LineStyle{Color: colour, Width: 1}
	c.StrokeLine2(line, x(sorted[0]), at, from, at)
	c.StrokeLine2(line, to, at, x(sorted[len(sorted)-1]), at)
	c.StrokeLines(line, append(rectangle(from, at-half, to, at+half), vg.Point{X: from, Y: at - half}))
	middle := x(quantile(sorted, 0.5))
	c.StrokeLine2(draw.LineStyle{Color: colour, Width: 2}, middle, at-half, middle, at+half)
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
