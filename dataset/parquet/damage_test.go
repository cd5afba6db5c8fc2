package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// tryRead reads whatever data are, all columns that can be read. Nothing but an
// error of kind fault.Data may come of it, or a sound table.
func tryRead(t *testing.T, data []byte) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), Options{Name: "t.parquet"})
	if err == nil {
		want := make([]dataset.ReadAs, len(r.Fields()))
		for i := range want {
			if r.columns[i].refused != "" {
				want[i] = dataset.Skip
			}
		}
		rows := 0
		for block, failure := range r.Blocks(ctx, want) {
			if err = failure; err != nil {
				break
			}
			if err := block.Check(); err != nil {
				t.Fatal(err)
			}
			if rows += block.Rows; rows > 1<<20 { // few bytes may be many equal rows
				break
			}
		}
	}
	if err != nil && (!errors.Is(err, fault.Data) || !strings.HasPrefix(err.Error(), "t.parquet")) {
		t.Fatalf("error of another kind: %v", err)
	}
}

// damageable are small files that have most of what a file can have.
func damageable(t testing.TB) map[string][]byte {
	files := map[string][]byte{"ours": written(t, sample(300))}
	for _, name := range []string{"alltypes_plain", "alltypes_dictionary", "datapage_v2.snappy", "byte_array_decimal",
		"fixed_length_decimal", "nested_maps.snappy", "rle_boolean_encoding"} {
		files[name] = fixture(t, name)
	}
	var values []parquet.Value
	for i := range 300 {
		values = append(values, parquet.ByteArrayValue([]byte(fmt.Sprintf("common %d", i*i))))
	}
	files["delta texts"] = one(t, parquet.Encoded(parquet.String(), &parquet.DeltaByteArray), values,
		parquet.Compression(&parquet.Zstd))
	files["delta lengths"] = one(t, parquet.Encoded(parquet.String(), &parquet.DeltaLengthByteArray), values,
		parquet.Compression(&parquet.Lz4Raw))
	for i := range values {
		values[i] = parquet.Int64Value(int64(i * i))
	}
	files["delta numbers"] = one(t, parquet.Optional(parquet.Encoded(parquet.Leaf(parquet.Int64Type),
		&parquet.DeltaBinaryPacked)), values, parquet.Compression(&parquet.Brotli), parquet.DataPageVersion(1))
	files["split"] = one(t, parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.ByteStreamSplit), values,
		parquet.Compression(&parquet.Gzip))
	return files
}

// TestDamagedFiles flips bytes and cuts files, and measures what is allocated.
func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, good := range damageable(t) {
		for range 400 {
			data := bytes.Clone(good)
			for range 1 + rng.IntN(3) {
				data[rng.IntN(len(data))] = byte(rng.Uint32())
			}
			if rng.IntN(4) == 0 {
				data = data[:rng.IntN(len(data))]
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			tryRead(t, data)
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 200<<20 {
				t.Errorf("%s: %d MB were allocated", name, taken>>20)
			}
		}
	}
}

func TestFlippedBytesOfPagesAreNoticed(t *testing.T) {
	good := written(t, sample(300))
	r, err := NewReader(bytes.NewReader(good), int64(len(good)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(40); at < r.groups[0].end-40; at += 17 {
		data := bytes.Clone(good)
		data[at] ^= 0x10
		if table, err := read(data); err == nil && !same(table, sample(300)) {
			t.Errorf("byte %d: other cells and no error", at)
		}
	}
}

func same(a, b *dataset.Table) bool {
	for j := range b.Columns {
		for i := range b.Rows {
			if a.Rows != b.Rows || a.Columns[j].Text(i) != b.Columns[j].Text(i) {
				return false
			}
		}
	}
	return true
}

// file wraps a footer.
func file(footer []byte) []byte {
	data := append([]byte("PAR1"), footer...)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(footer)))
	return append(data, "PAR1"...)
}

func TestHostileFooters(t *testing.T) {
	for name, data := range map[string][]byte{
		"empty":                nil,
		"text":                 []byte("a,b\n1,2\n3,4\n5,6\n"),
		"cut off":              written(t, sample(10))[:500],
		"encrypted":            append(append([]byte("PARE"), make([]byte, 20)...), "PARE"...),
		"no footer":            file(nil),
		"longer than the file": append([]byte("PAR1xxxx"), "\xff\xff\xff\x7fPAR1"...),
		"huge list":            file([]byte{0x29, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0}),
		"list of booleans":     file([]byte{0x29, 0xF1, 0x04, 1, 1, 1, 1, 0}),
		"huge text":            file([]byte{0x68, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0}),
		"deep":                 file(bytes.Repeat([]byte{0x1C}, 1<<20)),
		"deep lists":           file(append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1<<20)...)),
		"no schema":            file([]byte{0x15, 0x04, 0x19, 0x0C, 0x16, 0x00, 0x19, 0x0C, 0}),
	} {
		_, err := read(data)
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(fmt.Sprint(err), "t.parquet") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A page claims or unpacks to more than it may.
func TestPagesThatClaimTooMuch(t *testing.T) {
	zeros := make([]byte, 100<<20)
	for _, codec := range codecs[1:] {
		bomb, err := codec.Encode(nil, zeros)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := inflate(codec.CompressionCodec(), bomb, 1<<20); err == nil {
			t.Errorf("%s: unpacked to less than there is", codec)
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 20<<20 {
			t.Errorf("%s: %d MB were allocated for a page of 1 MiB", codec, taken>>20)
		}
	}
	c := &chunk{column: &column{}, left: 1 << 40}
	for name, head := range map[string]format.PageHeader{
		"beyond the file": {CompressedPageSize: 1001, UncompressedPageSize: 1},
		"negative":        {CompressedPageSize: -1, UncompressedPageSize: 1},
		"huge":            {CompressedPageSize: 10, UncompressedPageSize: 1<<31 - 1},
		"many values":     page(1<<31 - 1),
		"negative values": page(-1),
	} {
		if err := c.checkHeader(&head, 1000); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func page(values int32) (head format.PageHeader) {
	head.DataPageHeader.Valid, head.DataPageHeader.V.NumValues = true, values
	return head
}

func TestDecodersRefuse(t *testing.T) {
	texts := &column{physical: format.ByteArray}
	numbers := &column{physical: format.Int64}
	dict := &dictionary{data: make([]byte, 16), width: 8}
	for name, fail := range map[string]func() error{
		"run cut off":        func() error { return hybrid(make([]uint32, 9), []byte{20}, 8) },
		"packed cut off":     func() error { return hybrid(make([]uint32, 9), []byte{5, 1}, 8) },
		"width 33":           func() error { return hybrid(make([]uint32, 9), []byte{20, 1, 1, 1, 1, 1}, 33) },
		"no runs":            func() error { return hybrid(make([]uint8, 1), nil, 1) },
		"endless empty runs": func() error { return hybrid(make([]uint8, 1), bytes.Repeat([]byte{0}, 99), 0) },
		"outside": func() error {
			return decodeAll(numbers, format.RLEDictionary, []byte{8, 4, 2}, 2,
				dict)
		},
		"no dictionary": func() error { return decodeAll(numbers, format.RLEDictionary, []byte{8, 4, 2}, 2, nil) },
		"plain cut off": func() error { return decodeAll(numbers, format.Plain, make([]byte, 15), 2, nil) },
		"texts cut off": func() error { return decodeAll(texts, format.Plain, []byte{9, 0, 0, 0, 'x'}, 1, nil) },
		"huge text": func() error {
			return decodeAll(texts, format.Plain, []byte{255, 255, 255, 255, 'x'}, 1,
				nil)
		},
		"count": func() error {
			return decodeAll(numbers, format.DeltaBinaryPacked,
				[]byte{128, 1, 4, 3, 2}, 2, nil)
		},
		"no miniblocks": func() error {
			return decodeAll(numbers, format.DeltaBinaryPacked,
				[]byte{128, 1, 0, 2, 2}, 2, nil)
		},
		"width 65": func() error {
			return decodeAll(numbers, format.DeltaBinaryPacked, []byte{8, 1, 2, 2, 0, 65, 9}, 2, nil)
		},
		"deltas cut off": func() error {
			return decodeAll(numbers, format.DeltaBinaryPacked,
				[]byte{8, 1, 2, 2, 0, 8, 9}, 2, nil)
		},
		"wrong type": func() error {
			return decodeAll(texts, format.DeltaBinaryPacked, []byte{8, 1, 1, 2}, 1,
				nil)
		},
		"unknown": func() error { return decodeAll(texts, 77, nil, 1, nil) },
	} {
		if err := fail(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func decodeAll(c *column, encoding format.Encoding, data []byte, n int, d *dictionary) error {
	cells, err := c.cells(encoding, data, n, d)
	for i := 0; i < n && err == nil; i++ {
		if c.numeric() {
			_, err = cells.bits()
		} else {
			_, err = cells.bytes()
		}
	}
	return err
}

// DELTA_BYTE_ARRAY may repeat a long text for a byte each.
func TestRepeatedTextsAreBounded(t *testing.T) {
	last := []byte(strings.Repeat("x", 1<<20))
	var common, rest []int32
	for i := range 200 {
		common, rest = append(common, int32(len(last))), append(rest, 0)
		if i == 0 {
			common[0], rest[0] = 0, int32(len(last))
		}
	}
	first, err := parquet.DeltaBinaryPacked.EncodeInt32(nil, common)
	if err != nil {
		t.Fatal(err)
	}
	second, err := parquet.DeltaBinaryPacked.EncodeInt32(nil, rest)
	if err != nil {
		t.Fatal(err)
	}
	data := append(append(first, second...), last...)
	if err := decodeAll(&column{physical: format.ByteArray}, format.DeltaByteArray, data, 200,
		nil); !errors.Is(err, errSize) {
		t.Errorf("200 MiB of texts: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range damageable(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { tryRead(t, data) })
}

// FuzzPage fuzzes the decoders behind the checksums.
func FuzzPage(f *testing.F) {
	f.Add([]byte{8, 1, 2, 2, 0, 8, 9}, byte(5), byte(2), 2)
	f.Add([]byte{1, 3, 2}, byte(8), byte(6), 3)
	f.Fuzz(func(_ *testing.T, data []byte, encoding, physical byte, n int) {
		c := &column{physical: format.Type(physical % 8), length: 3, decimal: physical > 128}
		if c.physical == format.Int96 || n < 0 || n > 1<<16 {
			return
		}
		dict, _ := c.newDictionary(data, n/2)
		cells, err := c.cells(format.Encoding(encoding%10), data, n, dict)
		for i := 0; i < n && err == nil; i++ {
			if cells.bytes != nil {
				_, err = cells.bytes()
			} else {
				_, err = cells.bits()
			}
		}
	})
}

func FuzzSkim(f *testing.F) {
	data, err := os.ReadFile("testdata/alltypes_plain.parquet")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[len(data)-600 : len(data)-8])
	f.Fuzz(func(t *testing.T, data []byte) {
		n, structs, err := skim(data)
		if n > len(data) || structs > len(data) {
			t.Errorf("%d bytes of %d, %d structures", n, len(data), structs)
		}
		if err == nil {
			if err := decode(data[:n], new(format.FileMetaData)); errors.Is(err, io.EOF) {
				t.Errorf("parquet-go reads on: %v", err)
			}
		}
	})
}

// retyped is a file of one column with a footer that says the column has another
// type and no meaning.
func retyped(t *testing.T, data []byte, physical format.Type) []byte {
	t.Helper()
	meta, end, err := readFooter(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	column := &meta.Schema[1]
	column.Type.V, column.LogicalType, column.ConvertedType.Valid = physical, format.LogicalType{}, false
	meta.RowGroups[0].Columns[0].MetaData.Type = physical
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		t.Fatal(err)
	}
	return append(data[:end:end], file(footer)[4:]...)
}

// Bytes are not numbers, whatever the encoding says.
func TestEncodingsOfBytesAreForBytes(t *testing.T) {
	values := []parquet.Value{parquet.ByteArrayValue([]byte{5, 6}), parquet.ByteArrayValue([]byte{7, 8})}
	for _, enc := range []encoding.Encoding{&parquet.DeltaLengthByteArray, &parquet.DeltaByteArray} {
		data := one(t, parquet.Encoded(parquet.String(), enc), values)
		for _, physical := range []format.Type{format.Boolean, format.Int32, format.Double} {
			table, err := read(retyped(t, data, physical))
			if !errors.Is(err, errEncoding) {
				t.Errorf("%s as %s: %v, %v", enc, physical, table, err)
			}
		}
		if _, err := read(retyped(t, data, format.ByteArray)); err != nil {
			t.Errorf("%s as itself: %v", enc, err)
		}
	}
}

// broken panics when it is read, as a mistake of our own would.
type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { panic("a mistake") }

// Only what other modules' decoders do to damaged files is an error of the file.
func TestOurMistakesAreNotHidden(t *testing.T) {
	defer func() {
		if cause := recover(); cause != "a mistake" {
			t.Errorf("recovered %v", cause)
		}
	}()
	_, err := NewReader(broken{}, 100, Options{Name: "t"})
	t.Errorf("error %v", err)
}

// Levels are 0 or 1, also where a run has a byte for them: more would make other
// numbers of cells present than have values.
func TestLevelsBeyondOne(t *testing.T) {
	c := &chunk{column: &column{physical: format.Int64, optional: true}}
	data := append([]byte{2, 0, 0, 0, 4, 255}, make([]byte, 8)...)
	head := format.DataPageHeader{NumValues: 2, DefinitionLevelEncoding: format.RLE}
	if page, err := c.firstVersion(&head, data); !errors.Is(err, errEncoding) {
		t.Errorf("%+v, %v", page, err)
	}
}
