package fetch

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"rvflplus/internal/atomicfile"
)

// partial holds the bytes of a file that have arrived, in NAME.part. NAME.part.tag holds the URL and the server's name
// for this version of the file. Without them no byte of the file can be used again.
type partial struct {
	path string // of the finished file
	url  string
	file *os.File
	size int64
	tag  string
}

func openPartial(f File) (*partial, error) {
	p := &partial{path: f.Path, url: f.URL}
	var err error
	if p.file, err = os.OpenFile(p.name(), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	tag, _ := os.ReadFile(p.tagName())
	url, tagText, _ := strings.Cut(string(tag), "\n")
	if url != f.URL || tagText == "" {
		return p, p.restart("")
	}
	p.tag = tagText
	p.size, err = p.file.Seek(0, io.SeekEnd)
	return p, err
}

func (p *partial) name() string    { return p.path + ".part" }
func (p *partial) tagName() string { return p.path + ".part.tag" }

// restart forgets all bytes; the bytes that come next are of the version called tag.
func (p *partial) restart(tag string) error {
	p.size, p.tag = 0, tag
	_, err := p.file.Seek(0, io.SeekStart)
	err = errors.Join(err, p.file.Truncate(0))
	if tag == "" {
		_ = os.Remove(p.tagName())
		return err
	}
	return errors.Join(err, os.WriteFile(p.tagName(), []byte(p.url+"\n"+tag), 0o666))
}

func (p *partial) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	p.size += int64(n)
	return n, err
}

// close keeps what can be continued.
func (p *partial) close() {
	_ = p.file.Close()
	if p.size == 0 || p.tag == "" {
		_ = os.Remove(p.name())
		_ = os.Remove(p.tagName())
	}
}

// moveTo gives the bytes, which are complete, their name.
func (p *partial) moveTo(path string) error {
	if err := errors.Join(p.file.Sync(), p.file.Close()); err != nil {
		return err
	}
	if err := os.Rename(p.name(), path); err != nil {
		return err
	}
	_ = os.Remove(p.tagName())
	atomicfile.SyncFolder(filepath.Dir(path))
	return nil
}

// resume asks for the bytes that are missing, if the file is still the same.
func (p *partial) resume(h http.Header) {
	if p.size > 0 && p.tag != "" {
		h.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
		h.Set("If-Range", p.tag)
	}
}

// version returns what identifies the bytes of a response for If-Range: the strong
// entity tag or the date.
func version(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return h.Get("Last-Modified")
}

// continues reports whether a 206 response begins where p ends.
func (p *partial) continues(h http.Header) bool {
	var first, last int64
	n, _ := fmt.Sscanf(h.Get("Content-Range"), "bytes %d-%d/", &first, &last)
	return n == 2 && p.size > 0 && first == p.size
}
