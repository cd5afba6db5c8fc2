package report

import (
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shares shows parts of a whole as horizontal bars below each other.
type Shares struct {
	Title string
	Note  string // below the title
	Parts []Part
	Rest  *Part // the parts that are not shown by themselves, in grey; nil for none
}

// Part is a part of a whole.
type Part struct {
	Name  string
	Share float64 // 0 … 1
}

const (
	shareLine  = 18 * vg.Length(1)
	shareHalf  = 6 * vg.Length(1)
	shareNames = 220 * vg.Length(1) // the most room for names
	shareRoom  = 44 * vg.Length(1)  // right of the longest bar, for its share
)

// WriteSVG draws the bars as SVG.
func (s *Shares) WriteSVG(w io.Writer) error {
	svg, canvas := newPicture(pageWidth+2*margin, s.height())
	s.draw(canvas)
	return writePicture(w, svg)
}

// WritePNG draws the bars as PNG, at 192 dots per inch.
func (s *Shares) WritePNG(w io.Writer) error {
	return writePNG(w, pageWidth+2*margin, s.height(), s.draw)
}

func (s *Shares) height() vg.Length {
	return 2*margin + headHeight + legendLine + 4 + shareLine*vg.Length(len(s.bars()))
}

func (s *Shares) bars() []Part {
	if s.Rest == nil {
		return s.Parts
	}
	return append(s.Parts[:len(s.Parts):len(s.Parts)], *s.Rest)
}

func (s *Shares) draw(c draw.Canvas) {
	at := drawTitle(c, s.Title, 90)
	c.FillText(style(nameSize, pale), at, shorten(s.Note, 120))
	bars := s.bars()
	var room vg.Length
	largest, names := 0.0, make([]string, len(bars))
	for k, b := range bars {
		names[k] = fitting(b.Name, shareNames)
		room, largest = max(room, drawnWidth(names[k])), max(largest, b.Share)
	}
	left := margin + room + 8
	scale := (c.Max.X - margin - shareRoom - left) / vg.Length(max(largest, 1e-300))
	y := at.Y - legendLine/2 - 4 - shareLine/2
	for k, b := range bars {
		colour := Palette[0]
		if s.Rest != nil && k == len(bars)-1 {
			colour = Palette[9]
		}
		end := left + scale*vg.Length(b.Share)
		c.FillText(style(nameSize, ink), vg.Point{X: left - 8 - drawnWidth(names[k]), Y: y}, names[k])
		c.FillPolygon(colour, rectangle(left, y-shareHalf, end, y+shareHalf))
		c.FillText(style(nameSize, ink), vg.Point{X: end + 5, Y: y}, fmt.Sprintf("%.1f %%", 100*b.Share))
		y -= shareLine
	}
	c.StrokeLine2(draw.LineStyle{Color: pale, Width: 1}, left, y+shareLine/2, left, at.Y-legendLine/2-4)
}

// fitting cuts a name until it is drawn within a width.
func fitting(name string, width vg.Length) string {
	for runes := nameRunes; ; runes-- {
		if cut := shorten(name, runes); runes == 1 || drawnWidth(cut) <= width {
			return cut
		}
	}
}

// drawnWidth is the room that a name takes. The fonts of a reader draw characters of the Far East as wide as they are
// high, which the font that is measured here does not have.
func drawnWidth(name string) vg.Length {
	narrow, wide := []rune{}, 0
	for _, r := range name {
		if r >= 0x1100 {
			wide++
		} else {
			narrow = append(narrow, r)
		}
	}
	return style(nameSize, ink).Width(string(narrow)) + nameSize*vg.Length(wide)
}
