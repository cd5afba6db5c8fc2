package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// dtype is the type of an array's cells.
type dtype struct {
	kind byte // f, i, u, b, U or S
	size int  // bytes of a cell
	big  bool // the highest byte first
}

var refused = map[byte]string{
	'O': "an array of Python objects; save numbers or texts",
	'c': "complex numbers",
	'V': "raw bytes or a structured array",
	'M': "dates; save them as numbers",
	'm': "durations; save them as numbers",
}

// parseType reads NumPy's short names: <f8, |b1, >U12.
func parseType(descr string) (dtype, error) {
	if len(descr) >= 2 && refused[descr[1]] != "" {
		return dtype{}, fmt.Errorf("cells of type %q: %s cannot be read", descr, refused[descr[1]])
	}
	d := dtype{}
	n := 0
	if len(descr) >= 3 && len(descr) <= 12 && strings.IndexByte("<>|=", descr[0]) >= 0 {
		d.kind, d.big = descr[1], descr[0] == '>'
		n, _ = strconv.Atoi(strings.TrimLeft(descr[2:], "+-"))
	}
	if !d.supports(n) {
		return d, fmt.Errorf("cells of type %q; float32, float64, integers, booleans and texts are read", descr)
	}
	if !d.numeric() && n > maxCell {
		return d, fmt.Errorf("cells of type %q of more than 1 MiB", descr)
	}
	d.size = n
	if d.kind == 'U' {
		d.size = 4 * n
	}
	return d, nil
}

func (d dtype) supports(n int) bool {
	switch d.kind {
	case 'f':
		return n == 4 || n == 8
	case 'i', 'u':
		return n == 1 || n == 2 || n == 4 || n == 8
	case 'b':
		return n == 1
	}
	return (d.kind == 'U' || d.kind == 'S') && n > 0
}

func (d dtype) numeric() bool { return d.kind != 'U' && d.kind != 'S' }

// toLittle turns big-endian cells round.
func (d dtype) toLittle(cells []byte) {
	unit := d.size
	if d.kind == 'U' {
		unit = 4
	}
	if !d.big || d.kind == 'S' || unit == 1 {
		return
	}
	for i := 0; i+unit <= len(cells); i += unit {
		slices.Reverse(cells[i : i+unit])
	}
}

// number returns the function that reads one little-endian cell. The function returns false for a cell that has no
// finite float64 of the same value. NaN is a missing cell.
func (d dtype) number() func(cell []byte) (float64, bool) {
	switch d.kind {
	case 'f':
		if d.size == 4 {
			return func(b []byte) (float64, bool) {
				return finite(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
			}
		}
		return func(b []byte) (float64, bool) { return finite(math.Float64frombits(binary.LittleEndian.Uint64(b))) }
	case 'b':
		return func(b []byte) (float64, bool) { return float64(b[0]), b[0] <= 1 }
	case 'u':
		return func(b []byte) (float64, bool) { return exactUnsigned(d.unsigned(b)) }
	}
	return func(b []byte) (float64, bool) { return exact(d.signed(b)) }
}

func finite(v float64) (float64, bool) { return v, !math.IsInf(v, 0) }

func exact(v int64) (float64, bool) {
	f := float64(v)
	return f, f < 1<<63 && int64(f) == v
}

func exactUnsigned(v uint64) (float64, bool) {
	f := float64(v)
	return f, f < 1<<64 && uint64(f) == v
}

func (d dtype) unsigned(cell []byte) uint64 {
	switch d.size {
	case 1:
		return uint64(cell[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(cell))
	case 4:
		return uint64(binary.LittleEndian.Uint32(cell))
	}
	return binary.LittleEndian.Uint64(cell)
}

func (d dtype) signed(cell []byte) int64 {
	unused := 64 - 8*d.size
	return int64(d.unsigned(cell)<<unused) >> unused
}

// problem describes a cell that the function from number refused.
func (d dtype) problem(cell []byte) (text, hint string) {
	switch d.kind {
	case 'f':
		v, _ := d.number()(cell)
		return fmt.Sprintf("%v is not a finite number", v), "save NaN if the value is unknown"
	case 'b':
		return fmt.Sprintf("byte %#x is not a boolean", cell[0]), ""
	case 'u':
		return fmt.Sprintf("%d has no exact float64", d.unsigned(cell)), inexactHint
	}
	return fmt.Sprintf("%d has no exact float64", d.signed(cell)), inexactHint
}

const inexactHint = "integers beyond 2^53 would be rounded; save identifiers as texts"

var errNotText = errors.New("the cell is not text of valid characters")

// text returns the text of one little-endian cell without the zeros that fill it.
func (d dtype) text(cell []byte, buf []byte) ([]byte, error) {
	buf = buf[:0]
	if d.kind == 'S' {
		buf = append(buf, cell...)
	} else {
		for i := 0; i < len(cell); i += 4 {
			r := binary.LittleEndian.Uint32(cell[i:])
			if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
				return nil, errNotText
			}
			buf = utf8.AppendRune(buf, rune(r))
		}
	}
	for len(buf) > 0 && buf[len(buf)-1] == 0 {
		buf = buf[:len(buf)-1]
	}
	if !utf8.Valid(buf) || slices.Contains(buf, 0) {
		return nil, errNotText
	}
	if len(buf) > maxCell {
		return nil, fmt.Errorf("a cell of %d bytes, at most %d are read", len(buf), maxCell)
	}
	return buf, nil
}
