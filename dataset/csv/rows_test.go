package csv

import (
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// located is a row with the places of its cells.
type located struct {
	line  int
	cells []string
	at    []string
}

// readRows cuts a text into chunks of about size bytes and reads their rows.
func readRows(text, sep string, size int) (all []located, err error) {
	c := &cutter{input: iotest.HalfReader(strings.NewReader(text)), name: "t", size: size, quoted: sep != " ", line: 1}
	for last := false; !last; {
		piece := c.next()
		last = piece.last
		r := newRows("t", sep, piece.text, piece.line, maxColumns)
		more, err := r.advance()
		for ; more && err == nil; more, err = r.advance() {
			row := located{line: r.line}
			for i, cell := range r.cells {
				row.cells, row.at = append(row.cells, cell.text), append(row.at, place{r, i}.String())
			}
			all = append(all, row)
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// oracle reads rows with encoding/csv.
func oracle(text, sep string) (all []located, err error) {
	r := stdcsv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = []rune(sep)[0], -1
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		var parse *stdcsv.ParseError
		if errors.As(err, &parse) {
			row := ""
			if parse.StartLine != parse.Line {
				row = fmt.Sprintf(", in the row that begins on line %d", parse.StartLine)
			}
			return all, fmt.Errorf("t:%d:%d: %w%s", parse.Line, parse.Column, parse.Err, row)
		}
		row := located{cells: cells}
		for i := range cells {
			line, column := r.FieldPos(i)
			row.at = append(row.at, fmt.Sprintf("t:%d:%d", line, column))
		}
		row.line, _ = r.FieldPos(0)
		all = append(all, row)
	}
}

// blanksOracle reads rows with strings.Fields.
func blanksOracle(text string) (all []located) {
	for i, line := range strings.Split(text, "\n") {
		row := located{line: i + 1, cells: strings.Fields(line)}
		at := 0
		for _, cell := range row.cells {
			at += strings.Index(line[at:], cell)
			row.at = append(row.at, fmt.Sprintf("t:%d:%d", i+1, at+1))
			at += len(cell)
		}
		if len(row.cells) > 0 {
			all = append(all, row)
		}
	}
	return all
}

func sameRows(t *testing.T, text, sep string, size int) {
	t.Helper()
	var want []located
	var wantErr error
	if sep == " " {
		want = blanksOracle(strings.TrimSuffix(text, "\r"))
	} else {
		want, wantErr = oracle(text, sep)
	}
	got, err := readRows(text, sep, size)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%q with %q in chunks of %d: error %v, want %v", text, sep, size, err, wantErr)
	}
	if !slices.EqualFunc(got, want, func(a, b located) bool {
		return a.line == b.line && slices.Equal(a.cells, b.cells) && slices.Equal(a.at, b.at)
	}) {
		t.Fatalf("%q with %q in chunks of %d: %v, want %v", text, sep, size, got, want)
	}
}

var hardTexts = []string{
	"", "a,b\n1,2", "a,b\r\n1,2\r\n", "\n\r\n\na\r", "a\r\r\nb\r", "\"a\"\r", "\"a\"\r\r\n", "\"a\r\nb\",c\n",
	"\"a\n\"\"\nb\"\n,\n",
	"a,\"", "a,\"b\n", "a,\"b\r\n", "a,\"b\n\r", "\"\"", "\"\"\"\"\n", "\"a\"b\n", "a\"b\n", "a,b\n\"c\nd\"x\n",
	"\"a\n\",\"b\nc\",\"d\"\n,e\n",
	"x\n\"a\n\"\n\"", " \"a\"\n", "a§b§\"c§\"\n", "\"§\n", " a  b\u0085c\u00a0\n\xffd\n", "\"0\n0\",c2\n1,\n",
	"\"\n\"\n\"\n", ",\n,,\n", "\"a\",", "5\" pipe\n1,2\n3\"\n",
}

func TestRowsAreThoseOfEncodingCSV(t *testing.T) {
	for _, text := range hardTexts {
		for _, sep := range []string{",", "§", " "} {
			for _, size := range []int{1, 2, 3, 5, 1 << 20} {
				sameRows(t, text, sep, size)
			}
		}
	}
}

func FuzzRows(f *testing.F) {
	for i, text := range hardTexts {
		f.Add(text, byte(i), byte(i))
	}
	f.Fuzz(func(t *testing.T, text string, sep, size byte) {
		sameRows(t, text, []string{",", "\t", "x", "§", " "}[sep%5], int(size)+1)
	})
}
