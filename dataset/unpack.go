package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/unixz"
)

// packings are the compressions that are read.
var packings = []struct{ ending, begin, is string }{
	{".gz", "\x1F\x8B", "gzip"},
	{".Z", "\x1F\x9D", "compress"},
}

// Packed returns the ending that tells how a file is compressed, ".gz" or ".Z", however
// it is spelt; "" if its name tells no compression.
func Packed(path string) string {
	for _, p := range packings {
		if strings.EqualFold(filepath.Ext(path), p.ending) {
			return p.ending
		}
	}
	return ""
}

// unpacked returns the text of a file, decompressed as the ending of its name tells; ""
// means as its first bytes tell.
func unpacked(name, ending string, file io.Reader) (text io.Reader, err error) {
	in := bufio.NewReader(file)
	head, _ := in.Peek(2) // who reads on gets the error
	for _, p := range packings {
		if !bytes.Equal(head, []byte(p.begin)) {
			continue
		}
		if ending != "" && ending != p.ending {
			return nil, fault.New(fault.Data, "%s: not a %s file, but one compressed with %s", name, ending, p.is).
				WithHint("give it a name that ends in %s", p.ending)
		}
		ending = p.ending
	}
	switch ending {
	case ".gz":
		text, err = newMembers(name, in)
	case ".Z":
		text, err = unixz.NewReader(in)
	default:
		return in, nil
	}
	if err != nil {
		return nil, fault.New(fault.Data, "%s: not a %s file: %w", name, ending, err)
	}
	return text, nil
}

// members reads the parts of a gzip file, one after the other, and tells one that is cut
// off from something else behind them.
type members struct {
	name string
	in   *bufio.Reader
	gzip *gzip.Reader
}

func newMembers(name string, in *bufio.Reader) (*members, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{name, in, z}, nil
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.gzip.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next part, or returns io.EOF.
func (m *members) next() error {
	head, err := m.in.Peek(2)
	if len(head) == 0 {
		return err
	}
	if !strings.HasPrefix(packings[0].begin, string(head)) {
		return fault.New(fault.Data, "%s: something else follows the compressed data", m.name).WithHint("fetch or compress it again")
	}
	if err := m.gzip.Reset(m.in); err != nil {
		return err
	}
	m.gzip.Multistream(false)
	return nil
}
