package krvfl

import (
	"context"
	"slices"
	"sync"

	"rvflplus/blas"
	"rvflplus/kernel"
)

// gramian is a kernel matrix of rows x, computed when it is asked for.
type gramian struct {
	k     kernel.Kernel
	x     blas.Matrix
	again bool        // the matrix will be asked for more than once
	kept  blas.Matrix // both triangles, of few rows that are asked for again; until release
	room  *[]float64  // of kept
}

// keepRows is the largest number of rows whose matrix is kept: 2 MB.
const keepRows = 512

// rooms are reused: for few rows, new memory costs as much as the arithmetic.
var rooms = sync.Pool{New: func() any { return new([]float64) }}

// release gives back the memory of a matrix that is kept.
func (g *gramian) release() {
	if g.room != nil {
		rooms.Put(g.room)
	}
	g.room, g.kept = nil, blas.Matrix{}
}

// Size implements ridge.Gramian.
func (g *gramian) Size() int { return g.x.Rows }

// Add implements ridge.Gramian.
func (g *gramian) Add(ctx context.Context, scale float64, dst blas.Matrix, tell func(done, total int)) error {
	n := g.x.Rows
	if !g.again || n > keepRows {
		return kernel.AddSymmetric(ctx, g.k, scale, g.x, dst, tell)
	}
	if g.kept.Rows == 0 {
		g.room = rooms.Get().(*[]float64)
		*g.room = slices.Grow((*g.room)[:0], n*n)[:n*n]
		clear(*g.room)
		m := blas.Matrix{Rows: n, Cols: n, Stride: n, Data: *g.room}
		if err := kernel.AddSymmetric(ctx, g.k, 1, g.x, m, tell); err != nil {
			return err
		}
		blas.Mirror(m)
		g.kept = m
	}
	for i := range n {
		blas.Axpy(scale, blas.Row(g.kept, i)[i:], blas.Row(dst, i)[i:])
	}
	return ctx.Err()
}

// Times implements ridge.Gramian, a block of rows at a time.
func (g *gramian) Times(ctx context.Context, v []float64) ([]float64, error) {
	if g.kept.Rows > 0 { // vᵀK is Kv, and faster
		left, out := blas.Matrix{Rows: 1, Cols: len(v), Stride: len(v), Data: v}, blas.New(1, len(v))
		return out.Data, blas.Gemm(ctx, false, false, 1, left, g.kept, 0, out)
	}
	out := blas.New(g.x.Rows, 1)
	right := blas.Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v}
	return out.Data, times(ctx, g.k, g.x, g.x, right, out)
}

// Diag implements ridge.Gramian.
func (g *gramian) Diag() []float64 {
	d := make([]float64, g.x.Rows)
	for i := range d {
		one := blas.Matrix{Rows: 1, Cols: 1, Stride: 1, Data: d[i : i+1]}
		row := blas.View(g.x, i, i+1, 0, g.x.Cols)
		g.k.Block(one, row, row)
	}
	return d
}

// buffers are reused: beside a kernel matrix of many gigabytes, discarded ones would
// pile up before they are collected.
var buffers = sync.Pool{New: func() any { return new(blas.Matrix) }}

// times computes dst ← dst + K(x, support)·a with a block of rows of K at a time.
func times(ctx context.Context, k kernel.Kernel, x, support, a, dst blas.Matrix) error {
	const block = 256
	buffer := buffers.Get().(*blas.Matrix)
	defer buffers.Put(buffer)
	if height := min(block, x.Rows); len(buffer.Data) < height*support.Rows {
		*buffer = blas.New(height, support.Rows)
	}
	for lo := 0; lo < x.Rows; lo += block {
		hi := min(lo+block, x.Rows)
		rows := blas.Matrix{Rows: hi - lo, Cols: support.Rows, Stride: max(1, support.Rows),
			Data: buffer.Data[:(hi-lo)*support.Rows]}
		clear(rows.Data)
		if err := kernel.Add(ctx, k, 1, blas.View(x, lo, hi, 0, x.Cols), support, rows); err != nil {
			return err
		}
		if err := blas.Gemm(ctx, false, false, 1, rows, a, 1, blas.View(dst, lo, hi, 0, dst.Cols)); err != nil {
			return err
		}
	}
	return nil
}
