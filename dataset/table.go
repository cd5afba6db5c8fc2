// Package dataset holds tables whose columns have roles: target, privileged,
// normal, id, weight, dropped. Readers of file formats are packages below it.
package dataset

import (
	"fmt"
	"math"
	"slices"

	"rvflplus/fault"
)

// Table is some rows of named, typed columns.
type Table struct {
	Rows    int
	Columns []Column
}

// Column is one column of a Table. Exactly one of Numbers, Codes and Texts is
// set (Texts by request of the reader's caller, for identifiers).
type Column struct {
	Name    string
	Numbers []float64 // numeric: a missing cell is NaN, all others are finite
	Codes   []int     // categorical: index into Levels, -1 for a missing cell
	Levels  []string  // the distinct texts, in order of first appearance
	Texts   []string  // as written in the file
	Origin  *Origin   // where the column was read, or nil
	Number  int       // position in its file, from 1
}

// Origin tells where the rows of a table came from.
type Origin struct {
	File  string
	Lines []int // line of each row, or nil when rows have no lines
	First int   // rows of the file before the first, where rows have no lines
	Rows  []int // number of each row in the file, from 1, where some were picked from rows without lines
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
	case c.Numeric():
		return FormatNumber(c.Numbers[i])
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

// MissingError is the error for the missing cell of row i.
func (c *Column) MissingError(i int, hint string) error {
	return fault.New(fault.Data, "%s: the cell is missing", c.Place(i)).WithHint("%s", hint)
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

// Check returns a fault.Usage error for a table that a program put together
// wrongly: columns of other lengths than Rows, codes without a level, infinities.
func (t *Table) Check() error {
	if t == nil {
		return fault.New(fault.Usage, "there is no table")
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if n := len(c.Numbers) + len(c.Codes) + len(c.Texts); n != t.Rows || c.kinds() > 1 {
			return fault.New(fault.Usage, "column %q has %d cells of %d kinds in a table of %d rows", c.Name, n, c.kinds(), t.Rows)
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

func (c *Column) kinds() int {
	kinds := 0
	for _, set := range []bool{c.Numbers != nil, c.Codes != nil, c.Texts != nil} {
		if set {
			kinds++
		}
	}
	return kinds
}

// asCategories returns t with the given columns as categories.
func (t *Table) asCategories(columns []int) *Table {
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for _, i := range columns {
		out.Columns[i] = out.Columns[i].asCategories(NewDictionary(nil))
	}
	return &out
}

// Subset returns the given rows as a new table; row -1 is one of missing cells.
func (t *Table) Subset(rows []int) *Table {
	out := &Table{Rows: len(rows), Columns: slices.Clone(t.Columns)}
	origins := map[*Origin]*Origin{}
	for i := range out.Columns {
		c := &out.Columns[i]
		c.Numbers, c.Codes, c.Texts = pick(c.Numbers, rows, math.NaN()), pick(c.Codes, rows, -1), pick(c.Texts, rows, "")
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

// Beside returns a table with the columns of t followed by those of other, row by
// row. The tables must have equally many rows: otherwise the error is
// fault.Data.
func (t *Table) Beside(other *Table) (*Table, error) {
	if t.Rows != other.Rows {
		return nil, fault.New(fault.Data, "%s has %d rows, %s has %d", t.file(), t.Rows, other.file(), other.Rows).
			WithHint("row i of both files must describe the same case")
	}
	return &Table{Rows: t.Rows, Columns: slices.Concat(t.Columns, other.Columns)}, nil
}

// NoRows is the error for a table without rows where some are needed.
func (t *Table) NoRows() error {
	return fault.New(fault.Data, "%s has no rows below its header", t.file()).
		WithHint("use --no-header if the first line is data")
}

func (t *Table) file() string {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Origin != nil {
			return c.Origin.File
		}
	}
	return "the table"
}

func (c *Column) file() string {
	if c.Origin == nil {
		return "the table"
	}
	return c.Origin.File
}
