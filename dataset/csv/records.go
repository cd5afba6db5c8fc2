package csv

import (
	"bufio"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"rvflplus/fault"
)

// commas reads rows with one separator character and CSV quoting.
type commas struct {
	csv   *stdcsv.Reader
	limit *limiter
	name  string
	width int
	line  int // where the last row begins
}

func newCommas(text io.Reader, sep rune, name string) *commas {
	limit := &limiter{reader: text}
	c := stdcsv.NewReader(limit)
	c.Comma, c.ReuseRecord, c.FieldsPerRecord = sep, true, -1
	return &commas{csv: c, limit: limit, name: name}
}

func (c *commas) next() (record, error) {
	c.limit.read = 0
	cells, err := c.csv.Read()
	if err != nil {
		return record{}, c.explain(err)
	}
	line, _ := c.csv.FieldPos(0)
	c.line = line
	if c.width == 0 {
		c.width = len(cells)
	}
	if len(cells) != c.width {
		return record{}, wrongWidth(c.name, line, len(cells), c.width)
	}
	for i, cell := range cells {
		if len(cell) > maxCell {
			line, column := c.csv.FieldPos(i)
			return record{}, fault.New(fault.Data, "%s:%d:%d: a cell of %d bytes, at most %d are read", c.name, line, column, len(cell), maxCell).
				WithHint("a quote may be left open")
		}
	}
	return record{cells, line, c.csv.FieldPos}, nil
}

func wrongWidth(name string, line, got, want int) error {
	return fault.New(fault.Data, "%s:%d: %d cells, but the first row has %d", name, line, got, want).
		WithHint("check quotes and separators on that line, or give the separator with --sep")
}

func (c *commas) explain(err error) error {
	var parse *stdcsv.ParseError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return cutOff(c.name)
	case errors.Is(err, errRowTooLong):
		return fault.New(fault.Data, "%s:%d: %w", c.name, c.line+1, err)
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.As(err, &parse):
		row := ""
		if parse.StartLine != parse.Line {
			row = fmt.Sprintf(", in the row that begins on line %d", parse.StartLine)
		}
		return fault.New(fault.Data, "%s:%d:%d: %v%s", c.name, parse.Line, parse.Column, parse.Err, row).
			WithHint(`a quoted cell is "like this", with "" for a quote inside`)
	}
	return readError(c.name, err)
}

// limiter ends reading when one row is longer than maxRow.
type limiter struct {
	reader io.Reader
	read   int // bytes since the last row began
}

var errRowTooLong = errors.New("a row of more than 8 MiB; a quote may be left open")

func (l *limiter) Read(p []byte) (int, error) {
	if l.read > maxRow {
		return 0, errRowTooLong
	}
	n, err := l.reader.Read(p)
	l.read += n
	return n, err
}

// blanks reads rows whose cells are separated by runs of blanks.
type blanks struct {
	lines *bufio.Scanner
	name  string
	line  int
	width int
}

func newBlanks(text io.Reader, name string) *blanks {
	s := bufio.NewScanner(text)
	s.Buffer(nil, maxRow)
	return &blanks{lines: s, name: name}
}

func (b *blanks) next() (record, error) {
	for b.lines.Scan() {
		b.line++
		text := b.lines.Text()
		cells := strings.Fields(text)
		if len(cells) == 0 {
			continue
		}
		if b.width == 0 {
			b.width = len(cells)
		}
		if len(cells) != b.width {
			return record{}, wrongWidth(b.name, b.line, len(cells), b.width)
		}
		line := b.line
		return record{cells, line, func(i int) (int, int) { return line, columnOf(text, i) }}, nil
	}
	err := b.lines.Err()
	switch {
	case err == nil:
		return record{}, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		err = errRowTooLong
	case errors.Is(err, io.ErrUnexpectedEOF):
		return record{}, cutOff(b.name)
	}
	return record{}, fault.New(fault.Data, "%s:%d: %w", b.name, b.line+1, err)
}

func cutOff(name string) error {
	return fault.New(fault.Data, "%s: the compressed file is cut off", name).WithHint("fetch or compress it again")
}

// columnOf returns where cell i of a line begins, from 1.
func columnOf(text string, i int) int {
	at := 0
	for cell := range strings.FieldsSeq(text) {
		at += strings.Index(text[at:], cell)
		if i == 0 {
			return at + 1
		}
		at += len(cell)
		i--
	}
	return at + 1
}
