package report

import (
	"bytes"
	"html/template"
	"io"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Drawing is a picture that can be written in every format. All formats show the same picture, in the same colours and
// places; the same picture gives the same bytes.
type Drawing interface {
	// WriteSVG writes the picture as SVG, whose texts are drawn in a font of the reader.
	WriteSVG(w io.Writer) error

	size() (width, height vg.Length)
	draw(c draw.Canvas)
}

// Endings lists the formats that Write knows, by the endings of files. PNG and PDF have the letters of Liberation Sans:
// Latin, Greek and Cyrillic ones, and signs.
func Endings() []string { return []string{".svg", ".png", ".pdf"} }

// Write writes a picture in the format of an ending, which must be one of Endings.
func Write(w io.Writer, ending string, d Drawing) error {
	switch ending {
	case ".png":
		return writePNG(w, d)
	case ".pdf":
		return writePDF(w, d)
	}
	return d.WriteSVG(w)
}

func writeSVG(w io.Writer, d Drawing) error {
	width, height := d.size()
	s := newSVG(width, height)
	d.draw(draw.New(newPen(s, width, height)))
	_, err := w.Write(s.document())
	return err
}

// writePNG writes at 192 dots per inch.
func writePNG(w io.Writer, d Drawing) error {
	width, height := d.size()
	image := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(192))
	d.draw(draw.New(image)) // the canvas is white
	_, err := vgimg.PngCanvas{Canvas: image}.WriteTo(w)
	return err
}

func writePDF(w io.Writer, d Drawing) error {
	width, height := d.size()
	s, err := newPDF(width, height)
	if err != nil {
		return err
	}
	d.draw(draw.New(newPen(s, width, height)))
	return s.writeTo(w)
}

// Inline returns a picture as it stands in an HTML page. write is the WriteSVG method of the picture.
func Inline(write func(io.Writer) error) (template.HTML, error) {
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return "", err
	}
	return template.HTML(out.String()), nil // svgSurface has escaped the texts
}

// Known reports whether Write knows an ending.
func Known(ending string) bool { return slices.Contains(Endings(), ending) }
