package blas

import (
	"context"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	lgonum "gonum.org/v1/gonum/lapack/gonum"

	"rvflplus/internal/parallel"
)

var lapackImpl lgonum.Implementation

// Cholesky overwrites the upper triangle of the symmetric matrix A with U,
// A = UᵀU; the strict lower triangle is neither read nor meaningful afterwards.
// The pivot is -1, or, when A is not positive definite, the first row whose
// pivot is not positive; A is then partly overwritten. tell, when not nil, hears
// of progress in equal shares of the work. Cost n³/3 operations.
func Cholesky(ctx context.Context, a Matrix, tell func(done, total int)) (pivot int, err error) {
	if a.Rows != a.Cols {
		panic("blas: Cholesky of a matrix that is not square")
	}
	for k := 0; k < a.Rows; k += tile {
		end := min(k+tile, a.Rows)
		diag := View(a, k, end, k, end)
		if !lapackImpl.Dpotf2(gblas.Upper, diag.Rows, diag.Data, diag.Stride) {
			return k + badPivot(diag), nil
		}
		if end == a.Rows {
			break
		}
		right := View(a, k, end, end, a.Cols)
		if err := solveLeftTrans(ctx, diag, right); err != nil {
			return -1, err
		}
		if err := Syrk(ctx, true, -1, right, 1, View(a, end, a.Rows, end, a.Cols)); err != nil {
			return -1, err
		}
		if tell != nil {
			left := float64(a.Rows-end) / float64(a.Rows)
			tell(int(shares*(1-left*left*left)), shares)
		}
	}
	return -1, ctx.Err()
}

// shares is the resolution of Cholesky's progress.
const shares = 1000

// badPivot finds where Dpotf2 stopped: it leaves the bad pivot on the diagonal.
func badPivot(a Matrix) int {
	for i := range a.Rows {
		if !(a.Data[i*a.Stride+i] > 0) {
			return i
		}
	}
	return a.Rows - 1
}

// solveLeftTrans overwrites B with U⁻ᵀB, a strip of columns at a time.
func solveLeftTrans(ctx context.Context, u, b Matrix) error {
	return parallel.Blocks(ctx, b.Cols, tile, func(lo, hi int) {
		v := View(b, 0, b.Rows, lo, hi)
		impl.Dtrsm(gblas.Left, gblas.Upper, gblas.Trans, gblas.NonUnit,
			v.Rows, v.Cols, 1, u.Data, u.Stride, v.Data, v.Stride)
	})
}

// SolveCholesky overwrites B with A⁻¹B, where u holds Cholesky's factor of A.
// Cost 2·n² operations a column.
func SolveCholesky(u, b Matrix) {
	if u.Rows != u.Cols || u.Rows != b.Rows {
		panic("blas: dimension mismatch")
	}
	for _, t := range []gblas.Transpose{gblas.Trans, gblas.NoTrans} {
		impl.Dtrsm(gblas.Left, gblas.Upper, t, gblas.NonUnit,
			b.Rows, b.Cols, 1, u.Data, u.Stride, b.Data, b.Stride)
	}
}

// SolveRight overwrites B with B·U⁻¹, U upper triangular. Cost n² operations a
// row of B.
func SolveRight(ctx context.Context, b, u Matrix) error {
	if u.Rows != u.Cols || b.Cols != u.Rows {
		panic("blas: dimension mismatch")
	}
	for k := 0; k < u.Rows && b.Rows > 0; k += tile {
		end := min(k+tile, u.Rows)
		panel := View(b, 0, b.Rows, k, end)
		solvePanel(panel, View(u, k, end, k, end))
		rest := View(b, 0, b.Rows, end, b.Cols)
		if err := Gemm(ctx, false, false, -1, panel, View(u, k, end, end, u.Cols), 1, rest); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Inverse returns A⁻¹ = U⁻¹U⁻ᵀ, both triangles filled, from Cholesky's factor.
// Cost 2·n³/3 operations, memory 2·n² numbers.
func Inverse(ctx context.Context, u Matrix) (Matrix, error) {
	half, err := invertUpper(ctx, u)
	if err != nil {
		return Matrix{}, err
	}
	n := u.Rows
	inv := New(n, n)
	across := ceil(n)
	err = parallel.For(ctx, across*(across+1)/2, func(t int) {
		i, j := upperTile(t)
		right := View(half, 0, n, j*tile, n) // columns before j·tile of these rows are 0
		gemmTile(false, true, 1, right, right, 0, inv, i, j, right.Cols)
	})
	Mirror(inv)
	return inv, err
}

// invertUpper returns U⁻¹. Panel by panel it solves X·U = I for the rows that
// are not zero yet.
func invertUpper(ctx context.Context, u Matrix) (Matrix, error) {
	x := New(u.Rows, u.Rows)
	for k := 0; k < u.Rows; k += tile {
		end := min(k+tile, u.Rows)
		for i := k; i < end; i++ {
			x.Data[i*x.Stride+i] = 1
		}
		panel := View(x, 0, end, k, end)
		solvePanel(panel, View(u, k, end, k, end))
		rest := View(x, 0, end, end, u.Rows)
		if err := Gemm(ctx, false, false, -1, panel, View(u, k, end, end, u.Cols), 1, rest); err != nil {
			return x, err
		}
	}
	return x, ctx.Err()
}

// solvePanel overwrites B with B·U⁻¹ for a small U.
func solvePanel(b, u Matrix) {
	impl.Dtrsm(gblas.Right, gblas.Upper, gblas.NoTrans, gblas.NonUnit,
		b.Rows, b.Cols, 1, u.Data, u.Stride, b.Data, b.Stride)
}

// RCond estimates the reciprocal condition number of A in the 1-norm from
// Cholesky's factor and A's 1-norm. Cost O(n²).
func RCond(u Matrix, norm float64) float64 {
	work, iwork := make([]float64, 3*u.Rows), make([]int, u.Rows)
	return lapackImpl.Dpocon(gblas.Upper, u.Rows, u.Data, u.Stride, norm, work, iwork)
}

// SymNorm returns the 1-norm of the symmetric matrix whose upper triangle is in a.
func SymNorm(a Matrix) float64 {
	return lapackImpl.Dlansy(lapack.MaxColumnSum, gblas.Upper, a.Rows, a.Data, a.Stride, make([]float64, a.Rows))
}
