// Package unixz reads files of the Unix program compress, whose names end in .Z:
// Lempel-Ziv-Welch codes of 9 to 16 bits.
package unixz

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	minBits  = 9
	maxBits  = 16
	clearing = 256 // the code that empties the dictionary, in block mode
)

// ErrHeader says that a file does not begin as a .Z file does.
var ErrHeader = errors.New("not a .Z file of compress")

// Reader decompresses. It takes about 300 KiB of memory, whatever the input claims.
type Reader struct {
	in    *bufio.Reader
	limit int  // bits of the longest code
	block bool // code 256 empties the dictionary

	// Codes come in groups of eight of one width, which is width bytes. When the
	// width changes, the rest of the group is padding.
	group    [maxBits + 3]byte // so that four bytes can be read anywhere
	bits     int               // of the group that were read from the file
	at       int               // bit of the group where the next code begins
	width    int
	consumed int64 // bytes of the file

	// Code c >= first stands for the text of prefix[c] followed by suffix[c].
	first, free int
	prefix      [1 << maxBits]uint16
	suffix      [1 << maxBits]byte
	last        int  // the code before, -1 after the dictionary was emptied
	head        byte // the first byte of its text

	text    [1 << maxBits]byte // filled from its end
	pending []byte
	err     error
}

// NewReader reads the header.
func NewReader(file io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReader(file), first: clearing, consumed: 3}
	var header [3]byte
	if _, err := io.ReadFull(r.in, header[:]); err != nil && !errors.Is(err, io.EOF) &&
		!errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if header[0] != 0x1F || header[1] != 0x9D {
		return nil, ErrHeader
	}
	r.limit, r.block = int(header[2]&0x1F), header[2]&0x80 != 0
	if r.limit < minBits || r.limit > maxBits || header[2]&0x60 != 0 {
		return nil, fmt.Errorf("byte 3: flags %#x: %w", header[2], ErrHeader)
	}
	if r.block {
		r.first++
	}
	r.empty()
	return r, nil
}

// empty forgets all texts but the single bytes.
func (r *Reader) empty() {
	r.free, r.last = r.first, -1
	r.setWidth(minBits)
}

func (r *Reader) setWidth(width int) { r.width, r.bits, r.at = width, 0, 0 }

// Read implements io.Reader. A file that ends within a code is
// io.ErrUnexpectedEOF; a file cut between codes cannot be told from a whole one.
func (r *Reader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(r.pending) == 0 {
			if r.err == nil {
				r.err = r.decode()
			}
			if r.err != nil {
				break
			}
		}
		k := copy(p[n:], r.pending)
		r.pending, n = r.pending[k:], n+k
	}
	if n == 0 && len(p) > 0 {
		return 0, r.err
	}
	return n, nil
}

// decode makes the text of the next code pending.
func (r *Reader) decode() error {
	code, err := r.code()
	if err != nil {
		return err
	}
	if r.block && code == clearing {
		r.empty()
		return nil
	}
	if code > r.free || code == r.free && r.last < 0 || r.last < 0 && code > 255 {
		return fmt.Errorf("within the group of codes before byte %d: code %d is not defined", r.consumed, code)
	}
	r.expand(code)
	if r.last >= 0 {
		r.learn()
	}
	r.last = code
	return nil
}

// expand writes the text of a code. The text of the code that comes next in the dictionary is not known yet: it is the
// text of the code before, and its first byte again.
func (r *Reader) expand(code int) {
	at := len(r.text)
	if code == r.free {
		at--
		r.text[at] = r.head
		code = r.last
	}
	for code > 255 {
		at--
		r.text[at] = r.suffix[code]
		code = int(r.prefix[code])
	}
	at--
	r.text[at] = byte(code)
	r.head = byte(code)
	r.pending = r.text[at:]
}

// learn gives a new code to the text of the code before with the first byte of this text, while there are codes.
func (r *Reader) learn() {
	if r.free >= 1<<r.limit {
		return
	}
	r.prefix[r.free], r.suffix[r.free] = uint16(r.last), r.head
	r.free++
	if r.free == 1<<r.width && r.width < r.limit {
		r.setWidth(r.width + 1)
	}
}

// code reads the next code, lowest bit first.
func (r *Reader) code() (int, error) {
	if r.at+r.width > r.bits {
		if err := r.readGroup(); err != nil {
			return 0, err
		}
	}
	code := binary.LittleEndian.Uint32(r.group[r.at/8:]) >> (r.at % 8) & (1<<r.width - 1)
	r.at += r.width
	return int(code), nil
}

// readGroup reads the next eight codes, or the rest of the file. The bits after the last
// code are zero.
func (r *Reader) readGroup() error {
	for bit := r.at; bit < r.bits; bit++ {
		if r.group[bit/8]>>(bit%8)&1 != 0 {
			return io.ErrUnexpectedEOF
		}
	}
	n, err := io.ReadFull(r.in, r.group[:r.width])
	r.consumed += int64(n)
	r.bits, r.at = 8*n, 0
	if errors.Is(err, io.ErrUnexpectedEOF) && r.bits >= r.width {
		err = nil
	}
	return err
}
