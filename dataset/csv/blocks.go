package csv

import (
	"context"
	"iter"
	"slices"

	"rvflplus/dataset"
)

// blockRows is the greatest number of rows of a block.
const blockRows = 4096

// Blocks implements dataset.Source.
func (r *Reader) Blocks(ctx context.Context, as []dataset.ReadAs) dataset.Blocks {
	if len(as) != len(r.names) {
		panic("csv: as many ways to read as columns are needed")
	}
	l := r.layout
	l.as = as
	return func(yield func(*dataset.Table, error) bool) {
		q, err := newQueue(&l, r)
		if err != nil {
			yield(nil, err)
			return
		}
		defer q.drain()
		for begun, last := false, false; !last; {
			p, err := q.next(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			last = p.last
			if len(p.lines) == 0 && (begun || !last) {
				continue
			}
			begun = true
			for t := range p.tables(r.name) {
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// tables yields the rows in blocks of like size, at least one.
func (p *part) tables(name string) iter.Seq[*dataset.Table] {
	rows := len(p.lines)
	n := max(1, (rows+blockRows-1)/blockRows)
	return func(yield func(*dataset.Table) bool) {
		for i := range n {
			if !yield(p.table(name, i*rows/n, (i+1)*rows/n)) {
				return
			}
		}
	}
}

// table returns rows lo … hi-1. A column is numeric if all its cells so far are missing. Of a part without a plain
// number a column of words has no numbers.
func (p *part) table(name string, lo, hi int) *dataset.Table {
	origin := &dataset.Origin{File: name, Lines: piece(p.lines, lo, hi)}
	t := &dataset.Table{Rows: hi - lo, Columns: make([]dataset.Column, len(p.columns))}
	for i := range p.columns {
		c := &p.columns[i]
		t.Columns[i] = dataset.Column{
			Name: c.name, Numbers: piece(c.numbers, lo, hi), Codes: piece(c.codes, lo, hi),
			Texts:  piece(c.texts, lo, hi),
			Shapes: c.shapes &^ anyPlain, Origin: origin, Number: c.cell + 1,
		}
		if c.codes != nil && c.shapes&anyPlain == 0 {
			t.Columns[i].Numbers = nil
		}
		if c.levels != nil {
			t.Columns[i].Levels = slices.Clip(c.levels.Levels)
		}
	}
	return t
}

// piece returns v[lo:hi] without room behind it: appending to it leaves v as it is.
func piece[T any](v []T, lo, hi int) []T {
	if v == nil {
		return nil
	}
	return v[lo:hi:hi]
}
