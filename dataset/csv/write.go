package csv

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
)

// Write writes the blocks of a table as separated values with LF line ends. There is a header line unless o.NoHeader is
// set; the separator is a comma unless o.Separator says otherwise. A missing cell is empty. Numbers are written so that
// they are read back bit for bit, and so are categories and texts if their columns are read as such. A category that a
// CSV file cannot hold, such as "NA", is a fault.Data error.
func Write(ctx context.Context, w io.Writer, outline dataset.Outline, blocks dataset.Blocks, o Options) error {
	sep, err := parseSeparator(o.Separator)
	if o.Separator == "" {
		sep, err = ",", nil
	} else if err == nil && sep == " " {
		err = fault.Param("sep", `one character or "tab" to write a table`, strconv.Quote(o.Separator))
	}
	if err != nil {
		return err
	}
	out := &writer{
		w: w, sep: sep, unsafe: "\",\t;\r\n" + sep,
		fields: outline.Fields, levels: make([][]string, len(outline.Fields)),
	}
	if !o.NoHeader {
		if err := out.header(); err != nil {
			return err
		}
	}
	for block, err := range blocks {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = out.block(block)
		}
		if err != nil {
			return err
		}
	}
	return out.flush()
}

// writer builds lines in a buffer.
type writer struct {
	w      io.Writer
	sep    string
	unsafe string // characters of cells in quotes: also those that a reader takes for the separator
	fields []dataset.Field
	levels [][]string // of each column, quoted where needed
	buf    []byte
}

const bufferSize = 1 << 16

func (w *writer) header() error {
	seen := map[string]bool{}
	for i, f := range w.fields {
		name := strings.TrimSpace(f.Name)
		if !legible(name) || seen[name] {
			return fault.New(fault.Data,
				"the name %q of column %d cannot be written: it is there twice, or not UTF-8 text",
				celltext.Abbreviate(f.Name), i+1)
		}
		seen[name] = true
		w.separate(i)
		w.text(f.Name)
	}
	w.endLine(0)
	return nil
}

func (w *writer) block(t *dataset.Table) error {
	if len(t.Columns) != len(w.fields) {
		return fault.New(fault.Usage, "a block has %d columns, the outline %d", len(t.Columns), len(w.fields))
	}
	for i := range t.Columns {
		if err := w.quoteLevels(i, &t.Columns[i]); err != nil {
			return err
		}
	}
	for row := range t.Rows {
		begin := len(w.buf)
		for i := range t.Columns {
			w.separate(i)
			if c := &t.Columns[i]; !w.cell(i, c, row) {
				return fault.New(fault.Data, "%s: %q cannot be written to a CSV file", c.Place(row),
					celltext.Abbreviate(c.Text(row)))
			}
		}
		w.endLine(begin)
		if len(w.buf) >= bufferSize {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// cell writes a cell and reports whether a CSV file can hold it.
func (w *writer) cell(i int, c *dataset.Column, row int) bool {
	switch {
	case c.Texts != nil:
		w.text(c.Texts[row])
		return legible(c.Texts[row])
	case c.Codes == nil:
		v := c.Numbers[row]
		if !math.IsNaN(v) {
			w.buf = strconv.AppendFloat(w.buf, v, 'g', -1, 64)
		}
		return !math.IsInf(v, 0)
	case c.Codes[row] >= 0:
		w.buf = append(w.buf, w.levels[i][c.Codes[row]]...)
	}
	return true
}

// quoteLevels prepares the categories that are new in this block.
func (w *writer) quoteLevels(i int, c *dataset.Column) error {
	for _, level := range c.Levels[min(len(w.levels[i]), len(c.Levels)):] {
		_, kind := celltext.Parse(level)
		if kind == celltext.Missing || strings.TrimSpace(level) != level || !legible(level) {
			return fault.New(fault.Data, "column %q: the category %q would be another when it is read from a CSV file",
				c.Name, celltext.Abbreviate(level)).WithHint("rename it, or write another format")
		}
		w.levels[i] = append(w.levels[i], w.quote(level))
	}
	return nil
}

// legible reports whether the reader returns text as it is.
func legible(text string) bool {
	return checkText(text) == nil && len(text) <= maxCell && !strings.Contains(text, "\r\n")
}

func (w *writer) text(text string) { w.buf = append(w.buf, w.quote(text)...) }

// quote puts text in quotes if it needs them. A byte order mark needs them because readers drop one at the beginning of
// a file.
func (w *writer) quote(text string) string {
	if !strings.ContainsAny(text, w.unsafe) && !strings.HasPrefix(text, "\ufeff") {
		return text
	}
	return fmt.Sprintf(`"%s"`, strings.ReplaceAll(text, `"`, `""`))
}

func (w *writer) separate(i int) {
	if i > 0 {
		w.buf = append(w.buf, w.sep...)
	}
}

// endLine ends the line that begins at buf[begin]. The reader would skip an empty
// line: a missing cell alone is written as quotes.
func (w *writer) endLine(begin int) {
	if len(w.buf) == begin {
		w.buf = append(w.buf, `""`...)
	}
	w.buf = append(w.buf, '\n')
}

func (w *writer) flush() error {
	_, err := w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}
