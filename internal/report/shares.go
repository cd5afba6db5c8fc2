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
func (s *Shares) WriteSVG(w io.Writer) error { return writeSVG(w, s) }

func (s *Shares) size() (width, height vg.Length) {
	return pageWidth + 2*margin, 2*margin + headHeight + legendLine + 4 + shareLine*vg.Length(len(s.bars()))
}

func (s *Shares) bars() []Part {
	if s.Rest == nil {
		return s.Parts
	}
	return append(s.Parts[:len(s.Parts):len(s.Parts)], *s.Rest)
}

func (s *Shares) draw(c draw.Canvas) {
	at := drawTitle(c, s.Title)
	c.FillText(style(nameSize, pale), at, fitting(s.Note, 200, nameSize, c.Max.X-2*margin))
	bars := s.bars()
	var room vg.Length
	largest, names := 0.0, make([]string, len(bars))
	for k, b := range bars {
		names[k] = fitting(b.Name, nameRunes, nameSize, shareNames)
		room, largest = max(room, drawnWidth(names[k], nameSize)), max(largest, b.Share)
	}
	left := margin + room + 8
	scale := (c.Max.X - margin - shareRoom - left) / vg.Length(max(largest, 1e-300))
	y := at.Y - legendLine/2 - 4 - shareLine/2
	name := style(nameSize, ink)
	name.XAlign = draw.XRight
	for k, b := range bars {
		colour := Palette[0]
		if s.Rest != nil && k == len(bars)-1 {
			colour = Palette[9]
		}
		end := left + scale*vg.Length(b.Share)
		c.FillText(name, vg.Point{X: left - 8, Y: y}, names[k])
		c.FillPolygon(colour, rectangle(left, y-shareHalf, end, y+shareHalf))
		c.FillText(style(nameSize, ink), vg.Point{X: end + 5, Y: y}, fmt.Sprintf("%.1f %%", 100*b.Share))
		y -= shareLine
	}
	c.StrokeLine2(draw.LineStyle{Color: pale, Width: 1}, left, y+shareLine/2, left, at.Y-legendLine/2-4)
}
