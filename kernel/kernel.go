// Package kernel holds Mercer kernels k(x, y) on rows of real numbers, and sums
// of them. x and y stand for two rows of n prepared features.
package kernel

import (
	"context"
	"sync"

	"rvflplus/blas"
	"rvflplus/internal/parallel"
)

// Kernel is a symmetric positive semi-definite function of two rows. Its values
// do not depend on which other rows are evaluated with it.
type Kernel interface {
	// Block sets dst[i,j] to k(row i of x, row j of y). dst is overwritten; it has at
	// most 128 rows and columns.
	Block(dst, x, y blas.Matrix)
	// Spec describes the kernel: Spec().Kernel() is the same kernel.
	Spec() Spec
	// String returns the text of Spec.
	String() string
}

// side is the number of rows and columns evaluated at once: inner products, what is
// made of them and the sum all happen while the block is in cache.
const side = 128

// Add computes dst[i,j] += scale·k(xᵢ, yⱼ), on all cores. Cost proportional to
// x.Rows·y.Rows·n. It returns ctx's error when cancelled.
func Add(ctx context.Context, k Kernel, scale float64, x, y, dst blas.Matrix) error {
	if dst.Rows != x.Rows || dst.Cols != y.Rows || x.Cols != y.Cols {
		panic("kernel: dimension mismatch")
	}
	across := (y.Rows + side - 1) / side
	return parallel.For(ctx, (x.Rows+side-1)/side*across, func(t int) {
		addTile(k, scale, x, y, dst, t/across, t%across)
	})
}

// AddSymmetric computes dst[i,j] += scale·k(xᵢ, xⱼ) for the upper triangle,
// j ≥ i; elements below the diagonal near it are written too. tell, when not nil,
// hears of progress, from one goroutine at a time.
func AddSymmetric(ctx context.Context, k Kernel, scale float64, x, dst blas.Matrix, tell func(done, total int)) error {
	if dst.Rows != x.Rows || dst.Cols != x.Rows {
		panic("kernel: dimension mismatch")
	}
	across := (x.Rows + side - 1) / side
	var lock sync.Mutex
	done := 0
	return parallel.For(ctx, across, func(i int) {
		for j := i; j < across && ctx.Err() == nil; j++ {
			addTile(k, scale, x, x, dst, i, j)
		}
		lock.Lock()
		defer lock.Unlock()
		if done += across - i; tell != nil {
			tell(done, across*(across+1)/2)
		}
	})
}

// tiles are reused: beside a matrix of many gigabytes, discarded ones would pile up
// before they are collected.
var tiles = sync.Pool{New: func() any { return new([side * side]float64) }}

func addTile(k Kernel, scale float64, x, y, dst blas.Matrix, ti, tj int) {
	i0, i1 := ti*side, min((ti+1)*side, x.Rows)
	j0, j1 := tj*side, min((tj+1)*side, y.Rows)
	part := blas.View(dst, i0, i1, j0, j1)
	b := newBlock(part)
	defer tiles.Put(b.buffer)
	k.Block(b.values, blas.View(x, i0, i1, 0, x.Cols), blas.View(y, j0, j1, 0, y.Cols))
	for i := range part.Rows {
		blas.Axpy(scale, blas.Row(b.values, i), blas.Row(part, i))
	}
}

// dots sets dst[i,j] to the inner product of row i of x and row j of y.
func dots(dst, x, y blas.Matrix) {
	_ = blas.Gemm(context.Background(), false, true, 1, x, y, 0, dst)
}

// squaredNorms returns ‖xᵢ‖² with the bits of the inner product of xᵢ with itself,
// so that the distance of equal rows is exactly 0.
func squaredNorms(x blas.Matrix) []float64 {
	norms := make([]float64, x.Rows)
	blas.SquaredNorms(norms, x)
	return norms
}

// pairs sets dst[i,j] to f(xᵢ, yⱼ).
func pairs(dst, x, y blas.Matrix, f func(x, y []float64) float64) {
	for i := range dst.Rows {
		xi, row := blas.Row(x, i), blas.Row(dst, i)
		for j := range row {
			row[j] = f(xi, blas.Row(y, j))
		}
	}
}

// decay replaces every element d of dst by exp(−d/width).
func decay(dst blas.Matrix, width float64) {
	for i := range dst.Rows {
		blas.Decay(blas.Row(dst, i), width)
	}
}
