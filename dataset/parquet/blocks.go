package parquet

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/categories"
	"rvflplus/internal/parallel"
)

const maxCell = 1 << 20

// pass is one reading of the rows.
type pass struct {
	reader *Reader
	parts  []*part
	group  *group
	left   int64 // rows of the group
	first  int64 // row of the next block
	rows   int64 // of a block
}

// part reads one column.
type part struct {
	*column
	field  int
	as     dataset.ReadAs
	levels *categories.Coder
	chunk  *chunk
	page   *rows // the cells of the page that are not yet taken
	err    error
}

func (r *Reader) start(as []dataset.ReadAs) (*pass, error) {
	out := &pass{reader: r}
	for i, a := range as {
		c := &r.columns[i]
		if a == dataset.Skip {
			continue
		}
		if c.refused != "" {
			return nil, fault.New(fault.Data, "%s: column %q %s", r.name, c.name, c.refused).
				WithHint("leave the column out with %s, or save it as numbers or text", fault.Name("drop"))
		}
		out.parts = append(out.parts, &part{column: c, field: i, as: a, levels: categories.New()})
	}
	out.rows = int64(max(1, min(maxBlockRows, maxBlockCells/max(1, len(out.parts)))))
	return out, nil
}

// open begins a row group.
func (r *pass) open(g *group) {
	r.group, r.left = g, g.rows
	for _, p := range r.parts {
		p.chunk, p.page = nil, nil
	}
}

// empty returns a block of n rows whose cells are not yet read.
func (r *pass) empty(n int) *dataset.Table {
	t := &dataset.Table{Rows: n, Columns: make([]dataset.Column, len(r.reader.fields))}
	origin := &dataset.Origin{File: r.reader.name, First: int(r.first)}
	for i := range t.Columns {
		t.Columns[i] = dataset.Column{Name: r.reader.fields[i].Name, Origin: origin, Number: i + 1}
		if r.reader.fields[i].Kind == dataset.Date {
			t.Columns[i].Reading = dataset.Days
		}
	}
	for _, p := range r.parts {
		switch c := &t.Columns[p.field]; {
		case p.numeric():
			c.Numbers = make([]float64, n)
		case p.as == dataset.Text:
			c.Texts = make([]string, n)
		default:
			c.Codes = make([]int, n)
		}
	}
	return t
}

// block reads the next rows, the columns in parallel. Of several errors it returns the first column's.
func (r *pass) block(ctx context.Context) (*dataset.Table, error) {
	n := int(min(r.rows, r.left))
	t := r.empty(n)
	if err := parallel.For(ctx, len(r.parts), func(i int) {
		p := r.parts[i]
		p.err = r.fill(p, &t.Columns[p.field], n)
	}); err != nil {
		return nil, err
	}
	for _, p := range r.parts {
		if p.err != nil {
			return nil, p.err
		}
	}
	r.first += int64(n)
	r.left -= int64(n)
	return t, nil
}

// fill reads n cells of a column.
func (r *pass) fill(p *part, c *dataset.Column, n int) (err error) {
	place := fmt.Sprintf("%s: column %q", r.reader.name, p.name)
	if p.chunk == nil {
		if p.chunk, err = p.chunkOf(r.reader.file, r.group); err != nil {
			return named(place, err)
		}
	}
	for done := 0; done < n; {
		if p.page == nil {
			at := p.chunk.at
			if p.page, err = p.chunk.next(); err != nil {
				return named(fmt.Sprintf("%s, the pages from byte %d on", place, at), err)
			}
		}
		k := min(n-done, p.page.n)
		if err := p.take(c, done, k); err != nil {
			return named(place, err)
		}
		done += k
	}
	c.Levels = p.levels.Levels
	return nil
}

// take moves the next k cells of the page to the rows of c from first on.
func (p *part) take(c *dataset.Column, first, k int) error {
	for row := first; row < first+k; row++ {
		var err error
		switch {
		case p.page.present != nil && p.page.present[row-first] == 0:
			if c.Numbers != nil {
				c.Numbers[row] = math.NaN()
			} else if c.Codes != nil {
				c.Codes[row] = -1
			}
		case p.numeric():
			err = p.setNumber(c, row)
		default:
			err = p.setText(c, row)
		}
		if err != nil {
			return err
		}
	}
	if p.page.n -= k; p.page.n == 0 {
		p.page = nil
		return nil
	}
	if p.page.present != nil {
		p.page.present = p.page.present[k:]
	}
	return nil
}

func (p *part) setNumber(c *dataset.Column, row int) (err error) {
	if p.decimal && p.width() == 0 && p.page.bytes != nil {
		return p.setDecimal(c, row)
	}
	if p.page.bits == nil {
		return errEncoding
	}
	bits, err := p.page.bits()
	if err != nil {
		return err
	}
	v, ok := p.number(bits)
	if !ok {
		text, hint := p.problem(bits)
		return fault.New(fault.Data, "%s: %s", c.Place(row), text).WithHint("%s", hint)
	}
	c.Numbers[row] = v
	return nil
}

func (p *part) setDecimal(c *dataset.Column, row int) error {
	data, err := p.page.bytes()
	if err != nil {
		return err
	}
	if len(data) > maxCell>>8 {
		return fault.New(fault.Data, "%s: a decimal of %d bytes", c.Place(row), len(data))
	}
	v, ok := p.decimalOf(data)
	if !ok {
		return fault.New(fault.Data, "%s: the decimal has no float64", c.Place(row)).WithHint("%s", inexactHint)
	}
	c.Numbers[row] = v
	return nil
}

// setText sets a text. A text of a page's dictionary is checked and numbered once.
func (p *part) setText(c *dataset.Column, row int) error {
	cells := p.page.cells
	if cells.bytes == nil {
		return errEncoding
	}
	if c.Codes == nil || cells.index == nil {
		return p.newText(c, row)
	}
	code := &cells.dict.codes[cells.index[cells.at]]
	if *code == unknown {
		err := p.newText(c, row)
		*code = c.Codes[row]
		return err
	}
	c.Codes[row] = *code
	cells.at++
	return nil
}

func (p *part) newText(c *dataset.Column, row int) error {
	text, err := p.page.bytes()
	if err != nil {
		return err
	}
	if len(text) > maxCell {
		return fault.New(fault.Data, "%s: a cell of %d bytes, at most %d are read", c.Place(row), len(text), maxCell)
	}
	if !utf8.Valid(text) || slices.Contains(text, 0) {
		return fault.New(fault.Data, "%s: the cell is not UTF-8 text", c.Place(row)).
			WithHint("leave the column out with %s", fault.Name("drop"))
	}
	switch {
	case c.Texts != nil:
		c.Texts[row] = string(text)
	case len(text) == 0:
		c.Codes[row] = -1
	default:
		c.Codes[row] = p.levels.Code(string(text))
	}
	return nil
}
