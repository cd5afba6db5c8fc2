package csv

import (
	"bytes"
	"errors"
	"io"

	"rvflplus/internal/inputfile"
)

// chunk is a piece of the text that begins and ends between rows, so that pieces
// can be parsed at the same time.
type chunk struct {
	text  string
	line  int   // of its first byte
	lines int   // line ends in it
	last  bool  // no other follows
	err   error // what ended the reading after text
}

// cutter cuts a text into chunks. Where it cuts depends on the text alone, not on
// how much a Read returns.
type cutter struct {
	input  io.Reader
	name   string
	size   int    // bytes a chunk should have
	quoted bool   // a line end between quotes does not end a row
	buf    []byte // read, not yet cut
	err    error  // of input, io.EOF after its last byte
	line   int    // of buf[0]

	scanned int  // bytes of buf that were searched for ends of rows
	open    bool // a quote is open at scanned
	end     int  // of the last row that is whole in buf[:scanned]
}

// fill reads until buf has n bytes or the input ends.
func (c *cutter) fill(n int) {
	if c.err != nil || len(c.buf) >= n {
		return
	}
	if cap(c.buf) < n {
		c.buf = append(make([]byte, 0, n), c.buf...)
	}
	for len(c.buf) < n && c.err == nil {
		var k int
		k, c.err = c.input.Read(c.buf[len(c.buf):n])
		c.buf = c.buf[:len(c.buf)+k]
	}
}

// next cuts off the next chunk. After the last it must not be called.
func (c *cutter) next() chunk {
	for want := c.size; ; want = len(c.buf) + c.size {
		c.fill(want)
		c.scan()
		switch {
		case errors.Is(c.err, io.EOF):
			// encoding/csv drops a carriage return before the end, and so do we.
			c.buf = bytes.TrimSuffix(c.buf, []byte("\r"))
			return c.cut(len(c.buf), nil)
		case c.err != nil:
			return c.cut(c.end, inputfile.ReadError(c.name, c.err))
		case c.end > 0:
			return c.cut(c.end, nil)
		case len(c.buf) > maxRow: // parsing it finds the fault
			return c.cut(len(c.buf), errRowTooLong)
		}
	}
}

// cut takes the first n bytes.
func (c *cutter) cut(n int, err error) chunk {
	piece := chunk{
		text: string(c.buf[:n]), line: c.line, lines: bytes.Count(c.buf[:n], newline),
		err: err, last: c.err != nil || err != nil,
	}
	c.line += piece.lines
	c.buf = append(c.buf[:0], c.buf[n:]...)
	c.scanned, c.end = len(c.buf), 0
	return piece
}

var newline, quote = []byte("\n"), []byte(`"`)

// scan looks for the last end of a row in the bytes read since the last call. A line
// end after an even number of quotes ends a row: where text has a quote too many, a
// row before has an error.
func (c *cutter) scan() {
	fresh := c.buf[c.scanned:]
	if c.quoted && bytes.Count(fresh, quote)%2 == 1 {
		c.open = !c.open
	}
	for open := c.open; ; {
		i := bytes.LastIndexByte(fresh, '\n')
		if i < 0 {
			break
		}
		if c.quoted && bytes.Count(fresh[i:], quote)%2 == 1 {
			open = !open
		}
		if !open {
			c.end = c.scanned + i + 1
			break
		}
		fresh = fresh[:i]
	}
	c.scanned = len(c.buf)
}
