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

// HeatMap shows scores over pairs of hyper-parameters, a panel a pair, as figures 2 and 3 of the RVFL+ paper do. The
// settings in one cell of a panel may differ in other hyper-parameters: the cell has the colour of the best score.
type HeatMap struct {
	Title   string
	Score   string // its name
	Greater bool   // greater scores are better
	Points  []Setting
	Best    int      // the point that is marked
	Names   []string // of the hyper-parameters
	Pairs   [][2]int // a panel each: the numbers of the names across and upwards
}

const (
	heatWidth  = 250 * vg.Length(1)
	heatHeight = 220 * vg.Length(1)
	heatHead   = 440 * vg.Length(1) // width of the lines above the panels
	barWidth   = 74 * vg.Length(1)  // the colour scale and its numbers
	finest     = 24                 // distinct values up to which each is a line of cells
	coarse     = 12                 // lines of cells otherwise
)

// viridis is the colour map of that name at equal distances. In grey, and to the colour-blind, it rises evenly too.
var viridis = []color.RGBA{
	{0x44, 0x01, 0x54, 0xFF}, {0x48, 0x28, 0x78, 0xFF}, {0x3E, 0x4A, 0x89, 0xFF}, {0x31, 0x68, 0x8E, 0xFF},
	{0x26, 0x82, 0x8E, 0xFF}, {0x1F, 0x9E, 0x89, 0xFF}, {0x35, 0xB7, 0x79, 0xFF}, {0x6D, 0xCD, 0x59, 0xFF},
	{0xB4, 0xDE, 0x2C, 0xFF}, {0xFD, 0xE7, 0x25, 0xFF},
}

// shade returns the colour of a share of the way from worst to best.
func shade(t float64) color.Color {
	t = max(0, min(1, t)) * float64(len(viridis)-1)
	i := min(int(t), len(viridis)-2)
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + (t-float64(i))*(float64(b)-float64(a))))
	}
	a, b := viridis[i], viridis[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xFF}
}

// WriteSVG draws the panels side by side, and the colour scale.
func (h *HeatMap) WriteSVG(w io.Writer) error { return writeSVG(w, h) }

// layout returns how the panels are arranged.
func (h *HeatMap) layout() (columns, lines int) {
	columns = min(2, len(h.Pairs))
	return columns, (len(h.Pairs) + columns - 1) / max(1, columns)
}

func (h *HeatMap) size() (width, height vg.Length) {
	columns, lines := h.layout()
	width = max(heatHead, vg.Length(columns)*heatWidth+vg.Length(columns+1)*margin+barWidth)
	return width, vg.Length(lines)*heatHeight + vg.Length(lines+2)*margin + headHeight + legendLine
}

func (h *HeatMap) draw(canvas draw.Canvas) {
	columns, lines := h.layout()
	at := drawTitle(canvas, h.Title)
	canvas.FillText(style(nameSize, pale), at, "cells: the best "+h.Score+" in them; cross: the best setting of all")
	tiles := draw.Tiles{
		Cols: columns, Rows: lines, PadX: margin, PadY: margin, PadTop: headHeight + legendLine + 2*margin,
		PadBottom: margin, PadLeft: margin, PadRight: margin + barWidth,
	}
	worst, best := scoreScale(h.Points, h.Greater)
	for i, pair := range h.Pairs {
		h.panel(pair, worst, best).Draw(tiles.At(canvas, i%columns, i/columns))
	}
	h.drawScale(canvas, worst, best)
}

// drawScale draws the colours with their scores.
func (h *HeatMap) drawScale(c draw.Canvas, worst, best float64) {
	const steps = 100
	left, right := c.Max.X-barWidth, c.Max.X-barWidth+12
	top := c.Max.Y - headHeight - legendLine - 4*margin
	bottom := top - heatHeight + 5*margin
	at := func(t float64) vg.Length { return bottom + vg.Length(t)*(top-bottom) }
	for i := range steps {
		step := rectangle(left, at(float64(i)/steps), right, at(float64(i+1)/steps)+0.5)
		c.FillPolygon(shade((float64(i)+0.5)/steps), step)
	}
	for i := range 5 {
		t := float64(i) / 4
		text := strconv.FormatFloat(worst+t*(best-worst), 'g', 4, 64)
		if i == 0 && h.Greater {
			text = "≤ " + text
		} else if i == 0 {
			text = "≥ " + text
		}
		c.FillText(style(smallSize, pale), vg.Point{X: right + 4, Y: at(t)}, text)
	}
	c.FillText(style(smallSize, ink), vg.Point{X: left, Y: top + margin}, shorten(h.Score, 18))
}

// panel makes the picture of one pair.
func (h *HeatMap) panel(pair [2]int, worst, best float64) *plot.Plot {
	x, y := h.cells(pair[0]), h.cells(pair[1])
	out := emptyPlot()
	styleAxes(out, 0, smallSize, pale)
	for i, axis := range []*plot.Axis{&out.X, &out.Y} {
		axis.Label.Text = h.Names[pair[i]]
		restyle(&axis.Label.TextStyle, nameSize, ink)
		lines := []cells{x, y}[i]
		axis.Min, axis.Max = 0, float64(lines.count)
		axis.Tick.Marker = plot.ConstantTicks(lines.ticks())
	}
	out.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		across, upwards := p.Transforms(&c)
		scores := h.bestOfCells(pair, x, y)
		for k := range x.count * y.count {
			i, j := k%x.count, k/x.count
			score, there := scores[[2]int{i, j}]
			if !there {
				continue
			}
			share := 1.0
			if best != worst {
				share = (score - worst) / (best - worst)
			}
			left, low := float64(i), float64(j)
			c.FillPolygon(shade(share),
				rectangle(across(left+0.03), upwards(low+0.03), across(left+0.97), upwards(low+0.97)))
		}
		marked := h.Points[h.Best].Values
		at := vg.Point{
			X: across(float64(x.of(marked[pair[0]])) + 0.5), Y: upwards(float64(y.of(marked[pair[1]])) + 0.5),
		}
		for _, line := range []draw.LineStyle{{Color: color.White, Width: 3}, {Color: color.Black, Width: 1.4}} {
			c.StrokeLines(line, []vg.Point{{X: at.X - 5, Y: at.Y}, {X: at.X + 5, Y: at.Y}},
				[]vg.Point{{X: at.X, Y: at.Y - 5}, {X: at.X, Y: at.Y + 5}})
		}
	}))
	return out
}

// bestOfCells returns the best score of every cell that has one.
func (h *HeatMap) bestOfCells(pair [2]int, x, y cells) map[[2]int]float64 {
	best := map[[2]int]float64{}
	for _, p := range h.Points {
		if math.IsNaN(p.Score) {
			continue
		}
		key := [2]int{x.of(p.Values[pair[0]]), y.of(p.Values[pair[1]])}
		score, seen := best[key]
		if !seen || h.Greater == (p.Score > score) {
			best[key] = p.Score
		}
	}
	return best
}

// cells divides one hyper-parameter into lines of cells.
type cells struct {
	count  int
	values []float64 // of each line, or the edges of the lines
	edges  bool
}

// cells gives every value its own line when the values are few. Otherwise the lines are equal parts of the logarithm.
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

// at returns where a value lies on an axis whose lines are parts of the logarithm.
func (c cells) at(v float64) float64 {
	return math.Log(v/c.values[0]) / math.Log(c.values[c.count]/c.values[0]) * float64(c.count)
}

// ticks marks values that have a line of their own, or round values.
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
