package dataset

import (
	"context"
	"iter"

	"rvflplus/fault"
	"rvflplus/internal/memory"
)

// Source is a table that is read block by block, so that it need not fit in
// memory, in two steps, so that columns can be chosen by name before their cells
// are judged.
type Source interface {
	// Fields returns the columns: their names, and what the format declares of them.
	Fields() []Field
	// Blocks yields the rows in order, in tables of some thousand rows; want says
	// for each field how it is read. There is at least one block, which may have no
	// rows. A block is the caller's to keep; its origin tells where its rows stand.
	// In every block a categorical column's levels begin with those of the block
	// before. A column of unknown kind is numeric until its first cell that is not
	// missing. The rows can be read once. After an error, of kind fault.Data if
	// the data are at fault, naming file, line and column, no more blocks follow.
	Blocks(ctx context.Context, want []Want) iter.Seq2[*Table, error]
}

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
	Numeric
	Nominal
)

// Want says how a column is to be read.
type Want int

const (
	// Auto makes a column numeric when every cell is a number and categorical when
	// none is; a mixture is an error.
	Auto Want = iota
	// Categorical takes every cell as a category.
	Categorical
	// Text keeps the cells as written.
	Text
	// Skip leaves the column out.
	Skip
	// WithText, added to Auto or Categorical, reads the column twice: as that, and
	// as a second column of the same name that keeps the cells as written.
	WithText Want = 1 << 4
)

// Names returns the names of fields.
func Names(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// Collect reads a source whole. Memory is checked while the table grows.
func Collect(ctx context.Context, src Source, want []Want) (*Table, error) {
	var all *Table
	var size weight
	for block, err := range src.Blocks(ctx, want) {
		if err != nil {
			return nil, err
		}
		size.add(block)
		if all == nil {
			all = block
			continue
		}
		all.extend(block)
		if err := memory.Check(size.bytes/4, "reading "+all.file(), "drop columns with --drop, or use fewer rows"); err != nil {
			return nil, err
		}
	}
	if all == nil {
		return nil, fault.New(fault.Data, "the source has no blocks")
	}
	return all, ctx.Err()
}

// extend adds the rows of the next block of the same source.
func (t *Table) extend(block *Table) {
	origins := map[*Origin]bool{}
	for i := range t.Columns {
		c, next := &t.Columns[i], &block.Columns[i]
		c.agree(next, t.Rows, block.Rows)
		c.Numbers = append(c.Numbers, next.Numbers...)
		c.Codes = append(c.Codes, next.Codes...)
		c.Texts = append(c.Texts, next.Texts...)
		c.Levels = next.Levels
		if o := c.Origin; o != nil && !origins[o] {
			origins[o] = true
			o.Lines = append(o.Lines, next.Origin.Lines...)
		}
	}
	t.Rows += block.Rows
}

// agree makes a column all of whose cells so far are missing, c or next,
// categorical if the other is.
func (c *Column) agree(next *Column, rows, nextRows int) {
	if c.Codes == nil && next.Codes != nil && c.Texts == nil {
		c.Numbers, c.Codes = nil, missingCodes(rows)
	}
	if next.Codes == nil && c.Codes != nil {
		next.Numbers, next.Codes, next.Levels = nil, missingCodes(nextRows), c.Levels
	}
}

func missingCodes(n int) []int {
	codes := make([]int, n)
	for i := range codes {
		codes[i] = -1
	}
	return codes
}
