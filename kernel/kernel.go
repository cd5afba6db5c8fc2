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
// x.Rows·y.Rows·n; a term with relevance holds another copy of both rows meanwhile. It
// returns ctx's error when cancelled.
func Add(ctx context.Context, k Kernel, scale float64, x, y, dst blas.Matrix) error {
	if dst.Rows != x.Rows || dst.Cols != y.Rows || x.Cols != y.Cols {
		panic("kernel: dimension mismatch")
	}
	terms := termsOf(k)
	p := terms.prepare(x, y, false)
	across := (y.Rows + side - 1) / side
	return parallel.For(ctx, (x.Rows+side-1)/side*across, func(t int) {
		terms.addTile(scale, p, dst, t/across, t%across)
	})
}

// AddSymmetric computes dst[i,j] += scale·k(xᵢ, xⱼ) for the upper triangle,
// j ≥ i; elements below the diagonal near it may be written too. tell, when not nil,
// hears of progress, from one goroutine at a time.
func AddSymmetric(ctx context.Context, k Kernel, scale float64, x, dst blas.Matrix, tell func(done, total int)) error {
	if dst.Rows != x.Rows || dst.Cols != x.Rows {
		panic("kernel: dimension mismatch")
	}
	terms := termsOf(k)
	p := terms.prepare(x, x, true)
	across := (x.Rows + side - 1) / side
	var lock sync.Mutex
	done := 0
	return parallel.For(ctx, across, func(i int) {
		for j := i; j < across && ctx.Err() == nil; j++ {
			terms.addTile(scale, p, dst, i, j)
		}
		lock.Lock()
		defer lock.Unlock()
		if done += across - i; tell != nil {
			tell(done, across*(across+1)/2)
		}
	})
}

// addTile adds the values of one tile: rows ti·side … of x and tj·side … of y.
func (k Sum) addTile(scale float64, p pairs, dst blas.Matrix, ti, tj int) {
	i0, i1 := ti*side, min((ti+1)*side, p.x.Rows)
	j0, j1 := tj*side, min((tj+1)*side, p.y.Rows)
	part := blas.View(dst, i0, i1, j0, j1)
	b := newBlock(part)
	defer tiles.Put(b.buffer)
	p = p.tile(i0, i1, j0, j1)
	k.fill(b.values, p)
	for i := range part.Rows {
		from := p.first(i)
		blas.Axpy(scale, blas.Row(b.values, i)[from:], blas.Row(part, i)[from:])
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
	_ = parallel.Blocks(context.Background(), x.Rows, 4*side, func(lo, hi int) {
		blas.SquaredNorms(norms[lo:hi], blas.View(x, lo, hi, 0, x.Cols))
	})
	return norms
}

// eachPair sets dst[i,j] to f(xᵢ, yⱼ).
func eachPair(dst, x, y blas.Matrix, f func(x, y []float64) float64) {
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
