package tablefile

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/lines"
	"rvflplus/internal/tabletest"
)

func write(t *testing.T, name, text string, zip bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	content := []byte(text)
	if zip {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write(content)
		if err := errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		content = b.Bytes()
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(path string, o Options) (*dataset.Table, error) {
	ctx := context.Background()
	f, err := Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	table, err := tabletest.Collect(ctx, f)
	return table, errors.Join(err, f.Close())
}

// temporary makes the folder of temporary files an empty one, and fails if
// something is left in it.
func temporary(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// odd are numbers that a sloppy writer or reader would change.
var odd = []float64{math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, 0.1,
	1.0 / 3, 1e22, 123456789012345678, 2.2250738585072011e-308}

func oddTable() *dataset.Table {
	n := len(odd)
	codes, target := make([]int, n), make([]float64, n)
	for i := range codes {
		codes[i], target[i] = i%3, float64(i%4)-1.5
	}
	reversed := slices.Clone(odd)
	slices.Reverse(reversed)
	return &dataset.Table{Rows: n, Columns: []dataset.Column{
		{Name: "f1", Numbers: odd}, {Name: "f2", Numbers: reversed},
		{Name: "f3", Codes: codes, Levels: []string{"a", "b c", `"d',`}}, {Name: "target", Numbers: target},
	}}
}

// without returns a table without the column of categories.
func without(t *dataset.Table) *dataset.Table {
	out := *t
	out.Columns = slices.Concat(t.Columns[:2], t.Columns[3:])
	out.Columns[2].Name = "target"
	return &out
}

// equal compares two tables bit for bit; names only if the format has any.
func equal(t *testing.T, what string, got, want *dataset.Table, names bool) {
	t.Helper()
	if got.Rows != want.Rows || len(got.Columns) != len(want.Columns) || names &&
		!slices.Equal(got.Names(), want.Names()) {
		t.Fatalf("%s: %d rows of %v", what, got.Rows, got.Names())
	}
	for i := range want.Columns {
		g, w := &got.Columns[i], &want.Columns[i]
		for row := range want.Rows {
			if g.Numeric() != w.Numeric() || g.Text(row) != w.Text(row) || w.Numeric() &&
				math.Float64bits(g.Numbers[row]) != math.Float64bits(w.Numbers[row]) {
				t.Fatalf("%s: row %d, column %s: %s, want %s", what, row, w.Name, g.Text(row), w.Text(row))
			}
		}
	}
}

func TestEveryFormatKeepsEveryBit(t *testing.T) {
	temporary(t)
	ctx := context.Background()
	for _, name := range []string{"t.csv", "t.tsv", "t.arff", "t.npz", "t.parquet", "t.libsvm", "t.npy"} {
		want := oddTable()
		format := ByName(name)
		if format == LIBSVM || format == NPY {
			want = without(want)
		}
		for _, ending := range []string{"", ".gz"} {
			path := filepath.Join(t.TempDir(), name+ending)
			if err := Write(ctx, path, want.Outline(), tabletest.Blocks(want), WriteOptions{}); err != nil {
				t.Fatalf("%s%s: %v", name, ending, err)
			}
			got, err := read(path, Options{})
			if err != nil {
				t.Fatalf("%s%s: %v", name, ending, err)
			}
			equal(t, name+ending, got, want, format != NPY && format != LIBSVM)
			forced := filepath.Join(t.TempDir(), "noname"+ending)
			if err := os.Rename(path, forced); err != nil {
				t.Fatal(err)
			}
			if got, err = read(forced, Options{Format: format}); err != nil {
				t.Fatalf("with format %s: %v", format, err)
			}
			equal(t, "with format "+string(format), got, want, false)
		}
	}
}

// A table can be read as often as one likes, also from a pipe.
func TestReopen(t *testing.T) {
	temporary(t)
	ctx := context.Background()
	want := without(oddTable())
	for _, format := range Formats() {
		path := filepath.Join(t.TempDir(), "t."+format)
		if err := Write(ctx, path, want.Outline(), tabletest.Blocks(want), WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, source := range []string{path, pipe(t, path)} {
			f, err := Open(ctx, source, Options{Format: Format(format), Again: true})
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			for range 3 {
				got, err := tabletest.Collect(ctx, f)
				if err != nil {
					t.Fatalf("%s: %v", source, err)
				}
				equal(t, source, got, want, false)
				if err := f.Reopen(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	f, err := Open(ctx, pipe(t, write(t, "a.csv", "a\n1\n", false)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Reopen(ctx); !errors.Is(err, fault.Usage) {
		t.Errorf("a pipe read twice: %v", err)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	temporary(t)
	whole := write(t, "b.csv.gz", "a,b\n1,2\n", true)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	table := without(oddTable())
	binary := func(format Format) string {
		var b bytes.Buffer
		if err := Encode(context.Background(), &b, "x", table.Outline(), tabletest.Blocks(table),
			WriteOptions{Format: format}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	half := func(s string) string { return s[:len(s)/2] }
	for name, c := range map[string]struct{ path, says, hint string }{
		"missing":  {filepath.Join(t.TempDir(), "none.csv"), "none.csv: no such file", ""},
		"folder":   {t.TempDir(), "is a folder", ""},
		"not gzip": {write(t, "c.csv.gz", "a,b\n", false), "c.csv.gz: not a .gz file", ""},
		"gzip and more": {write(t, "d.csv.gz", string(data)+"x", false),
			"d.csv.gz: something else follows the compressed data", "again"},
		"gzip, half and more": {write(t, "d.csv.gz", string(data)+"\x1f\x8b", false), "d.csv.gz: the file is cut off",
			"again"},
		"gzip as compress": {write(t, "d.csv.Z", string(data), false),
			"d.csv.Z: not a .Z file, but one compressed with gzip", ".gz"},
		"packed twice": {write(t, "d.csv.gz", string(data), true),
			"d.csv.gz is compressed with gzip, not text", "unpack it first"},
		"CSV as TSV": {write(t, "d.tsv", "a,b\n1,2\n", false), "d.tsv looks like text separated by commas",
			"format=csv"},
		"semicolons as TSV": {write(t, "d.tab", "a;b\n1;2\n", false),
			"d.tab looks like text separated by semicolons", "format=tsv"},
		"cut off": {write(t, "d.csv.gz", string(data[:len(data)-6]), false),
			"d.csv.gz: the file is cut off", "again"},
		"unzipped as": {write(t, "e.csv", string(data), false), "compressed with gzip", ".gz"},
		"Parquet as CSV": {write(t, "f.csv", binary(Parquet), false), "f.csv is a Parquet file",
			"format=parquet"},
		"Parquet without name": {write(t, "f", binary(Parquet), false), "a Parquet file", "format=parquet"},
		"NPZ as LIBSVM":        {write(t, "g.svm", binary(NPZ), false), "a zip archive", "format=npz"},
		"NPY as ARFF":          {write(t, "h.arff", binary(NPY), false), "a NumPy array", "format=npy"},
		"NPY as packed Parquet": {write(t, "h.parquet.gz", binary(NPY), true),
			"is not a .parquet file, but a NumPy array", "with format"},
		"text as packed NPY": {write(t, "i.npy.gz", "a,b\n1,2\n", true), "is not a .npy file", "with format"},
		"text as NPY":        {write(t, "i.npy", "a,b\n1,2\n", false), "i.npy", ""},
		"text as Parquet":    {write(t, "i.parquet", "a,b\n1,2\n", false), "i.parquet", ""},
		"ARFF as text": {write(t, "j.txt", "% about\n\n@RELATION x\n", false), "looks like an ARFF file",
			"format=arff"},
		"LIBSVM as text": {write(t, "k.data", "+1 1:0.5 3:1 # x\n-1 2:1\n", false), "looks like LIBSVM text",
			"format=libsvm"},
		"HDF5":                {write(t, "l.csv", "\x89HDF\r\n\x1a\n\x00\x00", false), "an HDF5 file", "convert"},
		"half a Parquet file": {write(t, "m.parquet", half(binary(Parquet)), false), "m.parquet", ""},
		"half an archive":     {write(t, "n.npz", half(binary(NPZ)), false), "n.npz", ""},
		"half an array":       {write(t, "o.npy.gz", half(binary(NPY)), true), "o.npy.gz", ""},
		"packed, half":        {write(t, "p.parquet.gz", half(binary(Parquet)), true), "p.parquet.gz", ""},
		"empty":               {write(t, "q.parquet", "", false), "q.parquet", ""},
		"empty text":          {write(t, "q.libsvm", "", false), "q.libsvm is empty", ""},
	} {
		_, err := read(c.path, Options{})
		if !errors.Is(err, fault.Data) || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(fault.HintOf(err), c.hint) {
			t.Errorf("%s: %v; hint %s", name, err, fault.HintOf(err))
		}
	}
	for name, text := range map[string]string{"r.txt": "PAR1,PK\n1,2\n", "s.data": "BZh,x\n1,2\n",
		"t": "1 1,2\n3 4,5\n", "u.tsv": "a,b\tc\n1\t2\n"} {
		if table, err := read(write(t, name, text, false), Options{}); err != nil || len(table.Columns) != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{"a.xlsx", "a.mat.gz", ""} {
		if _, err := read(path, Options{}); !errors.Is(err, fault.Usage) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := read(whole, Options{Format: "word"}); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
}

// Small files that unpack to much are refused early, whatever they claim to be.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	temporary(t)
	for _, fill := range []string{"\x00", "a", "1"} {
		packed, err := os.ReadFile(write(t, "bomb", strings.Repeat(fill, lines.MaxLine+1<<20), true))
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range append(Formats(), "txt") {
			path := write(t, "bomb."+format+".gz", string(packed), false)
			if _, err := read(path, Options{}); !errors.Is(err, fault.Data) {
				t.Errorf("%q as %s: %.100v", fill, format, err)
			}
		}
	}
}

func TestRolesThatFilesState(t *testing.T) {
	arff := "@relation 'x: -C 2'\n@attribute 'a,1' numeric\n@attribute b numeric\n@attribute c numeric\n@data\n1,2,3\n"
	for name, c := range map[string]struct{ text, target string }{
		"a.arff":   {arff, `"a,1",b`},
		"b.libsvm": {"1 1:2\n", "target"},
		"c.csv":    {"a,target\n1,2\n", ""},
	} {
		f, err := Open(context.Background(), write(t, name, c.text, false), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Roles.Target != c.target {
			t.Errorf("%s: target %q", name, f.Roles.Target)
		}
		f.Close()
	}
	table := oddTable()
	var b bytes.Buffer
	if err := Encode(context.Background(), &b, "x.arff", table.Outline(), tabletest.Blocks(table),
		WriteOptions{Targets: 2, Relation: "a: -C 1"}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(context.Background(), write(t, "y.arff", b.String(), false), Options{})
	if err != nil || f.Roles.Target != "f3,target" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestLIBSVMOptions(t *testing.T) {
	path := write(t, "a.svm", "1 0:5 2:7\n", false)
	if _, err := read(path, Options{}); !errors.Is(err, fault.Data) {
		t.Errorf("index 0: %v", err)
	}
	got, err := read(path, Options{ZeroBased: true, Features: 5})
	if err != nil || !slices.Equal(got.Names(), []string{"f1", "f2", "f3", "f4", "f5", "target"}) ||
		got.Columns[2].Numbers[0] != 7 || got.Columns[4].Numbers[0] != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err = read(path, Options{ZeroBased: true, Features: 2}); err != nil || len(got.Columns) != 4 {
		t.Errorf("more features than are needed: %v, %v", got, err)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	table := oddTable()
	for _, c := range []struct {
		name string
		o    WriteOptions
		says string
	}{
		{"x", WriteOptions{}, "does not tell in which format"},
		{"x.txt", WriteOptions{}, "does not tell in which format"},
		{"x.csv.Z", WriteOptions{}, "read only"},
		{"x.csv", WriteOptions{Format: "word"}, "format must be one of"},
		{"x.npy", WriteOptions{}, `column "f3" holds categories`},
		{"x.libsvm", WriteOptions{}, `column "f3" holds categories`},
		{"none/x.csv", WriteOptions{}, "no folder"},
		{"", WriteOptions{}, "empty"},
	} {
		path := c.name
		if path != "" {
			path = filepath.Join(dir, c.name)
		}
		err := Write(context.Background(), path, table.Outline(), tabletest.Blocks(table), c.o)
		var known *fault.Error
		if !errors.As(err, &known) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// An interrupt while a pipe is copied leaves nothing behind.
func TestCancelledCopy(t *testing.T) {
	temporary(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := newSpool(ctx, io.MultiReader(strings.NewReader("some"),
		readerFunc(func([]byte) (int, error) { cancel(); return 1, nil })), "x")
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestNoRoomForACopy(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	_, err := newSpool(context.Background(), strings.NewReader("x"), "x.npy.gz")
	if !errors.Is(err, fault.Resource) || !strings.Contains(fault.HintOf(err), "TMPDIR") {
		t.Error(err)
	}
}

// Whatever a file holds, it is a table or an error of bad input.
func FuzzFile(f *testing.F) {
	table := without(oddTable())
	for i, format := range Formats() {
		var b bytes.Buffer
		if err := Encode(context.Background(), &b, "x", table.Outline(), tabletest.Blocks(table),
			WriteOptions{Format: Format(format)}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes(), i)
	}
	f.Fuzz(func(t *testing.T, content []byte, format int) {
		names := append(Formats(), "")
		path := write(t, "x", string(content), format%2 == 0)
		if format%2 == 0 {
			if err := os.Rename(path, path+".gz"); err != nil {
				t.Fatal(err)
			}
			path += ".gz"
		}
		_, err := read(path, Options{Format: Format(names[(format%len(names)+len(names))%len(names)])})
		var known *fault.Error
		if err != nil && (!errors.As(err, &known) || known.Kind != fault.Data && known.Kind != fault.Resource) {
			t.Errorf("%v", err)
		}
	})
}
