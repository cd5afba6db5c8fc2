// Package arff reads and writes the attribute-relation files of Weka, MEKA and Mulan.
package arff

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
	"rvflplus/internal/lines"
	"rvflplus/internal/memory"
)

// Options say how the text is to be read.
type Options struct {
	Name string // of the file, for errors
}

// Reader reads one table. A numeric, real or integer attribute is a numeric column; a nominal attribute is a
// categorical column with the declared levels. The cells of string and date attributes are categories as written. A
// cell is missing if it is ? without quotes, or empty; in a numeric column also NA and NaN. A cell that a sparse row
// does not mention is 0, the first level of a nominal attribute, or missing in a string or date. Instance weights and
// relational attributes are errors.
type Reader struct {
	options    Options
	lines      *lines.Reader
	relation   string
	attributes []attribute
	most       int // attributes
	targets    []string
}

type attribute struct {
	dataset.Field
	codes map[string]int // of the levels, if nominal
}

// NewReader reads the header. Errors about the text are of kind fault.Data.
func NewReader(text io.Reader, o Options) (*Reader, error) {
	return newReader(text, o, lines.MaxColumns)
}

// newReader reads the header of at most so many attributes.
func newReader(text io.Reader, o Options, most int) (*Reader, error) {
	r := &Reader{options: o, most: most}
	var err error
	if r.lines, err = lines.NewReader(text, o.Name); err != nil {
		return nil, err
	}
	if err := r.readHeader(); err != nil {
		return nil, err
	}
	return r, nil
}

// Fields implements dataset.Source; string and date attributes are of unknown kind, because their levels are not
// declared.
func (r *Reader) Fields() []dataset.Field {
	fields := make([]dataset.Field, len(r.attributes))
	for i, a := range r.attributes {
		fields[i] = a.Field
	}
	return fields
}

// Targets returns the names of the columns that the relation's name marks as targets in MEKA's way: "name: -C 3" marks
// the first three, "name: -C -3" the last three. It returns nil without a mark.
func (r *Reader) Targets() []string { return r.targets }

const (
	blockRows  = 4096
	blockCells = 1 << 21 // rows of a block shrink as columns grow
	// columnBytes is the memory of a column beside its cells while a block is made.
	columnBytes = 512
)

// Blocks implements dataset.Source.
func (r *Reader) Blocks(ctx context.Context, as []dataset.ReadAs) dataset.Blocks {
	if len(as) != len(r.attributes) {
		panic("arff: as many ways to read as columns are needed")
	}
	return dataset.Convert(func(yield func(*dataset.Table, error) bool) {
		b := newBuilder(r, as)
		for last := false; !last; {
			var err error
			if last, err = r.fill(ctx, b); err != nil {
				yield(nil, err)
				return
			}
			if !yield(b.table(), nil) {
				return
			}
		}
	}, as)
}

// fill reads the rows of one block.
func (r *Reader) fill(ctx context.Context, b *builder) (last bool, err error) {
	n := len(r.attributes)
	rows := min(max(1, blockCells/n), blockRows)
	bytes := float64(n) * float64(8*rows+columnBytes)
	if err := memory.Check(bytes, "a block of "+r.options.Name, "use a machine with more memory"); err != nil {
		return false, err
	}
	for len(b.lines) < rows {
		text, err := r.lines.Next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		s := &scanner{lines: r.lines, text: text}
		if s.end() {
			continue
		}
		if s.text[s.at] == '{' {
			err = r.sparse(s, b)
		} else {
			err = r.dense(s, b)
		}
		if err != nil {
			return false, err
		}
		b.lines = append(b.lines, r.lines.Number)
	}
	return false, ctx.Err()
}

// dense reads a row of all cells, separated by a comma or blanks. As in Weka, a comma may follow the last cell.
func (r *Reader) dense(s *scanner, b *builder) error {
	begin, n, cells, comma := s.at, len(r.attributes), 0, false
	for ; !s.end() || comma && cells < n; cells++ {
		cell, err := s.cell()
		if err == nil && cells == n {
			err = r.wrongWidth(s, cell.at, n+1)
		}
		if err == nil {
			err = b.add(s, cells, cell)
		}
		if err != nil {
			return err
		}
		comma = s.take(',')
	}
	if cells < n {
		return r.wrongWidth(s, begin, cells)
	}
	return nil
}

// cell reads a cell of a dense row; there is nothing between two commas.
func (s *scanner) cell() (token, error) {
	switch {
	case s.end() || s.text[s.at] == ',':
		return token{at: s.at}, nil
	case s.text[s.at] == '{':
		return token{}, s.weight()
	}
	return s.token()
}

func (r *Reader) wrongWidth(s *scanner, at, cells int) error {
	if cells > len(r.attributes) {
		return s.fault(at, "more cells than the %d attributes", len(r.attributes)).WithHint(quoting)
	}
	return s.fault(at, "%d cells, but there are %d attributes", cells, len(r.attributes)).
		WithHint("a missing cell is written ?; a row is one line")
}

func (s *scanner) weight() error {
	return s.fault(s.at, "the row has a weight in braces, which is not read").
		WithHint("move the weights to an attribute and name it with %s", fault.Name("weight"))
}

// sparse reads a row {index value, …}, with ascending indices from 0.
func (r *Reader) sparse(s *scanner, b *builder) error {
	s.take('{')
	next := 0
	for !s.take('}') {
		if s.end() {
			return s.fault(s.at, "the sparse row is not closed by }").WithHint("the file may be cut off")
		}
		column, err := r.index(s, next)
		if err != nil {
			return err
		}
		b.addDefaults(next, column)
		value, err := s.token()
		if err == nil {
			err = b.add(s, column, value)
		}
		if err != nil {
			return err
		}
		next = column + 1
		s.take(',')
	}
	b.addDefaults(next, len(r.attributes))
	if s.take(',') || !s.end() && s.text[s.at] == '{' {
		s.end()
		return s.weight()
	}
	if !s.end() {
		return s.fault(s.at, "text after the sparse row")
	}
	return nil
}

// index reads the index of a sparse cell, at least next, and stops where the value begins.
func (r *Reader) index(s *scanner, next int) (int, error) {
	t, err := s.token()
	if err != nil {
		return 0, err
	}
	parsed, err := strconv.ParseUint(t.text, 10, 31)
	index := int(parsed)
	switch n := len(r.attributes); {
	case err != nil || index >= n:
		return 0, s.fault(t.at, "%q is not an index from 0 to %d", lines.Abbreviate(t.text), n-1).
			WithHint("a sparse row is {index value, index value, …}")
	case index < next:
		return 0, s.fault(t.at, "index %d is not beyond the one before", index).
			WithHint("sort the indices of each row")
	case s.end():
		return 0, s.fault(s.at, "index %d has no value", index)
	}
	return index, nil
}

// badCell is the error for a cell that does not fit its attribute.
func (a *attribute) badCell(s *scanner, cell token, kind celltext.Kind) *fault.Error {
	text := lines.Abbreviate(cell.text)
	switch {
	case a.Kind == dataset.Nominal:
		const most = 12
		var shown []string
		for _, l := range a.Levels[:min(most, len(a.Levels))] {
			shown = append(shown, quote(lines.Abbreviate(l)))
		}
		if len(a.Levels) > most {
			shown = append(shown, "…")
		}
		return s.fault(cell.at, "column %q: %q is not among the declared values {%s}", a.Name, text,
			strings.Join(shown, ", ")).
			WithHint("add it to the @attribute line, or write ? if the value is unknown")
	case kind == celltext.NotFinite:
		return s.fault(cell.at, "column %q: %q is not a finite number", a.Name, text).
			WithHint("write ? if the value is unknown")
	}
	return s.fault(cell.at, "column %q is numeric, but %q is not a number", a.Name, text).
		WithHint("write ? if the value is unknown")
}
