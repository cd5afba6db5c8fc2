// Package npy reads and writes NumPy's files: .npy, one array, and .npz, a zip
// archive of arrays.
//
// The array of a .npy file has one or two dimensions; its columns are called c1,
// c2, …. The arrays of a .npz file have equally many rows: one of one dimension
// is a column called as the array, one of two dimensions X gives the columns X1,
// X2, …, in the order of the members in the archive. Floats, integers and booleans
// are numbers, NaN a missing one; texts (<U, |S) are categories, "" a missing one.
package npy

import (
	"bytes"
	"context"
	"io"
	"iter"
	"strconv"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Options say what the format does not.
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
	// open returns the cells; those of unwanted columns need not be read.
	open func(ctx context.Context) (storage, error)
}

// NewReader reads the headers of the arrays in the size bytes of r; the first
// bytes tell .npy from .npz. Errors about the file are of kind fault.Data.
func NewReader(r io.ReaderAt, size int64, o Options) (*Reader, error) {
	reader := &Reader{name: o.Name}
	start := make([]byte, len(magic))
	if n, err := r.ReadAt(start, 0); n < len(start) {
		return nil, dataset.ReadError(o.Name, unexpected(err))
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
		return dataset.ReadError(r.name, err)
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

// setKinds tells of the last n fields what their array says. The levels of texts
// are not known before they are read.
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

// Rows returns the number of rows, as the file tells it.
func (r *Reader) Rows() int64 { return r.arrays[0].rows }

const (
	maxBlockRows  = 4096
	maxBlockBytes = 32 << 20
)

// blockRows returns how many rows are read at a time.
func (r *Reader) blockRows() int64 {
	row := 0
	for _, a := range r.arrays {
		row += max(a.rowBytes(), 8*a.columns)
	}
	return int64(max(1, min(maxBlockRows, maxBlockBytes/row)))
}

// Blocks implements dataset.Source.
func (r *Reader) Blocks(ctx context.Context, want []dataset.Want) iter.Seq2[*dataset.Table, error] {
	if len(want) != len(r.fields) {
		panic("npy: want has another length than the columns")
	}
	return func(yield func(*dataset.Table, error) bool) {
		run, err := r.start(ctx, want)
		if err != nil {
			yield(nil, err)
			return
		}
		defer run.close()
		shaper := dataset.NewShaper(want)
		for first := int64(0); ; first += run.rows {
			natural, err := run.block(ctx, first)
			if err != nil {
				yield(nil, err)
				return
			}
			last := first+int64(natural.Rows) >= r.Rows()
			if !yield(shaper.Block(natural), nil) || last {
				return
			}
		}
	}
}
