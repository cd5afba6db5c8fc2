package report

import (
	"cmp"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Marginals shows how a score depends on each of several hyper-parameters: a panel for each, in which every setting is
// a dot. A line follows the best score at about each value. The neighbours of the best setting, which have nearly its
// other hyper-parameters, show what a change of this one does; on a grid a line joins them. Scores far worse than the
// others stand at the edge.
type Marginals struct {
	Title    string
	Score    string // its name
	Greater  bool   // greater scores are better
	Settings []Setting
	Best     int      // the setting that is marked
	Names    []string // of the hyper-parameters; a value that is NaN or not positive leaves no mark
}

const (
	marginalWidth  = 310 * vg.Length(1)
	marginalHeight = 190 * vg.Length(1)
	marginalParts  = 12 // of the logarithm of a hyper-parameter, for the line of the best scores
)

// WriteSVG draws the panels, two side by side, below a legend.
func (m *Marginals) WriteSVG(w io.Writer) error { return writeSVG(w, m) }

func (m *Marginals) layout() (columns, lines int) {
	columns = min(2, max(1, len(m.Names)))
	return columns, max(1, (len(m.Names)+columns-1)/columns)
}

func (m *Marginals) size() (width, height vg.Length) {
	_, lines := m.layout()
	return 2*marginalWidth + 3*margin, marginalHeight*vg.Length(lines) + headHeight + legendLine + 3*margin
}

func (m *Marginals) draw(c draw.Canvas) {
	at := drawTitle(c, m.Title)
	for _, entry := range []struct {
		glyph draw.GlyphStyle
		text  string
	}{
		{settingDot, "a setting"},
		{bestDot, "the best near a value"},
		{neighbourDot, "neighbours of the best in the others"},
		{chosenMark, "the best"},
	} {
		c.DrawGlyph(entry.glyph, vg.Point{X: at.X + 4, Y: at.Y})
		c.FillText(style(nameSize, ink), vg.Point{X: at.X + 12, Y: at.Y}, entry.text)
		at.X += style(nameSize, ink).Width(entry.text) + 26
	}
	columns, lines := m.layout()
	tiles := draw.Tiles{
		Cols: columns, Rows: lines, PadX: margin, PadY: margin, PadTop: headHeight + legendLine + 2*margin,
		PadBottom: margin, PadLeft: margin, PadRight: margin,
	}
	for i := range m.Names {
		m.panel(i).Draw(tiles.At(c, i%columns, i/columns))
	}
}

var (
	settingDot   = draw.GlyphStyle{Color: Palette[9], Radius: 1.5, Shape: draw.CircleGlyph{}}
	bestDot      = draw.GlyphStyle{Color: Palette[0], Radius: 2.4, Shape: draw.CircleGlyph{}}
	neighbourDot = draw.GlyphStyle{Color: Palette[1], Radius: 2.4, Shape: draw.SquareGlyph{}}
	chosenMark   = draw.GlyphStyle{Color: refrule, Radius: 5, Shape: draw.RingGlyph{}}
)

// panel makes the picture of one hyper-parameter.
func (m *Marginals) panel(name int) *plot.Plot {
	p := newPlot(m.Names[name])
	styleAxes(p, 3, smallSize, pale)
	p.Y.Label.Text = m.Score
	restyle(&p.Y.Label.TextStyle, nameSize, ink)
	low, high := m.rangeOf(name)
	if low > high {
		low, high = 1, 10
	} else if low == high {
		low, high = low/2, high*2
	}
	gap := math.Pow(high/low, 0.03)
	p.X.Min, p.X.Max = low/gap, high*gap
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	worst, best := scoreScale(m.Settings, m.Greater)
	pad := math.Abs(best-worst) / 12
	if pad == 0 {
		pad = max(math.Abs(best)/20, 1e-9)
	}
	p.Y.Min, p.Y.Max = min(worst, best)-pad, max(worst, best)+pad
	p.Y.Tick.Marker = plot.TickerFunc(fewTicks)
	p.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		at := func(i int) vg.Point { // scores beyond the scale stand at its edge
			s := &m.Settings[i]
			return vg.Point{X: x(s.Values[name]), Y: y(min(max(s.Score, p.Y.Min), p.Y.Max))}
		}
		for i := range m.Settings {
			if m.drawn(i, name) {
				c.DrawGlyph(settingDot, at(i))
			}
		}
		neighbours, onLine := m.neighbours(name)
		for _, line := range []struct {
			glyph    draw.GlyphStyle
			settings []int
			joined   bool
		}{{neighbourDot, neighbours, onLine}, {bestDot, m.bestNear(name, low, high), true}} {
			var points []vg.Point
			for _, i := range line.settings {
				points = append(points, at(i))
			}
			if line.joined && len(points) > 1 {
				c.StrokeLines(draw.LineStyle{Color: line.glyph.Color, Width: 1.2}, points)
			}
			for _, q := range points {
				c.DrawGlyph(line.glyph, q)
			}
		}
		if m.drawn(m.Best, name) {
			c.DrawGlyph(chosenMark, at(m.Best))
		}
	}))
	return p
}

// drawn reports whether a setting has a score, and a value of the hyper-parameter.
func (m *Marginals) drawn(setting, name int) bool {
	s := &m.Settings[setting]
	return !math.IsNaN(s.Score) && s.Values[name] > 0 && !math.IsInf(s.Values[name], 1)
}

// better reports whether setting i has a better score than setting k.
func (m *Marginals) better(i, k int) bool {
	if m.Greater {
		return m.Settings[i].Score > m.Settings[k].Score
	}
	return m.Settings[i].Score < m.Settings[k].Score
}

// bestNear returns the setting of the best score in each part of the logarithm from low to high that has one, by
// ascending value.
func (m *Marginals) bestNear(name int, low, high float64) []int {
	best := slices.Repeat([]int{-1}, marginalParts)
	for i := range m.Settings {
		if !m.drawn(i, name) {
			continue
		}
		share := math.Log(m.Settings[i].Values[name]/low) / math.Log(high/low)
		part := max(0, min(marginalParts-1, int(share*marginalParts)))
		if best[part] < 0 || m.better(i, best[part]) {
			best[part] = i
		}
	}
	return slices.DeleteFunc(best, func(i int) bool { return i < 0 })
}

// neighbours returns the tenth of the settings, three at least, that are nearest to the best one in the other
// hyper-parameters, by ascending value. onLine reports whether these are the same in all of them, as on a grid.
func (m *Marginals) neighbours(name int) (nearest []int, onLine bool) {
	if !m.drawn(m.Best, name) {
		return nil, false
	}
	distance := m.distances(name)
	var all []int
	for i := range m.Settings {
		if m.drawn(i, name) && !math.IsInf(distance[i], 1) {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(i, k int) int { return cmp.Compare(distance[i], distance[k]) })
	near := min(len(all), max(3, len(all)/10))
	for near < len(all) && distance[all[near]] == distance[all[near-1]] {
		near++ // on a grid all of a line
	}
	onLine = distance[all[near-1]] == 0
	slices.SortStableFunc(all[:near], func(i, k int) int {
		return cmp.Compare(m.Settings[i].Values[name], m.Settings[k].Values[name])
	})
	return all[:near], onLine
}

// distances returns how far each setting is from the best one: the largest difference of the logarithms of all
// hyper-parameters but one, as a share of their range; infinite where only one of the two has a hyper-parameter.
func (m *Marginals) distances(but int) []float64 {
	out := make([]float64, len(m.Settings))
	for other := range m.Names {
		if other == but {
			continue
		}
		low, high := m.rangeOf(other)
		b := m.Settings[m.Best].Values[other]
		for i, s := range m.Settings {
			switch a := s.Values[other]; {
			case (a > 0) != (b > 0):
				out[i] = math.Inf(1)
			case a > 0 && high > low:
				out[i] = max(out[i], math.Abs(math.Log(a/b))/math.Log(high/low))
			}
		}
	}
	return out
}

// rangeOf returns the least and the largest value that settings with a score have of a hyper-parameter.
func (m *Marginals) rangeOf(name int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range m.Settings {
		if m.drawn(i, name) {
			v := m.Settings[i].Values[name]
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}
