// Package report draws data and results as pictures in SVG, PNG and PDF: histograms, box plots, intervals, strips,
// curves, marginal curves, mean ranks and heat maps. It knows nothing of what the numbers mean: whoever has results
// hands it the texts and numbers to draw.
package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"rvflplus/dataset"
	"rvflplus/internal/survey"
)

// Sheet is a page with a small histogram of every column of a table.
type Sheet struct {
	Title   string
	Classes []string // the parts of every bar, in colours; nil for bars of one colour
	Panels  []Panel
	class   int // the column of the classes, or -1
	index   map[string]int
}

// Panel is the histogram of one column.
type Panel struct {
	Name    string
	Note    string // stands below the axis, before the number of missing cells
	Missing int

	Low, High float64  // of numbers: the outer edges of the bins, or the only value
	Bars      []string // of categories: a bar each, nil for numbers
	Counts    [][]int  // rows of each class (one, without Classes) in each bin or bar

	bar   map[string]int
	whole bool // a bin for each whole number
}

const (
	bins       = 24
	maxBars    = 8  // of categories; the rarest are one bar
	maxClasses = 10 // colours that can be told apart
	maxPanels  = 400
	others     = "others"
)

// NewSheet makes an empty sheet for the table that s describes. class is the column whose values are shown as colours,
// -1 for none. A column with more than ten values has no colours.
func NewSheet(title string, s *survey.Summary, class int) *Sheet {
	sheet := &Sheet{Title: title, class: -1, index: map[string]int{}}
	if class >= 0 {
		if values := occurring(s.Columns[class].Values); len(values) > 1 && len(values) <= maxClasses {
			sheet.class = class
			for i, v := range values {
				sheet.Classes = append(sheet.Classes, v.Text)
				sheet.index[v.Text] = i
			}
		}
	}
	for i := range s.Columns[:min(len(s.Columns), maxPanels)] {
		sheet.Panels = append(sheet.Panels, sheet.panel(&s.Columns[i], i == class))
	}
	if n := len(s.Columns); n > maxPanels {
		sheet.Title += fmt.Sprintf(" (the first %d of %d columns)", maxPanels, n)
	}
	return sheet
}

// occurring returns the values that a column has; a table may list categories that no row is of.
func occurring(values []survey.ValueCount) []survey.ValueCount {
	return slices.DeleteFunc(slices.Clone(values), func(v survey.ValueCount) bool { return v.Count == 0 })
}

// panel makes the empty histogram of a column.
func (s *Sheet) panel(c *survey.Column, class bool) Panel {
	p := Panel{Name: c.Name, Missing: c.Missing}
	n := bins
	switch {
	case c.Kind == dataset.Nominal || class && len(c.Values) > 0 && len(c.Values) <= maxBars:
		p.setBars(c.Values)
		n = len(p.Bars)
	case math.IsNaN(c.Min):
		p.Low, p.High = 0, 1
	default:
		n = p.setRange(c)
	}
	for range max(1, len(s.Classes)) {
		p.Counts = append(p.Counts, make([]int, n))
	}
	return p
}

// setRange chooses the bins of numbers and returns how many there are. Few whole numbers have a bin each.
func (p *Panel) setRange(c *survey.Column) int {
	p.Low, p.High = c.Min, c.Max
	fraction := slices.ContainsFunc(c.Values, func(v survey.ValueCount) bool {
		x, _ := strconv.ParseFloat(v.Text, 64)
		return x != math.Trunc(x)
	})
	switch span := c.Max - c.Min; {
	case span == 0:
		return 1
	case c.Values != nil && !fraction && span < bins:
		p.whole = true
		return int(span) + 1
	}
	return bins
}

// setBars gives the most frequent categories a bar each, in their order.
func (p *Panel) setBars(values []survey.ValueCount) {
	p.bar = map[string]int{}
	kept := occurring(values)
	least := 0
	if len(kept) > maxBars {
		counts := make([]int, len(kept))
		for i, v := range kept {
			counts[i] = -v.Count
		}
		slices.Sort(counts)
		least = -counts[maxBars-2]
	}
	for _, v := range kept {
		if v.Count >= least && (len(kept) <= maxBars || len(p.Bars) < maxBars-1) {
			p.bar[v.Text] = len(p.Bars)
			p.Bars = append(p.Bars, v.Text)
		}
	}
	if len(p.Bars) < len(kept) {
		p.Bars = append(p.Bars, others)
	}
}

// Add counts the rows of a block, which has the columns of the summary.
func (s *Sheet) Add(block *dataset.Table) {
	classes := make([]int, block.Rows) // the part of its bars in which each row counts, -1 for none
	if s.class >= 0 {
		for row := range classes {
			class, known := s.index[label(&block.Columns[s.class], row)]
			if !known {
				class = -1
			}
			classes[row] = class
		}
	}
	for i := range s.Panels {
		p, c := &s.Panels[i], &block.Columns[i]
		for row, class := range classes {
			if class >= 0 && !c.Missing(row) {
				p.Counts[class][p.place(c, row)]++
			}
		}
	}
}

// label is the text of a cell, the same for 0 and -0.
func label(c *dataset.Column, row int) string {
	if c.Numeric() && c.Numbers[row] == 0 {
		return "0"
	}
	return c.Text(row)
}

// place returns the bin or bar of a cell.
func (p *Panel) place(c *dataset.Column, row int) int {
	n := len(p.Counts[0])
	if p.bar != nil {
		if bar, known := p.bar[label(c, row)]; known {
			return bar
		}
		return n - 1
	}
	switch {
	case n == 1:
		return 0
	case p.whole:
		return int(c.Numbers[row] - p.Low)
	}
	// Halves, because the width of the range may be beyond float64.
	share := (c.Numbers[row]/2 - p.Low/2) / (p.High/2 - p.Low/2)
	return max(0, min(n-1, int(share*float64(n))))
}
