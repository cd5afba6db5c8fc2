package main

import (
	"slices"

	"rvflplus/dataset"
	"rvflplus/internal/namelist"
	"rvflplus/internal/survey"
)

// decimalCommas are the columns that the whole table reads with decimal commas. A part of the rows, or the file with
// another separator, could be read otherwise: 1,234 would be a thousand. They are written with decimal points.
type decimalCommas struct {
	readings []*dataset.Reading // of each column to write, nil for the others
	points   *dataset.Points
}

// findCommas finds the columns, changes the outline and says so; it returns their names. Where semicolons will separate
// columns, a comma between thousands could be taken for a decimal comma, and goes too.
func (w *rewriting) findCommas(a *app, columns []survey.Column, missing []string) []string {
	readings := make([]*dataset.Reading, len(columns))
	var decimal, thousands []string
	for i, f := range w.source.Fields() {
		c := &columns[i]
		if f.Kind != dataset.Unknown || c.Kind != dataset.Nominal || slices.Contains(w.named, i) {
			continue
		}
		counts := make([]int, len(c.Values))
		for k, v := range c.Values {
			counts[k] = v.Count
		}
		r := dataset.Cells{Missing: missing}.ReadingOf(c.Levels, counts, w.file.DecimalCommas())
		switch {
		case r == nil:
		case r.Decimal == ",":
			readings[i], decimal = r, append(decimal, f.Name)
		case r.Group == "," && w.options.Separator == ";":
			readings[i], thousands = r, append(thousands, f.Name)
		}
	}
	if decimal != nil {
		a.note("decimal commas are written as points: " + namelist.Abbreviate(decimal))
	}
	if thousands != nil {
		a.note("written without commas between thousands: " + namelist.Abbreviate(thousands))
	}
	names := slices.Concat(decimal, thousands)
	if names == nil {
		return nil
	}
	w.commas = &decimalCommas{readings, dataset.NewPoints(readings, missing)}
	w.commas.points.Fields(w.outline.Fields)
	for i, r := range readings {
		if r != nil {
			w.read[i] = dataset.Categorical
		}
	}
	return names
}

// readings returns the readings of the columns with decimal commas, nil for all others, or nil if there are none.
func (w *rewriting) readings() []*dataset.Reading {
	if w.commas == nil {
		return nil
	}
	return w.commas.readings
}
