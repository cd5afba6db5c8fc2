// Package tabletest helps to test readers and writers of tables.
package tabletest

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"testing"

	"rvflplus/dataset"
)

// Source is a source of blocks that a test gives. It takes no notice of how columns are to be read.
type Source struct {
	Columns []dataset.Field
	Tables  []*dataset.Table
}

// Fields implements dataset.Source.
func (s Source) Fields() []dataset.Field { return s.Columns }

// Blocks implements dataset.Source.
func (s Source) Blocks(context.Context, []dataset.ReadAs) dataset.Blocks { return Blocks(s.Tables...) }

// Blocks yields tables as blocks.
func Blocks(tables ...*dataset.Table) dataset.Blocks {
	return func(yield func(*dataset.Table, error) bool) {
		for _, t := range tables {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// Cut yields a table as blocks of n rows, at least one block. A column of missing cells alone comes as one of numbers,
// as from readers of files.
func Cut(t *dataset.Table, n int) dataset.Blocks {
	return func(yield func(*dataset.Table, error) bool) {
		for lo := 0; lo == 0 || lo < t.Rows; lo += n {
			var rows []int
			for i := lo; i < min(lo+n, t.Rows); i++ {
				rows = append(rows, i)
			}
			if !yield(t.Subset(rows), nil) {
				return
			}
		}
	}
}

// Collect reads a source whole; columns are read as their cells tell unless as says otherwise.
func Collect(ctx context.Context, src dataset.Source, as ...dataset.ReadAs) (*dataset.Table, error) {
	n := len(src.Fields())
	return dataset.Collect(ctx, src, append(slices.Clone(as), make([]dataset.ReadAs, max(0, n-len(as)))...))
}

// SameBits reports whether numbers have the same bits; every NaN is the same.
func SameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
	})
}

// ErrFull is the error of FullDisk.
var ErrFull = errors.New("the disk is full")

// FullDisk is a writer without room.
type FullDisk struct{}

// Write implements io.Writer.
func (FullDisk) Write([]byte) (int, error) { return 0, ErrFull }

// LimitMemory leaves the test so many bytes of memory beside the bytes that are in use.
func LimitMemory(t testing.TB, bytes int64) {
	debug.FreeOSMemory()
	before := debug.SetMemoryLimit(int64(Heap()) + bytes)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

// Heap returns the bytes that are in use or not yet collected.
func Heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
