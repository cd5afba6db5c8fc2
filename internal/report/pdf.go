package report

import (
	"bytes"
	"image/color"
	"io"
	"math"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// pdfSurface writes a page of PDF with the letters of the font that is used, so that texts can be searched. gonum's own
// canvas for PDF has the letters of Western Europe only, and tells the time of writing.
type pdfSurface struct {
	doc    *fpdf.Fpdf
	height float64
}

const pdfFont = "liberation"

func newPDF(width, height vg.Length) (*pdfSurface, error) {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: float64(width), Ht: float64(height)}})
	doc.SetCatalogSort(true)
	unknown := time.Unix(0, 0).UTC() // the same picture is the same file
	doc.SetCreationDate(unknown)
	doc.SetModificationDate(unknown)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	s := style(nameSize, ink)
	face := plot.DefaultTextHandler.Cache().Lookup(s.Font, s.Font.Size)
	var letters bytes.Buffer
	if _, err := face.Face.WriteSourceTo(nil, &letters); err != nil {
		return nil, err
	}
	doc.AddUTF8FontFromBytes(pdfFont, "", letters.Bytes())
	doc.AddPage()
	return &pdfSurface{doc: doc, height: float64(height)}, doc.Error()
}

func (s *pdfSurface) writeTo(w io.Writer) error { return s.doc.Output(w) }

// point returns x from the left and y from the top.
func (s *pdfSurface) point(p vg.Point) (x, y float64) { return float64(p.X), s.height - float64(p.Y) }

func (s *pdfSurface) path(segments []segment) {
	for _, part := range segments {
		switch part.kind {
		case 'M':
			s.doc.MoveTo(s.point(part.points[0]))
		case 'L':
			s.doc.LineTo(s.point(part.points[0]))
		case 'C':
			x0, y0 := s.point(part.points[0])
			x1, y1 := s.point(part.points[1])
			x2, y2 := s.point(part.points[2])
			s.doc.CurveBezierCubicTo(x0, y0, x1, y1, x2, y2)
		case 'Z':
			s.doc.ClosePath()
		}
	}
}

func (s *pdfSurface) stroke(segments []segment, now *penState) {
	r, g, b := rgb(now.colour)
	s.doc.SetDrawColor(int(r), int(g), int(b))
	s.doc.SetLineWidth(float64(now.width))
	var dashes []float64
	for _, d := range now.dashes {
		dashes = append(dashes, float64(d))
	}
	s.doc.SetDashPattern(dashes, float64(now.phase))
	s.path(segments)
	s.doc.DrawPath("D")
}

func (s *pdfSurface) fill(segments []segment, c color.Color) {
	r, g, b := rgb(c)
	s.doc.SetFillColor(int(r), int(g), int(b))
	s.path(segments)
	s.doc.DrawPath("F")
}

func (s *pdfSurface) text(line string, size float64, c color.Color, at vg.Point, anchor, angle float64) {
	line = inFont(line)
	r, g, b := rgb(c)
	s.doc.SetTextColor(int(r), int(g), int(b))
	s.doc.SetFont(pdfFont, "", size)
	x, y := s.point(at)
	s.doc.TransformBegin()
	s.doc.TransformRotate(angle*180/math.Pi, x, y)
	s.doc.Text(x-anchor*s.doc.GetStringWidth(line), y, line)
	s.doc.TransformEnd()
}

// inFont replaces the characters beyond those that a font of 16 bits numbers.
func inFont(line string) string {
	out := []rune(line)
	for i, r := range out {
		if r > 0xFFFF {
			out[i] = unicode.ReplacementChar
		}
	}
	return string(out)
}
