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
	"rvflplus/internal/celltext"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/lines"
	"rvflplus/internal/namelist"
)

// Options say how the text is laid out. The zero value reads a header line and finds the separator itself.
type Options struct {
	Name     string // of the file, for errors
	NoHeader bool   // the first row is data; columns are called c1, c2, …
	// Separator is one character, "tab", "space" (any run of blanks), or "" to take the first of comma, tab and
	// semicolon that the first line contains.
	Separator string
	// Missing is dataset.Cells.Missing: with a list, NA, NaN and ? are words that only whoever reads may take for
	// missing cells.
	Missing []string
}

// Reader reads one table. Its rows are parsed on all cores.
type Reader struct {
	layout
	cutter *cutter
	first  *chunk // without the header; nil when it is taken
	notes  []fault.Text
}

// chunkSize is the bytes of text that are parsed at a time.
const chunkSize = 1 << 20

// NewReader reads the header line. Errors about the text are of kind fault.Data, an unusable separator is fault.Usage.
func NewReader(text io.Reader, o Options) (*Reader, error) { return newReader(text, o, chunkSize) }

func newReader(text io.Reader, o Options, size int) (*Reader, error) {
	r := &Reader{
		layout: layout{name: o.Name, missing: o.Missing},
		cutter: &cutter{input: text, name: o.Name, size: size, line: 1},
	}
	if err := r.skipMark(); err != nil {
		return nil, err
	}
	if o.Separator == "" {
		r.sep = r.guess(r.cutter.buf[:min(len(r.cutter.buf), 1<<16)])
	} else {
		var err error
		if r.sep, err = parseSeparator(o.Separator); err != nil {
			return nil, err
		}
	}
	r.cutter.quoted = r.sep != " "
	first := r.cutter.next()
	r.first = &first
	return r, r.readHeader(o.NoHeader)
}

// skipMark drops a UTF-8 byte order mark and refuses a file that is not text.
func (r *Reader) skipMark() error {
	c := r.cutter
	c.fill(max(c.size, 512))
	if c.err != nil && !errors.Is(c.err, io.EOF) && len(c.buf) == 0 {
		return inputfile.ReadError(r.name, c.err)
	}
	if err := lines.CheckHead(c.buf[:min(len(c.buf), 512)], r.name); err != nil {
		return err
	}
	c.buf = bytes.TrimPrefix(c.buf, []byte("\ufeff"))
	return nil
}

var namedSeparators = map[string]string{"tab": "\t", `\t`: "\t", "space": " ", "comma": ",", "semicolon": ";"}

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

// guess returns the first of comma, tab and semicolon that stands outside quotes in the first row that is not empty.
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
		r.notes = append(r.notes, fault.Textf("%s: columns are separated by semicolons", r.name))
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
	var nameless []string
	numbers := 0
	for _, cell := range row.cells {
		if _, kind := celltext.Parse(cell.text); kind == celltext.Number {
			numbers++
		}
	}
	if 2*numbers > len(row.cells) {
		r.notes = append(r.notes, fault.Textf(
			"%s: the first line looks like data, not like column names; if so, use %s", r.name,
			fault.Name("no-header")))
	}
	for i, cell := range row.cells {
		name := strings.Clone(strings.TrimSpace(cell.text))
		if name == "" {
			name = r.names[i]
			nameless = append(nameless, name)
		}
		if !utf8.ValidString(name) {
			return fault.New(fault.Data, "%s: the column name %q is not UTF-8",
				place{row, i}, celltext.Abbreviate(name)).
				WithHint("save the file as UTF-8")
		}
		if first, again := seen[name]; again {
			because := "" // one of the two columns got its name because the file gives it none
			for _, k := range []int{i, first} {
				if strings.TrimSpace(row.cells[k].text) == "" {
					because = fmt.Sprintf(", as column %d is because it has no name", k+1)
				}
			}
			return fault.New(fault.Data, "%s: columns %d and %d are both called %q%s",
				place{row, i}, first+1, i+1, name, because).
				WithHint("rename one, or use %s if the first line is data", fault.Name("no-header"))
		}
		seen[name] = i
		r.names[i] = name
	}
	if len(nameless) > 0 {
		r.notes = append(r.notes, fault.Textf("%s: columns without a name are called by their position: %s", r.name,
			namelist.Abbreviate(nameless)))
	}
	return nil
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
func (r *Reader) Notes() []fault.Text { return r.notes }

// DecimalCommas implements dataset.Commas: where semicolons separate columns, commas probably stand before decimals.
func (r *Reader) DecimalCommas() bool { return r.sep == ";" }

func (r *Reader) nextChunk() chunk {
	if c := r.first; c != nil {
		r.first = nil
		return *c
	}
	return r.cutter.next()
}
