package report

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	panelWidth  = 176 * vg.Length(1)
	panelHeight = 134 * vg.Length(1)
	fewest      = 4  // panels side by side, if a sheet has so many
	most        = 10 // panels side by side
	barRunes    = 12
)

// WriteSVG draws the sheet.
func (s *Sheet) WriteSVG(w io.Writer) error { return writeSVG(w, s) }

// sheetLayout is how the panels of a sheet are arranged.
type sheetLayout struct {
	columns, lines      int
	width, height, head vg.Length
	legend              [][]int
}

func (s *Sheet) size() (width, height vg.Length) {
	l := s.layout()
	return l.width, l.height
}

func (s *Sheet) layout() (l sheetLayout) {
	square := int(math.Ceil(math.Sqrt(float64(len(s.Panels)))))
	l.columns = max(1, min(len(s.Panels), max(fewest, square), most))
	l.lines = (len(s.Panels) + l.columns - 1) / l.columns
	l.width = vg.Length(l.columns)*panelWidth + 2*margin
	l.legend = s.legend(l.width)
	l.head = headHeight + legendLine*vg.Length(len(l.legend))
	l.height = vg.Length(l.lines)*panelHeight + l.head + 2*margin + margin/2
	return l
}

func (s *Sheet) draw(c draw.Canvas) {
	l := s.layout()
	s.drawHead(c, l.legend)
	tiles := draw.Tiles{
		Cols: l.columns, Rows: max(1, l.lines), PadX: margin, PadY: margin,
		PadTop: l.head + margin + margin/2, PadBottom: margin, PadLeft: margin, PadRight: margin,
	}
	for i := range s.Panels {
		s.Panels[i].plot().Draw(tiles.At(c, i%l.columns, i/l.columns))
	}
}

// legend divides the classes into lines that fit a width.
func (s *Sheet) legend(width vg.Length) [][]int {
	var lines [][]int
	used := width
	for i, c := range s.Classes {
		w := entryWidth(c)
		if used+w > width-2*margin {
			lines, used = append(lines, nil), 0
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], i)
		used += w
	}
	return lines
}

func entryWidth(class string) vg.Length {
	return style(nameSize, ink).Width(shorten(class, nameRunes)) + 24
}

func (s *Sheet) drawHead(c draw.Canvas, legend [][]int) {
	at := drawTitle(c, s.Title)
	for _, line := range legend {
		at.X = margin
		for _, i := range line {
			c.FillPolygon(Palette[i], square(at, 8))
			c.FillText(style(nameSize, ink), vg.Point{X: at.X + 12, Y: at.Y}, shorten(s.Classes[i], nameRunes))
			at.X += entryWidth(s.Classes[i])
		}
		at.Y -= legendLine
	}
}

// plot makes the picture of a panel: bins to the right and rows upwards, or bars downwards and rows to the right.
func (p *Panel) plot() *plot.Plot {
	out := emptyPlot()
	out.Title.Text = shorten(p.Name, nameRunes)
	restyle(&out.Title.TextStyle, nameSize, ink)
	out.Title.Padding = 2
	styleAxes(out, 0, smallSize, pale)
	out.X.Label.Text = p.Note
	if p.Missing > 0 {
		if p.Note != "" {
			out.X.Label.Text += ", "
		}
		out.X.Label.Text += fmt.Sprintf("%d missing", p.Missing)
	}
	restyle(&out.X.Label.TextStyle, smallSize, pale)
	across, along := &out.X, &out.Y
	if p.Bars != nil {
		across, along = &out.Y, &out.X
	}
	across.Min, across.Max = 0, max(1, float64(len(p.Counts[0])))
	along.Min, along.Max = 0, float64(max(1, p.highest()))
	along.Tick.Marker = plot.TickerFunc(counts)
	across.Tick.Marker = plot.ConstantTicks(p.ticks())
	out.Add(plotter(p.drawBars))
	return out
}

// highest returns the number of rows of the longest bar.
func (p *Panel) highest() int {
	most := 0
	for i := range p.Counts[0] {
		sum := 0
		for _, class := range p.Counts {
			sum += class[i]
		}
		most = max(most, sum)
	}
	return most
}

// counts marks 0, half and all.
func counts(low, high float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 0, Label: "0"}, {Value: high, Label: strconv.Itoa(int(high))}}
	if half := math.Floor(high / 2); half > 0 {
		ticks = append(ticks, plot.Tick{Value: half, Label: strconv.Itoa(int(half))})
	}
	return ticks
}

// ticks marks the bars, or the range of the bins and its middle.
func (p *Panel) ticks() []plot.Tick {
	var ticks []plot.Tick
	n := len(p.Counts[0])
	for i, name := range p.Bars {
		ticks = append(ticks, plot.Tick{Value: float64(n-i) - 0.5, Label: shorten(name, barRunes)})
	}
	mark := func(at, value float64) { ticks = append(ticks, plot.Tick{Value: at, Label: p.number(value)}) }
	last := float64(n)
	switch {
	case p.Bars != nil:
	case n == 1:
		mark(0.5, p.Low)
	case p.whole:
		middle := float64((n - 1) / 2)
		mark(0.5, p.Low)
		mark(middle+0.5, p.Low+middle)
		mark(last-0.5, p.High)
	default:
		mark(0, p.Low)
		mark(last/2, p.Low/2+p.High/2)
		mark(last, p.High)
	}
	return ticks
}

// number writes v so that neighbouring marks differ.
func (p *Panel) number(v float64) string {
	digits := 3
	if span, size := p.High/2-p.Low/2, max(math.Abs(p.Low), math.Abs(p.High))/2; span > 0 {
		digits = min(17, max(3, 2+int(math.Ceil(math.Log10(size/span)))))
	}
	if math.Abs(v) >= 1e5 {
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return strconv.FormatFloat(rounded, 'g', -1, 64)
}

// drawBars draws the bars; the counts of the classes are stacked.
func (p *Panel) drawBars(c draw.Canvas, out *plot.Plot) {
	x, y := out.Transforms(&c)
	n := len(p.Counts[0])
	for i := range n {
		sum := 0
		for class, counts := range p.Counts {
			from, to := float64(sum), float64(sum+counts[i])
			sum += counts[i]
			if counts[i] == 0 {
				continue
			}
			if p.Bars != nil {
				top := float64(n - i)
				c.FillPolygon(Palette[class], rectangle(x(from), y(top-0.85), x(to), y(top-0.15)))
				continue
			}
			left := float64(i)
			c.FillPolygon(Palette[class], rectangle(x(left+0.05), y(from), x(left+0.95), y(to)))
		}
	}
}
