package report

import (
	"image/color"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	pageWidth  = 620 * vg.Length(1) // of pictures that stand in a page
	narrowPage = 340 * vg.Length(1) // of pictures for the screen of a telephone
	margin     = 10 * vg.Length(1)
	headHeight = 24 * vg.Length(1) // the title
	legendLine = 14 * vg.Length(1)
	titleSize  = 13
	nameSize   = 9
	smallSize  = 7.5
	nameRunes  = 30
)

// Palette holds the seven colours of Okabe and Ito, which the colour-blind can tell apart, and three more.
var Palette = [...]color.Color{
	color.RGBA{0x00, 0x72, 0xB2, 0xFF}, color.RGBA{0xE6, 0x9F, 0x00, 0xFF}, color.RGBA{0x00, 0x9E, 0x73, 0xFF},
	color.RGBA{0xCC, 0x79, 0xA7, 0xFF}, color.RGBA{0x56, 0xB4, 0xE9, 0xFF}, color.RGBA{0xD5, 0x5E, 0x00, 0xFF},
	color.RGBA{0xF0, 0xE4, 0x42, 0xFF}, color.RGBA{0x44, 0x44, 0x44, 0xFF}, color.RGBA{0x99, 0x4F, 0x00, 0xFF},
	color.RGBA{0xA6, 0xA6, 0xA6, 0xFF},
}

var (
	ink     = color.Gray{0x22}
	pale    = color.Gray{0x66}
	palest  = color.Gray{0xE6}
	series  = []color.Color{Palette[0], Palette[2], Palette[3]}
	refrule = Palette[5] // the colour of what a picture compares with
)

// style is that of text which begins at a point and whose middle line passes through it.
func style(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size)),
		YAlign: draw.YCenter, Handler: letters,
	}
}

// letters measures and draws every text.
var letters = anchored{text.Plain{Fonts: font.DefaultCache}}

// restyle changes the size and the colour of a text, but not where it stands.
func restyle(s *text.Style, size float64, c color.Color) {
	s.Font, s.Color = style(size, c).Font, c
}

// styleAxes gives both axes of a plot thin lines and small texts.
func styleAxes(p *plot.Plot, padding vg.Length, size float64, c color.Color) {
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding, axis.Tick.Length = padding, 3
		axis.Color, axis.Tick.Color = pale, pale
		restyle(&axis.Tick.Label, size, c)
	}
}

// inPage is the width of a picture that stands in a page.
func inPage(narrow bool) vg.Length {
	if narrow {
		return narrowPage
	}
	return pageWidth
}

// axisLabel divides the name of an axis into lines that fit below a plot with names on its left.
func axisLabel(label string, narrow bool) string {
	room := inPage(narrow) - 150
	lines := []string{""}
	for _, word := range strings.Fields(label) {
		last := &lines[len(lines)-1]
		if longer := strings.TrimSpace(*last + " " + word); *last == "" || drawnWidth(longer, nameSize) <= room {
			*last = longer
		} else {
			lines = append(lines, word)
		}
	}
	return strings.Join(lines, "\n")
}

// labelHeight is the room that the lines of a label take beyond the first.
func labelHeight(label string) vg.Length {
	return 1.2 * nameSize * vg.Length(strings.Count(label, "\n"))
}

// emptyPlot returns a plot without a background whose texts are drawn by letters.
func emptyPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.TextHandler, p.Title.TextStyle.Handler = letters, letters
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Handler, axis.Tick.Label.Handler = letters, letters
	}
	return p
}

// newPlot returns an empty plot for a page. label is the name of its horizontal axis.
func newPlot(label string) *plot.Plot {
	p := emptyPlot()
	styleAxes(p, 3, nameSize, ink)
	p.X.Label.Text = label
	restyle(&p.X.Label.TextStyle, nameSize, ink)
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	return p
}

// plotter is a function that draws the data of a plot.
type plotter func(c draw.Canvas, p *plot.Plot)

// Plot implements plot.Plotter.
func (draw plotter) Plot(c draw.Canvas, p *plot.Plot) { draw(c, p) }

// drawTitle writes the title and returns the place of the line below it. A long title is written in smaller letters,
// and cut where these do not suffice.
func drawTitle(c draw.Canvas, title string) vg.Point {
	at := vg.Point{X: margin, Y: c.Max.Y - margin - headHeight/2}
	const most = 300 // characters
	room, size := c.Max.X-2*margin, float64(titleSize)
	for size > nameSize && drawnWidth(shorten(title, most), size) > room {
		size--
	}
	c.FillText(style(size, ink), at, fitting(title, most, size, room))
	at.Y -= headHeight/2 + legendLine/2
	return at
}

// drawLegend writes the title, and below it what the colours and the rule are; reference is "" without a rule.
func drawLegend(c draw.Canvas, title string, names []string, reference string) {
	at := drawTitle(c, title)
	for i, name := range names {
		c.FillPolygon(series[i%len(series)], square(at, 8))
		c.FillText(style(nameSize, ink), vg.Point{X: at.X + 12, Y: at.Y}, name)
		at.X += style(nameSize, ink).Width(name) + 28
	}
	if reference != "" {
		c.StrokeLine2(draw.LineStyle{Color: refrule, Width: 1.8}, at.X+3, at.Y-6, at.X+3, at.Y+6)
		c.FillText(style(nameSize, ink), vg.Point{X: at.X + 10, Y: at.Y}, reference)
	}
}

func square(left vg.Point, size vg.Length) []vg.Point {
	return rectangle(left.X, left.Y-size/2, left.X+size, left.Y+size/2)
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x0, Y: y1}, {X: x1, Y: y1}, {X: x1, Y: y0}}
}

// fitting cuts a name to a number of characters, and further until it is drawn within a width.
func fitting(name string, runes int, size float64, width vg.Length) string {
	for runes = min(runes, len([]rune(name))); ; runes-- {
		if cut := shorten(name, runes); runes <= 1 || drawnWidth(cut, size) <= width {
			return cut
		}
	}
}

// drawnWidth is the room that a text takes in letters of a size. The fonts of a reader draw characters of the Far East
// as wide as they are high, which the font that is measured here does not have.
func drawnWidth(name string, size float64) vg.Length {
	narrow, wide := []rune{}, 0
	for _, r := range name {
		if r >= 0x1100 && (r < 0x2000 || r > 0x2BFF) {
			wide++
		} else {
			narrow = append(narrow, r)
		}
	}
	return style(size, ink).Width(string(narrow)) + vg.Length(size)*vg.Length(wide)
}

// shorten cuts a name and replaces the characters that cannot be drawn.
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
