package blas

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"rvflplus/internal/parallel"
)

// Gemm computes C ← alpha·op(A)·op(B) + beta·C, where op transposes when tA or
// tB is true. C must not overlap A or B. Cost 2·m·n·k floating-point operations.
// It returns ctx's error, with C unspecified, when ctx is cancelled.
func Gemm(ctx context.Context, tA, tB bool, alpha float64, a, b Matrix, beta float64, c Matrix) error {
	k := innerDim(tA, tB, a, b, c)
	if c.Rows == 0 || c.Cols == 0 {
		return ctx.Err()
	}
	down, across := ceil(c.Rows), ceil(c.Cols)
	return parallel.For(ctx, down*across, func(t int) {
		gemmTile(tA, tB, alpha, a, b, beta, c, t/across, t%across, k)
	})
}

func innerDim(tA, tB bool, a, b, c Matrix) int {
	m, k := a.Rows, a.Cols
	if tA {
		m, k = k, m
	}
	kb, n := b.Rows, b.Cols
	if tB {
		kb, n = n, kb
	}
	if m != c.Rows || n != c.Cols || k != kb {
		panic("blas: dimension mismatch")
	}
	return k
}

func ceil(n int) int { return (n + tile - 1) / tile }

// gemmTile computes the output tile in tile row ti and tile column tj.
func gemmTile(tA, tB bool, alpha float64, a, b Matrix, beta float64, c Matrix, ti, tj, k int) {
	i0, i1 := ti*tile, min((ti+1)*tile, c.Rows)
	j0, j1 := tj*tile, min((tj+1)*tile, c.Cols)
	av, bv := strip(a, tA, i0, i1, k), strip(b, !tB, j0, j1, k)
	cv := View(c, i0, i1, j0, j1)
	impl.Dgemm(trans(tA), trans(tB), cv.Rows, cv.Cols, k, alpha,
		av.Data, av.Stride, bv.Data, bv.Stride, beta, cv.Data, cv.Stride)
}

// strip views rows lo … hi-1 of a (or columns, when across) with all k inner
// elements.
func strip(a Matrix, across bool, lo, hi, k int) Matrix {
	if across {
		return View(a, 0, k, lo, hi)
	}
	return View(a, lo, hi, 0, k)
}

// Syrk computes the upper triangle of C ← alpha·op(A)·op(A)ᵀ + beta·C, where
// op(A) is A, or Aᵀ when tA is true. Elements below the diagonal inside a
// diagonal tile are written too; Mirror makes the rest follow. Cost n²·k
// floating-point operations for an n×n result.
func Syrk(ctx context.Context, tA bool, alpha float64, a Matrix, beta float64, c Matrix) error {
	k := innerDim(tA, !tA, a, a, c)
	across := ceil(c.Cols)
	return parallel.For(ctx, across*(across+1)/2, func(t int) {
		i, j := upperTile(t)
		gemmTile(tA, !tA, alpha, a, a, beta, c, i, j, k)
	})
}

// upperTile numbers the tiles on and above the diagonal column by column.
func upperTile(t int) (i, j int) {
	for j = 0; t > j; j++ {
		t -= j + 1
	}
	return t, j
}

// Mirror copies the strict upper triangle of the square matrix c below its
// diagonal.
func Mirror(c Matrix) {
	for i := range c.Rows {
		for j := range i {
			c.Data[i*c.Stride+j] = c.Data[j*c.Stride+i]
		}
	}
}

// Dot returns Σ xᵢyᵢ.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("blas: length mismatch")
	}
	return blas64.Dot(blas64.Vector{N: len(x), Data: x, Inc: 1}, blas64.Vector{N: len(y), Data: y, Inc: 1})
}
