// Package parquet reads and writes tables as Parquet files.
//
// Flat columns are read: BOOLEAN, INT32, INT64, FLOAT, DOUBLE and decimals as numbers, BYTE_ARRAY (strings, enums) as
// categories. A null, a NaN and an empty string are missing cells. Columns of dates, times or raw bytes, and nested or
// repeated columns, are an error unless they are skipped.
//
// The format of the footer and the writer are parquet-go's. Pages are decoded here: a reader of strangers' files must
// bound the counts that a page claims, and parquet-go does not (docs/decisions/0010-own-parquet-decoder.md).
package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/inputfile"
)

// Options hold what the bytes of the file do not tell.
type Options struct {
	Name string // of the file, for errors
}

// Reader reads a table from a Parquet file.
type Reader struct {
	file    io.ReaderAt
	name    string
	columns []column
	fields  []dataset.Field
	groups  []group
	rows    int64
}

// NewReader reads the footer of the size bytes of r. Errors about the file are of kind fault.Data.
func NewReader(r io.ReaderAt, size int64, o Options) (*Reader, error) {
	reader := &Reader{file: r, name: o.Name}
	meta, end, err := readFooter(r, size)
	if err == nil {
		err = reader.setSchema(meta)
	}
	if err == nil {
		err = reader.setGroups(meta, end)
	}
	if err != nil {
		return nil, named(o.Name, err)
	}
	return reader, nil
}

// named adds the name of the file to an error that is not a fault yet.
func named(name string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return inputfile.ReadError(name, err)
}

// recovered turns a panic into an error. It is deferred only around calls of other modules' decoders.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the file is damaged: %v", cause)
	}
}

// Fields implements dataset.Source.
func (r *Reader) Fields() []dataset.Field { return r.fields }

const (
	maxBlockRows  = 4096
	maxBlockCells = 4 << 20
)

// Blocks implements dataset.Source.
func (r *Reader) Blocks(ctx context.Context, as []dataset.ReadAs) dataset.Blocks {
	if len(as) != len(r.fields) {
		panic("parquet: as many ways to read as columns are needed")
	}
	return dataset.Convert(func(yield func(*dataset.Table, error) bool) {
		pass, err := r.start(as)
		if err != nil {
			yield(nil, err)
			return
		}
		if r.rows == 0 {
			yield(pass.empty(0), nil)
			return
		}
		for g := range r.groups {
			pass.open(&r.groups[g])
			for pass.left > 0 {
				block, err := pass.block(ctx)
				if !yield(block, err) || err != nil {
					return
				}
			}
		}
	}, as)
}

func tooMany(what string, got, most any) error {
	return fmt.Errorf("%v %s, at most %v are read", got, what, most)
}
