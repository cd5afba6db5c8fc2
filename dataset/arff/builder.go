package arff

import "rvflplus/dataset"

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
	strings *dataset.Dictionary // of a string or date attribute
}

func newBuilder(r *Reader, want []dataset.Want) *builder {
	b := &builder{name: r.options.Name, columns: make([]column, len(want))}
	for i, w := range want {
		c := &b.columns[i]
		c.attribute, c.skip = &r.attributes[i], w == dataset.Skip
		if c.Kind == dataset.Unknown {
			c.strings = dataset.NewDictionary(nil)
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
		return c.addNumber(s, cell)
	case !cell.quoted && (cell.text == "?" || cell.text == ""):
		c.codes = append(c.codes, -1)
		return nil
	case c.Kind == dataset.Unknown:
		c.codes = append(c.codes, c.strings.Code(cell.text))
		return nil
	}
	code, known := c.attribute.codes[cell.text]
	if !known {
		return c.badCell(s, cell, dataset.Word)
	}
	c.codes = append(c.codes, code)
	return nil
}

func (c *column) addNumber(s *scanner, cell token) error {
	value, kind := dataset.ParseCell(cell.text)
	if kind == dataset.Word || kind == dataset.NotFinite {
		return c.badCell(s, cell, kind)
	}
	c.numbers = append(c.numbers, value)
	return nil
}

// addDefaults adds what a sparse row leaves out of columns from to to, exclusive.
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
