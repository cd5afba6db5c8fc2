package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/memory"
)

// maxInflating bounds the deflated arrays that are read at once; each needs some
// 50 KiB to be unpacked.
const maxInflating = 4096

// openArchive reads the headers of all members.
func (r *Reader) openArchive(file io.ReaderAt, size int64) error {
	z, err := zip.NewReader(file, size)
	if err != nil {
		return inputfile.ReadError(r.name, err)
	}
	deflated := 0
	for _, member := range z.File {
		if err := r.addMember(file, member); err != nil {
			return err
		}
		if member.Method != zip.Store {
			deflated++
		}
	}
	if len(r.arrays) == 0 {
		return fault.New(fault.Data, "%s holds no arrays", r.name)
	}
	if deflated > maxInflating {
		return fault.New(fault.Data, "%s: %d compressed arrays, at most %d are read", r.name, deflated, maxInflating).
			WithHint("save the columns as one array of two dimensions, or with numpy.savez")
	}
	seen := map[string]bool{}
	for _, f := range r.fields {
		if seen[f.Name] {
			return fault.New(fault.Data, "%s: two columns are called %q", r.name, f.Name).WithHint("rename an array")
		}
		seen[f.Name] = true
	}
	return nil
}

func (r *Reader) addMember(file io.ReaderAt, member *zip.File) error {
	name := fmt.Sprintf("%s: member %q", r.name, member.Name)
	column, ok := strings.CutSuffix(member.Name, ".npy")
	if !ok || column == "" || !utf8.ValidString(column) || strings.ContainsRune(column, 0) {
		return fault.New(fault.Data, "%s is not an array with a name", name).
			WithHint("save the arrays with numpy.savez(file, name=array, …)")
	}
	if member.Flags&1 != 0 {
		return fault.New(fault.Data, "%s is encrypted", name)
	}
	f, err := member.Open()
	if err != nil {
		return inputfile.ReadError(name, err)
	}
	h, err := readHeader(f)
	f.Close()
	if err != nil {
		return inputfile.ReadError(name, damaged(err))
	}
	a := &array{header: h, name: name}
	a.open = func(ctx context.Context) (storage, error) { return a.openMember(ctx, file, member) }
	if len(r.arrays) > 0 && h.rows != r.rows() {
		return fault.New(fault.Data, "%s has %d rows, %s has %d", r.arrays[0].name, r.rows(), name, h.rows).
			WithHint("the arrays of an archive must have equally many rows")
	}
	r.arrays = append(r.arrays, a)
	if len(r.fields)+h.columns > maxColumns {
		return fault.New(fault.Data, "%s: more than %d columns", name, maxColumns)
	}
	if h.matrix {
		r.addFields(column, h.columns)
		return nil
	}
	r.fields = append(r.fields, dataset.Field{Name: column})
	r.setKinds(1)
	return nil
}

// openMember returns the cells of a member. Columns in Fortran order are read side by side: from the file if they are
// not compressed, else from memory.
func (a *array) openMember(ctx context.Context, file io.ReaderAt, member *zip.File) (storage, error) {
	if a.fortran && a.columns > 1 && member.Method == zip.Store {
		return a.storedSection(ctx, file, member)
	}
	f, err := member.Open()
	if err != nil {
		return nil, inputfile.ReadError(a.name, err)
	}
	if _, err := io.CopyN(io.Discard, f, a.length); err != nil {
		f.Close()
		return nil, inputfile.ReadError(a.name, unexpected(err))
	}
	cells := &stream{f, a.header}
	if !a.fortran || a.columns == 1 {
		return cells, nil
	}
	defer cells.close()
	return a.load(cells)
}

// storedSection returns cells that are read where they stand in the file. It compares the archive's checksum first,
// because reading columns side by side does not.
func (a *array) storedSection(ctx context.Context, file io.ReaderAt, member *zip.File) (storage, error) {
	start, err := member.DataOffset()
	if err == nil {
		err = a.checkSize(int64(member.UncompressedSize64))
	}
	var f io.ReadCloser
	if err == nil {
		f, err = member.Open()
	}
	if err != nil {
		return nil, inputfile.ReadError(a.name, err)
	}
	defer f.Close()
	const piece = 16 << 20
	for err == nil && ctx.Err() == nil { // up to the end, where the checksum is compared
		_, err = io.CopyN(io.Discard, f, piece)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !errors.Is(err, io.EOF):
		return nil, inputfile.ReadError(a.name, damaged(err))
	}
	return &section{io.NewSectionReader(file, start, int64(member.CompressedSize64)), a.header}, nil
}

// load unpacks an array. Memory is taken as cells arrive.
func (a *array) load(cells *stream) (storage, error) {
	const hint = "save the array in C order, or without compression"
	if err := memory.Check(2*float64(a.bytes()), "unpacking "+a.name, hint); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(cells.file, a.bytes()+1))
	if err == nil {
		err = a.checkSize(a.length + int64(len(data)))
	}
	if err != nil {
		return nil, inputfile.ReadError(a.name, damaged(err))
	}
	h := *a.header
	h.length = 0
	return &section{bytes.NewReader(data), &h}, nil
}
