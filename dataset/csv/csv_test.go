package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/tabletest"
)

func read(text string, o Options, as ...dataset.ReadAs) (*dataset.Table, error) {
	if o.Name == "" {
		o.Name = "t.csv"
	}
	r, err := NewReader(strings.NewReader(text), o)
	if err != nil {
		return nil, err
	}
	return tabletest.Collect(context.Background(), r, as...)
}

func mustRead(t *testing.T, text string, o Options, as ...dataset.ReadAs) *dataset.Table {
	t.Helper()
	table, err := read(text, o, as...)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return table
}

func TestLayoutsGiveTheSameTable(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		o    Options
	}{
		"plain":       {"a,b\n1,x\n2.5,y\n", Options{}},
		"no last eol": {"a,b\n1,x\n2.5,y", Options{}},
		"crlf":        {"a,b\r\n1,x\r\n2.5,y\r\n", Options{}},
		"bom":         {"\ufeffa,b\n1,x\n2.5,y\n", Options{}},
		"quotes":      {"\"a\",\"b\"\n\"1\",\"x\"\n2.5,y\n", Options{}},
		"tabs":        {"a\tb\n1\tx\n2.5\ty\n", Options{}},
		"semicolons":  {"a;b\n1;x\n2.5;y\n", Options{}},
		"given":       {"a|b\n1|x\n2.5|y\n", Options{Separator: "|"}},
		"named tab":   {"a\tb\n1\tx\n2.5\ty\n", Options{Separator: "tab"}},
		"blanks":      {"  a   b\n 1 x  \n\n2.5\t y", Options{Separator: "space"}},
		"padding":     {"a , b\n 1, x \n 2.5 ,y\n", Options{}},
		"empty lines": {"\n\na,b\n\n1,x\n\n2.5,y\n\n", Options{}},
	} {
		table := mustRead(t, c.text, c.o)
		b := table.Find("b")
		if table.Rows != 2 || !slices.Equal(table.Find("a").Numbers, []float64{1, 2.5}) || b.Text(0) != "x" ||
			b.Text(1) != "y" {
			t.Errorf("%s: %+v", name, table)
		}
	}
}

// The end of what is looked at first may fall between CR and LF.
func TestLongHeaderLinesWithCRLF(t *testing.T) {
	for width := 500; width < 520; width++ {
		text := strings.Repeat("x", width-2) + ",b\r\n1,2\r\n"
		if table := mustRead(t, text, Options{}); table.Rows != 1 {
			t.Errorf("a header of %d bytes: %d rows", width, table.Rows)
		}
	}
}

func TestQuotedCells(t *testing.T) {
	table := mustRead(t, "name,v\n\"a, \"\"b\"\"\nc\",1\nd,2\n", Options{})
	if got := table.Find("name").Text(0); got != "a, \"b\"\nc" {
		t.Errorf("got %q", got)
	}
	if place := table.Find("v").Place(1); place != `t.csv:4: column 2 ("v")` {
		t.Errorf("place %s", place)
	}
}

func TestNoHeader(t *testing.T) {
	table := mustRead(t, "1,2\n3,4\n", Options{NoHeader: true})
	if !slices.Equal(table.Names(), []string{"c1", "c2"}) || table.Rows != 2 || table.Find("c1").Numbers[0] != 1 {
		t.Errorf("%v, %d rows", table.Names(), table.Rows)
	}
	if mustRead(t, ",b\n1,2\n", Options{}).Names()[0] != "c1" {
		t.Error("an empty name is not replaced")
	}
}

func TestHeaderAlone(t *testing.T) {
	if table := mustRead(t, "a,b\n", Options{}); table.Rows != 0 || len(table.Columns) != 2 {
		t.Errorf("%+v", table)
	}
}

func TestNotes(t *testing.T) {
	for text, want := range map[string]string{
		"5.1,3.5,setosa\n1,2,x\n": "use no-header",
		"a;b\n1;2\n":              "semicolons",
		"a,b\n1,2\n":              "",
		"id,2019\n1,2\n":          "",
	} {
		r, err := NewReader(strings.NewReader(text), Options{Name: "t.csv"})
		if err != nil {
			t.Fatal(err)
		}
		var notes string
		for _, n := range r.Notes() {
			notes += n.String()
		}
		if want == "" && notes != "" || !strings.Contains(notes, want) {
			t.Errorf("%q: notes %q", text, notes)
		}
	}
}

func TestTypesAndMissingCells(t *testing.T) {
	table := mustRead(t, "n,c,m,t\n,?,NA,007\n1,u,,NA\nNaN,v, ,\n", Options{},
		dataset.Auto, dataset.Auto, dataset.Auto, dataset.Text)
	n, c, m := table.Find("n"), table.Find("c"), table.Find("m")
	if !n.Numeric() || !n.Missing(0) || n.Numbers[1] != 1 || !n.Missing(2) {
		t.Errorf("numbers %v", n.Numbers)
	}
	if c.Numeric() || !slices.Equal(c.Codes, []int{-1, 0, 1}) {
		t.Errorf("codes %v", c.Codes)
	}
	if !m.Numeric() || m.FirstMissing() != 0 || !math.IsNaN(m.Numbers[2]) {
		t.Errorf("a column of missing cells: %+v", m)
	}
	if !slices.Equal(table.Find("t").Texts, []string{"007", "NA", ""}) {
		t.Errorf("texts %q", table.Find("t").Texts)
	}
	forced := mustRead(t, "g\n1\n2\n1\n", Options{}, dataset.Categorical).Find("g")
	if forced.Numeric() || !slices.Equal(forced.Levels, []string{"1", "2"}) {
		t.Errorf("categorical by request: %+v", forced)
	}
	if got := mustRead(t, "a,b\n1,2\n", Options{}, dataset.Skip, dataset.Auto); len(got.Columns) != 1 ||
		got.Columns[0].Number != 2 {
		t.Errorf("a skipped column: %v", got.Names())
	}
}

func TestBadInput(t *testing.T) {
	for name, c := range map[string]struct{ text, place string }{
		"empty":          {"", "t.csv"},
		"blank":          {" \n\n", "t.csv"},
		"text in number": {"a,b\n1,2\n3,x4\n", `t.csv:3: column 2 ("b")`},
		"number in text": {"a,b\n1,u\n3,4\n", `t.csv:3: column 2 ("b")`},
		"two decimals":   {"a;b\n0,45;1\n0.45;1\n", `t.csv:3: column 1 ("a")`},
		"infinity":       {"a\n1\ninf\n", `t.csv:3: column 1 ("a")`},
		"overflow":       {"a\n1e999\n", `t.csv:2: column 1 ("a")`},
		"ragged":         {"a,b\n1,2\n3\n", "t.csv:3"},
		"too wide":       {"a,b\n1,2,3\n", "t.csv:2"},
		"open quote": {"a,b\n1,\"2\n3,4\n",
			"t.csv:3:5: extraneous or missing \" in quoted-field, in the row that begins on line 2"},
		"bare quote":     {"a,b\n1,x\"y\n", "t.csv:2"},
		"twice":          {"a,a\n1,2\n", "t.csv:1:3"},
		"not UTF-8":      {"a\n\xff\n", "t.csv:2:1"},
		"name not UTF-8": {"a,\xff\n1,2\n", "t.csv:1:3"},
		"binary":         {"a,b\x00\x01\n1,2", "t.csv"},
		"UTF-16":         {"\xff\xfea\x00\n\x00", "t.csv"},
		"lone CR":        {"a,b\r1,2\r3,4\r", "t.csv"},
		"gzip":           {"\x1f\x8b\x08\x00", "t.csv"},
		"huge cell":      {"a\n" + strings.Repeat("x", maxCell+1) + "\n", "t.csv:2:1"},
	} {
		_, err := read(c.text, Options{})
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(fmt.Sprint(err), c.place) {
			t.Errorf("%s: error %v, want one at %s", name, err, c.place)
		}
	}
	if _, err := read("a b\n1 2\n3\n", Options{Separator: "space"}); !errors.Is(err, fault.Data) ||
		!strings.HasPrefix(err.Error(), "t.csv:3") {
		t.Errorf("ragged blanks: %v", err)
	}
	for _, sep := range []string{"ab", "\"", "\n"} {
		if _, err := read("a\n1\n", Options{Separator: sep}); !errors.Is(err, fault.Usage) {
			t.Errorf("separator %q: %v", sep, err)
		}
	}
}

func TestPlaceInBlankSeparatedRows(t *testing.T) {
	_, err := read("a  bb\n1   22\n11  x\n", Options{Separator: "space"})
	if err == nil || !strings.HasPrefix(err.Error(), "t.csv:3: column 2 (\"bb\")") {
		t.Errorf("error %v", err)
	}
}

// endless yields one row that never ends.
type endless struct{ begun bool }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	if !e.begun {
		copy(p, "a,b\n1,\"")
		e.begun = true
	}
	return len(p), nil
}

func TestEndlessRowIsRefused(t *testing.T) {
	for _, sep := range []string{"", "space"} {
		r, err := NewReader(&endless{}, Options{Name: "t.csv", Separator: sep})
		if err == nil {
			_, err = dataset.Collect(context.Background(), r, make([]dataset.ReadAs, len(r.Fields())))
		}
		if !errors.Is(err, fault.Data) {
			t.Errorf("separator %q: %v", sep, err)
		}
	}
}

// many yields rows without end.
type many struct{}

func (many) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("1\n"), len(p)/2+1)), nil }

func TestMemoryAndCancellationAreChecked(t *testing.T) {
	tabletest.LimitMemory(t, 32<<20)
	r, err := NewReader(many{}, Options{Name: "t.csv", NoHeader: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = dataset.Collect(context.Background(), r,
		[]dataset.ReadAs{dataset.Auto}); !errors.Is(err, fault.Resource) {
		t.Errorf("endless rows: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, _ = NewReader(many{}, Options{Name: "t.csv", NoHeader: true})
	if _, err = dataset.Collect(ctx, r, []dataset.ReadAs{dataset.Auto}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a,b\n1,x\n", "\ufeffa;b\n1;2", "a\tb\n\"q\"\"\"\t", "1 2\n3 4\n", "a,b\n,\n?,NA\n",
		"\xff\xfe", "\"", "a\r\r\nb"} {
		f.Add(s, "", false)
		f.Add(s, "space", true)
	}
	f.Fuzz(func(t *testing.T, text, sep string, noHeader bool) {
		table, err := read(text, Options{Separator: sep, NoHeader: noHeader})
		if err != nil {
			if !errors.Is(err, fault.Data) && !errors.Is(err, fault.Usage) {
				t.Errorf("error of another kind: %v", err)
			}
			return
		}
		for _, c := range table.Columns {
			if len(c.Numbers)+len(c.Codes) != table.Rows {
				t.Errorf("column %q has %d cells in %d rows", c.Name, len(c.Numbers)+len(c.Codes), table.Rows)
			}
			for _, v := range c.Numbers {
				if math.IsInf(v, 0) {
					t.Errorf("column %q holds %v", c.Name, v)
				}
			}
		}
	})
}

// A column may stay without a value for many blocks before a cell decides what it
// holds.
func TestColumnsDecidedLate(t *testing.T) {
	var text strings.Builder
	text.WriteString("late number,late word,level\n")
	const rows = 3*blockRows + 7
	for i := range rows {
		switch {
		case i < rows-2:
			fmt.Fprintf(&text, ",,l%d\n", i%5)
		default:
			fmt.Fprintf(&text, "%d,w%d,new\n", i, i)
		}
	}
	table := mustRead(t, text.String(), Options{})
	number, word, level := &table.Columns[0], &table.Columns[1], &table.Columns[2]
	if table.Rows != rows || number.FirstMissing() != 0 || number.Numbers[rows-1] != rows-1 ||
		!math.IsNaN(number.Numbers[rows-3]) {
		t.Errorf("number: %d rows, %v", table.Rows, number.Numbers[rows-3:])
	}
	if word.Numeric() || !word.Missing(rows-3) || word.Text(rows-1) != fmt.Sprint("w", rows-1) ||
		len(word.Codes) != rows {
		t.Errorf("word: %v", word.Codes[rows-3:])
	}
	if level.Text(6) != "l1" || level.Text(rows-1) != "new" || len(level.Levels) != 6 ||
		level.Origin.Lines[rows-1] != rows+1 {
		t.Errorf("level: %v", level.Levels)
	}
}
