package dataset

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"rvflplus/fault"
)

// OpenFile opens path for reading, "-" for standard input. Names that end in .gz
// are decompressed. A file that cannot be opened is a fault.Data error.
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
	if !strings.HasSuffix(path, ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		f.Close()
		return nil, fault.New(fault.Data, "%s: not a gzip file: %w", path, err)
	}
	return &gzipFile{z, f}, nil
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

type gzipFile struct {
	*gzip.Reader
	file *os.File
}

func (g *gzipFile) Close() error { return errors.Join(g.Reader.Close(), g.file.Close()) }
