package report

import (
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Histogram shows how values are distributed, in bins of equal width, and a rule where an observed value lies among
// them. Where few far values would leave the bulk of them a corner of the picture, distances from the median are drawn
// by the inverse hyperbolic sine: even near it, logarithmic far away.
type Histogram struct {
	Label    string // of the axis of values
	Values   []float64
	Observed float64
	Rule     string // what is written beside the rule
	Narrow   bool   // for a narrow page
}

const histogramHeight = 190 * vg.Length(1)

// WriteSVG draws the bars and the rule.
func (h *Histogram) WriteSVG(w io.Writer) error { return writeSVG(w, h) }

func (h *Histogram) size() (width, height vg.Length) { return inPage(h.Narrow), histogramHeight }

func (h *Histogram) draw(c draw.Canvas) {
	s := h.stretch()
	observed := s.of(h.Observed)
	var places []float64
	for _, v := range h.Values {
		places = append(places, s.of(v))
	}
	low, high := observed-1, observed+1
	if len(places) > 0 && slices.Min(places) < slices.Max(places) {
		low, high = slices.Min(places), slices.Max(places)
	}
	counts := make([]int, bins)
	for _, v := range places {
		counts[max(0, min(bins-1, int(bins*(v-low)/(high-low))))]++
	}
	label := h.Label
	if s.unit > 0 {
		label += "; logarithmic far from the middle"
	}
	p := newPlot(axisLabel(label, h.Narrow))
	gap := (high - low) / 40
	p.X.Min, p.X.Max = min(low, observed)-gap, max(high+gap, observed+gap, s.of(0))
	p.X.Tick.Marker = plot.ConstantTicks(s.ticks(p.X.Min, p.X.Max))
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
		rule := x(observed)
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

// stretched places values on an axis: as they are where unit is 0, else at asinh((v − middle)/unit).
type stretched struct{ middle, unit float64 }

// stretch leaves an axis as it is on which nine tenths of the values take a third of the room.
func (h *Histogram) stretch() stretched {
	if len(h.Values) == 0 {
		return stretched{}
	}
	sorted := slices.Sorted(slices.Values(h.Values))
	span := max(sorted[len(sorted)-1], h.Observed, 0) - min(sorted[0], h.Observed)
	bulk := quantile(sorted, 0.95) - quantile(sorted, 0.05)
	if !(bulk < span/3) || math.IsInf(span, 0) {
		return stretched{}
	}
	return stretched{middle: quantile(sorted, 0.5), unit: max(bulk/4, span/1000)}
}

func (s stretched) of(v float64) float64 {
	if s.unit == 0 {
		return v
	}
	return math.Asinh((v - s.middle) / s.unit)
}

// ticks marks round numbers whose texts do not touch, 0 before all others and then the largest.
func (s stretched) ticks(low, high float64) []plot.Tick {
	if s.unit == 0 {
		return roundTicks{}.Ticks(low, high)
	}
	const apart = 0.11 // of the axis
	var ticks []plot.Tick
	add := func(v float64) {
		at := s.of(v)
		near := slices.ContainsFunc(ticks, func(t plot.Tick) bool { return math.Abs(t.Value-at) < apart*(high-low) })
		if at >= low && at <= high && !near {
			ticks = append(ticks, plot.Tick{Value: at, Label: strconv.FormatFloat(v, 'g', -1, 64)})
		}
	}
	add(0)
	back := func(at float64) float64 { return math.Abs(s.middle + s.unit*math.Sinh(at)) }
	first := int(math.Ceil(math.Log10(max(back(low), back(high)))))
	for e := first; e > first-6; e-- {
		for _, m := range []string{"5", "2", "1"} {
			v, _ := strconv.ParseFloat(m+"e"+strconv.Itoa(e), 64)
			add(v)
			add(-v)
		}
	}
	return ticks
}
