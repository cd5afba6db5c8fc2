// Package npy reads and writes NumPy's files: .npy, one array, and .npz, a zip archive of arrays.
//
// The array of a .npy file has one or two dimensions; its columns are called c1, c2, …. The arrays of a .npz file have
// equally many rows. An array of one dimension is a column called as the array; an array X of two dimensions gives the
// columns X1, X2, …. They come in the order of the archive's members. Floats, integers and booleans are numbers, NaN is
// a missing cell; texts (<U, |S) are categories, "" is a missing cell.
package npy

import (
	"bytes"
	"context"
	"io"
	"strconv"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/inputfile"
)

// Options hold what the bytes of the file do not tell.
type Options struct {
	Name string // of the file, for errors
}

// Reader reads a table from a .npy or .npz file.
type Reader struct {
	name   string
	arrays []*array
	fields []dataset.Field
}

// array is an array of the file.
type array struct {
	*header
	name string // of the file, and of the member
	// open returns the cells; the cells of skipped columns need not be read.
	open func(ctx context.Context) (storage, error)
}

// NewReader reads the headers of the arrays in the size bytes of r; the first bytes tell .npy from .npz. Errors about
// the file are of kind fault.Data.
func NewReader(r io.ReaderAt, size int64, o Options) (*Reader, error) {
	reader := &Reader{name: o.Name}
	start := make([]byte, len(magic))
	if n, err := r.ReadAt(start, 0); n < len(start) {
		return nil, inputfile.ReadError(o.Name, unexpected(err))
	}
	if bytes.HasPrefix(start, []byte("PK")) {
		return reader, reader.openArchive(r, size)
	}
	return reader, reader.openArray(r, size)
}

// unexpected makes the end of the file an error.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (r *Reader) openArray(file io.ReaderAt, size int64) error {
	h, err := readHeader(io.NewSectionReader(file, 0, size))
	if err != nil {
		return inputfile.ReadError(r.name, err)
	}
	if err := h.checkSize(size); err != nil {
		return fault.New(fault.Data, "%s: %w", r.name, err).WithHint("save several arrays with numpy.savez")
	}
	a := &array{header: h, name: r.name}
	a.open = func(context.Context) (storage, error) { return &section{file, h}, nil }
	r.arrays = []*array{a}
	r.addFields("c", h.columns)
	return nil
}

func (r *Reader) addFields(prefix string, n int) {
	for i := range n {
		r.fields = append(r.fields, dataset.Field{Name: prefix + strconv.Itoa(i+1)})
	}
	r.setKinds(n)
}

// setKinds gives the last n fields the kind of their array. The levels of texts are not known before they are read.
func (r *Reader) setKinds(n int) {
	if !r.arrays[len(r.arrays)-1].numeric() {
		return
	}
	for i := len(r.fields) - n; i < len(r.fields); i++ {
		r.fields[i].Kind = dataset.Numeric
	}
}

// Fields implements dataset.Source.
func (r *Reader) Fields() []dataset.Field { return r.fields }

// rows returns the number of rows, as the file tells it.
func (r *Reader) rows() int64 { return r.arrays[0].rows }

const (
	maxBlockRows  = 4096
	maxBlockBytes = 32 << 20
)

// Blocks implements dataset.Source.
func (r *Reader) Blocks(ctx context.Context, as []dataset.ReadAs) dataset.Blocks {
	if len(as) != len(r.fields) {
		panic("npy: as many ways to read as columns are needed")
	}
	return dataset.Convert(func(yield func(*dataset.Table, error) bool) {
		pass, err := r.start(ctx, as)
		if err != nil {
			yield(nil, err)
			return
		}
		defer pass.close()
		for first := int64(0); ; first += pass.rows {
			block, err := pass.block(ctx, first)
			if !yield(block, err) || err != nil || first+int64(block.Rows) >= r.rows() {
				return
			}
		}
	}, as)
}
