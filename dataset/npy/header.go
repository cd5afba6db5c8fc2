package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

const (
	magic = "\x93NUMPY"
	// maxHeader bounds the text of a header; the header of a plain array has some 100 bytes.
	maxHeader  = 1 << 16
	maxColumns = 1 << 20
	maxCell    = 1 << 20 // characters of a text
	maxRow     = 64 << 20
)

// header tells how the cells of an array are laid out.
type header struct {
	dtype
	fortran bool // column after column, not row after row
	rows    int64
	columns int
	matrix  bool  // two dimensions
	length  int64 // bytes before the first cell
}

// rowBytes is the size of the cells of one row.
func (h *header) rowBytes() int { return h.columns * h.size }

// bytes is the size of all cells.
func (h *header) bytes() int64 { return h.rows * int64(h.rowBytes()) }

// readHeader reads a file up to its first cell. Its errors name no file.
func readHeader(r io.Reader) (*header, error) {
	var start [8]byte
	if err := readFull(r, start[:]); err != nil {
		return nil, err
	}
	if string(start[:6]) != magic {
		return nil, errors.New("not an array of NumPy")
	}
	wide := 4 // bytes of the length of the text
	switch start[6] {
	case 1:
		wide = 2
	case 2, 3:
	default:
		return nil, fmt.Errorf("version %d.%d of the format, those from 1.0 to 3.0 are read", start[6], start[7])
	}
	var count [4]byte
	if err := readFull(r, count[:wide]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(count[:])
	if n > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes, at most %d are read", n, maxHeader)
	}
	text := make([]byte, n)
	if err := readFull(r, text); err != nil {
		return nil, err
	}
	h, err := parseHeader(string(text))
	if err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	h.length = int64(len(start) + wide + len(text))
	return h, nil
}

// readFull fails with io.ErrUnexpectedEOF when the input ends early.
func readFull(r io.Reader, p []byte) error {
	_, err := io.ReadFull(r, p)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseHeader reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), },
// a Python literal.
func parseHeader(text string) (*header, error) {
	p := &literal{text: text}
	h := &header{}
	seen := map[string]bool{}
	p.expect("{")
	for p.err == nil && !p.take("}") {
		key := p.quoted()
		p.expect(":")
		if p.err == nil && seen[key] {
			return nil, fmt.Errorf("%q twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			h.setType(p)
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.setShape(p)
		default:
			p.fail("descr, fortran_order or shape")
		}
		if !p.take(",") {
			p.expect("}")
			break
		}
	}
	if p.blanks(); p.err == nil && p.text != "" {
		p.fail("the end")
	}
	// Sizes that no array has are refused, so that sums and products do not overflow.
	switch {
	case p.err != nil:
		return nil, p.err
	case len(seen) != 3:
		return nil, errors.New("descr, fortran_order and shape are not all there")
	case h.rowBytes() > maxRow:
		return nil, fmt.Errorf("rows of %d bytes, at most %d are read", h.rowBytes(), maxRow)
	case h.rows > math.MaxInt64/2/int64(h.rowBytes()):
		return nil, fmt.Errorf("%d rows of %d bytes", h.rows, h.rowBytes())
	}
	return h, nil
}

func (h *header) setType(p *literal) {
	if p.blanks(); strings.HasPrefix(p.text, "[") {
		p.err = errors.New("a structured array; save each of its fields as an array of its own")
		return
	}
	descr := p.quoted()
	if p.err == nil {
		h.dtype, p.err = parseType(descr)
	}
}

func (h *header) setShape(p *literal) {
	shape := p.tuple()
	if p.err != nil {
		return
	}
	switch len(shape) {
	case 1:
		h.rows, h.columns = shape[0], 1
	case 2:
		if shape[1] < 1 || shape[1] > maxColumns {
			p.err = fmt.Errorf("%d columns, 1 to %d are read", shape[1], maxColumns)
			return
		}
		h.rows, h.columns, h.matrix = shape[0], int(shape[1]), true
	default:
		p.err = fmt.Errorf("an array of %d dimensions, 1 or 2 are read", len(shape))
	}
}

// literal is the rest of a Python literal.
type literal struct {
	text string
	err  error
}

func (p *literal) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("%q where %s is expected", p.text[:min(len(p.text), 20)], want)
	}
}

func (p *literal) blanks() { p.text = strings.TrimLeft(p.text, " \n") }

func (p *literal) take(token string) bool {
	p.blanks()
	rest, ok := strings.CutPrefix(p.text, token)
	if ok && p.err == nil {
		p.text = rest
	}
	return ok && p.err == nil
}

func (p *literal) expect(token string) {
	if !p.take(token) {
		p.fail(token)
	}
}

// quoted reads a string without escapes.
func (p *literal) quoted() string {
	for _, quote := range []string{"'", `"`} {
		if !p.take(quote) {
			continue
		}
		text, rest, closed := strings.Cut(p.text, quote)
		if !closed || strings.ContainsAny(text, "\\\n") {
			p.fail("a string")
		}
		p.text = rest
		return text
	}
	p.fail("a string")
	return ""
}

func (p *literal) boolean() bool {
	if p.take("True") {
		return true
	}
	p.expect("False")
	return false
}

// tuple reads whole numbers >= 0, which end in L in old files.
func (p *literal) tuple() (numbers []int64) {
	p.expect("(")
	for p.err == nil && !p.take(")") {
		p.blanks()
		digits := len(p.text) - len(strings.TrimLeft(p.text, "0123456789"))
		n, err := strconv.ParseInt(p.text[:digits], 10, 64)
		if err != nil || len(numbers) == 32 {
			p.fail("a whole number")
			return nil
		}
		numbers, p.text = append(numbers, n), p.text[digits:]
		if p.take("L"); !p.take(",") {
			p.expect(")")
			break
		}
	}
	return numbers
}
