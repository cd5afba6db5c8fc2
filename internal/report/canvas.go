package report

import (
	"bytes"
	"html/template"
	"image/color"
	"io"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	pageWidth  = 620 * vg.Length(1) // of pictures that stand in a page
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

// newPicture returns an empty white picture, and the canvas to draw it on.
func newPicture(width, height vg.Length) (*vgsvg.Canvas, draw.Canvas) {
	svg := vgsvg.New(width, height)
	canvas := draw.New(svg)
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	return svg, canvas
}

// writePicture writes a picture. vgsvg names one font only: the fonts added to it are for readers who lack that one.
func writePicture(w io.Writer, svg *vgsvg.Canvas) error {
	var picture bytes.Buffer
	if _, err := svg.WriteTo(&picture); err != nil {
		return err
	}
	const family = "font-family:Liberation Sans"
	_, err := w.Write(bytes.ReplaceAll(picture.Bytes(), []byte(family), []byte(family+",Arial,Helvetica,sans-serif")))
	return err
}

// writePNG writes a picture as PNG, at 192 dots per inch.
func writePNG(w io.Writer, width, height vg.Length, paint func(draw.Canvas)) error {
	image := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(192))
	paint(draw.New(image)) // the canvas is white
	_, err := vgimg.PngCanvas{Canvas: image}.WriteTo(w)
	return err
}

// writePlot writes a picture of a single plot, as wide as a page and without a background.
func writePlot(w io.Writer, p *plot.Plot, height vg.Length) error {
	svg := vgsvg.New(pageWidth, height)
	p.Draw(draw.New(svg))
	return writePicture(w, svg)
}

// Inline returns a picture as it stands in an HTML page. write is the WriteSVG method of the picture.
func Inline(write func(io.Writer) error) (template.HTML, error) {
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return "", err
	}
	svg := out.Bytes()
	return template.HTML(svg[max(0, bytes.Index(svg, []byte("<svg"))):]), nil // vgsvg has escaped the texts
}

// style is that of text which begins at a point and whose middle line passes through it.
func style(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size)),
		YAlign: draw.YCenter, Handler: plot.DefaultTextHandler,
	}
}

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

// newPlot returns an empty plot for a page. label is the name of its horizontal axis.
func newPlot(label string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
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

// drawTitle writes the title and returns the place of the line below it.
func drawTitle(c draw.Canvas, title string, runes int) vg.Point {
	at := vg.Point{X: margin, Y: c.Max.Y - margin - headHeight/2}
	c.FillText(style(titleSize, ink), at, shorten(title, runes))
	at.Y -= headHeight/2 + legendLine/2
	return at
}

// drawLegend writes the title, and below it what the colours and the rule are; reference is "" without a rule.
func drawLegend(c draw.Canvas, title string, names []string, reference string) {
	at := drawTitle(c, title, 90)
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
