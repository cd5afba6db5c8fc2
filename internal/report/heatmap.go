package report

import (
	"bytes"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// HeatMap shows scores over pairs of hyper-parameters, a panel a pair, as figures 2 and
// 3 of the RVFL+ paper do. A cell has the colour of the best score in it, over whatever
// else differs.
type HeatMap struct {
	Title   string
	Score   string // its name
	Greater bool   // greater scores are better
	Points  []HeatPoint
	Best    int // the point that is marked
	Names   []string
	Pairs   [][2]int // panels: numbers of the names across and upwards
}

// HeatPoint is one setting: a positive value for each name, and its score; points whose
// score is NaN leave no mark.
type HeatPoint struct {
	Values []float64
	Score  float64
}

const (
	heatWidth  = 250 * vg.Length(1)
	heatHeight = 220 * vg.Length(1)
	heatHead   = 440 * vg.Length(1) // what the lines above the panels need
	barWidth   = 74 * vg.Length(1)  // the colour scale and its numbers
	finest     = 24                 // distinct values up to which each is a line of cells
	coarse     = 12                 // lines of cells otherwise
)

// viridis at equal distances; it is read the same in grey and by the colour-blind.
var viridis = []color.RGBA{
	{0x44, 0x01, 0x54, 0xFF}, {0x48, 0x28, 0x78, 0xFF}, {0x3E, 0x4A, 0x89, 0xFF}, {0x31, 0x68, 0x8E, 0xFF}, {0x26, 0x82, 0x8E, 0xFF},
	{0x1F, 0x9E, 0x89, 0xFF}, {0x35, 0xB7, 0x79, 0xFF}, {0x6D, 0xCD, 0x59, 0xFF}, {0xB4, 0xDE, 0x2C, 0xFF}, {0xFD, 0xE7, 0x25, 0xFF},
}

// shade returns the colour of a share of the way from worst to best.
func shade(t float64) color.Color {
	t = max(0, min(1, t)) * float64(len(viridis)-1)
	i := min(int(t), len(viridis)-2)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (t-float64(i))*(float64(b)-float64(a)))) }
	a, b := viridis[i], viridis[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xFF}
}

// WriteSVG draws the panels side by side, and the colour scale.
func (h *HeatMap) WriteSVG(w io.Writer) error {
	columns := min(2, len(h.Pairs))
	lines := (len(h.Pairs) + columns - 1) / max(1, columns)
	width := max(heatHead, vg.Length(columns)*heatWidth+vg.Length(columns+1)*margin+barWidth)
	height := vg.Length(lines)*heatHeight + vg.Length(lines+2)*margin + headHeight + legendLine
	svg := vgsvg.New(width, height)
	page := draw.New(svg)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	h.drawHead(page)
	tiles := draw.Tiles{
		Cols: columns, Rows: lines, PadX: margin, PadY: margin, PadTop: headHeight + legendLine + 2*margin,
		PadBottom: margin, PadLeft: margin, PadRight: margin + barWidth,
	}
	low, high := h.scale()
	for i, pair := range h.Pairs {
		h.panel(pair, low, high).Draw(tiles.At(page, i%columns, i/columns))
	}
	h.drawScale(page, low, high)
	var picture bytes.Buffer
	if _, err := svg.WriteTo(&picture); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(picture.Bytes(), []byte(fontFamily), []byte(fontFamily+",Arial,Helvetica,sans-serif")))
	return err
}

func (h *HeatMap) drawHead(page draw.Canvas) {
	at := vg.Point{X: margin, Y: page.Max.Y - margin - headHeight/2}
	page.FillText(style(titleSize, ink), at, shorten(h.Title, 110))
	at.Y -= headHeight/2 + legendLine/2
	page.FillText(style(nameSize, pale), at, "cells: the best "+h.Score+" in them; cross: the best setting of all")
}

// scale returns the worst and best score that have a colour of their own: a fifth of the
// settings, the worst, share one, and so do scores four times as far from the best as a
// quarter of the settings are.
func (h *HeatMap) scale() (worst, best float64) {
	var all []float64
	for _, p := range h.Points {
		if !math.IsNaN(p.Score) {
			all = append(all, p.Score)
		}
	}
	if len(all) == 0 {
		return 0, 1
	}
	slices.Sort(all)
	if h.Greater {
		slices.Reverse(all)
	}
	best, worst = all[0], all[len(all)-1-len(all)/5]
	if reach := 4 * (all[len(all)/4] - best); reach != 0 && math.Abs(worst-best) > math.Abs(reach) {
		worst = best + reach
	}
	return worst, best
}

// drawScale draws the colours with their scores.
func (h *HeatMap) drawScale(page draw.Canvas, worst, best float64) {
	const steps = 100
	left, right := page.Max.X-barWidth, page.Max.X-barWidth+12
	top := page.Max.Y - headHeight - legendLine - 4*margin
	bottom := top - heatHeight + 5*margin
	at := func(t float64) vg.Length { return bottom + vg.Length(t)*(top-bottom) }
	for i := range steps {
		page.FillPolygon(shade((float64(i)+0.5)/steps), rectangle(left, at(float64(i)/steps), right, at(float64(i+1)/steps)+0.5))
	}
	for i := range 5 {
		t := float64(i) / 4
		text := strconv.FormatFloat(worst+t*(best-worst), 'g', 4, 64)
		if i == 0 && h.Greater {
			text = "≤ " + text
		} else if i == 0 {
			text = "≥ " + text
		}
		page.FillText(style(smallSize, pale), vg.Point{X: right + 4, Y: at(t)}, text)
	}
	page.FillText(style(smallSize, ink), vg.Point{X: left, Y: top + margin}, shorten(h.Score, 18))
}

// panel makes the picture of one pair.
func (h *HeatMap) panel(pair [2]int, worst, best float64) *plot.Plot {
	x, y := h.cells(pair[0]), h.cells(pair[1])
	out := plot.New()
	for i, axis := range []*plot.Axis{&out.X, &out.Y} {
		axis.Padding, axis.Tick.Length = 0, 3
		axis.Color, axis.Tick.Color = pale, pale
		ax, ay := axis.Tick.Label.XAlign, axis.Tick.Label.YAlign
		axis.Tick.Label = style(smallSize, pale)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = ax, ay
		axis.Label.Text = h.Names[pair[i]]
		rotation := axis.Label.TextStyle.Rotation
		ax, ay = axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign
		axis.Label.TextStyle = style(nameSize, ink)
		axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign, axis.Label.TextStyle.Rotation = ax, ay, rotation
		lines := []cells{x, y}[i]
		axis.Min, axis.Max = 0, float64(lines.count)
		axis.Tick.Marker = plot.ConstantTicks(lines.ticks())
	}
	out.Add(&tiles{h: h, pair: pair, x: x, y: y, worst: worst, best: best})
	return out
}

// cells divides the logarithm of one hyper-parameter.
type cells struct {
	count  int
	values []float64 // one a line, or the edges
	edges  bool
}

// cells gives every value its line when they are few, else every equal part of the
// logarithm.
func (h *HeatMap) cells(name int) cells {
	var values []float64
	for _, p := range h.Points {
		values = append(values, p.Values[name])
	}
	slices.Sort(values)
	distinct := slices.Compact(values)
	if len(distinct) <= finest {
		return cells{count: len(distinct), values: distinct}
	}
	c := cells{count: coarse, edges: true}
	low, high := distinct[0], distinct[len(distinct)-1]
	for i := range coarse + 1 {
		c.values = append(c.values, low*math.Exp(float64(i)/coarse*math.Log(high/low)))
	}
	return c
}

// of returns the line of a value.
func (c cells) of(v float64) int {
	i, found := slices.BinarySearch(c.values, v)
	if c.edges && !found {
		i--
	}
	return max(0, min(i, c.count-1))
}

// at returns where a value lies along parts of the logarithm.
func (c cells) at(v float64) float64 {
	return math.Log(v/c.values[0]) / math.Log(c.values[c.count]/c.values[0]) * float64(c.count)
}

// mostTicks is the largest number of ticks on an axis.
const mostTicks = 6

// ticks names values that have a line of their own, or round ones.
func (c cells) ticks() []plot.Tick {
	var ticks []plot.Tick
	if c.edges {
		for _, v := range roundValues(c.values[0], c.values[c.count]) {
			ticks = append(ticks, plot.Tick{Value: c.at(v), Label: tidy(v)})
		}
		return ticks
	}
	step := (len(c.values) + mostTicks - 1) / mostTicks
	for i := 0; i < len(c.values); i += step {
		ticks = append(ticks, plot.Tick{Value: float64(i) + 0.5, Label: tidy(c.values[i])})
	}
	return ticks
}

// roundValues returns at most six values from low to high: powers of ten, or where these are
// few, also twice and five times a power.
func roundValues(low, high float64) []float64 {
	var powers, all []float64
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, e)
			if v < low || v > high {
				continue
			}
			if all = append(all, v); m == 1 {
				powers = append(powers, v)
			}
		}
	}
	if len(powers) < 3 {
		powers = all
	}
	step := (len(powers) + mostTicks - 1) / mostTicks
	var out []float64
	for i := 0; i < len(powers); i += step {
		out = append(out, powers[i])
	}
	return out
}

// tidy writes two digits of a positive number as people do.
func tidy(v float64) string {
	text := strconv.FormatFloat(v, 'e', 1, 64)
	v, _ = strconv.ParseFloat(text, 64)
	if v >= 1e-3 && v < 1e5 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	power, _ := strconv.Atoi(exponent)
	return strings.TrimSuffix(mantissa, ".0") + "e" + strconv.Itoa(power)
}

// tiles draws the cells of a panel.
type tiles struct {
	h           *HeatMap
	pair        [2]int
	x, y        cells
	worst, best float64
}

// Plot implements plot.Plotter.
func (t *tiles) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	scores := t.bestOfCells()
	for k := range t.x.count * t.y.count {
		key := [2]int{k % t.x.count, k / t.x.count}
		score, there := scores[key]
		if !there {
			continue
		}
		share := 1.0
		if t.best != t.worst {
			share = (score - t.worst) / (t.best - t.worst)
		}
		i, j := float64(key[0]), float64(key[1])
		c.FillPolygon(shade(share), rectangle(x(i+0.03), y(j+0.03), x(i+0.97), y(j+0.97)))
	}
	best := t.h.Points[t.h.Best]
	at := vg.Point{X: x(float64(t.x.of(best.Values[t.pair[0]])) + 0.5), Y: y(float64(t.y.of(best.Values[t.pair[1]])) + 0.5)}
	for _, line := range []draw.LineStyle{{Color: color.White, Width: 3}, {Color: color.Black, Width: 1.4}} {
		c.StrokeLines(line, []vg.Point{{X: at.X - 5, Y: at.Y}, {X: at.X + 5, Y: at.Y}}, []vg.Point{{X: at.X, Y: at.Y - 5}, {X: at.X, Y: at.Y + 5}})
	}
}

// bestOfCells returns the best score of every cell that has one.
func (t *tiles) bestOfCells() map[[2]int]float64 {
	best := map[[2]int]float64{}
	for _, p := range t.h.Points {
		if math.IsNaN(p.Score) {
			continue
		}
		key := [2]int{t.x.of(p.Values[t.pair[0]]), t.y.of(p.Values[t.pair[1]])}
		score, seen := best[key]
		if !seen || t.h.Greater == (p.Score > score) {
			best[key] = p.Score
		}
	}
	return best
}
