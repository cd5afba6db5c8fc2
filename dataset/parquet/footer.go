package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"rvflplus/internal/memory"
)

// readFooter returns the file's metadata and where the pages end.
func readFooter(file io.ReaderAt, size int64) (*format.FileMetaData, int64, error) {
	var start, tail [8]byte
	if size < 12 {
		return nil, 0, errors.New("not a Parquet file")
	}
	if err := readAt(file, start[:4], 0); err != nil {
		return nil, 0, err
	}
	if err := readAt(file, tail[:], size-8); err != nil {
		return nil, 0, err
	}
	switch first, last := string(start[:4]), string(tail[4:]); {
	case first == "PARE" || last == "PARE":
		return nil, 0, errors.New("the file is encrypted")
	case first != "PAR1":
		return nil, 0, errors.New("not a Parquet file")
	case last != "PAR1":
		return nil, 0, errors.New("no footer at the end: the file is cut off or not written to its end")
	}
	end := size - 8 - int64(binary.LittleEndian.Uint32(tail[:]))
	if end < 4 {
		return nil, 0, fmt.Errorf("a footer of %d bytes in a file of %d", binary.LittleEndian.Uint32(tail[:]), size)
	}
	meta, err := decodeFooter(file, end, size-8-end)
	return meta, end, err
}

func decodeFooter(file io.ReaderAt, at, size int64) (*format.FileMetaData, error) {
	const what, hint = "the footer of a Parquet file", "write fewer row groups or columns"
	if err := memory.Check(2*float64(size), what, hint); err != nil {
		return nil, err
	}
	footer := make([]byte, size)
	if err := readAt(file, footer, at); err != nil {
		return nil, err
	}
	n, structs, err := skim(footer)
	if err != nil {
		return nil, fmt.Errorf("byte %d, the footer: %w", at+int64(n), err)
	}
	const structBytes = 1 << 10 // about the largest, a column chunk's
	if err := memory.Check(structBytes*float64(structs), what, hint); err != nil {
		return nil, err
	}
	meta := new(format.FileMetaData)
	if err := decode(footer[:n], meta); err != nil {
		return nil, fmt.Errorf("byte %d, the footer: %w", at, err)
	}
	if meta.EncryptionAlgorithm.Value != nil {
		return nil, errors.New("the file is encrypted")
	}
	return meta, nil
}

// decode reads what skim has found well formed.
func decode(data []byte, v any) (err error) {
	defer recovered(&err)
	var protocol thrift.CompactProtocol
	return thrift.NewDecoder(protocol.NewReaderFromBytes(data)).Decode(v)
}

func readAt(file io.ReaderAt, p []byte, at int64) error {
	n, err := file.ReadAt(p, at)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}
