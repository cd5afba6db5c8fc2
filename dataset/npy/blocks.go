package npy

import (
	"context"
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/parallel"
)

// run is one reading of the rows.
type run struct {
	reader *Reader
	parts  []*part
	rows   int64 // of a block
}

// part reads the wanted columns of one array.
type part struct {
	*array
	first  int // position of its first column in the table
	want   []dataset.Want
	cells  storage
	buf    []byte
	levels []*dataset.Dictionary // of columns of texts
	err    error
}

// start opens the arrays that have a wanted column.
func (r *Reader) start(ctx context.Context, want []dataset.Want) (*run, error) {
	out := &run{reader: r, rows: r.blockRows()}
	first := 0
	for _, a := range r.arrays {
		p := &part{array: a, first: first, want: want[first : first+a.columns], levels: make([]*dataset.Dictionary, a.columns)}
		first += a.columns
		if !slices.ContainsFunc(p.want, wanted) {
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

func wanted(w dataset.Want) bool { return w != dataset.Skip }

func (r *run) close() {
	for _, p := range r.parts {
		p.cells.close()
	}
}

// block reads the rows from first on, the arrays in parallel. An error is that of
// the first array that has one.
func (r *run) block(ctx context.Context, first int64) (*dataset.Table, error) {
	n := int(min(r.rows, r.reader.Rows()-first))
	t := &dataset.Table{Rows: n, Columns: make([]dataset.Column, len(r.reader.fields))}
	origin := &dataset.Origin{File: r.reader.name, First: int(first)}
	for i := range t.Columns {
		t.Columns[i] = dataset.Column{Name: r.reader.fields[i].Name, Origin: origin, Number: i + 1}
	}
	if err := parallel.For(ctx, len(r.parts), func(i int) { r.parts[i].err = r.parts[i].fill(t, first) }); err != nil {
		return nil, err
	}
	for _, p := range r.parts {
		if p.err != nil {
			return nil, p.err
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
	if err := p.cells.read(p.buf, first, t.Rows, p.want); err != nil {
		return dataset.ReadError(p.name, err)
	}
	p.toLittle(p.buf)
	for j, w := range p.want {
		if wanted(w) {
			if err := p.column(&t.Columns[p.first+j], j, t.Rows, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// column decodes the cells of column j.
func (p *part) column(c *dataset.Column, j, rows int, want dataset.Want) error {
	at, step := j*p.size, p.rowBytes()
	if p.fortran {
		at, step = j*rows*p.size, p.size
	}
	cell := func(i int) []byte { return p.buf[at+i*step:][:p.size] }
	if p.numeric() {
		return p.numbers(c, rows, cell)
	}
	return p.texts(c, rows, cell, want, p.dictionary(j))
}

func (p *part) dictionary(j int) *dataset.Dictionary {
	if p.levels[j] == nil {
		p.levels[j] = dataset.NewDictionary(nil)
	}
	return p.levels[j]
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

// texts makes a column of categories, or of texts if only those are wanted, so
// that the distinct texts of a long column need not be kept.
func (p *part) texts(c *dataset.Column, rows int, cell func(i int) []byte, want dataset.Want, levels *dataset.Dictionary) error {
	if want == dataset.Text {
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
