package repro

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"rvflplus/internal/report"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// panelsOnPage is how many data sets a picture shows that must fit on a sheet of paper.
const panelsOnPage = 4

// WritePage writes results as one HTML page with tables and pictures that needs no other file and no network.
func WritePage(w io.Writer, results []*Result) error {
	type part struct {
		document
		Short    string
		Pictures []template.HTML
	}
	var parts []part
	for _, r := range results {
		p := part{document: r.document(), Short: r.short()}
		for _, picture := range r.divided(panelsOnPage) {
			svg, err := report.Inline(picture.drawing.WriteSVG)
			if err != nil {
				return err
			}
			p.Pictures = append(p.Pictures, svg)
		}
		parts = append(parts, p)
	}
	return pageTemplate.Execute(w, parts)
}

// Class returns the CSS classes of the slot in column i of a table whose first columns name the row.
func (s slot) Class(i, names int) string {
	var classes []string
	if i < names {
		classes = append(classes, "name")
	}
	if s.Best {
		classes = append(classes, "best")
	}
	if len(s.Lines) > 0 && strings.HasSuffix(s.Lines[0], mark) {
		classes = append(classes, "differs")
	}
	return strings.Join(classes, " ")
}
