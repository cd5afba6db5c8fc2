package dataset

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"rvflplus/fault"
)

// OpenFile opens path for reading, "-" for standard input. Names that end in .gz
// or .Z are decompressed, and so is what comes through a pipe, such as standard input,
// if it begins as such files do. A file that cannot be opened or decompressed is a
// fault.Data error that names it.
func OpenFile(path string) (io.ReadCloser, error) {
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
		return nil, openError(path, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		f.Close()
		return nil, fault.New(fault.Data, "%s is a folder, not a file", path)
	}
	ending := Packed(path)
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
