package parquet

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// cells yields the values of a page that are not null, in order: as bits or as bytes, by the column's type. Values of a
// dictionary have positions there.
type cells struct {
	bits  func() (uint64, error)
	bytes func() ([]byte, error)
	index []uint32
	at    int // of index
	dict  *dictionary
}

const unknown = -2

// plainDictionary is the number old files give the encoding format.RLEDictionary.
const plainDictionary format.Encoding = 2

// dictionary holds the distinct values of a chunk.
type dictionary struct {
	data  []byte
	width int   // bytes of a value; 0 if they differ
	ends  []int // of the values, if their widths differ
	codes []int // of the values as categories, or unknown
}

func (d *dictionary) size() int {
	if d.width > 0 {
		return len(d.data) / d.width
	}
	return len(d.ends)
}

func (d *dictionary) bytes(i uint32) []byte {
	if d.width > 0 {
		return d.data[int(i)*d.width:][:d.width]
	}
	start := 4
	if i > 0 {
		start += d.ends[i-1]
	}
	return d.data[start:d.ends[i]]
}

// newDictionary reads n values in plain encoding.
func (c *column) newDictionary(data []byte, n int) (*dictionary, error) {
	d := &dictionary{data: data, width: c.fixedWidth()}
	if c.physical == format.Boolean {
		return nil, errEncoding
	}
	if d.width > 0 {
		if n > len(data)/d.width {
			return nil, io.ErrUnexpectedEOF
		}
		d.data = data[:n*d.width]
		return d, nil
	}
	next := plainTexts(&data)
	for range n {
		if _, err := next(); err != nil {
			return nil, err
		}
		d.ends = append(d.ends, len(d.data)-len(data))
		d.codes = append(d.codes, unknown)
	}
	return d, nil
}

// cells decodes the n values of a page.
func (c *column) cells(encoding format.Encoding, data []byte, n int, d *dictionary) (*cells, error) {
	if n == 0 {
		return new(cells), nil
	}
	switch encoding {
	case plainDictionary, format.RLEDictionary:
		return c.indexed(data, n, d)
	case format.Plain:
		return c.plain(data, n)
	case format.RLE:
		return c.runs(data, n)
	case format.DeltaBinaryPacked:
		return c.delta(data, n)
	case format.ByteStreamSplit:
		return c.split(data, n)
	case format.DeltaLengthByteArray:
		return c.deltaTexts(deltaLengths, data, n)
	case format.DeltaByteArray:
		return c.deltaTexts(deltaTexts, data, n)
	}
	return nil, fmt.Errorf("values encoded as %s are not read", encoding)
}

// deltaTexts decodes bytes with one of the encodings that are for bytes alone.
func (c *column) deltaTexts(decode func([]byte, int) (func() ([]byte, error), error), data []byte,
	n int) (*cells, error) {
	if c.physical != format.ByteArray && c.physical != format.FixedLenByteArray {
		return nil, errEncoding
	}
	next, err := decode(data, n)
	return c.texts(next), err
}

// texts are cells of bytes. Where the schema fixes their length, it is checked.
func (c *column) texts(next func() ([]byte, error)) *cells {
	return &cells{bytes: func() ([]byte, error) {
		text, err := next()
		if err == nil && c.physical == format.FixedLenByteArray && len(text) != c.length {
			err = errEncoding
		}
		return text, err
	}}
}

func (c *column) indexed(data []byte, n int, d *dictionary) (*cells, error) {
	out := &cells{index: make([]uint32, n), dict: d}
	if d == nil || len(data) == 0 {
		return nil, fmt.Errorf("%w: no dictionary", errEncoding)
	}
	if err := hybrid(out.index, data[1:], int(data[0])); err != nil {
		return nil, err
	}
	for _, i := range out.index {
		if int64(i) >= int64(d.size()) {
			return nil, fmt.Errorf("%w: position %d in a dictionary of %d", errEncoding, i, d.size())
		}
	}
	out.bytes = func() ([]byte, error) {
		out.at++
		return d.bytes(out.index[out.at-1]), nil
	}
	out.bits = func() (uint64, error) {
		cell, _ := out.bytes()
		return littleEndian(cell), nil
	}
	return out, nil
}

func littleEndian(cell []byte) uint64 {
	if len(cell) == 4 {
		return uint64(binary.LittleEndian.Uint32(cell))
	}
	return binary.LittleEndian.Uint64(cell)
}

func (c *column) plain(data []byte, n int) (*cells, error) {
	switch c.physical {
	case format.Boolean:
		if (n+7)/8 > len(data) {
			return nil, io.ErrUnexpectedEOF
		}
		at := 0
		return &cells{bits: func() (uint64, error) {
			at++
			return bitsAt(data, at-1, 1), nil
		}}, nil
	case format.ByteArray:
		return c.texts(plainTexts(&data)), nil
	}
	width := c.fixedWidth()
	if n > len(data)/width {
		return nil, io.ErrUnexpectedEOF
	}
	next := func() ([]byte, error) {
		cell := data[:width]
		data = data[width:]
		return cell, nil
	}
	return &cells{bytes: next, bits: func() (uint64, error) {
		cell, _ := next()
		return littleEndian(cell), nil
	}}, nil
}

// plainTexts reads texts that follow their lengths of four bytes.
func plainTexts(data *[]byte) func() ([]byte, error) {
	return func() ([]byte, error) {
		if len(*data) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		size := int64(binary.LittleEndian.Uint32(*data))
		*data = (*data)[4:]
		if size > int64(len(*data)) {
			return nil, io.ErrUnexpectedEOF
		}
		text := (*data)[:size]
		*data = (*data)[size:]
		return text, nil
	}
}

// runs decodes booleans in runs, behind their length in bytes.
func (c *column) runs(data []byte, n int) (*cells, error) {
	if c.physical != format.Boolean {
		return nil, errEncoding
	}
	if len(data) < 4 {
		return nil, io.ErrUnexpectedEOF
	}
	values := make([]uint8, n)
	if err := hybrid(values, data[4:], 1); err != nil {
		return nil, err
	}
	at := 0
	return &cells{bits: func() (uint64, error) {
		at++
		return uint64(values[at-1]), nil
	}}, nil
}

func (c *column) delta(data []byte, n int) (*cells, error) {
	if c.physical != format.Int32 && c.physical != format.Int64 {
		return nil, errEncoding
	}
	values, _, err := deltas(data, n)
	if err != nil {
		return nil, err
	}
	at := 0
	return &cells{bits: func() (uint64, error) {
		at++
		if c.physical == format.Int32 {
			return uint64(uint32(values[at-1])), nil
		}
		return uint64(values[at-1]), nil
	}}, nil
}

// split decodes BYTE_STREAM_SPLIT: the first bytes of all values, then the second.
func (c *column) split(data []byte, n int) (*cells, error) {
	width := c.fixedWidth()
	if width == 0 || n > len(data)/width {
		return nil, errEncoding
	}
	joined := make([]byte, n*width)
	for i := range n {
		for b := range width {
			joined[i*width+b] = data[b*n+i]
		}
	}
	return c.plain(joined, n)
}
