package dataset

import (
	"context"
	"iter"
)

// Source returns the table as readers of files give theirs, in one block. It can be
// read more than once, and shares the table's cells.
func (t *Table) Source() Source { return inMemory{t} }

type inMemory struct{ table *Table }

func (m inMemory) Fields() []Field {
	fields := make([]Field, len(m.table.Columns))
	for i := range fields {
		c := &m.table.Columns[i]
		fields[i] = Field{Name: c.Name, Kind: Numeric}
		if !c.Numeric() {
			fields[i].Kind, fields[i].Levels = Nominal, c.Levels
		}
	}
	return fields
}

func (m inMemory) Blocks(ctx context.Context, want []Want) iter.Seq2[*Table, error] {
	if len(want) != len(m.table.Columns) {
		panic("dataset: want has another length than the columns")
	}
	return func(yield func(*Table, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		yield(NewShaper(want).Block(m.table), nil)
	}
}

// Arrange returns a source of the given columns of src only, each at most once, in
// that order and under the given names.
func Arrange(src Source, columns []int, names []string) Source {
	if len(columns) != len(names) {
		panic("dataset: as many names as columns are needed")
	}
	return &arranged{src, columns, names}
}

type arranged struct {
	source  Source
	columns []int
	names   []string
}

func (a *arranged) Fields() []Field {
	all := a.source.Fields()
	fields := make([]Field, len(a.columns))
	for i, c := range a.columns {
		fields[i] = all[c]
		fields[i].Name = a.names[i]
	}
	return fields
}

func (a *arranged) Blocks(ctx context.Context, want []Want) iter.Seq2[*Table, error] {
	inner := make([]Want, len(a.source.Fields()))
	for i := range inner {
		inner[i] = Skip
	}
	for i, c := range a.columns {
		inner[c] = want[i]
	}
	places, names := a.places(inner)
	return func(yield func(*Table, error) bool) {
		for block, err := range a.source.Blocks(ctx, inner) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(block.reordered(places, names), nil) {
				return
			}
		}
	}
}

// places returns which columns of the source's blocks come in which order, and what
// they are called.
func (a *arranged) places(want []Want) (places []int, names []string) {
	first := make([]int, len(want))
	next := 0
	for i, w := range want {
		first[i] = next
		next += w.columns()
	}
	for i, c := range a.columns {
		for k := range want[c].columns() {
			places, names = append(places, first[c]+k), append(names, a.names[i])
		}
	}
	return places, names
}

// columns returns how many columns of a block a wanted one becomes.
func (w Want) columns() int {
	switch {
	case w == Skip:
		return 0
	case w&WithText != 0:
		return 2
	}
	return 1
}

func (t *Table) reordered(places []int, names []string) *Table {
	out := &Table{Rows: t.Rows, Columns: make([]Column, len(places))}
	for i, p := range places {
		out.Columns[i] = t.Columns[p]
		out.Columns[i].Name = names[i]
	}
	return out
}
