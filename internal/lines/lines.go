// Package lines reads text line by line with bounded memory, and refuses files that are not text.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"rvflplus/fault"
)

const (
	// MaxCell is the most bytes a cell may have.
	MaxCell = 1 << 20
	// MaxColumns is the most columns a table may have.
	MaxColumns = 1 << 20
	// MaxLine is the most bytes a line may have. There is room for MaxColumns numbers of the greatest length, each with
	// its column's number.
	MaxLine = 40 << 20
)

// Reader yields the lines of one text.
type Reader struct {
	Number int  // of the last line, from 1
	Open   bool // the last line has no line end, as in a text that was cut off
	name   string
	input  *bufio.Reader
	long   []byte // a line longer than the input's buffer
}

// NewReader looks at the beginning of text. It drops a UTF-8 byte order mark. UTF-16, compressed and binary data and an
// empty text are fault.Data errors that begin with name.
func NewReader(text io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name, input: bufio.NewReaderSize(text, 1<<16)}
	head, err := r.input.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return nil, r.explain(err)
	}
	if bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")) {
		_, _ = r.input.Discard(3)
	}
	return r, CheckHead(head, name)
}

// CheckHead returns an error for a file whose first 512 bytes (fewer if it is
// shorter) do not begin a text.
func CheckHead(head []byte, name string) error {
	switch {
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}), bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return fault.New(fault.Data, "%s is UTF-16 text, not UTF-8", name).WithHint("save it as UTF-8")
	case bytes.HasPrefix(head, []byte{0x1F, 0x8B}):
		return fault.New(fault.Data, "%s is a gzip file", name).WithHint("give it a name that ends in .gz")
	case bytes.IndexByte(head, 0) >= 0:
		return fault.New(fault.Data, "%s is not a text file: byte %d is zero", name, bytes.IndexByte(head, 0)+1)
	case bytes.IndexByte(bytes.TrimRight(head, "\r"), '\r') >= 0 && bytes.IndexByte(head, '\n') < 0:
		return fault.New(fault.Data, "%s: lines end with a carriage return alone", name).
			WithHint("save it with LF or CRLF line ends")
	case len(bytes.TrimSpace(head)) == 0 && len(head) < 512:
		return fault.New(fault.Data, "%s is empty", name)
	}
	return nil
}

// Next returns the next line without its end, io.EOF after the last. Other errors
// are of kind fault.Data.
func (r *Reader) Next() (string, error) {
	line, err := r.input.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.rest(line)
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	if err != nil {
		return "", r.explain(err)
	}
	r.Number++
	r.Open = !bytes.HasSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\n"))
	return string(bytes.TrimSuffix(line, []byte("\r"))), nil
}

var errTooLong = errors.New("a line of more than 40 MiB")

// rest reads on to the end of a line that begins with begin.
func (r *Reader) rest(begin []byte) ([]byte, error) {
	r.long = append(r.long[:0], begin...)
	for len(r.long) <= MaxLine {
		more, err := r.input.ReadSlice('\n')
		r.long = append(r.long, more...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.long, err
		}
	}
	return nil, errTooLong
}

func (r *Reader) explain(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, fault.Data): // it names the file
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Data, "%s: the compressed file is cut off", r.name).
			WithHint("fetch or compress it again")
	}
	return fault.New(fault.Data, "%s:%d: %w", r.name, r.Number+1, err)
}

// Fault is the error for the text that begins at byte at of the last line.
func (r *Reader) Fault(at int, format string, args ...any) *fault.Error {
	args = append([]any{r.name, r.Number, at + 1}, args...)
	return fault.New(fault.Data, "%s:%d:%d: "+format, args...)
}

// Blank reports whether c separates words.
func Blank(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r'
}

// Abbreviate shortens a long cell for a message.
func Abbreviate(cell string) string {
	if len(cell) > 40 {
		return strings.ToValidUTF8(cell[:40], "") + "…"
	}
	return cell
}

// Check returns an error for a cell that no format takes because it is too long or not UTF-8 text. The cell begins at
// byte at of the last line.
func (r *Reader) Check(cell string, at int) error {
	if len(cell) > MaxCell {
		return r.Fault(at, "a cell of %d bytes, at most %d are read", len(cell), MaxCell)
	}
	if !utf8.ValidString(cell) || strings.IndexByte(cell, 0) >= 0 {
		return r.Fault(at, "%q is not UTF-8 text", Abbreviate(cell)).WithHint("save the file as UTF-8")
	}
	return nil
}
