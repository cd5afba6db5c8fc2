package arff

import (
	"rvflplus/dataset"
	"rvflplus/internal/categories"
	"rvflplus/internal/celltext"
)

// builder collects the cells of a block in the attributes' own types.
type builder struct {
	name    string
	columns []column
	lines   []int
}

type column struct {
	*attribute
	skip    bool
	numbers []float64
	codes   []int
	strings *categories.Coder // of a string or date attribute
}

func newBuilder(r *Reader, as []dataset.ReadAs) *builder {
	b := &builder{name: r.options.Name, columns: make([]column, len(as))}
	for i, a := range as {
		c := &b.columns[i]
		c.attribute, c.skip = &r.attributes[i], a == dataset.Skip
		if c.Kind == dataset.Unknown {
			c.strings = categories.New()
		}
		c.clear(0)
	}
	return b
}

// add adds a cell, unless its column is skipped.
func (b *builder) add(s *scanner, i int, cell token) error {
	c := &b.columns[i]
	switch {
	case c.skip:
		return nil
	case c.Kind == dataset.Numeric:
		value, kind := celltext.Parse(cell.text)
		if kind == celltext.Word || kind == celltext.NotFinite {
			return c.badCell(s, cell, kind)
		}
		c.numbers = append(c.numbers, value)
		return nil
	case !cell.quoted && (cell.text == "?" || cell.text == ""):
		c.codes = append(c.codes, -1)
		return nil
	case c.Kind == dataset.Unknown:
		c.codes = append(c.codes, c.strings.Code(cell.text))
		return nil
	}
	code, known := c.attribute.codes[cell.text]
	if !known {
		return c.badCell(s, cell, celltext.Word)
	}
	c.codes = append(c.codes, code)
	return nil
}

// addDefaults adds the cells of columns from … to-1 that a sparse row leaves out.
func (b *builder) addDefaults(from, to int) {
	for i := range b.columns[from:to] {
		c := &b.columns[from+i]
		switch {
		case c.skip:
		case c.Kind == dataset.Numeric:
			c.numbers = append(c.numbers, 0)
		case len(c.Levels) > 0:
			c.codes = append(c.codes, 0)
		default:
			c.codes = append(c.codes, -1)
		}
	}
}

// table returns the rows since the last call.
func (b *builder) table() *dataset.Table {
	origin := &dataset.Origin{File: b.name, Lines: b.lines}
	t := &dataset.Table{Rows: len(b.lines), Columns: make([]dataset.Column, len(b.columns))}
	for i := range b.columns {
		c := &b.columns[i]
		t.Columns[i] = dataset.Column{
			Name: c.Name, Numbers: c.numbers, Codes: c.codes, Levels: c.Levels, Origin: origin, Number: i + 1,
		}
		if c.strings != nil {
			t.Columns[i].Levels = c.strings.Levels
		}
		c.clear(len(b.lines))
	}
	b.lines = nil
	return t
}

// clear begins a block with room for some rows.
func (c *column) clear(rows int) {
	c.numbers, c.codes = nil, nil
	switch {
	case c.skip:
	case c.Kind == dataset.Numeric:
		c.numbers = make([]float64, 0, rows)
	default:
		c.codes = make([]int, 0, rows)
	}
}
