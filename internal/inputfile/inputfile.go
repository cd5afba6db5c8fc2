// Package inputfile opens files to read, decompressing them on the way.
package inputfile

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"rvflplus/fault"
)

// Open opens path for reading, "-" for standard input. A file whose name ends in .gz or .Z is decompressed. A pipe,
// such as standard input, is decompressed if it begins as such files do. A file that cannot be opened or decompressed
// is a fault.Data error that names it.
func Open(path string) (io.ReadCloser, error) {
	if path == "" {
		return nil, fault.New(fault.Usage, "the name of a file to read is empty")
	}
	if path == "-" {
		text, err := unpacked("standard input", "", os.Stdin)
		if err != nil {
			return nil, err
		}
		return &compressed{text, io.NopCloser(nil), "standard input"}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		e := fault.New(fault.Data, "%s: %w", path, err)
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			e = fault.New(fault.Data, "%s: %w", path, pathErr.Err)
		}
		if errors.Is(err, fs.ErrNotExist) {
			e = e.WithHint("check the spelling of the file name")
		}
		return nil, e
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		f.Close()
		return nil, fault.New(fault.Data, "%s is a folder, not a file", path)
	}
	ending := Compression(path)
	if ending == "" && (err != nil || info.Mode().IsRegular()) {
		return f, nil
	}
	text, err := unpacked(path, ending, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &compressed{text, f, path}, nil
}

// compressed is a file that may be decompressed while it is read.
type compressed struct {
	text io.Reader
	file io.Closer
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

// ReadError is the error for a file that cannot be read to its end. If err is a fault of the data, it names the file
// already and is returned as it is.
func ReadError(name string, err error) error {
	switch {
	case errors.Is(err, fault.Data):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Data, "%s: the file is cut off: %w", name, err).WithHint("fetch or compress it again")
	}
	return fault.New(fault.Data, "%s: %w", name, err)
}
