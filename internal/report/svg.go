package report

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// families are the fonts of texts: that which they are measured in, and those that are most like it.
const families = "Liberation Sans, Arial, Helvetica, sans-serif"

// svgSurface writes SVG. Colours are attributes, which a style sheet of the page around the picture overrides.
type svgSurface struct {
	width, height vg.Length
	out           bytes.Buffer
}

func newSVG(width, height vg.Length) *svgSurface {
	s := &svgSurface{width: width, height: height}
	fmt.Fprintf(&s.out, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]spt" height="%[2]spt" `+
		`viewBox="0 0 %[1]s %[2]s" font-family="%[3]s" style="max-width:100%%;height:auto" role="img">`+"\n",
		svgNumber(width), svgNumber(height), families)
	fmt.Fprintf(&s.out, `<rect class="paper" width="100%%" height="100%%" fill="#FFFFFF"/>`+"\n")
	return s
}

// document returns the whole picture.
func (s *svgSurface) document() []byte { return append(s.out.Bytes(), "</svg>\n"...) }

// svgNumber writes a length with two digits after the point at most.
func svgNumber(v vg.Length) string {
	text := strconv.FormatFloat(math.Round(100*float64(v))/100+0, 'f', -1, 64)
	return text
}

func svgColour(c color.Color) string {
	r, g, b := rgb(c)
	return fmt.Sprintf("#%02X%02X%02X", r, g, b)
}

// y is measured downwards.
func (s *svgSurface) point(p vg.Point) string { return svgNumber(p.X) + "," + svgNumber(s.height-p.Y) }

func (s *svgSurface) path(segments []segment) {
	s.out.WriteString(`<path d="`)
	for _, part := range segments {
		s.out.WriteByte(part.kind)
		switch part.kind {
		case 'C':
			fmt.Fprintf(&s.out, "%s %s %s", s.point(part.points[0]), s.point(part.points[1]), s.point(part.points[2]))
		case 'M', 'L':
			s.out.WriteString(s.point(part.points[0]))
		}
	}
	s.out.WriteString(`"`)
}

func (s *svgSurface) stroke(segments []segment, now *penState) {
	s.path(segments)
	fmt.Fprintf(&s.out, ` fill="none" stroke="%s" stroke-width="%s"`, svgColour(now.colour), svgNumber(now.width))
	if len(now.dashes) > 0 {
		var dashes []string
		for _, d := range now.dashes {
			dashes = append(dashes, svgNumber(d))
		}
		fmt.Fprintf(&s.out, ` stroke-dasharray="%s"`, strings.Join(dashes, ","))
		if now.phase != 0 {
			fmt.Fprintf(&s.out, ` stroke-dashoffset="%s"`, svgNumber(now.phase))
		}
	}
	s.out.WriteString("/>\n")
}

func (s *svgSurface) fill(segments []segment, c color.Color) {
	s.path(segments)
	fmt.Fprintf(&s.out, ` fill="%s"/>`+"\n", svgColour(c))
}

func (s *svgSurface) text(line string, size float64, c color.Color, at vg.Point, anchor, angle float64) {
	x, y := svgNumber(at.X), svgNumber(s.height-at.Y)
	fmt.Fprintf(&s.out, `<text x="%s" y="%s" font-size="%s" fill="%s"`, x, y, svgNumber(vg.Length(size)), svgColour(c))
	switch {
	case anchor > 0.75:
		s.out.WriteString(` text-anchor="end"`)
	case anchor > 0.25:
		s.out.WriteString(` text-anchor="middle"`)
	}
	if turn := math.Round(-angle * 180 / math.Pi); turn != 0 {
		fmt.Fprintf(&s.out, ` transform="rotate(%g %s %s)"`, turn, x, y)
	}
	fmt.Fprintf(&s.out, ">%s</text>\n", html.EscapeString(line))
}
