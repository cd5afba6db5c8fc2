package csv

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"rvflplus/dataset"
	"rvflplus/fault"
)

var nan = math.NaN()

var decimalComma = regexp.MustCompile(`^[+-]?[0-9]+(,[0-9]+)+$`)

// builder collects the cells of the wanted columns.
type builder struct {
	name    string
	columns []*column
	lines   []int
	rows    int
}

// column grows cell by cell. Under dataset.Auto its first cell that is not
// missing decides what it holds.
type column struct {
	name    string
	cell    int // position in the file's rows
	want    dataset.Want
	numeric bool // or not decided
	decided bool
	numbers []float64
	codes   []int
	levels  *dataset.Dictionary
	texts   []string
	first   string // place and text of the deciding cell
}

func newBuilder(name string, names []string, want []dataset.Want) *builder {
	b := &builder{name: name}
	for i, w := range want {
		if w == dataset.Skip {
			continue
		}
		b.columns = append(b.columns, newColumn(names[i], i, w&^dataset.WithText))
		if w&dataset.WithText != 0 {
			b.columns = append(b.columns, newColumn(names[i], i, dataset.Text))
		}
	}
	return b
}

func newColumn(name string, cell int, want dataset.Want) *column {
	return &column{name: name, cell: cell, want: want, numeric: want != dataset.Text, levels: dataset.NewDictionary(nil)}
}

func (b *builder) add(rec record) error {
	for _, c := range b.columns {
		if err := b.addCell(c, rec); err != nil {
			return err
		}
	}
	b.lines = append(b.lines, rec.line)
	b.rows++
	return nil
}

func (b *builder) addCell(c *column, rec record) error {
	text := rec.cells[c.cell]
	if c.want == dataset.Text {
		c.texts = append(c.texts, strings.Clone(text))
		return b.checkUTF8(c, rec, text)
	}
	value, kind := dataset.ParseCell(text)
	if !c.decided && kind == dataset.Word && c.want == dataset.Auto && decimalComma.MatchString(strings.TrimSpace(text)) {
		return fault.New(fault.Data, "%s: %q looks like a number with a comma", b.place(c, rec), abbreviate(text)).
			WithHint("write decimal points and no separators of thousands, or use --categorical %s if it is a category", c.name)
	}
	if !c.decided && kind != dataset.Missing {
		c.decide(kind, fmt.Sprintf("%q on line %d", strings.TrimSpace(text), rec.line))
	}
	switch {
	case c.numeric:
		if kind == dataset.Word || kind == dataset.NotFinite {
			return b.notANumber(c, rec, kind)
		}
		c.numbers = append(c.numbers, value)
		return nil
	case kind == dataset.Number && c.want == dataset.Auto:
		return b.mixed(c, rec, "a number", "is text")
	}
	if kind == dataset.Missing {
		c.codes = append(c.codes, -1)
		return nil
	}
	b.addLevel(c, strings.TrimSpace(text))
	return b.checkUTF8(c, rec, text)
}

// decide makes the column numeric or categorical.
func (c *column) decide(kind dataset.CellKind, first string) {
	c.decided, c.first = true, first
	c.numeric = c.want == dataset.Auto && (kind == dataset.Number || kind == dataset.NotFinite)
	if c.numeric { // so are the missing cells before
		return
	}
	c.codes = make([]int, len(c.numbers), max(blockRows, len(c.numbers)))
	for i := range c.codes {
		c.codes[i] = -1
	}
	c.numbers = nil
}

func (b *builder) addLevel(c *column, text string) {
	c.codes = append(c.codes, c.levels.Code(text))
}

// reserve makes room for the cells of the next block.
func (c *column) reserve() {
	c.numbers, c.codes, c.texts = nil, nil, nil
	switch {
	case c.want == dataset.Text:
		c.texts = make([]string, 0, blockRows)
	case c.numeric:
		c.numbers = make([]float64, 0, blockRows)
	default:
		c.codes = make([]int, 0, blockRows)
	}
}

func (b *builder) place(c *column, rec record) string {
	line, column := rec.place(c.cell)
	return fmt.Sprintf("%s:%d:%d: column %q", b.name, line, column, c.name)
}

func (b *builder) notANumber(c *column, rec record, kind dataset.CellKind) error {
	text := strings.TrimSpace(rec.cells[c.cell])
	if kind == dataset.NotFinite {
		return fault.New(fault.Data, "%s: %q is not a finite number", b.place(c, rec), abbreviate(text)).
			WithHint("leave the cell empty if the value is unknown")
	}
	return b.mixed(c, rec, "not a number", "is one")
}

// mixed is the error for a cell that does not fit the column's earlier cells.
func (b *builder) mixed(c *column, rec record, is, but string) error {
	return fault.New(fault.Data, "%s: %q is %s, but %s %s", b.place(c, rec), abbreviate(strings.TrimSpace(rec.cells[c.cell])), is, c.first, but).
		WithHint("correct the cell, leave it empty if it is unknown, or use --categorical %s if the column holds categories", c.name)
}

func abbreviate(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}

func (b *builder) checkUTF8(c *column, rec record, text string) error {
	if utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		return nil
	}
	return fault.New(fault.Data, "%s: %q is not UTF-8 text", b.place(c, rec), abbreviate(text)).WithHint("save the file as UTF-8")
}

// table returns the rows since the last call. A column without a cell that is not
// missing so far is numeric.
func (b *builder) table() *dataset.Table {
	origin := &dataset.Origin{File: b.name, Lines: b.lines}
	t := &dataset.Table{Rows: b.rows}
	for _, c := range b.columns {
		t.Columns = append(t.Columns, dataset.Column{
			Name: c.name, Numbers: c.numbers, Codes: c.codes, Levels: c.levels.Levels, Texts: c.texts,
			Origin: origin, Number: c.cell + 1,
		})
		c.reserve()
	}
	b.lines, b.rows = make([]int, 0, blockRows), 0
	return t
}
