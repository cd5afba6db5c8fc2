package csv

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"rvflplus/fault"
)

const (
	maxCell = 1 << 20 // bytes of one cell
	maxRow  = 8 << 20 // bytes of one row
	// maxColumns bounds the memory that a hostile first line can make us allocate.
	maxColumns = 1 << 20
)

var (
	errRowTooLong = errors.New("a row of more than 8 MiB; a quote may be left open")
	errBareQuote  = errors.New(`bare " in non-quoted-field`)
	errQuote      = errors.New(`extraneous or missing " in quoted-field`)
)

// rows splits a text into rows of cells, quoted as encoding/csv reads them, or
// separated by blanks.
type rows struct {
	name   string // of the file
	sep    string // " " stands for any run of blanks
	text   string
	next   int // where the next row begins
	ahead  int // its line
	quotes bool

	begin int    // of the row
	line  int    // on which it begins
	end   int    // of its line, or of its last one as far as it was read
	cells []cell // of the row, at most limit
	count int    // of its cells
	limit int
}

// cell is one cell and where it begins.
type cell struct {
	text string
	at   int
}

func newRows(name, sep, text string, line, limit int) *rows {
	return &rows{
		name: name, sep: sep, text: text, ahead: line, limit: limit,
		quotes: sep != " " && strings.Contains(text, `"`),
	}
}

// advance reads the next row that is not empty; false tells that there is none.
func (r *rows) advance() (bool, error) {
	for r.next < len(r.text) {
		r.begin, r.line = r.next, r.ahead
		r.cells, r.count = r.cells[:0], 0
		if err := r.split(); err != nil {
			return false, err
		}
		if r.count > 0 {
			return true, r.checkSize()
		}
	}
	return false, nil
}

// split cuts the row that begins at r.begin into cells, none if it is empty.
func (r *rows) split() error {
	r.findEnd(r.begin)
	line := r.text[r.begin:r.end]
	switch {
	case r.quotes && strings.Contains(line, `"`):
		if err := r.splitQuoted(); err != nil {
			return err
		}
		r.ahead += strings.Count(r.text[r.begin:r.end], "\n")
	case r.sep == " ":
		r.splitBlanks(line)
	case line != "":
		r.splitPlain(line)
	}
	r.endRow()
	return nil
}

// findEnd sets r.end for the line that at is on. LF, CRLF and the end of the text
// end lines.
func (r *rows) findEnd(at int) {
	i := strings.IndexByte(r.text[at:], '\n')
	if r.end = at + i; i < 0 {
		r.end = len(r.text)
	} else if i > 0 && r.text[r.end-1] == '\r' {
		r.end--
	}
}

// endRow steps over the end of the row's last line.
func (r *rows) endRow() {
	if r.next = r.end; r.next == len(r.text) {
		return
	}
	if r.text[r.next] == '\r' {
		r.next++
	}
	r.next++
	r.ahead++
}

func (r *rows) add(text string, at int) {
	if r.count++; r.count <= r.limit {
		r.cells = append(r.cells, cell{text, at})
	}
}

func (r *rows) splitPlain(line string) {
	begin := 0
	if len(r.sep) == 1 {
		sep := r.sep[0]
		for i := 0; i < len(line); i++ {
			if line[i] == sep {
				r.add(line[begin:i], r.begin+begin)
				begin = i + 1
			}
		}
	} else {
		for i := strings.Index(line, r.sep); i >= 0; i = strings.Index(line[begin:], r.sep) {
			r.add(line[begin:begin+i], r.begin+begin)
			begin += i + len(r.sep)
		}
	}
	r.add(line[begin:], r.begin+begin)
}

func (r *rows) splitBlanks(line string) {
	begin := -1 // of the cell, if one is open
	for i, c := range line {
		if blank := unicode.IsSpace(c); blank && begin >= 0 {
			r.add(line[begin:i], r.begin+begin)
			begin = -1
		} else if !blank && begin < 0 {
			begin = i
		}
	}
	if begin >= 0 {
		r.add(line[begin:], r.begin+begin)
	}
}

// splitQuoted is split for rows with quotes, which may span lines.
func (r *rows) splitQuoted() error {
	for at := r.begin; ; at += len(r.sep) {
		read := r.plainCell
		if at < r.end && r.text[at] == '"' {
			read = r.quotedCell
		}
		var err error
		if at, err = read(at); err != nil || at == r.end {
			return err
		}
	}
}

// plainCell reads a cell without quotes and returns where it ends.
func (r *rows) plainCell(at int) (int, error) {
	text := r.text[at:r.end]
	if i := strings.Index(text, r.sep); i >= 0 {
		text = text[:i]
	}
	if i := strings.IndexByte(text, '"'); i >= 0 {
		return 0, r.syntax(errBareQuote, at+i)
	}
	r.add(text, at)
	return at + len(text), nil
}

// quotedCell reads a cell in quotes and returns the place after them.
func (r *rows) quotedCell(at int) (int, error) {
	end := at + 1
	for {
		i := strings.IndexByte(r.text[end:], '"')
		if i < 0 {
			return 0, r.leftOpen()
		}
		if end += i + 1; !strings.HasPrefix(r.text[end:], `"`) {
			break
		}
		end++
	}
	if end > r.end {
		r.findEnd(end)
	}
	if end != r.end && !strings.HasPrefix(r.text[end:], r.sep) {
		return 0, r.syntax(errQuote, end-1)
	}
	r.add(unquote(r.text[at+1:end-1]), at)
	return end, nil
}

// unquote returns the text that stands between the quotes of a cell.
func unquote(text string) string {
	if strings.Contains(text, `"`) {
		text = strings.ReplaceAll(text, `""`, `"`)
	}
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// leftOpen is the error for a quoted cell that goes on to the end of the text.
func (r *rows) leftOpen() error {
	if len(r.text)-r.begin > maxRow {
		return r.tooLong()
	}
	end := len(r.text)
	if !strings.HasSuffix(r.text, "\n") {
		return r.syntax(errQuote, end)
	}
	// The place is behind the last line, whose end counts as one byte.
	line, column := r.position(end - 1)
	if strings.HasSuffix(r.text, "\r\n") {
		column--
	}
	return r.syntaxAt(errQuote, line, column+1)
}

func (r *rows) syntax(err error, at int) error {
	line, column := r.position(at)
	return r.syntaxAt(err, line, column)
}

func (r *rows) syntaxAt(err error, line, column int) error {
	row := ""
	if line != r.line {
		row = fmt.Sprintf(", in the row that begins on line %d", r.line)
	}
	return fault.New(fault.Data, "%s:%d:%d: %w%s", r.name, line, column, err, row).
		WithHint(`a quoted cell is "like this", with "" for a quote inside`)
}

// position returns line and column of a byte of the row.
func (r *rows) position(at int) (line, column int) {
	before := r.text[r.begin:at]
	return r.line + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
}

// place returns where a cell of the row begins.
func (r *rows) place(cell int) (line, column int) { return r.position(r.cells[cell].at) }

func (r *rows) checkSize() error {
	length := r.next - r.begin
	if length > maxRow {
		return r.tooLong()
	}
	if length <= maxCell {
		return nil
	}
	for i, c := range r.cells {
		if len(c.text) > maxCell {
			line, column := r.place(i)
			return fault.New(fault.Data, "%s:%d:%d: a cell of %d bytes, at most %d are read",
				r.name, line, column, len(c.text), maxCell).WithHint("a quote may be left open")
		}
	}
	return nil
}

func (r *rows) tooLong() error {
	return fault.New(fault.Data, "%s:%d: %w", r.name, r.line, errRowTooLong)
}

// checkWidth compares the number of cells with the first row's.
func (r *rows) checkWidth(width int) error {
	if r.count == width {
		return nil
	}
	return fault.New(fault.Data, "%s:%d: %d cells, but the first row has %d", r.name, r.line, r.count, width).
		WithHint("check quotes and separators on that line, or give the separator with %s", fault.Name("sep"))
}
