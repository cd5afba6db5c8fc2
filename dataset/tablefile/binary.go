package tablefile

import (
	"context"
	"io"
	"os"

	"rvflplus/dataset/npy"
	"rvflplus/dataset/parquet"
	"rvflplus/fault"
	"rvflplus/internal/inputfile"
)

// readBinary opens a format that is read at random: the file itself, or a copy if it is compressed or a pipe.
func (t *Table) readBinary(ctx context.Context) error {
	in := t.input
	if in.spool == nil && (!in.repeatable() || inputfile.Compression(in.path) != "") {
		if err := in.copy(ctx, in.accept); err != nil {
			return err
		}
	}
	if in.spool != nil {
		return t.readAt(in.spool, in.spool.size)
	}
	f, err := inputfile.Open(in.path)
	if err != nil {
		return err
	}
	t.text = f
	file := f.(*os.File) // it is not packed
	info, err := file.Stat()
	if err != nil {
		return inputfile.ReadError(in.name, err)
	}
	return t.readAt(file, info.Size())
}

// accept looks at the first bytes before the others are copied. The reader tells .npy from .npz itself.
func (in *input) accept(head []byte) error {
	format, is, _, _ := mark(head)
	if format == in.format || format == NPY && in.format == NPZ || format == NPZ && in.format == NPY {
		return nil
	}
	if is == "" {
		is = "something else"
	}
	return fault.New(fault.Data, "%s is not a .%s file, but %s", in.name, in.format, is).
		WithHint("give the format with %s", fault.Name("format"))
}

func (t *Table) readAt(r io.ReaderAt, size int64) (err error) {
	if t.Format == Parquet {
		t.Source, err = parquet.NewReader(r, size, parquet.Options{Name: t.input.name})
		return err
	}
	t.Source, err = npy.NewReader(r, size, npy.Options{Name: t.input.name})
	return err
}
