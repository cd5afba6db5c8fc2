package repro

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// panelsOnPage is how many data sets a picture shows that must fit on a sheet of paper.
const panelsOnPage = 4

// pagePart is what the template shows of a result.
type pagePart struct {
	Name, Short, Title, Legend string
	Findings, Run              []string
	Sections                   []pageSection
	Pictures                   []template.HTML
}

type pageSection struct {
	Heading string
	Text    []string
	Head    []pageHead
	Rows    [][]pageSlot
	Lists   []pageList
}

type pageHead struct {
	Text string
	Name bool
}

type pageSlot struct {
	Class string
	Lines []string
}

type pageList struct {
	Heading string
	Items   []string
}

// WritePage writes results as one HTML page with tables and pictures that needs no
// other file and no network.
func WritePage(w io.Writer, results []*Result) error {
	var parts []pagePart
	for _, r := range results {
		p, err := r.pagePart()
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	return pageTemplate.Execute(w, parts)
}

func (r *Result) pagePart() (pagePart, error) {
	d := r.document()
	p := pagePart{Name: d.name, Short: r.short(), Title: d.title, Legend: d.legend, Findings: d.findings, Run: d.run}
	for i := range d.sections {
		p.Sections = append(p.Sections, d.sections[i].page())
	}
	for _, picture := range r.divided(panelsOnPage) {
		svg, err := inline(picture)
		if err != nil {
			return p, err
		}
		p.Pictures = append(p.Pictures, svg)
	}
	return p, nil
}

// inline draws a picture to stand in a page.
func inline(p picture) (template.HTML, error) {
	var out bytes.Buffer
	if err := p.write(&out); err != nil {
		return "", err
	}
	text := out.Bytes()
	// The picture is drawn by vgsvg, which escapes what it writes.
	return template.HTML(text[max(0, bytes.Index(text, []byte("<svg"))):]), nil
}

func (s *section) page() pageSection {
	p := pageSection{Heading: s.heading, Text: s.text}
	for i, name := range s.table.head {
		p.Head = append(p.Head, pageHead{name, i < s.table.names})
	}
	for _, row := range s.table.rows {
		var line []pageSlot
		for i := range row {
			line = append(line, row[i].page(i < s.table.names))
		}
		p.Rows = append(p.Rows, line)
	}
	for _, l := range s.lists {
		p.Lists = append(p.Lists, pageList{l.heading, l.items})
	}
	return p
}

func (s *slot) page(name bool) pageSlot {
	var classes []string
	if name {
		classes = append(classes, "name")
	}
	if s.best {
		classes = append(classes, "best")
	}
	if len(s.lines) > 0 && strings.HasSuffix(s.lines[0], mark) {
		classes = append(classes, "differs")
	}
	return pageSlot{strings.Join(classes, " "), s.lines}
}
