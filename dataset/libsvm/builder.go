package libsvm

import "rvflplus/dataset"

// builder makes a block of the columns that are read, all cells 0 at first.
type builder struct {
	columns []dataset.Column
	query   int // its column, or -1
	origin  *dataset.Origin
}

func (r *Reader) newBuilder(as []dataset.ReadAs, rows int) *builder {
	n := 0
	for _, a := range as {
		if a != dataset.Skip {
			n++
		}
	}
	cells := make([]float64, n*rows)
	b := &builder{columns: make([]dataset.Column, len(as)), query: -1, origin: &dataset.Origin{File: r.options.Name}}
	for i, a := range as {
		b.columns[i] = dataset.Column{Name: r.names[i], Origin: b.origin, Number: i + 1}
		if a != dataset.Skip {
			b.columns[i].Numbers, cells = cells[:rows:rows], cells[rows:]
		}
	}
	if len(as) == r.features+2 {
		b.query = r.features
	}
	return b
}

func (b *builder) add(rec *row) {
	for _, e := range rec.entries {
		b.set(e.column, e.value)
	}
	if b.query >= 0 {
		b.set(b.query, rec.query)
	}
	b.set(len(b.columns)-1, rec.label)
	b.origin.Lines = append(b.origin.Lines, rec.line)
}

// set sets a cell of the row that is being added.
func (b *builder) set(column int, value float64) {
	if numbers := b.columns[column].Numbers; numbers != nil {
		numbers[len(b.origin.Lines)] = value
	}
}

func (b *builder) table() *dataset.Table {
	rows := len(b.origin.Lines)
	for i := range b.columns {
		if c := &b.columns[i]; c.Numbers != nil {
			c.Numbers = c.Numbers[:rows:rows]
		}
	}
	return &dataset.Table{Rows: rows, Columns: b.columns}
}
