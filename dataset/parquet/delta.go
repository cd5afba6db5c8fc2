package parquet

import (
	"encoding/binary"
	"io"
)

// deltas decodes DELTA_BINARY_PACKED: n whole numbers as differences in blocks of packed miniblocks. It returns the
// bytes behind them.
func deltas(data []byte, n int) (values []int64, rest []byte, err error) {
	d := &varints{data: data}
	block, minis, count, value := d.next(), d.next(), d.next(), d.signed()
	if d.failed {
		return nil, nil, io.ErrUnexpectedEOF
	}
	if minis == 0 || block > 1<<20 || block%minis != 0 || block/minis%8 != 0 || block == 0 || count != uint64(n) {
		return nil, nil, errEncoding
	}
	values = make([]int64, 0, n)
	if n > 0 {
		values = append(values, value)
	}
	for len(values) < n {
		least := d.signed()
		if d.failed || uint64(len(d.data)) < minis {
			return nil, nil, io.ErrUnexpectedEOF
		}
		widths := d.data[:minis]
		d.data = d.data[minis:]
		for _, width := range widths {
			if len(values) == n {
				break
			}
			size := int(block / minis)
			if values, err = d.miniblock(values, min(n, len(values)+size), size, int(width), least); err != nil {
				return nil, nil, err
			}
		}
	}
	return values, d.data, nil
}

// miniblock appends values up to the end-th; it takes size values' bytes.
func (d *varints) miniblock(values []int64, end, size, width int, least int64) ([]int64, error) {
	if width > 64 {
		return nil, errEncoding
	}
	packed := size / 8 * width
	if packed > len(d.data) {
		return nil, io.ErrUnexpectedEOF
	}
	last := values[len(values)-1]
	for bit := 0; len(values) < end; bit += width {
		last += least + int64(bitsAt(d.data[:packed], bit, width))
		values = append(values, last)
	}
	d.data = d.data[packed:]
	return values, nil
}

// bitsAt returns width bits, lowest first.
func bitsAt(data []byte, bit, width int) uint64 {
	var v uint64
	for have := 0; have < width; {
		b := uint64(data[bit/8]) >> (bit % 8)
		v |= b << have
		step := 8 - bit%8
		have, bit = have+step, bit+step
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}

// varints reads numbers of varying length.
type varints struct {
	data   []byte
	failed bool
}

func (d *varints) next() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.failed = true
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *varints) signed() int64 {
	v, n := binary.Varint(d.data)
	if n <= 0 {
		d.failed = true
		return 0
	}
	d.data = d.data[n:]
	return v
}

// deltaLengths decodes DELTA_LENGTH_BYTE_ARRAY: the lengths of n texts, then the texts.
func deltaLengths(data []byte, n int) (func() ([]byte, error), error) {
	lengths, rest, err := deltas(data, n)
	if err != nil {
		return nil, err
	}
	return func() ([]byte, error) {
		size := lengths[0]
		if size < 0 || size > int64(len(rest)) {
			return nil, io.ErrUnexpectedEOF
		}
		text := rest[:size]
		lengths, rest = lengths[1:], rest[size:]
		return text, nil
	}, nil
}

// deltaTexts decodes DELTA_BYTE_ARRAY: how many bytes each text shares with the text before, then the other bytes of
// each. All texts together are bounded as a page is.
func deltaTexts(data []byte, n int) (func() ([]byte, error), error) {
	common, data, err := deltas(data, n)
	if err != nil {
		return nil, err
	}
	rest, err := deltaLengths(data, n)
	if err != nil {
		return nil, err
	}
	var last []byte
	total := 0
	return func() ([]byte, error) {
		tail, err := rest()
		if err != nil {
			return nil, err
		}
		if common[0] < 0 || common[0] > int64(len(last)) {
			return nil, errEncoding
		}
		last = append(last[:common[0]], tail...)
		common = common[1:]
		if total += len(last); total > maxPage {
			return nil, errSize
		}
		return last, nil
	}, nil
}
