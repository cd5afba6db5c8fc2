package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/tabletest"
)

var nan = math.NaN()

// grid, whole and words are the arrays of testdata/make.py, column by column.
var (
	grid  = [][]float64{{1.5, 0.1, math.Copysign(0, -1), 1 << 53}, {-2, nan, 5e-324, 9}, {3, 1e300, 7, 10}}
	whole = [][]float64{{1, 100, 127, 8}, {-2, 0, 5, 9}, {3, -128, 7, 10}}
	words = [][]string{{"a", "", "a", "z"}, {"ü€𝄞", "b c", "long word", ""}}
)

func absolute(columns [][]float64) [][]float64 {
	out := make([][]float64, len(columns))
	for i, c := range columns {
		for _, v := range c {
			out[i] = append(out[i], math.Abs(v))
		}
	}
	return out
}

func read(data []byte, as ...dataset.ReadAs) (*dataset.Table, error) {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), Options{Name: "t.npy"})
	if err != nil {
		return nil, err
	}
	return tabletest.Collect(context.Background(), r, as...)
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readFixture(t *testing.T, name string, as ...dataset.ReadAs) *dataset.Table {
	t.Helper()
	table, err := read(fixture(t, name), as...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return table
}

func texts(c *dataset.Column, rows int) []string {
	out := make([]string, rows)
	for i := range out {
		out[i] = c.Text(i)
	}
	return out
}

func checkNumbers(t *testing.T, name string, table *dataset.Table, want [][]float64) {
	t.Helper()
	if table.Rows != len(want[0]) || len(table.Columns) != len(want) {
		t.Errorf("%s: %d rows of %d columns", name, table.Rows, len(table.Columns))
		return
	}
	for j, c := range table.Columns {
		if !tabletest.SameBits(c.Numbers, want[j]) {
			t.Errorf("%s: column %q holds %v", name, c.Name, c.Numbers)
		}
	}
}

func TestNumbersOfNumPy(t *testing.T) {
	cases := map[string][][]float64{
		"f4":      {{1.5, 1 << 53}, {3, 10}},
		"f8_line": grid[:1],
		"bool":    {{0, 1, 1, 1}, {0, 0, 0, 1}, {0, 0, 1, 1}},
	}
	for _, name := range []string{"f8_c", "f8_fortran", "f8_big", "f8_big_fortran", "f8_v2", "f8_v3"} {
		cases[name] = grid
	}
	for _, size := range []string{"1", "2", "4", "8"} {
		cases["i"+size], cases["i"+size+"_big_fortran"] = whole, whole
		cases["u"+size], cases["u"+size+"_big"] = absolute(whole), absolute(whole)
	}
	for name, want := range cases {
		table := readFixture(t, name+".npy")
		checkNumbers(t, name, table, want)
		if table.Columns[0].Name != "c1" {
			t.Errorf("%s: columns %v", name, table.Names())
		}
	}
	if table := readFixture(t, "empty.npy"); table.Rows != 0 || len(table.Columns) != 3 || !table.Columns[0].Numeric() {
		t.Errorf("an array without rows: %+v", table)
	}
}

func TestTextsOfNumPy(t *testing.T) {
	for _, name := range []string{"U.npy", "U_big_fortran.npy"} {
		table := readFixture(t, name)
		for j, c := range table.Columns {
			if got := texts(&c, table.Rows); c.Numeric() || !slices.Equal(got, words[j]) {
				t.Errorf("%s: %q", name, got)
			}
		}
		if c := table.Columns[0]; !slices.Equal(c.Codes, []int{0, -1, 0, 1}) {
			t.Errorf("%s: codes %v", name, c.Codes)
		}
	}
	table := readFixture(t, "S.npy", dataset.Auto|dataset.WithText)
	if !slices.Equal(table.Columns[0].Codes, []int{0, -1, 1, 0}) ||
		!slices.Equal(table.Columns[1].Texts, []string{"a", "", "bc", "a"}) {
		t.Errorf("%+v", table.Columns)
	}
	if c := readFixture(t, "S.npy", dataset.Text).Columns[0]; !slices.Equal(c.Texts, []string{"a", "", "bc", "a"}) {
		t.Errorf("%+v", c)
	}
}

func TestWants(t *testing.T) {
	table := readFixture(t, "i2_big_fortran.npy", dataset.Skip, dataset.Categorical, dataset.Text)
	if names := table.Names(); !slices.Equal(names, []string{"c2", "c3"}) ||
		!slices.Equal(table.Columns[0].Levels, []string{"-2", "0", "5", "9"}) {
		t.Errorf("%v, levels %v", names, table.Columns[0].Levels)
	}
	if c := table.Columns[1]; !slices.Equal(c.Texts, []string{"3", "-128", "7", "10"}) || c.Number != 3 {
		t.Errorf("%+v", c)
	}
}

func TestArchives(t *testing.T) {
	for _, name := range []string{"stored.npz", "deflated.npz"} {
		table := readFixture(t, name)
		if got := strings.Join(table.Names(), " "); got != "X1 X2 X3 y name Z1 Z2 Z3" {
			t.Fatalf("%s: columns %s", name, got)
		}
		numbers := &dataset.Table{Rows: table.Rows, Columns: slices.Concat(table.Columns[:4], table.Columns[5:])}
		checkNumbers(t, name, numbers, slices.Concat(grid, whole[:1], whole))
		if got := texts(&table.Columns[4], 4); !slices.Equal(got, words[1]) {
			t.Errorf("%s: %q", name, got)
		}
		some := readFixture(t, name, 3, 3, 3, 3, 3, 3, 0, 0)
		checkNumbers(t, name, some, whole[1:])
	}
}

func TestRefused(t *testing.T) {
	for name, want := range map[string]string{
		"bad_big_int.npy":  `row 3, column "c1": 9007199254740993 has no exact float64`,
		"bad_big_uint.npy": `row 2, column "c1": 18446744073709551615`,
		"bad_inf.npy":      `row 2, column "c2": -Inf`,
		"bad_object.npy":   "Python objects",
		"bad_struct.npy":   "structured",
		"bad_complex.npy":  "complex",
		"bad_date.npy":     "dates",
		"bad_half.npy":     `"<f2"`,
		"bad_zero.npy":     "0 dimensions",
		"bad_three.npy":    "3 dimensions",
		"bad_wide.npy":     "0 columns",
		"bad_rows.npz":     `member "X.npy" has 4 rows, t.npy: member "y.npy" has 5`,
		"bad_names.npz":    `two columns are called "X2"`,
		"bad_object.npz":   `member "names.npy": `,
		"bad_member.npz":   `member "README.txt" is not an array`,
	} {
		_, err := read(fixture(t, name))
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(fmt.Sprint(err), "t.npy: ") ||
			!strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// array returns a .npy file with the given header and cells.
func arrayFile(header string, cells ...byte) []byte {
	file := append([]byte(magic), 1, 0, byte(len(header)), byte(len(header)>>8))
	return append(append(file, header...), cells...)
}

func TestDamagedArrays(t *testing.T) {
	good := fixture(t, "f8_c.npy")
	for name, data := range map[string][]byte{
		"empty":            nil,
		"magic only":       good[:6],
		"cut header":       good[:50],
		"cut cells":        good[:len(good)-1],
		"more cells":       append(bytes.Clone(good), 0),
		"version 4":        append([]byte(magic+"\x04\x00"), good[8:]...),
		"huge header":      []byte(magic + "\x02\x00\xff\xff\xff\xff{"),
		"not a dict":       arrayFile("[1, 2]"),
		"open":             arrayFile("{'descr': '<f8', "),
		"twice":            arrayFile("{'descr': '<f8', 'descr': '<f8', 'shape': (0,)}"),
		"unknown key":      arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (0,), 'x': 1}"),
		"no shape":         arrayFile("{'descr': '<f8', 'fortran_order': False}"),
		"rest":             arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (0,)} x"),
		"negative":         arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"),
		"overflow":         arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952, 8)}"),
		"beyond int64":     arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
		"huge shape":       arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2)}"),
		"too many columns": arrayFile("{'descr': '|b1', 'fortran_order': False, 'shape': (0, 1048577)}"),
		"huge texts":       arrayFile("{'descr': '<U99999999', 'fortran_order': False, 'shape': (0,)}"),
		"huge rows":        arrayFile("{'descr': '<U9999', 'fortran_order': False, 'shape': (0, 99999)}"),
		"size overflows":   arrayFile("{'descr': '<U4611686018427387904', 'fortran_order': False, 'shape': (0,)}"),
		"boolean 2":        arrayFile("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", 2),
		"no character":     arrayFile("{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", 0, 0xD8, 0, 0),
		"not UTF-8":        arrayFile("{'descr': '|S1', 'fortran_order': False, 'shape': (1,)}", 0xFF),
		"zero within":      arrayFile("{'descr': '|S3', 'fortran_order': False, 'shape': (1,)}", 'a', 0, 'b'),
	} {
		_, err := read(data)
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(fmt.Sprint(err), "t.npy") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The literal may be laid out in other ways than NumPy's, and old files have 3L.
func TestHeadersOfOtherPrograms(t *testing.T) {
	for _, text := range []string{
		"{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 2L), }    \n",
		`{"shape":(3,2),"fortran_order":False,"descr":"<f8"}`,
		"{ 'shape' : ( 3 , 2 , ) ,\n'fortran_order' : False, 'descr': '=f8'}",
	} {
		if h, err := parseHeader(text); err != nil || h.rows != 3 || h.columns != 2 || h.fortran || h.size != 8 {
			t.Errorf("%s: %+v, %v", text, h, err)
		}
	}
}

func zipped(t testing.TB, method uint16, members ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i].(string), Method: method})
		if err == nil {
			_, err = w.Write(members[i+1].([]byte))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDamagedArchives(t *testing.T) {
	line, fortran := fixture(t, "f8_line.npy"), fixture(t, "f8_fortran.npy")
	flipped := zipped(t, zip.Store, "a.npy", line)
	flipped[bytes.Index(flipped, []byte("\n"))+3] ^= 1 // a bit of the first cell
	column := zipped(t, zip.Store, "a.npy", fortran)
	column[bytes.Index(column, []byte("\n"))+len(fortran)/4] ^= 1
	for name, data := range map[string][]byte{
		"cut off":        zipped(t, zip.Store, "a.npy", line)[:150],
		"no members":     zipped(t, zip.Store),
		"no name":        zipped(t, zip.Store, ".npy", line),
		"not UTF-8":      zipped(t, zip.Store, "\xff.npy", line),
		"folder":         zipped(t, zip.Store, "a/", []byte(nil)),
		"twice":          zipped(t, zip.Store, "a.npy", line, "a.npy", line),
		"flipped bit":    flipped,
		"flipped column": column,
		"cut cells":      zipped(t, zip.Deflate, "a.npy", line[:len(line)-1]),
		"more cells":     zipped(t, zip.Deflate, "a.npy", append(bytes.Clone(line), 0)),
		"cut columns":    zipped(t, zip.Deflate, "a.npy", fortran[:len(fortran)-1]),
		"more columns":   zipped(t, zip.Deflate, "a.npy", append(bytes.Clone(fortran), 0)),
		"cut stored":     zipped(t, zip.Store, "a.npy", fortran[:len(fortran)-1]),
		"unknown method": bytes.ReplaceAll(zipped(t, zip.Store, "a.npy", line), []byte("\x00\x08\x00\x00\x00"),
			[]byte("\x00\x08\x00\x63\x00")),
		"archive in name": zipped(t, zip.Store, "a.npz", line),
	} {
		_, err := read(data)
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(fmt.Sprint(err), "t.npy") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bomb is an archive of n noughts.
func bomb(t testing.TB, n int) []byte {
	return zipped(t, zip.Deflate, "a.npy",
		arrayFile(fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,)}", n), make([]byte, 8*n)...))
}

func TestBlocksOfAnArchiveAreSmall(t *testing.T) {
	const n = 3_000_000
	data := bomb(t, n)
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for block, err := range r.Blocks(context.Background(), make([]dataset.ReadAs, 1)) {
		if err != nil || block.Rows > maxBlockRows || block.Columns[0].Origin.First != rows {
			t.Fatalf("%d rows after %d: %v", block.Rows, rows, err)
		}
		rows += block.Rows
	}
	if rows != n || len(data) > n/100 {
		t.Errorf("%d rows out of %d bytes", rows, len(data))
	}
}

// Blocks of many rows and of wide ones give what a plain loop reads.
func TestManyBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, shape := range [][2]int{{3*maxBlockRows + 5, 2}, {50, 100_000}} {
		rows, columns := shape[0], shape[1]
		for _, fortran := range []string{"False", "True"} {
			header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': %s, 'shape': (%d, %d)}", fortran, rows, columns)
			data := arrayFile(header, make([]byte, rows*columns)...)
			cells := data[len(data)-rows*columns:]
			for i := range cells {
				cells[i] = byte(rng.Uint32())
			}
			table, err := read(data)
			if err != nil || table.Rows != rows {
				t.Fatalf("%v: %v", shape, err)
			}
			for range 1000 {
				i, j := rng.IntN(rows), rng.IntN(columns)
				at := i*columns + j
				if fortran == "True" {
					at = j*rows + i
				}
				if got := table.Columns[j].Numbers[i]; got != float64(cells[at]) {
					t.Fatalf("row %d, column %d: %v, want %d", i, j, got, cells[at])
				}
			}
		}
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	data := fixture(t, "f8_c.npy")
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.Collect(ctx, r, make([]dataset.ReadAs, 3)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// table has numbers that are easy to get wrong, missing cells and categories.
func testTable() *dataset.Table {
	levels := []string{"a b", "ü€𝄞", "x"}
	return &dataset.Table{Rows: 4, Columns: []dataset.Column{
		{Name: "n/1", Numbers: grid[1]},
		{Name: "ü", Codes: []int{1, -1, 0, 2}, Levels: levels},
		{Name: "c,\"", Numbers: grid[0]},
	}}
}

func TestWriteArchive(t *testing.T) {
	table := testTable()
	var out bytes.Buffer
	if err := WriteArchive(context.Background(), &out, table.Outline(), tabletest.Cut(table, 2)); err != nil {
		t.Fatal(err)
	}
	back, err := read(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.Names(), table.Names()) {
		t.Errorf("columns %q", back.Names())
	}
	for j := range table.Columns {
		a, b := &table.Columns[j], &back.Columns[j]
		if !tabletest.SameBits(a.Numbers, b.Numbers) || !slices.Equal(texts(a, 4), texts(b, 4)) {
			t.Errorf("%q: %+v", a.Name, b)
		}
	}
}

func TestWrite(t *testing.T) {
	table := testTable()
	table.Columns = append(table.Columns[:1], table.Columns[2])
	var out bytes.Buffer
	if err := Write(context.Background(), &out, table.Outline(), tabletest.Cut(table, 2)); err != nil {
		t.Fatal(err)
	}
	back, err := read(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, "written", back, [][]float64{grid[1], grid[0]})
}

// What NumPy writes of the same array, Write writes too.
func TestWriteEqualsNumPy(t *testing.T) {
	table := readFixture(t, "f8_c.npy")
	var out bytes.Buffer
	if err := Write(context.Background(), &out, table.Outline(), tabletest.Cut(table, 2)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), fixture(t, "f8_c.npy")) {
		t.Errorf("got %q", out.Bytes())
	}
}

func TestWritersRefuse(t *testing.T) {
	ctx := context.Background()
	table := testTable()
	outline := table.Outline()
	if err := Write(ctx, &bytes.Buffer{}, outline, tabletest.Cut(table, 2)); !errors.Is(err, fault.Data) ||
		fault.HintOf(err) == "" {
		t.Errorf("categories in .npy: %v", err)
	}
	outline.Rows++
	if err := WriteArchive(ctx, &bytes.Buffer{}, outline, tabletest.Cut(table, 2)); !errors.Is(err, fault.Data) {
		t.Errorf("another number of rows: %v", err)
	}
	if err := WriteArchive(ctx, &bytes.Buffer{}, dataset.Outline{},
		tabletest.Cut(&dataset.Table{}, 2)); !errors.Is(err, fault.Usage) {
		t.Errorf("no columns: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := WriteArchive(cancelled, &bytes.Buffer{}, table.Outline(),
		tabletest.Cut(table, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	outline = table.Outline()
	outline.Rows = math.MaxInt64 / 1024
	if err := WriteArchive(ctx, &bytes.Buffer{}, outline, tabletest.Cut(table, 2)); !errors.Is(err, fault.Resource) {
		t.Errorf("a table too large: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	entries, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".np") {
			f.Add(fixture(f, e.Name()))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := read(data)
		if err != nil {
			if !errors.Is(err, fault.Data) {
				t.Errorf("error of another kind: %v", err)
			}
			return
		}
		if err := table.Check(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzHeader(f *testing.F) {
	f.Add("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }")
	f.Add(`{"shape":(3L,),"fortran_order":True,"descr":"|S5"}`)
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parseHeader(text)
		if err == nil && (h.bytes() < 0 || h.rowBytes() < 1) {
			t.Errorf("%q: %+v", text, h)
		}
	})
}

func benchmark(b *testing.B, data []byte, bytesOfCells int) {
	b.SetBytes(int64(bytesOfCells))
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)), Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range r.Blocks(context.Background(), make([]dataset.ReadAs, len(r.Fields()))) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, fortran := range []string{"False", "True"} {
		header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': %s, 'shape': (100000, 20)}", fortran)
		data := arrayFile(header, make([]byte, 100000*20*8)...)
		b.Run("fortran"+fortran, func(b *testing.B) { benchmark(b, data, len(data)) })
	}
	b.Run("deflated", func(b *testing.B) { benchmark(b, bomb(b, 2_000_000), 16_000_000) })
}
