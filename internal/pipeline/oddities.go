package pipeline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/namelist"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
)

// oddities returns a note for each thing that is rarely meant in the features and the classes of a table: columns that
// count the rows, and categories that differ in case or blanks alone.
func oddities(d *roles.Data) (notes []fault.Text) {
	var counting []string
	for _, i := range slices.Concat(d.Roles.Normal, d.Roles.Priv) {
		c := &d.Columns[i]
		if countsRows(c) {
			counting = append(counting, fmt.Sprintf("%q", c.Name))
		}
		if text := alikeText(c.Levels); text != "" {
			notes = append(notes, fault.Textf("column %q: categories differ in case or blanks alone: %s", c.Name, text))
		}
	}
	if len(counting) > 0 {
		notes = append(notes, fault.Textf("these columns only count the rows, which tells nothing about a new row: %s"+
			"; %s or %s takes them out of the features", namelist.Abbreviate(counting), fault.Name("id"),
			fault.Name("drop")))
	}
	return notes
}

// leastCounted is the number of rows from which a column that holds a number after the other is no coincidence.
const leastCounted = 10

// countsRows reports whether the cells of a column are n whole numbers that follow each other, each once and in any
// order: the numbers of the rows.
func countsRows(c *dataset.Column) bool {
	n := len(c.Numbers)
	if n < leastCounted || c.Numbers[0] != math.Trunc(c.Numbers[0]) { // most columns end here
		return false
	}
	low := slices.Min(c.Numbers) // NaN where a cell is missing
	seen := make([]bool, n)
	for _, v := range c.Numbers {
		at := v - low
		if !(at < float64(n)) || at != math.Trunc(at) || seen[int(at)] {
			return false
		}
		seen[int(at)] = true
	}
	return true
}

// alikeText lists the texts that differ from another one in case or blanks alone; "" if there are none.
func alikeText(texts []string) string {
	first := map[string]string{}
	var alike []string
	for _, text := range texts {
		key := strings.ToLower(strings.Join(strings.Fields(text), " "))
		if other, again := first[key]; again {
			alike = append(alike, fmt.Sprintf("%q and %q", other, text))
		} else {
			first[key] = text
		}
	}
	return namelist.Abbreviate(alike)
}

// oddClasses returns notes on classes that have one row, and on those that differ in case or blanks alone.
func oddClasses(coder *target.Coder, labels []int) (notes []fault.Text) {
	if coder.Task != target.Classification {
		return nil
	}
	rows := make([]int, len(coder.Classes))
	for _, k := range labels {
		if k < len(rows) {
			rows[k]++
		}
	}
	var single []string
	for k, n := range rows {
		if n == 1 {
			single = append(single, fmt.Sprintf("%q", coder.Classes[k]))
		}
	}
	if len(single) > 0 {
		notes = append(notes, fault.Textf("classes of one row, which nothing can be learned of while it is left out: "+
			"%s", namelist.Abbreviate(single)))
	}
	if text := alikeText(coder.Classes); text != "" {
		notes = append(notes, fault.Textf("classes of %q differ in case or blanks alone: %s", coder.Names[0], text))
	}
	return notes
}
