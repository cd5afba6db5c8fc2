package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	panelWidth  = 176 * vg.Length(1)
	panelHeight = 134 * vg.Length(1)
	fewest      = 4 // panels side by side, if there are so many
	most        = 10
	margin      = 10 * vg.Length(1)
	headHeight  = 24 * vg.Length(1) // the title
	legendLine  = 14 * vg.Length(1)
	titleSize   = 13
	nameSize    = 9
	smallSize   = 7.5
	nameRunes   = 30
	barRunes    = 12
)

// palette is that of Okabe and Ito, which the colour-blind can tell apart, and three
// more.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xB2, 0xFF}, color.RGBA{0xE6, 0x9F, 0x00, 0xFF}, color.RGBA{0x00, 0x9E, 0x73, 0xFF},
	color.RGBA{0xCC, 0x79, 0xA7, 0xFF}, color.RGBA{0x56, 0xB4, 0xE9, 0xFF}, color.RGBA{0xD5, 0x5E, 0x00, 0xFF},
	color.RGBA{0xF0, 0xE4, 0x42, 0xFF}, color.RGBA{0x44, 0x44, 0x44, 0xFF}, color.RGBA{0x99, 0x4F, 0x00, 0xFF},
	color.RGBA{0xA6, 0xA6, 0xA6, 0xFF},
}

var (
	ink  = color.Gray{0x22}
	pale = color.Gray{0x66}
)

// WriteSVG draws the sheet.
func (s *Sheet) WriteSVG(w io.Writer) error {
	columns := s.perLine()
	lines := (len(s.Panels) + columns - 1) / columns
	width := vg.Length(columns)*panelWidth + 2*margin
	head := headHeight + legendLine*vg.Length(len(s.legend(width)))
	height := vg.Length(lines)*panelHeight + head + 2*margin + margin/2
	svg := vgsvg.New(width, height)
	page := draw.New(svg)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	s.drawHead(page, width)
	tiles := draw.Tiles{
		Cols: columns, Rows: max(1, lines), PadX: margin, PadY: margin,
		PadTop: head + margin + margin/2, PadBottom: margin, PadLeft: margin, PadRight: margin,
	}
	for i := range s.Panels {
		p := s.Panels[i].plot()
		p.Draw(tiles.At(page, i%columns, i/columns))
	}
	var picture bytes.Buffer
	if _, err := svg.WriteTo(&picture); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(picture.Bytes(), []byte(fontFamily), []byte(fontFamily+",Arial,Helvetica,sans-serif")))
	return err
}

// fontFamily is how vgsvg names the font, with nothing for readers who lack it.
const fontFamily = "font-family:Liberation Sans"

// perLine returns how many panels stand side by side.
func (s *Sheet) perLine() int {
	square := int(math.Ceil(math.Sqrt(float64(len(s.Panels)))))
	return max(1, min(len(s.Panels), max(fewest, square), most))
}

func style(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size)),
		YAlign: draw.YCenter, Handler: plot.DefaultTextHandler,
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

func (s *Sheet) drawHead(page draw.Canvas, width vg.Length) {
	at := vg.Point{X: margin, Y: page.Max.Y - margin - headHeight/2}
	page.FillText(style(titleSize, ink), at, shorten(s.Title, 110))
	at.Y -= headHeight/2 + legendLine/2
	for _, line := range s.legend(width) {
		at.X = margin
		for _, i := range line {
			page.FillPolygon(palette[i], square(at, 8))
			page.FillText(style(nameSize, ink), vg.Point{X: at.X + 12, Y: at.Y}, shorten(s.Classes[i], nameRunes))
			at.X += entryWidth(s.Classes[i])
		}
		at.Y -= legendLine
	}
}

func square(left vg.Point, size vg.Length) []vg.Point {
	return rectangle(left.X, left.Y-size/2, left.X+size, left.Y+size/2)
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x0, Y: y1}, {X: x1, Y: y1}, {X: x1, Y: y0}}
}

// plot makes the picture of a panel.
func (p *Panel) plot() *plot.Plot {
	out := plot.New()
	out.Title.Text = shorten(p.Name, nameRunes)
	out.Title.TextStyle = style(nameSize, ink)
	out.Title.TextStyle.XAlign, out.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	out.Title.Padding = 2
	for _, axis := range []*plot.Axis{&out.X, &out.Y} {
		axis.Padding, axis.Tick.Length = 0, 3
		axis.Color, axis.Tick.Color = pale, pale
		x, y := axis.Tick.Label.XAlign, axis.Tick.Label.YAlign
		axis.Tick.Label = style(smallSize, pale)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = x, y
	}
	out.X.Label.Text = p.footnote()
	x, y := out.X.Label.TextStyle.XAlign, out.X.Label.TextStyle.YAlign
	out.X.Label.TextStyle = style(smallSize, pale)
	out.X.Label.TextStyle.XAlign, out.X.Label.TextStyle.YAlign = x, y
	p.scale(out)
	out.Add(bars{p})
	return out
}

func (p *Panel) footnote() string {
	if p.Missing == 0 {
		return p.Note
	}
	missing := fmt.Sprintf("%d missing", p.Missing)
	if p.Note == "" {
		return missing
	}
	return p.Note + ", " + missing
}

// scale sets the axes: bins to the right and rows upwards, or bars downwards and rows
// to the right.
func (p *Panel) scale(out *plot.Plot) {
	n := float64(len(p.Counts[0]))
	across, along := &out.X, &out.Y
	if p.Bars != nil {
		across, along = &out.Y, &out.X
	}
	across.Min, across.Max = 0, max(1, n)
	along.Min, along.Max = 0, float64(max(1, p.highest()))
	along.Tick.Marker = plot.TickerFunc(counts)
	across.Tick.Marker = plot.ConstantTicks(p.ticks())
}

// highest returns the rows of the longest bar.
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
	if p.Bars != nil {
		return ticks
	}
	for _, m := range p.marks() {
		ticks = append(ticks, plot.Tick{Value: m.at, Label: p.number(m.value)})
	}
	return ticks
}

// mark is a number on the axis of the bins.
type mark struct{ at, value float64 }

func (p *Panel) marks() []mark {
	n := len(p.Counts[0])
	last := float64(n)
	switch {
	case n == 1:
		return []mark{{0.5, p.Low}}
	case p.whole:
		middle := float64((n - 1) / 2)
		return []mark{{0.5, p.Low}, {middle + 0.5, p.Low + middle}, {last - 0.5, p.High}}
	}
	return []mark{{0, p.Low}, {last / 2, p.Low/2 + p.High/2}, {last, p.High}}
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

// bars draws the counts of a panel.
type bars struct{ *Panel }

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	n := len(b.Counts[0])
	for i := range n {
		sum := 0
		for class, counts := range b.Counts {
			from, to := float64(sum), float64(sum+counts[i])
			sum += counts[i]
			if counts[i] == 0 {
				continue
			}
			if b.Bars != nil {
				top := float64(n - i)
				c.FillPolygon(palette[class], rectangle(x(from), y(top-0.85), x(to), y(top-0.15)))
				continue
			}
			left := float64(i)
			c.FillPolygon(palette[class], rectangle(x(left+0.05), y(from), x(left+0.95), y(to)))
		}
	}
}

// shorten cuts a name and replaces what cannot be drawn.
func shorten(name string, runes int) string {
	r := []rune(name)
	if len(r) > runes {
		r = append(r[:runes-1], '…')
	}
	for i, c := range r {
		if unicode.IsControl(c) {
			r[i] = unicode.ReplacementChar
		}
	}
	return string(r)
}
