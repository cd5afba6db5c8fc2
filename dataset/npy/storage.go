package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"rvflplus/dataset"
)

// storage is where the cells of an array are.
type storage interface {
	// read fills buf with the cells of n rows from first on: row after row, or column after column if the array is in
	// Fortran order. Skipped columns may be left as they are. Blocks are asked for in order.
	read(buf []byte, first int64, n int, as []dataset.ReadAs) error
	close()
}

// checkSize compares the shape with the size of the file.
func (h *header) checkSize(size int64) error {
	if got, want := size-h.length, h.bytes(); got != want {
		return fmt.Errorf("%d bytes follow the header, but %d rows of %d cells have %d", got, h.rows, h.columns, want)
	}
	return nil
}

// section is an array that can be read anywhere.
type section struct {
	file io.ReaderAt
	*header
}

func (s *section) close() {}

func (s *section) read(buf []byte, first int64, n int, as []dataset.ReadAs) error {
	if !s.fortran {
		return s.readAt(buf, first*int64(s.rowBytes()))
	}
	column := n * s.size
	for j, a := range as {
		if isRead(a) {
			if err := s.readAt(buf[j*column:][:column], (int64(j)*s.rows+first)*int64(s.size)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *section) readAt(buf []byte, cell int64) error {
	n, err := s.file.ReadAt(buf, s.length+cell)
	if n == len(buf) {
		return nil
	}
	return unexpected(err)
}

// stream is an array that can only be read from its first cell to its last.
type stream struct {
	file io.ReadCloser
	*header
}

func (s *stream) close() { s.file.Close() }

// read also checks that nothing follows the last row: only at the end does the archive compare the checksum.
func (s *stream) read(buf []byte, first int64, n int, _ []dataset.ReadAs) error {
	if err := readFull(s.file, buf); err != nil {
		return damaged(err)
	}
	if first+int64(n) < s.rows {
		return nil
	}
	switch n, err := s.file.Read(make([]byte, 1)); {
	case n > 0:
		return errors.New("bytes follow the last row")
	case err != nil && !errors.Is(err, io.EOF):
		return damaged(err)
	}
	return nil
}

func damaged(err error) error {
	if errors.Is(err, zip.ErrChecksum) {
		return fmt.Errorf("the archive is damaged: %w", err)
	}
	return err
}
