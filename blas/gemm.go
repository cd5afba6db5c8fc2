package blas

import (
	"context"
	"math"

	"rvflplus/blas/internal/kernel"
)

// Gemm computes C ← alpha·op(A)·op(B) + beta·C, where op transposes when tA or
// tB is true. C must not overlap A or B. Cost 2·m·n·k floating-point operations.
// It returns ctx's error, with C unspecified, when ctx is cancelled.
func Gemm(ctx context.Context, tA, tB bool, alpha float64, a, b Matrix, beta float64, c Matrix) error {
	p := product{tA: tA, tB: tB, alpha: alpha, a: a, b: b, c: c, k: innerDim(tA, tB, a, b, c)}
	return p.compute(ctx, beta)
}

// Syrk computes the upper triangle of C ← alpha·op(A)·op(A)ᵀ + beta·C, where
// op(A) is A, or Aᵀ when tA is true. The strict lower triangle is left alone;
// Mirror makes it follow. Cost n²·k floating-point operations for an n×n result.
func Syrk(ctx context.Context, tA bool, alpha float64, a Matrix, beta float64, c Matrix) error {
	p := product{tA: tA, tB: !tA, alpha: alpha, a: a, b: a, c: c, part: upperPart, k: innerDim(tA, !tA, a, a, c)}
	return p.compute(ctx, beta)
}

// triangle is the part of C that is computed.
type triangle int

const (
	wholeMatrix triangle = iota
	upperPart
	lowerPart
)

// misses reports whether the rows i0 … i1-1 and columns j0 … j1-1 lie wholly
// outside the part.
func (t triangle) misses(i0, i1, j0, j1 int) bool {
	return t == upperPart && i0 >= j1 || t == lowerPart && j0 >= i1
}

// cuts reports whether some of these elements belong to the part and some do not.
func (t triangle) cuts(i0, i1, j0, j1 int) bool {
	return t == upperPart && i1 > j0+1 || t == lowerPart && j1 > i0+1
}

// columns returns the columns of row i, from those between j0 and j1, that belong
// to the part.
func (t triangle) columns(i, j0, j1 int) (from, to int) {
	switch t {
	case upperPart:
		return min(max(j0, i), j1), j1
	case lowerPart:
		return j0, max(j0, min(j1, i+1))
	}
	return j0, j1
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

// Mirror copies the strict upper triangle of the square matrix c below its
// diagonal.
func Mirror(c Matrix) { mirrorTo(c, c) }

// mirrorTo copies the strict upper triangle of the square matrix c below the diagonal of dst.
func mirrorTo(dst, c Matrix) {
	t := kernel.Best
	for i := 0; i < c.Rows; i += t.MR {
		end := min(i+t.MR, c.Rows)
		mirror(dst, c, i, end, i, end)
		whole := (c.Rows - end) / t.MR * t.MR
		if whole > 0 {
			t.Turn(&dst.Data[end*dst.Stride+i], &c.Data[i*c.Stride+end], whole, dst.Stride, c.Stride, 1)
		}
		mirror(dst, c, i, end, end+whole, c.Rows)
	}
}

// mirror copies rows lo … hi-1, from the diagonal on and between columns from and to,
// below the diagonal of dst.
func mirror(dst, c Matrix, lo, hi, from, to int) {
	for j := from; j < to; j++ {
		for i := lo; i < min(hi, j); i++ {
			dst.Data[j*dst.Stride+i] = c.Data[i*c.Stride+j]
		}
	}
}

// Chain returns Σ xᵢyᵢ with the bits that Gemm gives the same inner product, so
// that squared norms and inner products of equal rows are equal (not with the build
// tag openblas).
func Chain(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("blas: length mismatch")
	}
	var sum float64
	for step := share(len(x), kBlock, 8); len(x) > 0; {
		n := min(step, len(x))
		var s float64
		for i, v := range x[:n] {
			s = math.FMA(v, y[i], s)
		}
		sum += s
		x, y = x[n:], y[n:]
	}
	return sum
}

// SquaredNorms sets dst[i] to ‖row i of x‖², with the bits of Chain. Four rows at a
// time keep the multiply-adds busy.
func SquaredNorms(dst []float64, x Matrix) {
	if len(dst) != x.Rows {
		panic("blas: length mismatch")
	}
	i := 0
	for step := share(x.Cols, kBlock, 8); i+4 <= x.Rows; i += 4 {
		fourNorms(dst[i:i+4], View(x, i, i+4, 0, x.Cols), step)
	}
	for ; i < x.Rows; i++ {
		dst[i] = Chain(Row(x, i), Row(x, i))
	}
}

func fourNorms(dst []float64, x Matrix, step int) {
	clear(dst)
	for k := 0; k < x.Cols; k += step {
		n := min(step, x.Cols-k)
		r0, r1, r2, r3 := Row(x, 0)[k:][:n], Row(x, 1)[k:][:n], Row(x, 2)[k:][:n], Row(x, 3)[k:][:n]
		var s0, s1, s2, s3 float64
		for j, v := range r0 {
			s0, s1 = math.FMA(v, v, s0), math.FMA(r1[j], r1[j], s1)
			s2, s3 = math.FMA(r2[j], r2[j], s2), math.FMA(r3[j], r3[j], s3)
		}
		dst[0], dst[1], dst[2], dst[3] = dst[0]+s0, dst[1]+s1, dst[2]+s2, dst[3]+s3
	}
}

// Dot returns Σ xᵢyᵢ, the same bits on every machine.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("blas: length mismatch")
	}
	return kernel.Dot(x, y)
}
