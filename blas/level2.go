package blas

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"

	"rvflplus/blas/internal/kernel"
	"rvflplus/internal/parallel"
)

// Ddot returns the sum of the products of x and y.
func (Implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if incX != 1 || incY != 1 || n < 0 || len(x) < n || len(y) < n {
		return impl.Ddot(n, x, incX, y, incY)
	}
	return kernel.Dot(x[:n], y[:n])
}

// Daxpy adds alpha·x to y.
func (Implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if incX != 1 || incY != 1 || n < 0 || len(x) < n || len(y) < n || alpha == 0 {
		impl.Daxpy(n, alpha, x, incX, y, incY)
		return
	}
	kernel.Axpy(alpha, x[:n], y[:n])
}

// Dgemv computes y = alpha·op(A)·x + beta·y.
func (Implementation) Dgemv(
	tA gblas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int,
	beta float64, y []float64, incY int,
) {
	impl.Dgemv(tA, m, n, 0, a, lda, x, incX, beta, y, incY) // checks the arguments and scales y
	switch {
	case m == 0 || n == 0 || alpha == 0:
	case incX != 1 || incY != 1:
		impl.Dgemv(tA, m, n, alpha, a, lda, x, incX, 1, y, incY)
	case isTrans(tA):
		timesTransposed(general(m, n, a, lda), alpha, x, y[:n])
	default:
		times(general(m, n, a, lda), alpha, x[:n], y)
	}
}

// Gemv computes y = op(A)·x, where op transposes when trans is true. y must not overlap A or x. Cost 2·m·n
// floating-point operations.
func Gemv(trans bool, a Matrix, x, y []float64) {
	m, n := a.Rows, a.Cols
	if trans {
		m, n = n, m
	}
	if len(x) != n || len(y) != m {
		panic("blas: dimension mismatch")
	}
	clear(y)
	switch {
	case m == 0 || n == 0:
	case trans:
		timesTransposed(a, 1, x, y)
	default:
		times(a, 1, x, y)
	}
}

// share2 is about how many numbers of a matrix one goroutine reads at a time.
const share2 = 1 << 16

// times adds alpha·A·x to y, row by row.
func times(a Matrix, alpha float64, x, y []float64) {
	_ = parallel.Blocks(background, a.Rows, max(1, share2/a.Cols), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			y[i] = math.FMA(alpha, kernel.Dot(Row(a, i), x), y[i])
		}
	})
}

// timesTransposed adds alpha·Aᵀ·x to y, a range of columns at a time.
func timesTransposed(a Matrix, alpha float64, x, y []float64) {
	_ = parallel.Blocks(background, a.Cols, max(256, share2/a.Rows), func(lo, hi int) {
		for i := range a.Rows {
			kernel.Axpy(alpha*x[i], Row(a, i)[lo:hi], y[lo:hi])
		}
	})
}
