package inputfile

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

// packings are the compressions that are read: the ending of names, the first bytes, and the program.
var packings = []struct{ ending, begin, program string }{
	{".gz", "\x1F\x8B", "gzip"},
	{".Z", "\x1F\x9D", "compress"},
}

// Compression returns the ending of a file's name that tells how the file is compressed: ".gz" or ".Z", also for names
// in other case such as X.GZ; "" if the name tells no compression.
func Compression(path string) string {
	for _, p := range packings {
		if strings.EqualFold(filepath.Ext(path), p.ending) {
			return p.ending
		}
	}
	return ""
}

// unpacked returns the decompressed text of a file. The ending of its name tells the compression; if that is "", the
// first bytes tell.
func unpacked(name, ending string, file io.Reader) (text io.Reader, err error) {
	in := bufio.NewReader(file)
	head, _ := in.Peek(2) // reading on returns the error
	for _, p := range packings {
		if !bytes.Equal(head, []byte(p.begin)) {
			continue
		}
		if ending != "" && ending != p.ending {
			return nil, fault.New(fault.Data, "%s: not a %s file, but one compressed with %s", name, ending, p.program).
				WithHint("give it a name that ends in %s", p.ending)
		}
		ending = p.ending
	}
	switch ending {
	case ".gz":
		var z *gzip.Reader
		if z, err = gzip.NewReader(in); err == nil {
			z.Multistream(false)
			text = &gzipReader{name, in, z}
		}
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

// gzipReader reads the members of a gzip file one after the other. Unlike gzip.Reader it tells a member that is cut off
// from bytes of another kind behind the last member.
type gzipReader struct {
	name   string
	in     *bufio.Reader
	member *gzip.Reader
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		head, err := g.in.Peek(2)
		if len(head) == 0 {
			return 0, err
		}
		if !strings.HasPrefix(packings[0].begin, string(head)) {
			return 0, fault.New(fault.Data, "%s: something else follows the compressed data", g.name).
				WithHint("fetch or compress it again")
		}
		if err := g.member.Reset(g.in); err != nil {
			return 0, err
		}
		g.member.Multistream(false)
	}
}
