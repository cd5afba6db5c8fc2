package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ranks shows the mean ranks of methods on an axis, and bars that join methods whose ranks differ by no more than a
// critical difference (J. Demšar, Journal of Machine Learning Research 7, 2006, figure 1).
type Ranks struct {
	Title    string
	Methods  []RankedMethod // at least two
	Critical float64        // the critical difference
}

// RankedMethod is a method with its mean rank, 1 … the number of methods.
type RankedMethod struct {
	Name string
	Rank float64
	Bold bool // drawn in colour
}

const (
	rankNames   = 150 * vg.Length(1) // room for names on either side
	rankLine    = 17 * vg.Length(1)  // of a name
	rankBar     = 7 * vg.Length(1)   // from one bar to the next
	rankHead    = 40 * vg.Length(1)  // the critical difference, the numbers of the axis
	rankBarBold = 3.5 * vg.Length(1)
)

// WriteSVG draws the axis with rank 1 on the left, the bars below it, and the names beside it: the better half on the
// left, the others on the right.
func (v *Ranks) WriteSVG(w io.Writer) error { return writeSVG(w, v) }

// sorted returns the methods by rank.
func (v *Ranks) sorted() []RankedMethod {
	methods := slices.Clone(v.Methods)
	slices.SortStableFunc(methods, func(a, b RankedMethod) int { return cmp.Compare(a.Rank, b.Rank) })
	return methods
}

func (v *Ranks) size() (width, height vg.Length) {
	methods := v.sorted()
	lines := rankBar*vg.Length(len(v.bars(methods))+1) + rankLine*vg.Length((len(methods)+1)/2)
	return pageWidth + 2*margin, 2*margin + headHeight + rankHead + lines
}

func (v *Ranks) draw(c draw.Canvas) {
	methods := v.sorted()
	bars := v.bars(methods)
	left := (len(methods) + 1) / 2
	drawTitle(c, v.Title)

	axis := c.Max.Y - margin - headHeight - rankHead
	from, to := margin+rankNames, margin+pageWidth-rankNames
	at := func(rank float64) vg.Length { return from + (to-from)*vg.Length((rank-1)/float64(len(methods)-1)) }
	v.drawAxis(c, at, axis, len(methods))
	line := draw.LineStyle{Color: ink, Width: 1}
	for i, b := range bars {
		y := axis - rankBar*vg.Length(i+1)
		bold := draw.LineStyle{Color: ink, Width: rankBarBold}
		c.StrokeLine2(bold, at(methods[b.first].Rank)-3, y, at(methods[b.last].Rank)+3, y)
	}
	below := axis - rankBar*vg.Length(len(bars)+1)
	for i, m := range methods {
		y, end, text := below-rankLine*(vg.Length(i)+0.5), from-20, style(nameSize, ink)
		text.XAlign = draw.XRight
		if i >= left {
			y, end, text.XAlign = below-rankLine*(vg.Length(len(methods)-1-i)+0.5), to+20, draw.XLeft
		}
		line.Color = ink
		if m.Bold {
			line.Color, text.Color = Palette[0], Palette[0]
		}
		c.StrokeLine2(line, at(m.Rank), axis, at(m.Rank), y)
		c.StrokeLine2(line, at(m.Rank), y, end, y)
		label := fmt.Sprintf("%s %.2f", shorten(m.Name, nameRunes), m.Rank)
		if i < left {
			end -= 5
		} else {
			end += 5
		}
		c.FillText(text, vg.Point{X: end, Y: y}, label)
	}
}

// drawAxis draws the axis of n ranks, and above it how long the critical difference is.
func (v *Ranks) drawAxis(c draw.Canvas, at func(rank float64) vg.Length, y vg.Length, n int) {
	line, text := draw.LineStyle{Color: ink, Width: 1}, style(nameSize, ink)
	text.XAlign = draw.XCenter
	c.StrokeLine2(line, at(1), y, at(float64(n)), y)
	for rank := 1; rank <= n; rank++ {
		x := at(float64(rank))
		c.StrokeLine2(line, x, y, x, y+4)
		c.FillText(text, vg.Point{X: x, Y: y + 11}, strconv.Itoa(rank))
	}
	y += rankHead - 14
	end := min(1+v.Critical, float64(n))
	c.StrokeLine2(line, at(1), y, at(end), y)
	c.StrokeLine2(line, at(1), y-3, at(1), y+3)
	c.StrokeLine2(line, at(end), y-3, at(end), y+3)
	label := fmt.Sprintf("critical difference %.2f", v.Critical)
	c.FillText(style(nameSize, ink), vg.Point{X: at(end) + 8, Y: y}, label)
}

// bar joins the methods first to last.
type bar struct{ first, last int }

// bars returns the longest runs of sorted methods whose ranks differ by no more than the critical difference.
func (v *Ranks) bars(methods []RankedMethod) []bar {
	var out []bar
	for i := range methods {
		last := i
		for last+1 < len(methods) && methods[last+1].Rank-methods[i].Rank <= v.Critical {
			last++
		}
		if last > i && (len(out) == 0 || last > out[len(out)-1].last) {
			out = append(out, bar{i, last})
		}
	}
	return out
}
