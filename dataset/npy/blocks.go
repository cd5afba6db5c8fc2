package npy

import (
	"context"
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/categories"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/parallel"
)

// pass is one reading of the rows.
type pass struct {
	reader *Reader
	parts  []*part
	rows   int64 // of a block
}

// part reads those columns of one array that are not skipped.
type part struct {
	*array
	first  int // position of its first column in the table
	as     []dataset.ReadAs
	cells  storage
	buf    []byte
	levels []*categories.Coder // of columns of texts
	err    error
}

// start opens the arrays that have a column to read.
func (r *Reader) start(ctx context.Context, as []dataset.ReadAs) (*pass, error) {
	bytes := 0 // of a row
	for _, a := range r.arrays {
		bytes += max(a.rowBytes(), 8*a.columns)
	}
	out := &pass{reader: r, rows: int64(max(1, min(maxBlockRows, maxBlockBytes/bytes)))}
	first := 0
	for _, a := range r.arrays {
		p := &part{
			array: a, first: first, as: as[first : first+a.columns], levels: make([]*categories.Coder, a.columns),
		}
		first += a.columns
		if !slices.ContainsFunc(p.as, isRead) {
			continue
		}
		var err error
		if p.cells, err = a.open(ctx); err != nil {
			out.close()
			return nil, err
		}
		out.parts = append(out.parts, p)
	}
	return out, nil
}

func isRead(a dataset.ReadAs) bool { return a != dataset.Skip }

func (p *pass) close() {
	for _, part := range p.parts {
		part.cells.close()
	}
}

// block reads the rows from first on, the arrays in parallel. Of several errors it returns the first array's.
func (p *pass) block(ctx context.Context, first int64) (*dataset.Table, error) {
	n := int(min(p.rows, p.reader.rows()-first))
	t := &dataset.Table{Rows: n, Columns: make([]dataset.Column, len(p.reader.fields))}
	origin := &dataset.Origin{File: p.reader.name, First: int(first)}
	for i := range t.Columns {
		t.Columns[i] = dataset.Column{Name: p.reader.fields[i].Name, Origin: origin, Number: i + 1}
	}
	if err := parallel.For(ctx, len(p.parts), func(i int) { p.parts[i].err = p.parts[i].fill(t, first) }); err != nil {
		return nil, err
	}
	for _, part := range p.parts {
		if part.err != nil {
			return nil, part.err
		}
	}
	return t, nil
}

// fill reads the part's cells of a block.
func (p *part) fill(t *dataset.Table, first int64) error {
	if size := t.Rows * p.rowBytes(); cap(p.buf) < size {
		p.buf = make([]byte, size)
	}
	p.buf = p.buf[:t.Rows*p.rowBytes()]
	if err := p.cells.read(p.buf, first, t.Rows, p.as); err != nil {
		return inputfile.ReadError(p.name, err)
	}
	p.toLittle(p.buf)
	for j, a := range p.as {
		if !isRead(a) {
			continue
		}
		at, step := j*p.size, p.rowBytes()
		if p.fortran {
			at, step = j*t.Rows*p.size, p.size
		}
		cell := func(i int) []byte { return p.buf[at+i*step:][:p.size] }
		var err error
		if c := &t.Columns[p.first+j]; p.numeric() {
			err = p.numbers(c, t.Rows, cell)
		} else {
			if p.levels[j] == nil {
				p.levels[j] = categories.New()
			}
			err = p.texts(c, t.Rows, cell, a, p.levels[j])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *part) numbers(c *dataset.Column, rows int, cell func(i int) []byte) error {
	c.Numbers = make([]float64, rows)
	number := p.number()
	for i := range c.Numbers {
		v, ok := number(cell(i))
		if !ok {
			text, hint := p.problem(cell(i))
			return fault.New(fault.Data, "%s: %s", c.Place(i), text).WithHint("%s", hint)
		}
		c.Numbers[i] = v
	}
	return nil
}

// texts makes a column of categories. It makes a column of texts if the caller asks for texts alone, so that the
// distinct texts of a long column need not be kept.
func (p *part) texts(c *dataset.Column, rows int, cell func(i int) []byte, as dataset.ReadAs,
	levels *categories.Coder) error {
	if as == dataset.Text {
		c.Texts = make([]string, rows)
	} else {
		c.Codes = make([]int, rows)
	}
	var buf []byte
	for i := range rows {
		text, err := p.text(cell(i), buf)
		if err != nil {
			return fault.New(fault.Data, "%s: %w", c.Place(i), err)
		}
		buf = text
		switch {
		case c.Texts != nil:
			c.Texts[i] = string(text)
		case len(text) == 0:
			c.Codes[i] = -1
		default:
			c.Codes[i] = levels.Code(string(text))
		}
	}
	c.Levels = levels.Levels
	return nil
}
