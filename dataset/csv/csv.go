// Package csv reads tables of separated values: CSV, TSV, and columns separated
// by blanks.
package csv

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"rvflplus/dataset"
	"rvflplus/fault"
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

const (
	maxCell = 1 << 20 // bytes of one cell
	maxRow  = 8 << 20 // bytes of one row
	// maxColumns bounds what a hostile first line can make us allocate.
	maxColumns = 1 << 20
)

// Reader reads one table.
type Reader struct {
	options Options
	names   []string
	records records
	first   *record // the first row, when it is data
	notes   []string
}

// record is one row: its cells, the line it starts on, and where a cell stands.
type record struct {
	cells []string
	line  int
	place func(cell int) (line, column int)
}

// records yields the rows of a text.
type records interface {
	next() (record, error) // io.EOF after the last
}

// NewReader reads the header line. Errors about the text are of kind fault.Data.
func NewReader(text io.Reader, o Options) (*Reader, error) {
	r := &Reader{options: o}
	input := bufio.NewReaderSize(text, 1<<16)
	if err := r.skipMark(input); err != nil {
		return nil, err
	}
	sep, err := r.separator(input)
	if err != nil {
		return nil, err
	}
	if sep == ' ' {
		r.records = newBlanks(input, o.Name)
	} else {
		r.records = newCommas(input, sep, o.Name)
	}
	return r, r.readHeader()
}

// skipMark drops a UTF-8 byte order mark and refuses what is not text.
func (r *Reader) skipMark(input *bufio.Reader) error {
	head, err := input.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return readError(r.options.Name, err)
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}), bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return fault.New(fault.Data, "%s is UTF-16 text, not UTF-8", r.options.Name).WithHint("save it as UTF-8")
	case bytes.HasPrefix(head, []byte{0x1F, 0x8B}):
		return fault.New(fault.Data, "%s is a gzip file", r.options.Name).WithHint("give it a name that ends in .gz")
	case bytes.IndexByte(head, 0) >= 0:
		return fault.New(fault.Data, "%s is not a text file", r.options.Name)
	case bytes.IndexByte(bytes.TrimRight(head, "\r"), '\r') >= 0 && bytes.IndexByte(head, '\n') < 0:
		return fault.New(fault.Data, "%s: lines end with a carriage return alone", r.options.Name).WithHint("save it with LF or CRLF line ends")
	case len(bytes.TrimSpace(head)) == 0 && len(head) < 512:
		return fault.New(fault.Data, "%s is empty", r.options.Name)
	}
	if bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}) {
		_, _ = input.Discard(3)
	}
	return nil
}

var namedSeparators = map[string]rune{"tab": '\t', `\t`: '\t', "space": ' ', "comma": ',', "semicolon": ';'}

func (r *Reader) separator(input *bufio.Reader) (rune, error) {
	text := r.options.Separator
	if text == "" {
		head, _ := input.Peek(1 << 16)
		return r.guess(head), nil
	}
	if sep, ok := namedSeparators[text]; ok {
		return sep, nil
	}
	sep, size := utf8.DecodeRuneInString(text)
	if size != len(text) || sep == utf8.RuneError || sep == '"' || sep == '\n' || sep == '\r' {
		return 0, fault.Param("sep", `one character, "tab" or "space"`, strconv.Quote(text))
	}
	return sep, nil
}

// guess takes the first of comma, tab and semicolon outside quotes in the first
// line that has something on it.
func (r *Reader) guess(head []byte) rune {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte("\n"))
	for _, sep := range ",\t;" {
		quoted := false
		for _, b := range line {
			if b == '"' {
				quoted = !quoted
			} else if rune(b) == sep && !quoted {
				if sep == ';' {
					r.notes = append(r.notes, fmt.Sprintf("%s: columns are separated by semicolons", r.options.Name))
				}
				return sep
			}
		}
	}
	return ','
}

// readHeader sets the columns' names.
func (r *Reader) readHeader() error {
	rec, err := r.records.next()
	if errors.Is(err, io.EOF) {
		return fault.New(fault.Data, "%s has no rows", r.options.Name)
	}
	if err != nil {
		return err
	}
	if len(rec.cells) > maxColumns {
		return fault.New(fault.Data, "%s:%d: %d columns, at most %d are read", r.options.Name, rec.line, len(rec.cells), maxColumns)
	}
	r.names = make([]string, len(rec.cells))
	for i := range r.names {
		r.names[i] = "c" + strconv.Itoa(i+1)
	}
	if r.options.NoHeader {
		r.first = &record{append([]string(nil), rec.cells...), rec.line, rec.place}
		return nil
	}
	if looksLikeData(rec.cells) {
		r.notes = append(r.notes, fmt.Sprintf("%s: the first line looks like data, not like column names; if so, use --no-header", r.options.Name))
	}
	return r.takeNames(rec)
}

func (r *Reader) takeNames(rec record) error {
	seen := map[string]int{}
	for i, cell := range rec.cells {
		name := strings.TrimSpace(cell)
		if name == "" {
			name = r.names[i]
		}
		line, column := rec.place(i)
		if !utf8.ValidString(name) {
			return fault.New(fault.Data, "%s:%d:%d: the column name %q is not UTF-8", r.options.Name, line, column, name).WithHint("save the file as UTF-8")
		}
		if first, again := seen[name]; again {
			return fault.New(fault.Data, "%s:%d:%d: columns %d and %d are both called %q", r.options.Name, line, column, first+1, i+1, name).
				WithHint("rename one, or use --no-header if the first line is data")
		}
		seen[name] = i
		r.names[i] = name
	}
	return nil
}

// looksLikeData reports whether most cells of a header line are numbers.
func looksLikeData(cells []string) bool {
	numbers := 0
	for _, cell := range cells {
		if _, kind := dataset.ParseCell(cell); kind == dataset.Number {
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

// Blocks implements dataset.Source.
func (r *Reader) Blocks(ctx context.Context, want []dataset.Want) iter.Seq2[*dataset.Table, error] {
	if len(want) != len(r.names) {
		panic("csv: want has another length than the columns")
	}
	b := newBuilder(r.options.Name, r.names, want)
	return func(yield func(*dataset.Table, error) bool) {
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
	}
}

// fill reads the rows of one block.
func (r *Reader) fill(ctx context.Context, b *builder) (last bool, err error) {
	for b.rows < blockRows {
		rec, err := r.nextRow()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err == nil {
			err = b.add(rec)
		}
		if err != nil {
			return false, err
		}
	}
	return false, ctx.Err()
}

// blockRows is the number of rows of a block.
const blockRows = 4096

func (r *Reader) nextRow() (record, error) {
	if first := r.first; first != nil {
		r.first = nil
		return *first, nil
	}
	return r.records.next()
}

func readError(name string, err error) error {
	return dataset.ReadError(name, err)
}
