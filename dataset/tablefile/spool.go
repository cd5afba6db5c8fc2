package tablefile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/inputfile"
)

// spool is a copy of an input that can only be read once, in a temporary file
// that nobody else sees.
type spool struct {
	*os.File
	size int64
}

// newSpool copies text to its end.
func newSpool(ctx context.Context, text io.Reader, name string) (*spool, error) {
	f, err := atomicfile.Temporary()
	if err != nil {
		return nil, spoolError(name, err)
	}
	s := &spool{File: f}
	if s.size, err = io.Copy(onDisk{f}, &cancellable{ctx, text}); err == nil {
		return s, nil
	}
	_ = s.Close()
	var disk *diskError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &disk):
		return nil, spoolError(name, disk.error)
	}
	return nil, inputfile.ReadError(name, err)
}

// Close removes the file.
func (s *spool) Close() error { return atomicfile.RemoveFile(s.File) }

// again returns the contents from the beginning.
func (s *spool) again() io.ReadCloser { return io.NopCloser(io.NewSectionReader(s, 0, s.size)) }

func spoolError(name string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fault.New(fault.Resource, "%s needs a temporary copy, which cannot be written to %s: %w", name, os.TempDir(),
		err).
		WithHint("make room there, or name another folder with TMPDIR")
}

// onDisk tells errors of the copy from errors of the input.
type onDisk struct{ w io.Writer }

type diskError struct{ error }

func (d onDisk) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	if err != nil {
		err = &diskError{err}
	}
	return n, err
}

// cancellable is text until a context ends.
type cancellable struct {
	ctx  context.Context
	text io.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.text.Read(p)
}
