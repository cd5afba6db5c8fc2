package csv

import (
	"strings"

	"rvflplus/dataset"
)

// verdict is what the first cell of a column that is not missing has decided.
type verdict struct {
	decided bool
	numeric bool
	text    string // of that cell
	line    int    // on which its row begins
}

// column grows cell by cell. While nothing is decided its cells are missing
// numbers.
type column struct {
	verdict
	name    string
	cell    int // position in the file's rows
	want    dataset.Want
	numbers []float64
	codes   []int
	levels  *dataset.Dictionary
	texts   []string
}

// part is a parsed chunk.
type part struct {
	chunk
	columns []column
	lines   []int // on which the rows begin
	err     error // the first, in the order of the file
}

// form is what parsing a chunk needs to know of the file.
type form struct {
	name  string
	sep   string
	names []string
	want  []dataset.Want
}

// columns returns the wanted columns, empty.
func (f *form) columns() []column {
	columns := make([]column, 0, f.width())
	for i, w := range f.want {
		if w == dataset.Skip {
			continue
		}
		columns = append(columns, column{name: f.names[i], cell: i, want: w &^ dataset.WithText})
		if w&dataset.WithText != 0 {
			columns = append(columns, column{name: f.names[i], cell: i, want: dataset.Text})
		}
	}
	return columns
}

// width is the number of wanted columns.
func (f *form) width() int {
	n := 0
	for _, w := range f.want {
		if w != dataset.Skip {
			n++
		}
		if w&dataset.WithText != 0 {
			n++
		}
	}
	return n
}

// parse reads the cells of a chunk; known is what chunks before it have decided, as
// far as they are parsed.
func (f *form) parse(c chunk, known []verdict) *part {
	p := &part{chunk: c, columns: f.columns()}
	// A row has a line end, but for the last, and at least a byte for each cell.
	capacity := min(c.lines, len(c.text)/len(f.names)) + 1
	p.lines = make([]int, 0, capacity)
	for i := range p.columns {
		p.columns[i].begin(known[i], capacity)
	}
	p.err = f.parseRows(p)
	return p
}

func (f *form) parseRows(p *part) error {
	r := newRows(f.name, f.sep, p.text, p.line, len(f.names))
	for {
		more, err := r.advance()
		if err != nil {
			return err
		}
		if !more {
			return p.chunk.err
		}
		if err := r.checkWidth(len(f.names)); err != nil {
			return err
		}
		if err := p.addRow(r); err != nil {
			return err
		}
	}
}

func (p *part) addRow(r *rows) error {
	for i := range p.columns {
		c := &p.columns[i]
		text := r.cells[c.cell].text
		if c.decided && c.numeric {
			if v, kind := dataset.ParseCell(text); kind == dataset.Number {
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

// begin makes room for the cells of a chunk.
func (c *column) begin(v verdict, capacity int) {
	c.verdict = v
	switch {
	case c.want == dataset.Text:
		c.texts = make([]string, 0, capacity)
	case v.numeric || !v.decided:
		c.numbers = make([]float64, 0, capacity)
	default:
		c.codes, c.levels = make([]int, 0, capacity), dataset.NewDictionary(nil)
	}
}

// add appends a cell, or tells what is wrong with it.
func (c *column) add(text string, line int) problem {
	if c.want == dataset.Text {
		c.texts = append(c.texts, strings.Clone(text))
		return checkText(text)
	}
	value, kind := dataset.ParseCell(text)
	if !c.decided && kind != dataset.Missing {
		if kind == dataset.Word && c.want == dataset.Auto && decimalComma(text) {
			return withComma
		}
		c.decide(kind, strings.TrimSpace(text), line)
	}
	switch {
	case c.numeric || !c.decided:
		return c.addNumber(value, kind)
	case kind == dataset.Number && c.want == dataset.Auto:
		return isNumber
	case kind == dataset.Missing:
		c.codes = append(c.codes, -1)
		return nil
	}
	return c.addLevel(strings.TrimSpace(text))
}

func (c *column) addNumber(value float64, kind dataset.CellKind) problem {
	switch kind {
	case dataset.Word:
		return notNumber
	case dataset.NotFinite:
		return notFinite
	}
	c.numbers = append(c.numbers, value)
	return nil
}

func (c *column) addLevel(text string) problem {
	known := len(c.levels.Levels)
	code := c.levels.Code(text)
	c.codes = append(c.codes, code)
	if code < known {
		return nil
	}
	return checkText(text)
}

// decide makes the column numeric or categorical.
func (c *column) decide(kind dataset.CellKind, text string, line int) {
	numeric := c.want == dataset.Auto && (kind == dataset.Number || kind == dataset.NotFinite)
	c.verdict = verdict{decided: true, numeric: numeric, text: strings.Clone(text), line: line}
	if !numeric {
		c.becomeNominal()
	}
}

// becomeNominal turns missing numbers into missing categories.
func (c *column) becomeNominal() {
	codes := make([]int, len(c.numbers), cap(c.numbers))
	for i := range codes {
		codes[i] = -1
	}
	c.numbers, c.codes, c.levels = nil, codes, dataset.NewDictionary(nil)
}
