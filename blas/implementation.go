package blas

import (
	"context"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Implementation is a gonum blas.Float64 whose routines Dgemm, Dsyrk, Dtrsm, Dgemv,
// Ddot and Daxpy are this package's; all others are gonum's. To make gonum use it:
//
//	blas64.Use(blas.Implementation{})
type Implementation struct{ gonum.Implementation }

var _ gblas.Float64 = Implementation{}

// background: gonum's interface has no way to cancel.
var background = context.Background()

func isTrans(t gblas.Transpose) bool { return t != gblas.NoTrans }

// general wraps the arguments of a routine after they were checked.
func general(rows, cols int, data []float64, stride int) Matrix {
	if rows == 0 || cols == 0 {
		return Matrix{Rows: rows, Cols: cols, Stride: stride}
	}
	return Matrix{Rows: rows, Cols: cols, Stride: stride, Data: data[:(rows-1)*stride+cols]}
}

// stored returns a rows×cols matrix, or its transpose, as it lies in memory.
func stored(rows, cols int, trans bool, data []float64, stride int) Matrix {
	if trans {
		rows, cols = cols, rows
	}
	return general(rows, cols, data, stride)
}

// Dgemm computes C = alpha·op(A)·op(B) + beta·C.
func (Implementation) Dgemm(
	tA, tB gblas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int,
) {
	impl.Dgemm(tA, tB, m, n, k, 0, a, lda, b, ldb, 1, c, ldc) // checks the arguments and does nothing
	if m == 0 || n == 0 || (alpha == 0 || k == 0) && beta == 1 {
		return
	}
	p := product{tA: isTrans(tA), tB: isTrans(tB), alpha: alpha, k: k, c: general(m, n, c, ldc)}
	if alpha != 0 {
		p.a, p.b = stored(m, k, p.tA, a, lda), stored(k, n, p.tB, b, ldb)
	}
	_ = p.compute(background, beta)
}

// Dsyrk computes one triangle of C = alpha·op(A)·op(A)ᵀ + beta·C.
func (Implementation) Dsyrk(
	ul gblas.Uplo, tA gblas.Transpose, n, k int, alpha float64, a []float64, lda int,
	beta float64, c []float64, ldc int,
) {
	impl.Dsyrk(ul, tA, n, k, 0, a, lda, 1, c, ldc) // checks the arguments
	if n == 0 || (alpha == 0 || k == 0) && beta == 1 {
		return
	}
	part := upperPart
	if ul == gblas.Lower {
		part = lowerPart
	}
	p := product{tA: isTrans(tA), tB: !isTrans(tA), alpha: alpha, k: k, part: part, c: general(n, n, c, ldc)}
	if alpha != 0 {
		p.a = stored(n, k, p.tA, a, lda)
		p.b = p.a
	}
	_ = p.compute(background, beta)
}

// Dtrsm solves op(A)·X = alpha·B or X·op(A) = alpha·B into B.
func (Implementation) Dtrsm(
	s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int,
	alpha float64, a []float64, lda int, b []float64, ldb int,
) {
	k := n
	if s == gblas.Left {
		k = m
	}
	if k <= small || alpha == 0 || !checksTrsm(s, ul, tA, d, m, n, k, a, lda, b, ldb) {
		impl.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb) // small, or the panic that the arguments deserve
		return
	}
	x := general(m, n, b, ldb)
	for i := range m {
		row := Row(x, i)
		for j := range row {
			row[j] *= alpha
		}
	}
	t := triangular{side: s, upper: ul == gblas.Upper, trans: isTrans(tA), isOne: d == gblas.Unit}
	_ = t.solve(background, general(k, k, a, lda), x)
}

// small is the side of a triangle up to which gonum's loops do.
const small = 4

// checksTrsm reports whether Dtrsm's arguments are sound.
func checksTrsm(
	s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n, k int,
	a []float64, lda int, b []float64, ldb int,
) bool {
	known := (s == gblas.Left || s == gblas.Right) && (ul == gblas.Lower || ul == gblas.Upper) &&
		(tA == gblas.NoTrans || tA == gblas.Trans || tA == gblas.ConjTrans) && (d == gblas.NonUnit || d == gblas.Unit)
	return known && m > 0 && n > 0 && lda >= k && ldb >= n && len(a) >= lda*(k-1)+k && len(b) >= ldb*(m-1)+n
}
