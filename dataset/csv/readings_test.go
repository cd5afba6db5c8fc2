package csv

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"rvflplus/dataset"
)

// A reading that was found from all cells reads each of them alone, and the plain number in its place, as the same
// bits.
func FuzzReadings(f *testing.F) {
	for _, cells := range [][3]string{
		{"1.4%", "12 %", "-3%"}, {"$98.50", "$1,200.00", "-$5"}, {"1.200,50 €", "98,00 €", "NA"},
		{"1,234", "950", "12,000"},
		{"1,5", "0,25", "3"}, {"70 kg", "82.5kg", "-"}, {"01234", "98765", "00501"}, {"2024-01-31", "1969-12-31", ""},
		{"1970-01-01T12:00Z", "1970-01-01 18:00", "1970-02"}, {"1'200.5", "12'345", "7"}, {"(3)", "4", "1e3"},
		{"None", "low", "high"}, {"1.234.567", "1", "2"}, {"007", "7.5", "inf"}, {"1,234", "1,5", "2"},
		{"01/02/2024", "3", "x"}, {"1.234 €", "1.5 €", "2"}, {"€ 1 200,50", "€ 3,00", "€ 12"},
	} {
		for _, commas := range []bool{false, true} {
			f.Add(cells[0], cells[1], cells[2], commas)
		}
	}
	f.Fuzz(func(t *testing.T, a, b, c string, commas bool) {
		separator := ","
		if commas {
			separator = ";"
		}
		table, err := readCells(separator, nil, a, b, c)
		if err != nil || len(table.Columns) != 1 || table.Rows != 3 || !table.Columns[0].Numeric() {
			return
		}
		column := &table.Columns[0]
		if err := table.Check(); err != nil {
			t.Fatal(err)
		}
		reading := column.Reading
		if reading == nil {
			reading = &dataset.Reading{}
		}
		if !reading.Sound() {
			t.Errorf("%+v", reading)
		}
		for i, cell := range []string{a, b, c} {
			v := column.Numbers[i]
			alone := []string{cell}
			if !math.IsNaN(v) && !reading.IsDate() && reading.Group != "." {
				alone = append(alone, fmt.Sprint(v)) // the plain number
			}
			for _, text := range alone {
				again, err := readCells(separator, reading, text)
				if err != nil {
					t.Errorf("%q of %q %q %q: %v", text, a, b, c, err)
				} else if again.Rows != 1 {
					continue
				} else if got := again.Columns[0].Numbers[0]; got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
					t.Errorf("%q of %q %q %q is %v, was %v (%+v)", text, a, b, c, got, v, reading)
				}
			}
		}
	})
}

// readCells reads a file of one column in quotes.
func readCells(separator string, known *dataset.Reading, cells ...string) (*dataset.Table, error) {
	var text strings.Builder
	text.WriteString("x\n")
	for _, cell := range cells {
		fmt.Fprintf(&text, "\"%s\"\n", strings.ReplaceAll(cell, `"`, `""`))
	}
	r, err := NewReader(strings.NewReader(text.String()), Options{Name: "t", Separator: separator})
	if err != nil {
		return nil, err
	}
	return dataset.Read(context.Background(), r, make([]dataset.ReadAs, 1), dataset.Cells{}, []*dataset.Reading{known})
}
