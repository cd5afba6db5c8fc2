package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"rvflplus/internal/compare"
)

const (
	pageWidth  = 620 * vg.Length(1)
	lineHeight = 19 * vg.Length(1)
	axisHeight = 44 * vg.Length(1)
	nullHeight = 190 * vg.Length(1)
)

var roleColour = map[compare.Role]color.Color{compare.Baseline: palette[7], compare.Privileged: palette[0], compare.UpperBound: palette[2]}

// line is a row of a picture: a name and what is drawn beside it.
type line struct {
	name   string
	colour color.Color
	values []float64
	mean   float64
	compare.Interval
}

// linesOf returns the methods and the controls.
func linesOf(c *compare.Comparison) []line {
	var out []line
	for _, s := range c.Methods {
		if s.Values != nil {
			out = append(out, line{s.Name, roleColour[s.Role], s.Values, s.Mean, s.Difference})
		}
	}
	for _, k := range c.Controls {
		out = append(out, line{"control: " + k.Name, palette[1], k.Values, k.Mean, k.Difference})
	}
	return out
}

// inline draws a plot as SVG to stand in a page.
func inline(p *plot.Plot, height vg.Length) (template.HTML, error) {
	svg := vgsvg.New(pageWidth, height)
	p.Draw(draw.New(svg))
	var out bytes.Buffer
	if _, err := svg.WriteTo(&out); err != nil {
		return "", err
	}
	text := bytes.ReplaceAll(out.Bytes(), []byte(fontFamily), []byte(fontFamily+",Arial,Helvetica,sans-serif"))
	text = text[max(0, bytes.Index(text, []byte("<svg"))):]
	return template.HTML(text), nil // drawn by vgsvg, which escapes what it writes
}

// newPlot returns an empty plot in the style of sheets.
func newPlot(label string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding, axis.Tick.Length = 3, 3
		axis.Color, axis.Tick.Color = pale, pale
		x, y := axis.Tick.Label.XAlign, axis.Tick.Label.YAlign
		axis.Tick.Label = style(nameSize, ink)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = x, y
	}
	p.X.Label.Text = label
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	x, y := p.X.Label.TextStyle.XAlign, p.X.Label.TextStyle.YAlign
	p.X.Label.TextStyle = style(nameSize, ink)
	p.X.Label.TextStyle.XAlign, p.X.Label.TextStyle.YAlign = x, y
	return p
}

// roundTicks marks at most seven multiples of 1, 2 or 5 times a power of ten.
type roundTicks struct{ least float64 } // distance of two

// Ticks implements plot.Ticker.
func (t roundTicks) Ticks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/7)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(m*step) < 7 {
			step *= m
			break
		}
	}
	step = max(step, t.least)
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k*step <= high; k++ {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(k*step, 'g', 10, 64), 64)
		ticks = append(ticks, plot.Tick{Value: k * step, Label: strconv.FormatFloat(v+0, 'g', -1, 64)})
	}
	return ticks
}

// lineRunes holds "RVFL+, Triangular basis function".
const lineRunes = 34

// newLines returns a plot with a row for each line, the first on top.
func newLines(lines []line, label string, low, high float64) *plot.Plot {
	p := newPlot(label)
	var ticks []plot.Tick
	for i, l := range lines {
		ticks = append(ticks, plot.Tick{Value: float64(len(lines) - i), Label: shorten(l.name, lineRunes)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	p.Y.Min, p.Y.Max = 0.4, float64(len(lines))+0.6
	margin := (high - low) / 40
	if margin == 0 {
		margin = 1
	}
	p.X.Min, p.X.Max = low-margin, high+margin
	return p
}

func heightOf(lines []line) vg.Length { return lineHeight*vg.Length(len(lines)) + axisHeight }

// unit is 100 for accuracies, which are shown as percentages.
func unit(c *compare.Comparison) (factor float64, name string) {
	if c.Metric == "accuracy" {
		return 100, "points of accuracy"
	}
	return 1, "RMSE"
}

// gainsPicture draws the gains of all methods with their intervals.
func gainsPicture(c *compare.Comparison) (template.HTML, error) {
	factor, name := unit(c)
	lines := []line{{"chosen", palette[5], nil, 0, c.Difference}}
	if c.Metric == "rmse" {
		lines = append(lines, line{"chosen, noise removed", palette[5], nil, 0, c.Denoised})
	}
	lines = append(lines, linesOf(c)...)
	low, high := 0.0, 0.0
	for i := range lines {
		v := &lines[i].Interval
		v.Mean, v.Low, v.High = factor*v.Mean, factor*v.Low, factor*v.High
		low, high = min(low, v.Low), max(high, v.High)
	}
	p := newLines(lines, fmt.Sprintf("gain over the model without privileged columns, %s (right is better)", name), low, high)
	p.Add(intervals(lines))
	return inline(p, heightOf(lines))
}

// intervals draws a dot and a bar for each line, and a rule at 0.
type intervals []line

// Plot implements plot.Plotter.
func (lines intervals) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: pale, Width: 0.7, Dashes: []vg.Length{3, 2}}, x(0), c.Min.Y, x(0), c.Max.Y)
	for i, l := range lines {
		at := y(float64(len(lines) - i))
		c.StrokeLine2(draw.LineStyle{Color: l.colour, Width: 1.6}, x(l.Low), at, x(l.High), at)
		for _, end := range []float64{l.Low, l.High} {
			c.StrokeLine2(draw.LineStyle{Color: l.colour, Width: 1}, x(end), at-3, x(end), at+3)
		}
		c.DrawGlyph(draw.GlyphStyle{Color: l.colour, Radius: 3.4, Shape: draw.CircleGlyph{}}, vg.Point{X: x(l.Mean), Y: at})
	}
}

// valuesPicture draws the metric of every split.
func valuesPicture(c *compare.Comparison) (template.HTML, error) {
	factor, _ := unit(c)
	lines := linesOf(c)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range lines {
		values := make([]float64, len(lines[i].values))
		for k, v := range lines[i].values {
			values[k] = factor * v
			low, high = min(low, values[k]), max(high, values[k])
		}
		lines[i].values, lines[i].mean = values, factor*lines[i].mean
	}
	label := c.MetricName()
	if factor == 100 {
		label += ", %"
	}
	p := newLines(lines, label+" on test rows", low, high)
	p.Add(dots(lines))
	return inline(p, heightOf(lines))
}

// dots draws the values of each line and a bar at their mean.
type dots []line

// Plot implements plot.Plotter.
func (lines dots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, l := range lines {
		at := y(float64(len(lines) - i))
		c.StrokeLine2(draw.LineStyle{Color: color.Gray{0xE6}, Width: 0.5}, c.Min.X, at, c.Max.X, at)
		for _, d := range dotsOf(l.values) {
			// Equal values must not hide each other: the area tells how many there are.
			radius := min(lineHeight/2, 1.7*vg.Length(math.Sqrt(float64(d.times))))
			c.DrawGlyph(draw.GlyphStyle{Color: l.colour, Radius: radius, Shape: draw.RingGlyph{}}, vg.Point{X: x(d.value), Y: at})
		}
		c.StrokeLine2(draw.LineStyle{Color: l.colour, Width: 2}, x(l.mean), at-6.5, x(l.mean), at+6.5)
	}
}

// dot is a value and how often it occurs.
type dot struct {
	value float64
	times int
}

func dotsOf(values []float64) []dot {
	var out []dot
	for _, v := range slices.Sorted(slices.Values(values)) {
		if n := len(out); n > 0 && out[n-1].value == v {
			out[n-1].times++
		} else {
			out = append(out, dot{v, 1})
		}
	}
	return out
}

// nullPicture draws the permutation test of the best method.
func nullPicture(c *compare.Comparison) (template.HTML, error) {
	t := c.BestTest()
	p := newPlot("gain in leave-one-out loss, T (bars: number of permutations)")
	h := newHistogram(t.Null, t.Statistic)
	span := h.high - h.low
	p.X.Min, p.X.Max = h.low-span/40, max(h.high, t.Statistic)+span/40
	p.X.Min, p.X.Max = min(p.X.Min, t.Statistic-span/40), max(p.X.Max, 0)
	p.Y.Min, p.Y.Max = 0, float64(h.highest())*1.12
	p.Y.Tick.Marker = roundTicks{least: 1}
	p.Add(h)
	return inline(p, nullHeight)
}

// histogram counts permuted statistics in equal bins.
type histogram struct {
	low, high float64
	counts    []int
	observed  float64
}

func newHistogram(values []float64, observed float64) *histogram {
	h := &histogram{low: math.Inf(1), high: math.Inf(-1), observed: observed, counts: make([]int, bins)}
	for _, v := range values {
		h.low, h.high = min(h.low, v), max(h.high, v)
	}
	if !(h.high > h.low) {
		h.low, h.high = observed-1, observed+1
	}
	for _, v := range values {
		h.counts[max(0, min(bins-1, int(float64(bins)*(v-h.low)/(h.high-h.low))))]++
	}
	return h
}

func (h *histogram) highest() int {
	most := 1
	for _, n := range h.counts {
		most = max(most, n)
	}
	return most
}

// Plot implements plot.Plotter.
func (h *histogram) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	width := (h.high - h.low) / bins
	for i, n := range h.counts {
		if n > 0 {
			left := h.low + float64(i)*width
			c.FillPolygon(color.Gray{0xB0}, rectangle(x(left+0.05*width), y(0), x(left+0.95*width), y(float64(n))))
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: palette[5], Width: 2}, x(h.observed), c.Min.Y, x(h.observed), c.Max.Y)
	label, at := style(nameSize, palette[5]), vg.Point{X: x(h.observed) - 4, Y: c.Max.Y - 6}
	label.XAlign = draw.XRight
	if at.X < (c.Min.X+c.Max.X)/2 {
		label.XAlign, at.X = draw.XLeft, at.X+8
	}
	c.FillText(label, at, "as the data are")
}
