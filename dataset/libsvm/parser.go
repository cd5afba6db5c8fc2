package libsvm

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/celltext"
	"rvflplus/internal/lines"
)

// row is one row of the text.
type row struct {
	line     int
	label    float64
	query    float64
	hasQuery bool
	entries  []entry // in ascending order of columns
}

// entry is one index:value.
type entry struct {
	column int // from 0
	value  float64
}

// parser reads rows from lines.
type parser struct {
	lines       *lines.Reader
	base        int // the index of the first column
	columns     int // features, at most
	indicesOnly bool
	begun       bool
	queries     bool // the first row has a qid
}

func newParser(text io.Reader, o Options, columns int) (*parser, error) {
	reader, err := lines.NewReader(text, o.Name)
	p := &parser{lines: reader, base: 1, columns: columns}
	if o.ZeroBased {
		p.base = 0
	}
	return p, err
}

// next reads the next line that is not empty or a comment into rec, or returns io.EOF.
func (p *parser) next(rec *row) error {
	for {
		text, err := p.lines.Next()
		if err != nil {
			return err
		}
		text, _, _ = strings.Cut(text, "#")
		if label, at := word(text, 0); label != "" {
			return p.parse(rec, text, label, at)
		}
	}
}

// word returns the next word of text and where it begins, "" at the end.
func word(text string, from int) (string, int) {
	for from < len(text) && lines.Blank(text[from]) {
		from++
	}
	end := from
	for end < len(text) && !lines.Blank(text[end]) {
		end++
	}
	return text[from:end], from
}

func (p *parser) parse(rec *row, text, label string, at int) (err error) {
	*rec = row{line: p.lines.Number, entries: rec.entries[:0]}
	if rec.label, err = p.label(label, at); err != nil {
		return err
	}
	next, at := word(text, at+len(label))
	if query, found := strings.CutPrefix(next, "qid:"); found {
		id, err := strconv.ParseUint(query, 10, 64)
		if err != nil || id > maxQuery {
			return p.lines.Fault(at, "qid %q is not a whole number from 0 to 2^53", lines.Abbreviate(query))
		}
		rec.query, rec.hasQuery = float64(id), true
		next, at = word(text, at+len(next))
	}
	for ; next != ""; next, at = word(text, at+len(next)) {
		if err := p.entry(rec, next, at); err != nil {
			return err
		}
	}
	// Either all rows have a qid or none.
	if !p.begun {
		p.begun, p.queries = true, rec.hasQuery
	}
	if rec.hasQuery == p.queries {
		return nil
	}
	is, first := "a qid", "none"
	if p.queries {
		is, first = "no qid", "one"
	}
	return p.lines.Fault(0, "the row has %s, but the first row has %s", is, first).
		WithHint("give every row a qid, or none")
}

func (p *parser) label(text string, at int) (float64, error) {
	switch {
	case strings.Contains(text, ":"):
		return 0, p.lines.Fault(at, "the row has no label before %q", lines.Abbreviate(text)).
			WithHint("a row is: label index:value index:value …")
	case strings.Contains(text, ","):
		return 0, p.lines.Fault(at, "%q: several labels in a row are not read", lines.Abbreviate(text)).
			WithHint("a row is: label index:value …; " +
				"data with several labels can be read from ARFF or CSV, with a column for each")
	}
	return p.number(text, at, "label")
}

// number reads the number of a label or a feature; what says which, for errors.
func (p *parser) number(text string, at int, what string) (float64, error) {
	if err := p.lines.Check(text, at); err != nil || p.indicesOnly {
		return 0, err
	}
	value, kind := celltext.Parse(text)
	switch {
	case kind == celltext.NotFinite:
		return 0, p.lines.Fault(at, "the %s %q is not a finite number", what, lines.Abbreviate(text)).
			WithHint("write nan if the value is unknown")
	case kind == celltext.Word || text == "":
		return 0, p.lines.Fault(at, "the %s %q is not a number", what, lines.Abbreviate(text)).
			WithHint("a row is: label index:value index:value …")
	}
	return value, nil
}

// maxQuery is the greatest number up to which float64 holds all whole numbers.
const maxQuery = 1 << 53

func (p *parser) entry(rec *row, text string, at int) error {
	index, value, found := strings.Cut(text, ":")
	n, err := strconv.ParseUint(index, 10, 64)
	if found && errors.Is(err, strconv.ErrRange) {
		return p.tooManyColumns(index, at)
	}
	if !found || err != nil {
		return p.lines.Fault(at, "%q is not index:value", lines.Abbreviate(text)).
			WithHint("a row is: label index:value index:value …, with whole numbers as indices")
	}
	column, err := p.column(rec, n, at)
	if err != nil {
		return err
	}
	v, err := p.number(value, at+len(index)+1, "value")
	rec.entries = append(rec.entries, entry{column, v})
	return err
}

// column returns the column of an index, which must be beyond those before it.
func (p *parser) column(rec *row, index uint64, at int) (int, error) {
	if index < uint64(p.base) {
		return 0, p.lines.Fault(at, "index 0, but indices begin at 1").
			WithHint("if the file counts from 0, as scikit-learn writes by default, use %s", fault.Name("zero-based"))
	}
	if last := len(rec.entries) - 1; last >= 0 && index <= uint64(rec.entries[last].column+p.base) {
		before := rec.entries[last].column + p.base
		if index == uint64(before) {
			return 0, p.lines.Fault(at, "index %d comes twice in the row", index)
		}
		return 0, p.lines.Fault(at, "index %d comes after %d", index, before).WithHint("sort the indices of each row")
	}
	if index-uint64(p.base) >= uint64(p.columns) {
		return 0, p.tooManyColumns(strconv.FormatUint(index, 10), at)
	}
	return int(index) - p.base, nil
}

func (p *parser) tooManyColumns(index string, at int) *fault.Error {
	index = lines.Abbreviate(index)
	if p.columns == lines.MaxColumns {
		return p.lines.Fault(at, "index %s, at most %d features are read", index, p.columns)
	}
	return p.lines.Fault(at, "index %s, but the table is read with %d features", index, p.columns)
}
