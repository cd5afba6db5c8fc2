// Package parquet reads and writes tables as Parquet files.
//
// Read are flat columns: BOOLEAN, INT32, INT64, FLOAT, DOUBLE and decimals as
// numbers, BYTE_ARRAY (strings, enums) as categories. A null, a NaN and an empty
// string are missing cells. Columns of dates, times or raw bytes, and nested or
// repeated ones, are refused when they are wanted.
//
// The footer's format and the writer are those of parquet-go. Pages are decoded
// here, because a reader of strangers' files must bound what a page may claim:
// parquet-go allocates, and in assembly reads and writes, by the counts it finds.
package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Options say what the format does not.
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

// NewReader reads the footer of the size bytes of r. Errors about the file are of
// kind fault.Data.
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
	return dataset.ReadError(name, err)
}

// recovered turns a panic of another module's decoder into an error; only around
// calls of those is it deferred.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the file is damaged: %v", cause)
	}
}

// Fields implements dataset.Source.
func (r *Reader) Fields() []dataset.Field { return r.fields }

// Rows returns the number of rows, as the footer tells it.
func (r *Reader) Rows() int64 { return r.rows }

const (
	maxBlockRows  = 4096
	maxBlockCells = 4 << 20
)

// Blocks implements dataset.Source.
func (r *Reader) Blocks(ctx context.Context, want []dataset.Want) iter.Seq2[*dataset.Table, error] {
	if len(want) != len(r.fields) {
		panic("parquet: want has another length than the columns")
	}
	return func(yield func(*dataset.Table, error) bool) {
		run, err := r.start(want)
		if err == nil && r.rows == 0 {
			yield(run.shaper.Block(run.empty(0)), nil)
			return
		}
		for g := 0; err == nil && g < len(r.groups); g++ {
			run.open(&r.groups[g])
			for run.left > 0 {
				block, failure := run.block(ctx)
				if err = failure; err != nil {
					break
				}
				if !yield(block, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// refusal is the error for a wanted column of a type that is not read.
func (c *column) refusal(name string) error {
	return fault.New(fault.Data, "%s: column %q %s", name, c.name, c.refused).
		WithHint("leave the column out with --drop, or save it as numbers or text")
}

func tooMany(what string, got, most any) error {
	return fmt.Errorf("%v %s, at most %v are read", got, what, most)
}
