// Package csv reads tables of separated values: CSV, TSV, and columns separated
// by blanks.
package csv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/lines"
)

// Options say how the text is laid out. The zero value reads a header line and
// finds the separator itself.
type Options struct {
	Name     string // of the file, for errors
	NoHeader bool   // the first row is data; columns are called c1, c2, …
	// Separator is one character, "tab", "space" (any run of blanks), or "" to take
	// the first of comma, tab and semicolon that the first line contains.
	Separator string
}

// Reader reads one table. Its rows are parsed on all cores.
type Reader struct {
	form
	cutter *cutter
	first  *chunk // without the header; nil when it is taken
	notes  []string
}

// chunkSize is the bytes of text that are parsed at a time.
const chunkSize = 1 << 20

// NewReader reads the header line. Errors about the text are of kind fault.Data.
func NewReader(text io.Reader, o Options) (*Reader, error) { return newReader(text, o, chunkSize) }

func newReader(text io.Reader, o Options, size int) (*Reader, error) {
	r := &Reader{form: form{name: o.Name}, cutter: &cutter{input: text, name: o.Name, size: size, line: 1}}
	if err := r.skipMark(); err != nil {
		return nil, err
	}
	if err := r.findSeparator(o.Separator); err != nil {
		return nil, err
	}
	r.cutter.quoted = r.sep != " "
	first := r.cutter.next()
	r.first = &first
	return r, r.readHeader(o.NoHeader)
}

// skipMark drops a UTF-8 byte order mark and refuses what is not text.
func (r *Reader) skipMark() error {
	c := r.cutter
	c.fill(max(c.size, 512))
	if c.err != nil && !errors.Is(c.err, io.EOF) && len(c.buf) == 0 {
		return dataset.ReadError(r.name, c.err)
	}
	if err := lines.CheckHead(c.buf[:min(len(c.buf), 512)], r.name); err != nil {
		return err
	}
	c.buf = bytes.TrimPrefix(c.buf, []byte("\ufeff"))
	return nil
}

var namedSeparators = map[string]string{"tab": "\t", `\t`: "\t", "space": " ", "comma": ",", "semicolon": ";"}

func (r *Reader) findSeparator(text string) error {
	if text == "" {
		r.sep = r.guess(r.cutter.buf[:min(len(r.cutter.buf), 1<<16)])
		return nil
	}
	sep, err := parseSeparator(text)
	r.sep = sep
	return err
}

// parseSeparator returns the text between cells; " " stands for any run of blanks.
func parseSeparator(text string) (string, error) {
	if sep, ok := namedSeparators[text]; ok {
		return sep, nil
	}
	sep, size := utf8.DecodeRuneInString(text)
	if size != len(text) || sep == utf8.RuneError || strings.ContainsRune("\"\n\r\x00", sep) {
		return "", fault.Param("sep", `one character, "tab" or "space"`, strconv.Quote(text))
	}
	return text, nil
}

// guess takes the first of comma, tab and semicolon outside quotes in the first row
// that has something on it.
func (r *Reader) guess(head []byte) string {
	var found [256]bool
	quoted := false
	for _, b := range bytes.TrimLeft(head, "\r\n") {
		if b == '"' {
			quoted = !quoted
		} else if b == '\n' && !quoted {
			break
		}
		found[b] = found[b] || !quoted
	}
	switch {
	case found[',']:
		return ","
	case found['\t']:
		return "\t"
	case found[';']:
		r.notes = append(r.notes, fmt.Sprintf("%s: columns are separated by semicolons", r.name))
		return ";"
	}
	return ","
}

// readHeader sets the columns' names.
func (r *Reader) readHeader(noHeader bool) error {
	row := newRows(r.name, r.sep, r.first.text, r.first.line, maxColumns)
	if more, err := row.advance(); err != nil {
		return err
	} else if !more && r.first.err != nil {
		return r.first.err
	} else if !more {
		return fault.New(fault.Data, "%s has no rows", r.name)
	}
	if row.count > maxColumns {
		return fault.New(fault.Data, "%s:%d: %d columns, at most %d are read", r.name, row.line, row.count, maxColumns)
	}
	r.names = make([]string, row.count)
	for i := range r.names {
		r.names[i] = "c" + strconv.Itoa(i+1)
	}
	r.cutter.size = max(r.cutter.size, min(row.count<<10, maxRow)) // some rows even of a wide table
	if noHeader {
		return nil
	}
	r.first.text, r.first.line = r.first.text[row.next:], row.ahead
	return r.takeNames(row)
}

func (r *Reader) takeNames(row *rows) error {
	seen := make(map[string]int, len(row.cells))
	if looksLikeData(row.cells) {
		r.notes = append(r.notes, fmt.Sprintf("%s: the first line looks like data, not like column names; if so, use --no-header", r.name))
	}
	for i, cell := range row.cells {
		name := strings.Clone(strings.TrimSpace(cell.text))
		if name == "" {
			name = r.names[i]
		}
		if !utf8.ValidString(name) {
			return fault.New(fault.Data, "%s: the column name %q is not UTF-8", place{row, i}, abbreviate(name)).WithHint("save the file as UTF-8")
		}
		if first, again := seen[name]; again {
			return fault.New(fault.Data, "%s: columns %d and %d are both called %q%s", place{row, i}, first+1, i+1, name, unnamed(row, first, i)).
				WithHint("rename one, or use --no-header if the first line is data")
		}
		seen[name] = i
		r.names[i] = name
	}
	return nil
}

// unnamed says which of two columns of one name got it because its own is empty.
func unnamed(row *rows, columns ...int) string {
	for _, i := range columns {
		if strings.TrimSpace(row.cells[i].text) == "" {
			return fmt.Sprintf(", as column %d is because it has no name", i+1)
		}
	}
	return ""
}

// looksLikeData reports whether most cells of a header line are numbers.
func looksLikeData(cells []cell) bool {
	numbers := 0
	for _, cell := range cells {
		if _, kind := dataset.ParseCell(cell.text); kind == dataset.Number {
			numbers++
		}
	}
	return 2*numbers > len(cells)
}

// Fields implements dataset.Source.
func (r *Reader) Fields() []dataset.Field {
	fields := make([]dataset.Field, len(r.names))
	for i, name := range r.names {
		fields[i].Name = name
	}
	return fields
}

// Notes returns what the user should know about the layout found.
func (r *Reader) Notes() []string { return r.notes }

func (r *Reader) nextChunk() chunk {
	if c := r.first; c != nil {
		r.first = nil
		return *c
	}
	return r.cutter.next()
}
