// Package page draws a comparison as one HTML page.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"

	"rvflplus/internal/compare"
	"rvflplus/internal/report"
)

//go:embed page.html
var text string

var page = template.Must(template.New("comparison").Parse(text))

// content is what the template shows.
type content struct {
	*compare.Comparison
	Data                string
	Gains, Values, Null template.HTML // pictures
	Columns             []string      // headings of the table, but for the first two
	Table               []row
	ClassColumns        []string // of a classification
	ClassTable          []row
	Upper, Recovered    string
	Head                []template.HTML
}

// row is a line of the table of methods.
type row struct {
	Class, Name, Sees string
	Cells             []string
}

// sees says which columns a method looks at, and which columns a control gets.
func sees(s compare.Score) string {
	switch {
	case s.Name == compare.Constant:
		return "no column"
	case s.Role == compare.Baseline:
		return "normal columns"
	case s.Role == compare.Privileged:
		return "privileged ones in training"
	case s.Role == compare.UpperBound:
		return "privileged ones in use too"
	case s.Name == "shuffled":
		return "residuals shuffled"
	case s.Name == "noise":
		return "noise in their place"
	}
	return "privileged rows permuted"
}

var colours = map[compare.Role]color.Color{
	compare.Baseline: report.Palette[7], compare.Privileged: report.Palette[0],
	compare.UpperBound: report.Palette[2], compare.Control: report.Palette[1],
}

// picture is what of the page a picture is, and what draws it for a broad or a narrow page.
type picture struct {
	dst  *template.HTML
	draw func(narrow bool) report.Drawing
}

// inBothWidths returns a picture as it stands in the page, for broad and for narrow screens: the style sheet shows one.
func inBothWidths(draw func(narrow bool) report.Drawing) (template.HTML, error) {
	broad, err := report.Inline(draw(false).WriteSVG)
	if err != nil {
		return "", err
	}
	narrow, err := report.Inline(draw(true).WriteSVG)
	return `<div class="broad">` + broad + `</div><div class="narrow">` + narrow + `</div>`, err
}

// contentOf returns what the page says, but for its table and pictures.
func contentOf(data string, c *compare.Comparison, head []template.HTML) content {
	p := content{
		Comparison: c, Data: data, Head: head, Upper: "–", Recovered: "–",
	}
	if !math.IsNaN(c.Upper) {
		p.Upper = c.Gain(c.Upper)
	}
	if !math.IsNaN(c.Recovered) {
		p.Recovered = fmt.Sprintf("%.0f %%", 100*c.Recovered)
	}
	return p
}

// rowOf returns a line of a table.
func rowOf(c *compare.Comparison, s compare.TableRow) row {
	r := row{Name: s.Name, Sees: sees(s.Score), Cells: s.Cells}
	switch {
	case s.Role == compare.Control:
		r.Class, r.Name = "control", "control: "+s.Name
	case s.Name == c.Best || s.Name == c.Baseline:
		r.Class = "named"
	}
	return r
}

// Write writes a comparison as one HTML page with pictures that needs no other file and no network. data names the
// data that were compared on. head is sections that stand before those of the comparison, such as Advice.
func Write(w io.Writer, data string, c *compare.Comparison, head ...template.HTML) error {
	p := contentOf(data, c, head)
	factor, unit, metric := 1.0, c.MetricName(), c.MetricName()
	if c.Fraction() {
		factor, unit, metric = 100, c.UnitName(), metric+", %"
	}
	interval := func(name string, colour color.Color, v compare.Interval) report.IntervalLine {
		return report.IntervalLine{
			Name: name, Colour: colour, Mean: factor * v.Mean, Low: factor * v.Low, High: factor * v.High,
		}
	}
	gains := report.Intervals{
		Label: fmt.Sprintf("gain over the model without privileged columns, %s (right is better)", unit),
		Lines: []report.IntervalLine{interval("chosen", report.Palette[5], c.Difference)},
	}
	if c.Metric == "rmse" {
		gains.Lines = append(gains.Lines, interval("chosen, noise removed", report.Palette[5], c.ControlVariate))
	}
	values := report.Strips{Label: metric + " on test rows"}
	var rows []compare.TableRow
	p.Columns, rows = c.Table()
	for _, s := range rows {
		r := rowOf(c, s)
		p.Table = append(p.Table, r)
		gains.Lines = append(gains.Lines, interval(r.Name, colours[s.Role], s.Difference))
		line := report.StripLine{Name: r.Name, Colour: colours[s.Role], Mean: factor * s.Mean}
		for _, v := range s.Values {
			line.Values = append(line.Values, factor*v)
		}
		values.Lines = append(values.Lines, line)
	}
	p.ClassColumns, rows = c.ClassTable()
	for _, s := range rows {
		p.ClassTable = append(p.ClassTable, rowOf(c, s))
	}
	pictures := []picture{
		{&p.Gains, func(narrow bool) report.Drawing { gains.Narrow = narrow; return &gains }},
		{&p.Values, func(narrow bool) report.Drawing { values.Narrow = narrow; return &values }},
	}
	if test := c.StrongestTest(); test.Method != "" {
		null := report.Histogram{
			Label:  "gain in leave-one-out loss, T (bars: number of permutations)",
			Values: test.Null, Observed: test.Statistic, Rule: "as the data are",
		}
		drawn := func(narrow bool) report.Drawing { null.Narrow = narrow; return &null }
		pictures = append(pictures, picture{&p.Null, drawn})
	}
	for _, picture := range pictures {
		var err error
		if *picture.dst, err = inBothWidths(picture.draw); err != nil {
			return err
		}
	}
	return page.Execute(w, p)
}
