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
	text    int // bytes of texts kept
}

// column grows cell by cell. Under dataset.Auto its first cell that is not
// missing decides what it holds.
type column struct {
	name    string
	cell    int // position in the file's rows
	want    dataset.Want
	numeric bool
	decided bool
	missing int // cells before the decision, all missing
	numbers []float64
	codes   []int
	levels  []string
	index   map[string]int
	texts   []string
	first   string // place and text of the deciding cell
}

func newBuilder(name string, names []string, want []dataset.Want) *builder {
	b := &builder{name: name}
	for i, w := range want {
		if w == dataset.Skip {
			continue
		}
		b.columns = append(b.columns, &column{name: names[i], cell: i, want: w &^ dataset.WithText, index: map[string]int{}})
		if w&dataset.WithText != 0 {
			b.columns = append(b.columns, &column{name: names[i], cell: i, want: dataset.Text})
		}
	}
	return b
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
		b.text += len(text)
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
	case !c.decided:
		c.missing++
		return nil
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
	for range c.missing {
		if c.numeric {
			c.numbers = append(c.numbers, nan)
		} else {
			c.codes = append(c.codes, -1)
		}
	}
}

func (b *builder) addLevel(c *column, text string) {
	code, known := c.index[text]
	if !known {
		text = strings.Clone(text)
		code = len(c.levels)
		c.levels = append(c.levels, text)
		c.index[text] = code
		b.text += 2 * len(text)
	}
	c.codes = append(c.codes, code)
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

// bytesSoFar estimates the memory the columns take.
func (b *builder) bytesSoFar() float64 {
	return float64(b.rows)*8*float64(len(b.columns)+1) + float64(b.text)
}

func (b *builder) table() *dataset.Table {
	origin := &dataset.Origin{File: b.name, Lines: b.lines}
	t := &dataset.Table{Rows: b.rows}
	for _, c := range b.columns {
		if !c.decided && c.want != dataset.Text {
			c.want = dataset.Auto
			c.decide(dataset.Number, "")
		}
		t.Columns = append(t.Columns, dataset.Column{
			Name: c.name, Numbers: c.numbers, Codes: c.codes, Levels: c.levels, Texts: c.texts,
			Origin: origin, Number: c.cell + 1,
		})
	}
	return t
}
