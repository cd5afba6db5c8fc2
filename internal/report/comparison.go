package report

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"strconv"

	"rvflplus/internal/compare"
)

//go:embed comparison.html
var comparisonPage string

var comparisonTemplate = template.Must(template.New("comparison").Parse(comparisonPage))

// page is what the template shows.
type page struct {
	*compare.Comparison
	Data                 string
	Gains, Values, Null  template.HTML // pictures
	Table                []tableRow
	ChosenGain, Upper    string
	Recovered, BestP, T  string
	SmallestP, NullShare string
}

type tableRow struct{ Name, Seen, Mean, SD, Gain, Interval, P, Time, Class string }

// seen says what a role looks at.
var seen = map[compare.Role]string{
	compare.Baseline: "normal columns", compare.Privileged: "privileged ones in training", compare.UpperBound: "privileged ones in use too",
}

// WriteComparison writes a comparison as one HTML page with plots that needs no other
// file and no network. data names what was compared on.
func WriteComparison(w io.Writer, data string, c *compare.Comparison) error {
	p := page{Comparison: c, Data: data, Table: tableOf(c), ChosenGain: c.Range(c.Difference), Upper: "–", Recovered: "–"}
	if !math.IsNaN(c.Upper) {
		p.Upper = c.Gain(c.Upper)
	}
	if !math.IsNaN(c.Recovered) {
		p.Recovered = strconv.FormatFloat(100*c.Recovered, 'f', 0, 64) + " %"
	}
	t := c.BestTest()
	p.BestP, p.T = c.PValue(c.Best), strconv.FormatFloat(t.Statistic, 'g', 3, 64)
	p.SmallestP = strconv.FormatFloat(float64(len(c.Permutation.Tests))/float64(c.Permutation.Rounds+1), 'g', 2, 64)
	reached := 0
	for _, v := range t.Null {
		if v >= t.Statistic {
			reached++
		}
	}
	p.NullShare = strconv.Itoa(reached)
	for _, f := range []struct {
		dst  *template.HTML
		draw func(*compare.Comparison) (template.HTML, error)
	}{{&p.Gains, gainsPicture}, {&p.Values, valuesPicture}, {&p.Null, nullPicture}} {
		var err error
		if *f.dst, err = f.draw(c); err != nil {
			return err
		}
	}
	return comparisonTemplate.Execute(w, p)
}

func tableOf(c *compare.Comparison) []tableRow {
	var rows []tableRow
	for _, s := range c.Methods {
		if s.Values == nil {
			continue
		}
		r := tableRow{s.Name, seen[s.Role], c.Number(s.Mean), c.Number(s.SD), c.Gain(s.Difference.Mean), c.Bounds(s.Difference), c.PValue(s.Name), seconds(s.Seconds), ""}
		if s.Name == c.Best || s.Name == c.Baseline {
			r.Class = "named"
		}
		rows = append(rows, r)
	}
	for _, k := range c.Controls {
		rows = append(rows, tableRow{"control: " + k.Name, controlled[k.Name], c.Number(k.Mean), c.Number(k.SD), c.Gain(k.Difference.Mean), c.Bounds(k.Difference), "", "", "control"})
	}
	return rows
}

// controlled says what stands in for the privileged columns.
var controlled = map[string]string{"shuffled": "residuals shuffled", "noise": "noise in their place"}

func seconds(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) + " s" }

// Colour returns the colour of the verdict, "" for that of no evidence.
func (p page) Colour() string {
	return map[compare.Verdict]string{compare.Helps: "#00704f", compare.Hurts: "#b34700"}[p.Verdict]
}
