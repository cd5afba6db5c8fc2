package csv

import (
	"math"
	"strings"

	"rvflplus/dataset"
	"rvflplus/internal/categories"
	"rvflplus/internal/celltext"
)

// column grows cell by cell. A column that is read by its cells has numbers until its first word; from there on codes
// for the words too.
type column struct {
	name    string
	cell    int // position in the file's rows
	as      dataset.ReadAs
	shapes  celltext.Shape // of the plain numbers, and anyPlain if there are some
	only    bool           // all cells so far are plain numbers or missing, and their texts are not kept
	numbers []float64
	codes   []int
	levels  *categories.Coder
	texts   []string
}

// anyPlain marks the shapes of a column that has a plain number.
const anyPlain celltext.Shape = 1 << 7

// part is a parsed chunk.
type part struct {
	chunk
	columns []column
	lines   []int // on which the rows begin
	err     error // the first, in the order of the file
}

// layout is what parsing a chunk needs to know of the file.
type layout struct {
	name    string
	sep     string
	names   []string
	as      []dataset.ReadAs
	missing celltext.Markers
}

// columns returns the columns that are read, empty.
func (l *layout) columns() []column {
	columns := make([]column, 0, l.width())
	for i, a := range l.as {
		if a == dataset.Skip {
			continue
		}
		columns = append(columns, column{name: l.names[i], cell: i, as: a &^ dataset.WithText})
		if a&dataset.WithText != 0 {
			columns = append(columns, column{name: l.names[i], cell: i, as: dataset.Text})
		}
	}
	return columns
}

// width is the number of columns that are read.
func (l *layout) width() int {
	n := 0
	for _, a := range l.as {
		if a != dataset.Skip {
			n++
		}
		if a&dataset.WithText != 0 {
			n++
		}
	}
	return n
}

// parse reads the cells of a chunk.
func (l *layout) parse(c chunk) *part {
	p := &part{chunk: c, columns: l.columns()}
	// A row has a line end, but for the last, and at least a byte for each cell.
	capacity := min(c.lines, len(c.text)/len(l.names)) + 1
	p.lines = make([]int, 0, capacity)
	for i := range p.columns {
		column := &p.columns[i]
		switch column.as {
		case dataset.Text:
			column.texts = make([]string, 0, capacity)
		case dataset.Categorical:
			column.codes, column.levels = make([]int, 0, capacity), categories.New()
		case dataset.Written:
			column.numbers = make([]float64, 0, capacity)
			column.codes, column.levels = make([]int, 0, capacity), categories.New()
		default:
			column.only, column.numbers = true, make([]float64, 0, capacity)
		}
	}
	r := newRows(l.name, l.sep, p.text, p.line, len(l.names))
	for p.err == nil {
		var more bool
		if more, p.err = r.advance(); p.err != nil {
			break
		}
		if !more {
			p.err = c.err
			break
		}
		if p.err = r.checkWidth(len(l.names)); p.err == nil {
			p.err = p.addRow(r, l.missing)
		}
	}
	return p
}

func (p *part) addRow(r *rows, missing celltext.Markers) error {
	for i := range p.columns {
		c := &p.columns[i]
		text := r.cells[c.cell].text
		if c.only {
			if v, shape, ok := celltext.Plain(text); ok && shape != celltext.Padded {
				c.numbers = append(c.numbers, v)
				c.shapes |= shape | anyPlain
				continue
			}
		}
		if problem := c.add(text, missing); problem != nil {
			return problem(c, place{r, c.cell})
		}
	}
	p.lines = append(p.lines, r.line)
	return nil
}

// add appends a cell, or returns the problem with it. With a list of missing cells all words but the empty one are left
// to whoever reads.
func (c *column) add(text string, missing celltext.Markers) problem {
	if c.as == dataset.Text {
		c.texts = append(c.texts, strings.Clone(text))
		return checkText(text)
	}
	value, kind := celltext.Parse(text)
	text = strings.TrimSpace(text)
	if kind == celltext.Missing && missing != nil && text != "" {
		kind = celltext.Word
	}
	switch c.as {
	case dataset.Categorical:
		return c.addCategory(text, kind)
	case dataset.Numbers:
		return c.addNumber(text, value, kind, missing)
	}
	if kind == celltext.Number {
		_, shape, ok := celltext.Plain(text)
		if !ok {
			shape = celltext.Pointed | celltext.Signed
		}
		if shape != celltext.Padded {
			c.numbers = append(c.numbers, value)
			c.shapes |= shape | anyPlain
			return c.addText(text)
		}
	}
	c.numbers = append(c.numbers, math.NaN())
	if kind == celltext.Missing {
		if c.codes != nil {
			c.codes = append(c.codes, -1)
		}
		return nil
	}
	if c.codes == nil {
		c.beginWords()
	}
	return c.addCategory(text, kind)
}

// addText appends the text of a plain number where the texts are kept, and no word in a column that has words.
func (c *column) addText(text string) problem {
	switch {
	case c.as == dataset.Written:
		return c.addCategory(text, celltext.Number)
	case c.codes != nil:
		c.codes = append(c.codes, -1)
	}
	return nil
}

// addNumber appends a cell of a column that holds numbers for certain.
func (c *column) addNumber(text string, value float64, kind celltext.Kind, missing celltext.Markers) problem {
	if kind == celltext.Word && missing.Has(text) {
		value, kind = math.NaN(), celltext.Missing
	}
	switch kind {
	case celltext.Word:
		return notNumber
	case celltext.NotFinite:
		return notFinite
	}
	c.numbers = append(c.numbers, value)
	return nil
}

func (c *column) addCategory(text string, kind celltext.Kind) problem {
	if kind == celltext.Missing {
		c.codes = append(c.codes, -1)
		return nil
	}
	known := len(c.levels.Levels)
	code := c.levels.Code(text)
	c.codes = append(c.codes, code)
	if code < known {
		return nil
	}
	return checkText(text)
}

// beginWords gives the cells so far, all but the last one of numbers, no word.
func (c *column) beginWords() {
	codes := make([]int, len(c.numbers)-1, cap(c.numbers))
	for i := range codes {
		codes[i] = -1
	}
	c.only, c.codes, c.levels = false, codes, categories.New()
}

// becomeNominal gives a column without words, where the file has had words before, codes too.
func (c *column) becomeNominal() {
	codes := make([]int, len(c.numbers))
	for i := range codes {
		codes[i] = -1
	}
	c.codes, c.levels = codes, categories.New()
}
