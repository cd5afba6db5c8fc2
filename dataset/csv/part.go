package csv

import (
	"strings"

	"rvflplus/dataset"
	"rvflplus/internal/categories"
	"rvflplus/internal/celltext"
)

// columnType tells whether a column is numeric. Its first cell that is not missing decides.
type columnType struct {
	decided bool
	numeric bool
	text    string // of the deciding cell
	line    int    // on which the row of the deciding cell begins
}

// column grows cell by cell. While its type is not decided its cells are missing numbers.
type column struct {
	columnType
	name    string
	cell    int // position in the file's rows
	as      dataset.ReadAs
	numbers []float64
	codes   []int
	levels  *categories.Coder
	texts   []string
}

// part is a parsed chunk.
type part struct {
	chunk
	columns []column
	lines   []int // on which the rows begin
	err     error // the first, in the order of the file
}

// layout is what parsing a chunk needs to know of the file.
type layout struct {
	name  string
	sep   string
	names []string
	as    []dataset.ReadAs
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

// parse reads the cells of a chunk. types are the columns' types as far as the chunks before are parsed.
func (l *layout) parse(c chunk, types []columnType) *part {
	p := &part{chunk: c, columns: l.columns()}
	// A row has a line end, but for the last, and at least a byte for each cell.
	capacity := min(c.lines, len(c.text)/len(l.names)) + 1
	p.lines = make([]int, 0, capacity)
	for i := range p.columns {
		column := &p.columns[i]
		column.columnType = types[i]
		switch {
		case column.as == dataset.Text:
			column.texts = make([]string, 0, capacity)
		case column.numeric || !column.decided:
			column.numbers = make([]float64, 0, capacity)
		default:
			column.codes, column.levels = make([]int, 0, capacity), categories.New()
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
			p.err = p.addRow(r)
		}
	}
	return p
}

func (p *part) addRow(r *rows) error {
	for i := range p.columns {
		c := &p.columns[i]
		text := r.cells[c.cell].text
		if c.decided && c.numeric {
			if v, kind := celltext.Parse(text); kind == celltext.Number {
				c.numbers = append(c.numbers, v)
				continue
			}
		}
		if problem := c.add(text, r.line); problem != nil {
			return problem(c, place{r, c.cell})
		}
	}
	p.lines = append(p.lines, r.line)
	return nil
}

// add appends a cell, or returns the problem with it.
func (c *column) add(text string, line int) problem {
	if c.as == dataset.Text {
		c.texts = append(c.texts, strings.Clone(text))
		return checkText(text)
	}
	value, kind := celltext.Parse(text)
	text = strings.TrimSpace(text)
	if !c.decided && kind != celltext.Missing {
		if kind == celltext.Word && c.as == dataset.Auto && commaInNumber.MatchString(text) {
			return withComma
		}
		numeric := c.as == dataset.Auto && (kind == celltext.Number || kind == celltext.NotFinite)
		c.columnType = columnType{decided: true, numeric: numeric, text: strings.Clone(text), line: line}
		if !numeric {
			c.becomeNominal()
		}
	}
	if c.numeric || !c.decided {
		switch kind {
		case celltext.Word:
			return notNumber
		case celltext.NotFinite:
			return notFinite
		}
		c.numbers = append(c.numbers, value)
		return nil
	}
	return c.addCategory(text, kind)
}

func (c *column) addCategory(text string, kind celltext.Kind) problem {
	switch {
	case kind == celltext.Number && c.as == dataset.Auto:
		return isNumber
	case kind == celltext.Missing:
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

// becomeNominal turns missing numbers into missing categories.
func (c *column) becomeNominal() {
	codes := make([]int, len(c.numbers), cap(c.numbers))
	for i := range codes {
		codes[i] = -1
	}
	c.numbers, c.codes, c.levels = nil, codes, categories.New()
}
