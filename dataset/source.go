package dataset

import (
	"context"
	"iter"
	"math"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/categories"
	"rvflplus/internal/memory"
)

// Source is a table that is read block by block, so that it need not fit in memory. It is read in two steps, so that
// columns can be chosen by name before their cells are judged.
type Source interface {
	// Fields returns the columns: their names, and what the format declares of them.
	Fields() []Field
	// Blocks yields the rows in order, in tables of some thousand rows; as says how each field is read. There is at
	// least one block, which may have no rows. A block is the caller's to keep; the Origin of its columns tells where
	// its rows stand. In every block a categorical column's levels begin with the levels of the block before. A column
	// of unknown kind that is read as Auto is numeric until its first word; from there on a block of a text may have
	// Numbers for the plain numbers among the cells, NaN elsewhere, and Codes for the words, -1 elsewhere. A column of
	// kind Date has Numbers, days as Day counts them, and the Reading Days. The rows can be read once. After an error
	// no more blocks follow. Errors about the data are of kind fault.Data and name file, line and column.
	Blocks(ctx context.Context, as []ReadAs) Blocks
}

// Blocks are the rows of a table, block by block.
type Blocks = iter.Seq2[*Table, error]

// Field is a column of a source.
type Field struct {
	Name   string
	Kind   Kind
	Levels []string // the declared categories, in order, if Kind is Nominal
}

// Kind is what a format declares of a column before its cells are read.
type Kind int

const (
	Unknown Kind = iota // the cells decide
	Numeric             // numbers
	Nominal             // categories
	// Date is of dates and times. Such a column of a block has Numbers, days as Day counts them, and the Reading Days;
	// as a category, an identifier or a key it is then its text in ISO 8601. A source of a format that knows dates
	// (Parquet, a database) declares the kind, and dates of every format are treated alike.
	Date
)

// FieldNames returns the names of fields.
func FieldNames(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// Outline is what is known of a source after a first pass over its rows. Writers of formats that state beforehand how
// many rows follow, or which categories a column has, need it.
type Outline struct {
	Rows   int
	Fields []Field // every Kind is Numeric or Nominal; Levels holds all categories
}

// Outline returns the table's number of rows and its columns.
func (t *Table) Outline() Outline { return Outline{t.Rows, t.Source().Fields()} }

// Source returns the table in the form that readers of files have, in one block. It can be read more than once, and
// shares the table's cells.
func (t *Table) Source() Source { return inMemory{t} }

type inMemory struct{ table *Table }

func (m inMemory) Fields() []Field {
	fields := make([]Field, len(m.table.Columns))
	for i := range fields {
		c := &m.table.Columns[i]
		fields[i] = Field{Name: c.Name, Kind: Numeric}
		switch {
		case !c.Numeric():
			fields[i].Kind, fields[i].Levels = Nominal, c.Levels
		case c.Reading.IsDate():
			fields[i].Kind = Date
		}
	}
	return fields
}

func (m inMemory) Blocks(ctx context.Context, as []ReadAs) Blocks {
	if len(as) != len(m.table.Columns) {
		panic("dataset: as many ways to read as columns are needed")
	}
	return Convert(func(yield func(*Table, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		yield(m.table, nil)
	}, as)
}

// collect joins the blocks of a source.
func collect(ctx context.Context, src Source, as []ReadAs) (*Table, error) {
	var all *Table
	var size tableSize
	for block, err := range src.Blocks(ctx, as) {
		if err != nil {
			return nil, err
		}
		size.add(block)
		if all == nil {
			all = block
			continue
		}
		all.extend(block)
		if err := memory.Check(size.bytes/4, "reading "+all.FileName(),
			"drop columns with %s, or use fewer rows", fault.Name("drop")); err != nil {
			return nil, err
		}
	}
	if all == nil {
		return nil, fault.New(fault.Data, "the source has no blocks")
	}
	return all, ctx.Err()
}

// tableSize estimates the memory of a table that grows block by block. Each block is looked at once.
type tableSize struct {
	bytes  float64
	levels []int // of each column, how many are counted
}

// add counts the cells of a block and the levels that are new in it.
func (s *tableSize) add(block *Table) {
	const cell, header = 8, 16
	s.bytes += cell * float64(block.Rows) * float64(len(block.Columns)+1)
	for i := range block.Columns {
		c := &block.Columns[i]
		if i == len(s.levels) {
			s.levels = append(s.levels, 0)
		}
		for ; s.levels[i] < len(c.Levels); s.levels[i]++ {
			s.bytes += categories.Bytes(c.Levels[s.levels[i]])
		}
		for _, text := range c.Texts {
			s.bytes += float64(header - cell + len(text))
		}
	}
}

// extend adds the rows of the next block of the same source.
func (t *Table) extend(block *Table) {
	origins := map[*Origin]bool{}
	for i := range t.Columns {
		c, next := &t.Columns[i], &block.Columns[i]
		c.extend(t.Rows, next, block.Rows)
		if o := c.Origin; o != nil && !origins[o] {
			origins[o] = true
			o.Lines = append(o.Lines, next.Origin.Lines...)
		}
	}
	t.Rows += block.Rows
}

// extend adds the more cells of the next block to the rows cells of c. A column has Numbers, Codes or both from the
// block on in which it first has them.
func (c *Column) extend(rows int, next *Column, more int) {
	if c.Texts != nil {
		c.Texts = append(c.Texts, next.Texts...)
		return
	}
	if c.Codes == nil && next.Codes != nil {
		c.Codes = missingCodes(rows)
		if !slices.ContainsFunc(c.Numbers, isNumber) {
			c.Numbers = nil // all cells so far were missing
		}
	}
	if c.Numbers == nil && slices.ContainsFunc(next.Numbers, isNumber) {
		c.Numbers = slices.Repeat([]float64{math.NaN()}, rows)
	}
	if c.Codes != nil {
		if next.Codes == nil {
			next.Codes, next.Levels = missingCodes(more), c.Levels
		}
		c.Codes, c.Levels = append(c.Codes, next.Codes...), next.Levels
	}
	if c.Numbers != nil {
		if next.Numbers == nil {
			next.Numbers = slices.Repeat([]float64{math.NaN()}, more)
		}
		c.Numbers = append(c.Numbers, next.Numbers...)
	}
	c.Shapes |= next.Shapes
}

func isNumber(v float64) bool { return v == v }

func missingCodes(n int) []int {
	codes := make([]int, n)
	for i := range codes {
		codes[i] = -1
	}
	return codes
}
