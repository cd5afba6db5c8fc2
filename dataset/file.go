package dataset

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/unixz"
)

// OpenFile opens path for reading, "-" for standard input. Names that end in .gz
// or .Z are decompressed. A file that cannot be opened or decompressed is a
// fault.Data error that names it.
func OpenFile(path string) (io.ReadCloser, error) {
	if path == "" {
		return nil, fault.New(fault.Usage, "the name of a file to read is empty")
	}
	if path == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fault.New(fault.Data, "%s is a folder, not a file", path)
	}
	text, err := decompressor(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	if text == nil {
		return f, nil
	}
	return &compressed{text, f, path}, nil
}

// Packed returns the ending that tells how a file is compressed, ".gz" or ".Z", however
// it is spelt; "" if its name tells no compression.
func Packed(path string) string {
	for _, ending := range []string{".gz", ".Z"} {
		if strings.EqualFold(filepath.Ext(path), ending) {
			return ending
		}
	}
	return ""
}

// decompressor returns nil for a file that is not compressed, by its name.
func decompressor(path string, file io.Reader) (text io.Reader, err error) {
	switch filepath.Ext(path) {
	case ".gz":
		text, err = gzip.NewReader(bufio.NewReader(file))
	case ".Z":
		text, err = unixz.NewReader(file)
	}
	if err != nil {
		return nil, fault.New(fault.Data, "%s: not a %s file: %w", path, filepath.Ext(path), err)
	}
	return text, nil
}

// compressed is a file that is decompressed while it is read.
type compressed struct {
	text io.Reader
	file *os.File
	path string
}

func (c *compressed) Read(p []byte) (int, error) {
	n, err := c.text.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = ReadError(c.path, err)
	}
	return n, err
}

func (c *compressed) Close() error { return c.file.Close() }

// ReadError is the error for a file that cannot be read to its end: err itself
// when it is a fault, which names the file.
func ReadError(name string, err error) error {
	switch {
	case errors.Is(err, fault.Data):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Data, "%s: the file is cut off: %w", name, err).WithHint("fetch or compress it again")
	}
	return fault.New(fault.Data, "%s: %w", name, err)
}

func openError(path string, err error) error {
	e := fault.New(fault.Data, "%s: %w", path, err)
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		e = fault.New(fault.Data, "%s: %w", path, pathErr.Err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return e.WithHint("check the spelling of the file name")
	}
	return e
}
