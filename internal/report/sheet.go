// Package report draws data and results as SVG pictures.
package report

import (
	"math"
	"slices"
	"strconv"

	"rvflplus/dataset"
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
	Name string
	// Note stands below the axis, before what is missing.
	Note    string
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

// NewSheet makes an empty sheet for a table that is described by s. class is the
// column whose values are shown as colours, -1 for none; more than ten values are
// not.
func NewSheet(title string, s *dataset.Summary, class int) *Sheet {
	sheet := &Sheet{Title: title, class: -1, index: map[string]int{}}
	if class >= 0 {
		if values := occurring(s.Columns[class].Values); len(values) > 1 && len(values) <= maxClasses {
			sheet.class = class
			sheet.Classes = values
		}
	}
	for i, c := range sheet.Classes {
		sheet.index[c] = i
	}
	for i := range s.Columns[:min(len(s.Columns), maxPanels)] {
		sheet.Panels = append(sheet.Panels, sheet.panel(&s.Columns[i], i == class))
	}
	if n := len(s.Columns); n > maxPanels {
		sheet.Title += " (the first " + strconv.Itoa(maxPanels) + " of " + strconv.Itoa(n) + " columns)"
	}
	return sheet
}

func occurring(values []dataset.ValueCount) []string {
	var texts []string
	for _, v := range values {
		if v.Count > 0 {
			texts = append(texts, v.Text)
		}
	}
	return texts
}

// panel makes the empty histogram of a column.
func (s *Sheet) panel(c *dataset.ColumnSummary, class bool) Panel {
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

// setRange chooses the bins of numbers and returns how many there are: one for each
// whole number, if these are few.
func (p *Panel) setRange(c *dataset.ColumnSummary) int {
	p.Low, p.High = c.Min, c.Max
	fraction := slices.ContainsFunc(c.Values, func(v dataset.ValueCount) bool {
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
func (p *Panel) setBars(values []dataset.ValueCount) {
	p.bar = map[string]int{}
	kept := slices.DeleteFunc(slices.Clone(values), func(v dataset.ValueCount) bool { return v.Count == 0 })
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
	classes := s.classesOf(block)
	for i := range s.Panels {
		s.Panels[i].add(&block.Columns[i], classes)
	}
}

// classesOf returns the part of its bars in which each row counts, -1 for none.
func (s *Sheet) classesOf(block *dataset.Table) []int {
	classes := make([]int, block.Rows)
	if s.class < 0 {
		return classes
	}
	column := &block.Columns[s.class]
	for row := range classes {
		class, known := s.index[label(column, row)]
		if !known {
			class = -1
		}
		classes[row] = class
	}
	return classes
}

// label is the text of a cell; 0 and -0 are one.
func label(c *dataset.Column, row int) string {
	if c.Numeric() && c.Numbers[row] == 0 {
		return "0"
	}
	return c.Text(row)
}

func (p *Panel) add(c *dataset.Column, classes []int) {
	for row, class := range classes {
		if class >= 0 && !c.Missing(row) {
			p.Counts[class][p.place(c, row)]++
		}
	}
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
	// Halves, because the range may be beyond float64.
	share := (c.Numbers[row]/2 - p.Low/2) / (p.High/2 - p.Low/2)
	return max(0, min(n-1, int(share*float64(n))))
}
