package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/tabletest"
)

var (
	nan = math.NaN()
	ctx = context.Background()
)

func read(data []byte, as ...dataset.ReadAs) (*dataset.Table, error) {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), Options{Name: "t.parquet"})
	if err != nil {
		return nil, err
	}
	return tabletest.Collect(ctx, r, as...)
}

func mustRead(t *testing.T, data []byte, as ...dataset.ReadAs) *dataset.Table {
	t.Helper()
	table, err := read(data, as...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".parquet")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// one writes a file of one column "a" with parquet-go.
func one(t testing.TB, node parquet.Node, values []parquet.Value, options ...parquet.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	options = append(options, parquet.NewSchema("t", parquet.Group{"a": node}))
	w := parquet.NewWriter(&out, options...)
	for _, v := range values {
		level := 0
		if node.Optional() && !v.IsNull() {
			level = 1
		}
		if _, err := w.WriteRows([]parquet.Row{{v.Level(0, level, 0)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var codecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd,
	&parquet.Lz4Raw}

// What parquet-go writes in every encoding and packing is read.
func TestEncodingsOfNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	value := func(k parquet.Kind) (parquet.Value, float64) {
		n := rng.IntN(1<<31) - 1<<30
		switch k {
		case parquet.Boolean:
			return parquet.BooleanValue(n > 0), map[bool]float64{true: 1}[n > 0]
		case parquet.Int32:
			return parquet.Int32Value(int32(n)), float64(n)
		case parquet.Int64:
			return parquet.Int64Value(int64(n) << 20), float64(n) * (1 << 20)
		case parquet.Float:
			return parquet.FloatValue(float32(n) / 7), float64(float32(n) / 7)
		}
		return parquet.DoubleValue(float64(n) / 7), float64(n) / 7
	}
	type numbers struct {
		kind      parquet.Type
		encodings []encoding.Encoding
	}
	for _, c := range []numbers{
		{parquet.BooleanType, []encoding.Encoding{&parquet.Plain, &parquet.RLE}},
		{parquet.Int32Type, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaBinaryPacked,
			&parquet.ByteStreamSplit}},
		{parquet.Int64Type, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaBinaryPacked,
			&parquet.ByteStreamSplit}},
		{parquet.FloatType, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.ByteStreamSplit}},
		{parquet.DoubleType, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.ByteStreamSplit}},
	} {
		for _, enc := range c.encodings {
			for i, codec := range codecs {
				for version := 1; version <= 2; version++ {
					node := parquet.Encoded(parquet.Leaf(c.kind), enc)
					if i%2 == version%2 {
						node = parquet.Optional(node)
					}
					var values []parquet.Value
					var want []float64
					for row := range 6000 {
						v, number := value(c.kind.Kind())
						if node.Optional() && row%5 == 2 {
							v, number = parquet.NullValue(), nan
						}
						values, want = append(values, v), append(want, number)
					}
					data := one(t, node, values, parquet.Compression(codec), parquet.DataPageVersion(version),
						parquet.PageBufferSize(5000))
					if got := mustRead(t, data).Columns[0]; !tabletest.SameBits(got.Numbers, want) {
						t.Errorf("%s, %s, %s, version %d, optional %v: other numbers", c.kind, enc, codec, version,
							node.Optional())
					}
				}
			}
		}
	}
}

func TestEncodingsOfTexts(t *testing.T) {
	for _, enc := range []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaLengthByteArray,
		&parquet.DeltaByteArray} {
		for version := 1; version <= 2; version++ {
			var values []parquet.Value
			var want []string
			for i := range 6000 {
				text := fmt.Sprintf("text ü %d", i*i%91)
				switch i % 7 {
				case 3:
					text = ""
					values = append(values, parquet.NullValue())
				case 4:
					text = ""
					fallthrough
				default:
					values = append(values, parquet.ByteArrayValue([]byte(text)))
				}
				want = append(want, text)
			}
			node := parquet.Optional(parquet.Encoded(parquet.String(), enc))
			data := one(t, node, values, parquet.DataPageVersion(version), parquet.PageBufferSize(3000))
			table := mustRead(t, data, dataset.Auto|dataset.WithText)
			category, text := table.Columns[0], mustRead(t, data, dataset.Text).Columns[0]
			if !slices.Equal(text.Texts, want) || !slices.Equal(table.Columns[1].Texts, want) {
				t.Errorf("%s, version %d: other texts", enc, version)
			}
			for i := range want {
				if category.Text(i) != want[i] || category.Missing(i) != (want[i] == "") {
					t.Fatalf("%s, version %d, row %d: %q, want %q", enc, version, i, category.Text(i), want[i])
				}
			}
			if len(category.Levels) > 91 || category.Levels[0] != "text ü 0" || category.Levels[1] != "text ü 1" {
				t.Errorf("%s: %d levels, %q", enc, len(category.Levels), category.Levels[:2])
			}
		}
	}
}

func TestTypes(t *testing.T) {
	big := []byte{0x01, 0, 0, 0, 0, 0, 0, 0, 0} // 2^64
	for name, c := range map[string]struct {
		node  parquet.Node
		value parquet.Value
		want  float64
	}{
		"uint8":     {parquet.Uint(8), parquet.Int32Value(200), 200},
		"uint32":    {parquet.Uint(32), parquet.Int32Value(-1), 1<<32 - 1},
		"uint64":    {parquet.Uint(64), parquet.Int64Value(-1 << 53), 1<<64 - 1<<53},
		"int16":     {parquet.Int(16), parquet.Int32Value(-5), -5},
		"int64":     {parquet.Int(64), parquet.Int64Value(1 << 60), 1 << 60},
		"decimal32": {parquet.Decimal(2, 9, parquet.Int32Type), parquet.Int32Value(-110), -1.1},
		"decimal64": {parquet.Decimal(3, 18, parquet.Int64Type), parquet.Int64Value(999999999999999999),
			999999999999999.999},
		"decimal fixed": {parquet.Decimal(1, 20, parquet.FixedLenByteArrayType(9)), parquet.FixedLenByteArrayValue(big),
			1844674407370955161.6},
		"decimal bytes": {parquet.Decimal(2, 9, parquet.ByteArrayType), parquet.ByteArrayValue([]byte{0xFF, 0x92}),
			-1.1},
		"negative zero": {parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(math.Copysign(0, -1)),
			math.Copysign(0, -1)},
		"NaN": {parquet.Leaf(parquet.FloatType), parquet.FloatValue(float32(nan)), nan},
	} {
		table := mustRead(t, one(t, c.node, []parquet.Value{c.value}))
		if got := table.Columns[0].Numbers; !tabletest.SameBits(got, []float64{c.want}) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if c := mustRead(t,
		one(t, parquet.Enum(), []parquet.Value{parquet.ByteArrayValue([]byte("x"))})).Columns[0]; c.Text(0) != "x" ||
		c.Numeric() {
		t.Errorf("enum: %+v", c)
	}
}

func TestRefused(t *testing.T) {
	long := parquet.ByteArrayValue(bytes.Repeat([]byte("x"), maxCell+1))
	for want, data := range map[string][]byte{
		"9007199254740993 has no exact float64": one(t, parquet.Leaf(parquet.Int64Type),
			[]parquet.Value{parquet.Int64Value(1), parquet.Int64Value(1<<53 + 1)}),
		"18446744073709551615 has no exact": one(t, parquet.Uint(64),
			[]parquet.Value{parquet.Int64Value(0), parquet.Int64Value(-1)}),
		"+Inf is not a finite number": one(t, parquet.Leaf(parquet.DoubleType),
			[]parquet.Value{parquet.DoubleValue(1), parquet.DoubleValue(math.Inf(1))}),
		"not UTF-8": one(t, parquet.String(),
			[]parquet.Value{parquet.ByteArrayValue(nil), parquet.ByteArrayValue([]byte{0xFF})}),
		"a cell of 1048577 bytes": one(t, parquet.String(),
			[]parquet.Value{parquet.ByteArrayValue(nil), long}),
	} {
		_, err := read(data)
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(fmt.Sprint(err), `t.parquet: row 2, column "a": `) ||
			!strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for want, node := range map[string]parquet.Node{
		"TIME":        parquet.Time(parquet.Microsecond),
		"holds lists": parquet.Repeated(parquet.Leaf(parquet.Int32Type)),
		"is nested":   parquet.List(parquet.Leaf(parquet.Int32Type)),
		"INT96":       parquet.Leaf(parquet.Int96Type),
		"UUID":        parquet.UUID(),
		"of 4 bytes":  parquet.Leaf(parquet.FixedLenByteArrayType(4)),
	} {
		data := one(t, parquet.Group{"b": node, "c": parquet.Leaf(parquet.DoubleType)}, nil)
		_, err := read(data)
		if !errors.Is(err, fault.Data) || fault.HintOf(err) == "" ||
			!strings.Contains(fmt.Sprint(err), `column "a" is nested`) {
			t.Errorf("%v", err)
		}
		data = one(t, node, nil)
		_, err = read(data)
		if !errors.Is(err, fault.Data) || fault.HintOf(err) == "" || !strings.Contains(fmt.Sprint(err), want) ||
			!strings.Contains(fmt.Sprint(err), `column "a"`) {
			t.Errorf("%s: %v", want, err)
		}
		if _, err := read(data, dataset.Skip); err != nil {
			t.Errorf("%s, not wanted: %v", want, err)
		}
	}
}

// The expected cells are those the files are published with.
func TestFilesOfOtherPrograms(t *testing.T) {
	for _, name := range []string{"int32_decimal", "int64_decimal", "fixed_length_decimal", "byte_array_decimal"} {
		c := mustRead(t, fixture(t, name)).Columns[0]
		for i, v := range c.Numbers {
			if len(c.Numbers) != 24 || v != float64(i+1) {
				t.Fatalf("%s: %v", name, c.Numbers)
			}
		}
	}
	for name, ids := range map[string][]float64{"alltypes_plain": {4, 5, 6, 7, 2, 3, 0, 1},
		"alltypes_dictionary": {0, 1}} {
		want := make([]dataset.ReadAs, 11)
		want[8], want[10] = dataset.Categorical, dataset.Skip // 03/01/09; timestamps of an old type
		table := mustRead(t, fixture(t, name), want...)
		date, double, flag := table.Find("date_string_col"), table.Find("double_col"), table.Find("bool_col")
		if !tabletest.SameBits(table.Find("id").Numbers, ids) ||
			date.Text(0)[2:] != map[string]string{"alltypes_plain": "/01/09", "alltypes_dictionary": "/01/09"}[name] ||
			double.Numbers[1] != 10.1 || flag.Numbers[0] != 1 || flag.Numbers[1] != 0 {
			t.Errorf("%s: %v %q %v %v", name, table.Find("id").Numbers, date.Text(0), double.Numbers, flag.Numbers)
		}
	}
	table := mustRead(t, fixture(t, "datapage_v2.snappy"), 0, 0, 0, 0, dataset.Skip)
	if !tabletest.SameBits(table.Find("b").Numbers, []float64{1, 2, 3, 4, 5}) ||
		!tabletest.SameBits(table.Find("d").Numbers, []float64{1, 1, 1, 0, 1}) ||
		table.Find("a").Text(0) != "abc" || !tabletest.SameBits(table.Find("c").Numbers, []float64{2, 3, 4, 5, 2}) {
		t.Errorf("%+v", table.Columns)
	}
	if c := mustRead(t, fixture(t, "rle_boolean_encoding")).Columns[0]; len(c.Numbers) != 68 ||
		!tabletest.SameBits(c.Numbers[:4], []float64{1, 0, nan, 1}) {
		t.Errorf("%v", c.Numbers)
	}
	if c := mustRead(t, fixture(t, "nested_maps.snappy"), dataset.Skip, 0, 0).Columns[0]; c.Name != "b" ||
		!slices.Equal(c.Numbers, []float64{1, 1, 1, 1, 1, 1}) {
		t.Errorf("beside a nested column: %+v", c)
	}
}

// sample is a table of several blocks and, with a small most, row groups.
func sample(rows int) *dataset.Table {
	rng := rand.New(rand.NewPCG(5, 6))
	numbers, codes, whole := make([]float64, rows), make([]int, rows), make([]float64, rows)
	for i := range numbers {
		numbers[i], codes[i], whole[i] = rng.NormFloat64(), rng.IntN(4)-1, float64(rng.IntN(9))
		if rng.IntN(5) == 0 {
			numbers[i] = nan
		}
	}
	return &dataset.Table{Rows: rows, Columns: []dataset.Column{
		{Name: "z, \"1\"", Numbers: numbers},
		{Name: "Ä kind", Codes: codes, Levels: []string{"b", "ü€", "a"}},
		{Name: "a.b", Numbers: whole},
	}}
}

func written(t testing.TB, table *dataset.Table) []byte { return writtenInGroups(t, table, groupCells) }

func writtenInGroups(t testing.TB, table *dataset.Table, cells int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(ctx, &out, table.Outline(), tabletest.Cut(table, 1000), cells); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func checkEqual(t *testing.T, got, want *dataset.Table) {
	t.Helper()
	if got.Rows != want.Rows || !slices.Equal(got.Names(), want.Names()) {
		t.Fatalf("%d rows of %q", got.Rows, got.Names())
	}
	for j := range want.Columns {
		a, b := &got.Columns[j], &want.Columns[j]
		if !tabletest.SameBits(a.Numbers, b.Numbers) {
			t.Errorf("column %q: other numbers", b.Name)
		}
		for i := range want.Rows {
			if a.Text(i) != b.Text(i) {
				t.Fatalf("column %q, row %d: %q, want %q", b.Name, i, a.Text(i), b.Text(i))
			}
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	const cells = 60_000 // of a row group
	for _, rows := range []int{0, 1, 9999, 45_000} {
		table := sample(rows)
		data := writtenInGroups(t, table, cells)
		r, err := NewReader(bytes.NewReader(data), int64(len(data)), Options{})
		if groups := (rows*3 + cells - 1) / cells; err != nil || len(r.groups) != groups || r.rows != int64(rows) {
			t.Fatalf("%d rows: %d row groups, want %d: %v", rows, len(r.groups), groups, err)
		}
		checkEqual(t, mustRead(t, data), table)
		if !bytes.Equal(data, writtenInGroups(t, table, cells)) {
			t.Error("the same table is written differently")
		}
	}
}

// parquet-go's reader gets the same cells, and nulls for missing ones.
func TestOthersReadWhatIsWritten(t *testing.T) {
	table := sample(5000)
	data := written(t, table)
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]parquet.Row, table.Rows)
	if n, _ := f.RowGroups()[0].Rows().ReadRows(rows); n != table.Rows {
		t.Fatalf("%d rows", n)
	}
	for i, row := range rows {
		for j, v := range row {
			c := &table.Columns[j]
			switch {
			case c.Missing(i) != v.IsNull():
				t.Fatalf("row %d, column %q: %v", i, c.Name, v)
			case !v.IsNull() && c.Numeric() && v.Double() != c.Numbers[i], !v.IsNull() && !c.Numeric() &&
				string(v.ByteArray()) != c.Text(i):
				t.Fatalf("row %d, column %q: %v", i, c.Name, v)
			}
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	table := sample(10)
	outline := table.Outline()
	outline.Rows++
	if err := Write(ctx, &bytes.Buffer{}, outline, tabletest.Cut(table, 1000)); !errors.Is(err, fault.Data) {
		t.Errorf("another number of rows: %v", err)
	}
	outline = table.Outline()
	outline.Fields[0].Kind = dataset.Nominal
	if err := Write(ctx, &bytes.Buffer{}, outline, tabletest.Cut(table, 1000)); !errors.Is(err, fault.Usage) {
		t.Errorf("a number in a column of categories: %v", err)
	}
	if err := Write(ctx, &bytes.Buffer{}, dataset.Outline{}, tabletest.Cut(table, 1000)); !errors.Is(err, fault.Usage) {
		t.Errorf("no columns: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := Write(cancelled, &bytes.Buffer{}, table.Outline(),
		tabletest.Cut(table, 1000)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// counter counts the bytes that are read.
type counter struct {
	*bytes.Reader
	read int
}

func (c *counter) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(p, at)
	c.read += n
	return n, err
}

func TestOnlyWantedColumnsAreRead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // counter has no lock
	data := written(t, sample(100_000))
	file := &counter{Reader: bytes.NewReader(data)}
	r, err := NewReader(file, int64(len(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.Collect(ctx, r, []dataset.ReadAs{dataset.Skip, dataset.Auto, dataset.Skip}); err != nil {
		t.Fatal(err)
	}
	if file.read > len(data)/4 {
		t.Errorf("%d of %d bytes were read for a small column", file.read, len(data))
	}
}

func TestCancellation(t *testing.T) {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	data := written(t, sample(10))
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.Collect(cancelled, r, make([]dataset.ReadAs, 3)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func benchmark(b *testing.B, data []byte, rows int) {
	b.SetBytes(int64(8 * 3 * rows))
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)), Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range r.Blocks(ctx, make([]dataset.ReadAs, 3)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// The bytes are those of the cells in memory.
func BenchmarkRead(b *testing.B) { benchmark(b, written(b, sample(1_000_000)), 1_000_000) }

func BenchmarkWrite(b *testing.B) {
	table := sample(1_000_000)
	b.SetBytes(8 * 3 * 1_000_000)
	for b.Loop() {
		written(b, table)
	}
}
