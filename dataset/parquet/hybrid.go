package parquet

import (
	"encoding/binary"
	"errors"
	"io"
)

var errEncoding = errors.New("malformed values")

// hybrid decodes len(dst) values of width bits: runs of one value, and groups of
// eight packed values, lowest bit first. What follows the last value is ignored.
func hybrid[T uint8 | uint32](dst []T, data []byte, width int) error {
	if width > 32 {
		return errEncoding
	}
	for len(dst) > 0 {
		head, n := binary.Uvarint(data)
		if n <= 0 {
			return io.ErrUnexpectedEOF
		}
		data = data[n:]
		if head&1 == 0 {
			run := min(head>>1, uint64(len(dst)))
			value, size, err := runValue(data, width)
			if err != nil {
				return err
			}
			for i := range dst[:run] {
				dst[i] = T(value)
			}
			dst, data = dst[run:], data[size:]
			continue
		}
		groups := min(head>>1, uint64(len(dst)+7)/8)
		count, size := min(int(groups)*8, len(dst)), int(groups)*width
		// The last group may lack the bytes of values that do not exist.
		if (count*width+7)/8 > len(data) {
			return io.ErrUnexpectedEOF
		}
		unpack(dst[:count], data, width)
		dst, data = dst[count:], data[min(size, len(data)):]
	}
	return nil
}

func runValue(data []byte, width int) (value uint32, size int, err error) {
	size = (width + 7) / 8
	if size > len(data) {
		return 0, 0, io.ErrUnexpectedEOF
	}
	for i, b := range data[:size] {
		value |= uint32(b) << (8 * i)
	}
	if uint64(value)>>width != 0 {
		return 0, 0, errEncoding
	}
	return value, size, nil
}

// unpack reads values of width bits.
func unpack[T uint8 | uint32](dst []T, data []byte, width int) {
	var bits uint64
	have, at := 0, 0
	mask := uint64(1)<<width - 1
	for i := range dst {
		for have < width {
			bits |= uint64(data[at]) << have
			have += 8
			at++
		}
		dst[i] = T(bits & mask)
		bits >>= width
		have -= width
	}
}
