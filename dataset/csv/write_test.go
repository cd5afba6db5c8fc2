package csv

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/tabletest"
)

// outlineOf returns the outline of a table and how to read it back.
func outlineOf(t *dataset.Table) (dataset.Outline, []dataset.ReadAs) {
	o := dataset.Outline{Rows: t.Rows}
	var as []dataset.ReadAs
	for _, c := range t.Columns {
		f, w := dataset.Field{Name: c.Name, Kind: dataset.Nominal, Levels: c.Levels}, dataset.Categorical
		switch {
		case c.Texts != nil:
			w = dataset.Text
		case c.Numeric():
			f.Kind, w = dataset.Numeric, dataset.Auto
		}
		o.Fields, as = append(o.Fields, f), append(as, w)
	}
	return o, as
}

func written(t *dataset.Table, o Options) (string, error) {
	outline, _ := outlineOf(t)
	var text bytes.Buffer
	err := Write(context.Background(), &text, outline, tabletest.Cut(t, 3), o)
	return text.String(), err
}

// sameCells compares tables but for the places of their cells.
func sameCells(a, b *dataset.Table) bool {
	return a.Rows == b.Rows && slices.EqualFunc(a.Columns, b.Columns, func(c, d dataset.Column) bool {
		return c.Name == d.Name && slices.Equal(c.Codes, d.Codes) && slices.Equal(c.Texts, d.Texts) &&
			slices.Equal(c.Levels, d.Levels) &&
			tabletest.SameBits(c.Numbers, d.Numbers)
	})
}

func roundTrip(t *testing.T, table *dataset.Table, o Options) {
	t.Helper()
	text, err := written(table, o)
	if err != nil {
		t.Fatal(err)
	}
	_, as := outlineOf(table)
	if back := mustRead(t, text, o, as...); !sameCells(back, table) {
		t.Errorf("%.300q is read as\n%.300v", text, fmt.Sprint(back))
	}
	if o.Separator == "|" || o.Separator == "§" {
		return
	}
	if back := mustRead(t, text, Options{NoHeader: o.NoHeader}, as...); !sameCells(back, table) {
		t.Errorf("the separator of %.300q is not found", text)
	}
}

func TestWrittenTablesAreReadBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := []float64{0, math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64, -1e21, 123456789, 0.1,
		math.NaN()}
	for range 1000 {
		if v := math.Float64frombits(random.Uint64()); !math.IsNaN(v) && !math.IsInf(v, 0) {
			numbers = append(numbers, v)
		}
	}
	levels := []string{"plain", "a,b", "a;b", "a\tb", `say "no"`, "two\nlines", "lone\rreturn", "#x", "a|b", "§", "1",
		"\ufeffmark"}
	texts := []string{"", " padded ", "NA", "\"", "007", "a\n"}
	n := len(numbers)
	table := &dataset.Table{Rows: n, Columns: []dataset.Column{
		{Name: "x;1", Numbers: numbers}, {Name: "c", Codes: make([]int, n), Levels: levels},
		{Name: "t", Texts: make([]string, n)}}}
	for i := range n {
		table.Columns[1].Codes[i] = min(i, i%(len(levels)+1)-1)
		table.Columns[2].Texts[i] = texts[i%len(texts)]
	}
	for _, sep := range []string{"", "tab", ";", "|", "§"} {
		roundTrip(t, table, Options{Separator: sep})
	}
}

func TestWrittenTextIsThatOfEncodingCSV(t *testing.T) {
	table := mustRead(t, "a,b\n1,x\n,\"q\"\"r\"\n-2.5,\"u,v\"\n", Options{})
	text, err := written(table, Options{})
	rows, errRead := stdcsv.NewReader(strings.NewReader(text)).ReadAll()
	if want := [][]string{{"a", "b"}, {"1", "x"}, {"", "q\"r"}, {"-2.5", "u,v"}}; err != nil || errRead != nil ||
		!reflect.DeepEqual(rows, want) {
		t.Errorf("%q: %v, %v", text, err, errRead)
	}
}

// An empty line would be skipped.
func TestOneColumnWithMissingCells(t *testing.T) {
	for _, table := range []*dataset.Table{
		{Rows: 2, Columns: []dataset.Column{{Name: "x", Numbers: []float64{math.NaN(), 1}}}},
		{Rows: 2, Columns: []dataset.Column{{Name: "x", Codes: []int{0, -1}, Levels: []string{"u"}}}},
		{Rows: 2, Columns: []dataset.Column{{Name: "x", Texts: []string{"", "v"}}}},
	} {
		roundTrip(t, table, Options{})
	}
	roundTrip(t, &dataset.Table{Rows: 1, Columns: []dataset.Column{{Name: "c1", Numbers: []float64{math.NaN()}}}},
		Options{NoHeader: true})
}

func TestUnwritable(t *testing.T) {
	level := func(l string) dataset.Column {
		return dataset.Column{Name: "c", Codes: []int{0}, Levels: []string{l}}
	}
	text := func(l string) dataset.Column { return dataset.Column{Name: "t", Texts: []string{l}} }
	for _, c := range []dataset.Column{
		level("NA"), level(""), level("?"), level(" x"), level("a\r\nb"), level("\xff"),
		level(strings.Repeat("x", maxCell+1)),
		text("a\r\nb"), text("\x00"), text("\xff"), {Name: "n", Numbers: []float64{math.Inf(1)}},
		{Name: "\xff", Numbers: []float64{1}},
	} {
		if text, err := written(&dataset.Table{Rows: 1, Columns: []dataset.Column{c}},
			Options{}); !errors.Is(err, fault.Data) {
			t.Errorf("%.20q is written as %.20q: %v", c.Text(0), text, err)
		}
	}
	one := dataset.Column{Name: "x", Numbers: []float64{1}}
	twice := &dataset.Table{Rows: 1, Columns: []dataset.Column{one, one}}
	if _, err := written(twice, Options{}); !errors.Is(err, fault.Data) {
		t.Errorf("one name twice: %v", err)
	}
	for _, sep := range []string{"space", "ab", "\""} {
		if _, err := written(twice, Options{Separator: sep}); !errors.Is(err, fault.Usage) {
			t.Errorf("separator %q: %v", sep, err)
		}
	}
	if err := Write(context.Background(), io.Discard, dataset.Outline{}, tabletest.Cut(twice, 3),
		Options{}); !errors.Is(err, fault.Usage) {
		t.Errorf("an outline of another table: %v", err)
	}
}

func TestWriteStops(t *testing.T) {
	table := mustRead(t, "a\n1\n", Options{})
	outline, _ := outlineOf(table)
	if err := Write(context.Background(), tabletest.FullDisk{}, outline, tabletest.Cut(table, 3),
		Options{}); !errors.Is(err, tabletest.ErrFull) {
		t.Errorf("a full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Write(ctx, io.Discard, outline, tabletest.Cut(table, 3), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	broken := func(yield func(*dataset.Table, error) bool) { yield(nil, tabletest.ErrFull) }
	if err := Write(context.Background(), io.Discard, outline, broken, Options{}); !errors.Is(err, tabletest.ErrFull) {
		t.Errorf("a broken source: %v", err)
	}
}

func FuzzWrite(f *testing.F) {
	for i, text := range hardTexts {
		f.Add(text, byte(i), byte(i))
	}
	f.Fuzz(func(t *testing.T, text string, first, sep byte) {
		wants := []dataset.ReadAs{dataset.Auto, dataset.Categorical, dataset.Text}
		r, err := NewReader(strings.NewReader(text), Options{Name: "t", Separator: ","})
		if err != nil {
			return
		}
		want := slices.Repeat(wants[first%3:first%3+1], len(r.Fields()))
		table, err := dataset.Collect(context.Background(), r, want)
		if err != nil {
			return
		}
		o := Options{Separator: []string{"", "tab", ";", "|"}[sep%4]}
		if _, err := written(table, o); err == nil {
			roundTrip(t, table, o)
		} else if !strings.Contains(text, "\r\n") && !strings.Contains(text, "\x00") {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
