package report

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// surface is what a pen draws on. Points are in points of 1/72 inch from the lower left corner.
type surface interface {
	stroke(segments []segment, s *penState)
	fill(segments []segment, c color.Color)
	// text writes a line of text. The anchor, 0 to 1, is the share of its width that stands left of at, and angle turns
	// it about at, in radians against the clock.
	text(line string, size float64, c color.Color, at vg.Point, anchor, angle float64)
}

// segment is a part of a path: 'M' begins at a point, 'L' is a line to it, 'C' a Bézier curve to the last of three
// points, and 'Z' closes.
type segment struct {
	kind   byte
	points [3]vg.Point
}

// penState is what Push keeps.
type penState struct {
	colour color.Color
	width  vg.Length
	dashes []vg.Length
	phase  vg.Length
	// A point (x, y) is drawn at (a·x + c·y + e, b·x + d·y + f).
	a, b, c, d float64
	e, f       vg.Length
}

func (s *penState) at(p vg.Point) vg.Point {
	return vg.Point{
		X: vg.Length(s.a)*p.X + vg.Length(s.c)*p.Y + s.e, Y: vg.Length(s.b)*p.X + vg.Length(s.d)*p.Y + s.f,
	}
}

// then puts another transformation before that of s.
func (s *penState) then(a, b, c, d float64, to vg.Point) {
	to = s.at(to)
	s.a, s.b, s.c, s.d = s.a*a+s.c*b, s.b*a+s.d*b, s.a*c+s.c*d, s.b*c+s.d*d
	s.e, s.f = to.X, to.Y
}

// pen is a vg.Canvas that puts paths and texts on a surface.
type pen struct {
	surface       surface
	width, height vg.Length
	stack         []penState
}

func newPen(s surface, width, height vg.Length) *pen {
	p := &pen{surface: s, width: width, height: height, stack: []penState{{a: 1, d: 1}}}
	vg.Initialize(p)
	return p
}

func (p *pen) now() *penState { return &p.stack[len(p.stack)-1] }

func (p *pen) Size() (width, height vg.Length) { return p.width, p.height }
func (p *pen) SetLineWidth(width vg.Length)    { p.now().width = width }
func (p *pen) SetLineDash(dashes []vg.Length, phase vg.Length) {
	p.now().dashes, p.now().phase = dashes, phase
}
func (p *pen) SetColor(c color.Color) { p.now().colour = c }
func (p *pen) Translate(to vg.Point)  { p.now().then(1, 0, 0, 1, to) }
func (p *pen) Scale(x, y float64)     { p.now().then(x, 0, 0, y, vg.Point{}) }
func (p *pen) Push()                  { p.stack = append(p.stack, *p.now()) }
func (p *pen) Pop()                   { p.stack = p.stack[:len(p.stack)-1] }

func (p *pen) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	p.now().then(cos, sin, -sin, cos, vg.Point{})
}

func (p *pen) Stroke(path vg.Path) {
	if s := p.now(); s.width > 0 && visible(s.colour) {
		p.surface.stroke(s.segments(path), s)
	}
}

func (p *pen) Fill(path vg.Path) {
	if s := p.now(); visible(s.colour) {
		p.surface.fill(s.segments(path), s.colour)
	}
}

// FillString writes a text from the left; texts come by the handler anchored, which knows how they are aligned.
func (p *pen) FillString(f font.Face, at vg.Point, line string) {
	p.write(line, f.Font.Size, at, 0)
}

// DrawImage implements vg.Canvas. No picture of this package has an image in it.
func (p *pen) DrawImage(vg.Rectangle, image.Image) {}

func (p *pen) write(line string, size vg.Length, at vg.Point, anchor float64) {
	if s := p.now(); line != "" && visible(s.colour) {
		p.surface.text(line, float64(size), s.colour, s.at(at), anchor, math.Atan2(s.b, s.a))
	}
}

// visible reports whether a colour is there at all; nil is black. Colours are either opaque or not drawn.
func visible(c color.Color) bool {
	if c == nil {
		return true
	}
	_, _, _, alpha := c.RGBA()
	return alpha > 0
}

// rgb returns the parts of a colour, nil being black.
func rgb(c color.Color) (r, g, b uint8) {
	if c == nil {
		return 0, 0, 0
	}
	opaque := color.NRGBAModel.Convert(c).(color.NRGBA)
	return opaque.R, opaque.G, opaque.B
}

// segments returns the path as it is drawn, arcs as Bézier curves.
func (s *penState) segments(path vg.Path) (out []segment) {
	var last vg.Point
	add := func(kind byte, points ...vg.Point) {
		part := segment{kind: kind}
		for i, q := range points {
			part.points[i] = s.at(q)
			last = q
		}
		out = append(out, part)
	}
	for _, c := range path {
		switch c.Type {
		case vg.MoveComp:
			add('M', c.Pos)
		case vg.LineComp:
			add('L', c.Pos)
		case vg.CloseComp:
			add('Z')
		case vg.ArcComp:
			s.arc(c, len(out) == 0, last, add)
		case vg.CurveComp:
			first, second := c.Control[0], c.Control[len(c.Control)-1]
			if len(c.Control) == 1 { // a quadratic curve
				toward := func(q vg.Point) vg.Point { return q.Add(first.Sub(q).Scale(2.0 / 3)) }
				first, second = toward(last), toward(c.Pos)
			}
			add('C', first, second, c.Pos)
		}
	}
	return out
}

// arc adds an arc in pieces of at most a quarter of a circle, each a curve that leaves it by less than a thousandth of
// its radius.
func (s *penState) arc(c vg.PathComp, begins bool, last vg.Point, add func(kind byte, points ...vg.Point)) {
	on := func(angle float64) (at, along vg.Point) {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: c.Pos.X + c.Radius*vg.Length(cos), Y: c.Pos.Y + c.Radius*vg.Length(sin)},
			vg.Point{X: -c.Radius * vg.Length(sin), Y: c.Radius * vg.Length(cos)}
	}
	from, along := on(c.Start)
	if begins {
		add('M', from)
	} else if from != last {
		add('L', from)
	}
	pieces := max(1, math.Ceil(math.Abs(c.Angle)/(math.Pi/2)-1e-9))
	step := c.Angle / pieces
	reach := vg.Length(4.0 / 3 * math.Tan(step/4))
	for i := range int(pieces) {
		to, next := on(c.Start + float64(i+1)*step)
		add('C', from.Add(along.Scale(reach)), to.Sub(next.Scale(reach)), to)
		from, along = to, next
	}
}

// penOf returns the pen of a canvas, which may be a part of another one; nil if it has none.
func penOf(c vg.Canvas) *pen {
	switch on := c.(type) {
	case *pen:
		return on
	case draw.Canvas:
		return penOf(on.Canvas)
	case *draw.Canvas:
		return penOf(on.Canvas)
	}
	return nil
}

// anchored draws texts. What shows a picture may lack the font that is measured here and take another one: the text is
// therefore anchored at its point by whatever draws it, and everything is laid out for the widest of the usual fonts.
type anchored struct{ text.Plain }

// widest is how much wider than in Liberation Sans texts are in DejaVu Sans, the widest of the usual fonts, at most:
// 1.25 where they are of i and l, 1.14 for digits, at most 1.22 for the texts of docs/results.
const widest = 1.25

// Box implements text.Handler.
func (h anchored) Box(line string, f font.Font) (width, height, depth vg.Length) {
	width, height, depth = h.Plain.Box(line, f)
	return widest * width, height, depth
}

// Draw implements text.Handler.
func (h anchored) Draw(c vg.Canvas, lines string, s text.Style, at vg.Point) {
	p := penOf(c)
	if p == nil { // letters are pixels: the font is the one that is measured
		h.Plain.Draw(c, lines, s, at)
		return
	}
	p.Push()
	defer p.Pop()
	p.SetColor(s.Color)
	p.Translate(at)
	p.Rotate(s.Rotation)
	all := h.Lines(lines)
	top := s.Height(lines)*vg.Length(s.YAlign) - s.FontExtents().Ascent
	for i, line := range all {
		below := top + vg.Length(len(all)-i)*s.Font.Size
		p.write(line, s.Font.Size, vg.Point{Y: below}, -float64(s.XAlign))
	}
}
