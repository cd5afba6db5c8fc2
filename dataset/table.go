// Package dataset holds tables of named columns and says how they are read from files. The readers and writers of file
// formats are the packages below it: csv, arff, libsvm, npy, parquet; tablefile picks one by a file's name.
//
// A Table holds its columns in memory. A Source yields a table block by block; Collect makes it a Table. A Selection
// names the columns by role: target, privileged, normal, weight, id, group.
package dataset

import (
	"fmt"
	"math"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/celltext"
)

// Table is some rows of named, typed columns.
type Table struct {
	Rows    int
	Columns []Column
	Missing []string // Cells.Missing that the table was read with
}

// Column is one column of a Table. Exactly one of Numbers, Codes and Texts is set; Texts only where a caller asks for a
// column as text, such as an identifier. (In the blocks of a Source a column of unknown kind may have both Numbers and
// Codes: the numbers among its cells, and the words. Read makes it one or the other.)
type Column struct {
	Name    string
	Numbers []float64 // numeric: a missing cell is NaN, all others are finite
	Codes   []int     // categorical: index into Levels, -1 for a missing cell
	Levels  []string  // the distinct texts, in order of first appearance
	Texts   []string  // as written in the file
	// Reading tells how the numbers were written; nil for plain numbers. Where Reading.IsDate, the numbers are days.
	Reading *Reading
	// Markers are the texts that count as missing here, beside the empty cell, NA, NaN and ?.
	Markers []string
	Padded  bool // categories that are digits, kept as text because some begin with a zero
	// Shapes tells, in the blocks of a text, how the plain numbers among Numbers are written, all together.
	Shapes celltext.Shape
	Origin *Origin // where the column was read, or nil
	Number int     // position in its file, from 1

	written *written // of a column with a Reading or Markers that comes from texts
}

// Origin tells where the rows of a table came from. A row of a text stands on a line; a row of a binary file has a
// number.
type Origin struct {
	File  string
	Lines []int // line of each row, from 1; nil in a binary file
	First int   // in a binary file: how many of its rows stand before the first row here
	Rows  []int // in a binary file: number of each row, from 1, if the rows here do not follow each other there
}

// pick returns the origin of the given rows.
func (o *Origin) pick(rows []int) *Origin {
	out := &Origin{File: o.File, Lines: pick(o.Lines, rows, 0)}
	if o.Lines == nil {
		out.Rows = make([]int, len(rows))
		for i, r := range rows {
			out.Rows[i] = o.row(r)
		}
	}
	return out
}

// row returns the number of row i in the file, from 1.
func (o *Origin) row(i int) int {
	if o.Rows == nil || i < 0 {
		return o.First + i + 1
	}
	return o.Rows[i]
}

// Numeric reports whether the column holds numbers.
func (c *Column) Numeric() bool { return c.Numbers != nil || c.Codes == nil && c.Texts == nil }

// Missing reports whether the cell of row i is missing.
func (c *Column) Missing(i int) bool {
	if c.Numeric() {
		return math.IsNaN(c.Numbers[i])
	}
	return c.Codes != nil && c.Codes[i] < 0
}

// FirstMissing returns the first row with a missing cell, or -1.
func (c *Column) FirstMissing() int {
	if c.Numeric() {
		return slices.IndexFunc(c.Numbers, math.IsNaN)
	}
	return slices.Index(c.Codes, -1)
}

// Text returns the cell of row i as text; a missing cell is "".
func (c *Column) Text(i int) string {
	switch {
	case c.Texts != nil:
		return c.Texts[i]
	case c.Missing(i):
		return ""
	case c.Numeric() && c.Reading.IsDate():
		return celltext.FormatDay(c.Numbers[i])
	case c.Numeric():
		return celltext.FormatNumber(c.Numbers[i])
	}
	return c.Levels[c.Codes[i]]
}

// Place names the cell of row i for an error: file:line: column 3 ("name").
func (c *Column) Place(i int) string {
	name := fmt.Sprintf("column %q", c.Name)
	if c.Origin == nil {
		return fmt.Sprintf("row %d, %s", i+1, name)
	}
	if c.Origin.Lines == nil {
		return fmt.Sprintf("%s: row %d, %s", c.Origin.File, c.Origin.row(i), name)
	}
	return fmt.Sprintf("%s:%d: column %d (%q)", c.Origin.File, c.Origin.Lines[i], c.Number, c.Name)
}

// MissingError is the error for the missing cell of row i. The hint is a format with operands.
func (c *Column) MissingError(i int, hint string, operands ...any) error {
	return fault.New(fault.Data, "%s: the cell is missing", c.Place(i)).WithHint(hint, operands...)
}

// Names returns the columns' names.
func (t *Table) Names() []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}

// Find returns the column called name, or nil.
func (t *Table) Find(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Pick returns the columns at the given positions.
func (t *Table) Pick(positions []int) []*Column {
	out := make([]*Column, len(positions))
	for i, p := range positions {
		out[i] = &t.Columns[p]
	}
	return out
}

// Check returns an error for a table that a program put together wrongly: fault.Usage for columns of other lengths than
// Rows and codes without a level, fault.Data for infinities.
func (t *Table) Check() error {
	if t == nil {
		return fault.New(fault.Usage, "there is no table")
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		kinds := 0
		for _, set := range []bool{c.Numbers != nil, c.Codes != nil, c.Texts != nil} {
			if set {
				kinds++
			}
		}
		if n := len(c.Numbers) + len(c.Codes) + len(c.Texts); n != t.Rows || kinds > 1 {
			return fault.New(fault.Usage, "column %q has %d cells of %d kinds in a table of %d rows", c.Name, n, kinds,
				t.Rows)
		}
		if k := slices.IndexFunc(c.Codes, func(k int) bool { return k < -1 || k >= len(c.Levels) }); k >= 0 {
			return fault.New(fault.Usage, "%s: code %d is not that of a level", c.Place(k), c.Codes[k])
		}
		if k := slices.IndexFunc(c.Numbers, func(v float64) bool { return math.IsInf(v, 0) }); k >= 0 {
			return fault.New(fault.Data, "%s: %v is not a finite number", c.Place(k), c.Numbers[k])
		}
	}
	return nil
}

// Subset returns the given rows as a new table; row -1 is one of missing cells.
func (t *Table) Subset(rows []int) *Table {
	out := &Table{Rows: len(rows), Columns: slices.Clone(t.Columns), Missing: t.Missing}
	origins := map[*Origin]*Origin{}
	for i := range out.Columns {
		c := &out.Columns[i]
		c.Numbers, c.Codes, c.Texts = pick(c.Numbers, rows, math.NaN()), pick(c.Codes, rows, -1),
			pick(c.Texts, rows, "")
		if c.written != nil {
			c.written = &written{pick(c.written.codes, rows, -1), c.written.levels}
		}
		if o := c.Origin; o != nil {
			if origins[o] == nil {
				origins[o] = o.pick(rows)
			}
			c.Origin = origins[o]
		}
	}
	return out
}

// pick returns the given elements of v, missing for -1.
func pick[T any](v []T, rows []int, missing T) []T {
	if v == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = missing
		if r >= 0 {
			out[i] = v[r]
		}
	}
	return out
}

// FileName names the file that the table was read from, for errors; "the table" if there is none.
func (t *Table) FileName() string {
	for i := range t.Columns {
		if o := t.Columns[i].Origin; o != nil {
			return o.File
		}
	}
	return "the table"
}
