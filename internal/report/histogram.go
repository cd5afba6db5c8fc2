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

// Histogram shows how values are distributed, in equal bins, and a rule where an observed value lies among them.
type Histogram struct {
	Label    string // of the axis of values
	Values   []float64
	Observed float64
	Rule     string // what is written beside the rule
}

const histogramHeight = 190 * vg.Length(1)

// WriteSVG draws the bars and the rule.
func (h *Histogram) WriteSVG(w io.Writer) error { return writeSVG(w, h) }

func (h *Histogram) size() (width, height vg.Length) { return pageWidth, histogramHeight }

func (h *Histogram) draw(c draw.Canvas) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range h.Values {
		low, high = min(low, v), max(high, v)
	}
	if !(high > low) {
		low, high = h.Observed-1, h.Observed+1
	}
	counts := make([]int, bins)
	for _, v := range h.Values {
		counts[max(0, min(bins-1, int(float64(bins)*(v-low)/(high-low))))]++
	}
	p := newPlot(h.Label)
	gap := (high - low) / 40
	p.X.Min, p.X.Max = min(low, h.Observed)-gap, max(high+gap, h.Observed+gap, 0)
	p.Y.Min, p.Y.Max = 0, float64(max(1, slices.Max(counts)))*1.12
	p.Y.Tick.Marker = roundTicks{least: 1}
	p.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		width := (high - low) / bins
		for i, n := range counts {
			if n > 0 {
				left := low + float64(i)*width
				bar := rectangle(x(left+0.05*width), y(0), x(left+0.95*width), y(float64(n)))
				c.FillPolygon(color.Gray{0xB0}, bar)
			}
		}
		rule := x(h.Observed)
		c.StrokeLine2(draw.LineStyle{Color: refrule, Width: 2}, rule, c.Min.Y, rule, c.Max.Y)
		label, at := style(nameSize, refrule), vg.Point{X: rule - 4, Y: c.Max.Y - 6}
		label.XAlign = draw.XRight
		if at.X < (c.Min.X+c.Max.X)/2 {
			label.XAlign, at.X = draw.XLeft, at.X+8
		}
		c.FillText(label, at, h.Rule)
	}))
	p.Draw(c)
}
