package blas

import (
	"context"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	lgonum "gonum.org/v1/gonum/lapack/gonum"
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
	for k := 0; k < a.Rows; k += panel {
		end := min(k+panel, a.Rows)
		diag := View(a, k, end, k, end)
		if pivot, err := factorDiagonal(ctx, diag); pivot >= 0 || err != nil {
			return k + pivot, err
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

const (
	shares = 1000 // resolution of Cholesky's progress
	panel  = 256  // rows eliminated at once: k of the update of the rest
)

// factorDiagonal is Cholesky's recursion for a block on the diagonal.
func factorDiagonal(ctx context.Context, a Matrix) (pivot int, err error) {
	if a.Rows <= leaf {
		if !lapackImpl.Dpotf2(gblas.Upper, a.Rows, a.Data, a.Stride) {
			return badPivot(a), nil
		}
		return -1, nil
	}
	h := half(a.Rows)
	upper, right, rest := View(a, 0, h, 0, h), View(a, 0, h, h, a.Cols), View(a, h, a.Rows, h, a.Cols)
	if pivot, err := factorDiagonal(ctx, upper); pivot >= 0 || err != nil {
		return pivot, err
	}
	if err := solveLeftTrans(ctx, upper, right); err != nil {
		return -1, err
	}
	if err := Syrk(ctx, true, -1, right, 1, rest); err != nil {
		return -1, err
	}
	pivot, err = factorDiagonal(ctx, rest)
	if pivot >= 0 {
		pivot += h
	}
	return pivot, err
}

// badPivot finds where Dpotf2 stopped: it leaves the bad pivot on the diagonal.
func badPivot(a Matrix) int {
	for i := range a.Rows {
		if !(a.Data[i*a.Stride+i] > 0) {
			return i
		}
	}
	return a.Rows - 1
}

// solveLeftTrans overwrites B with U⁻ᵀB.
func solveLeftTrans(ctx context.Context, u, b Matrix) error {
	return triangular{side: gblas.Left, upper: true, trans: true}.solve(ctx, u, b)
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
	return triangular{side: gblas.Right, upper: true}.solve(ctx, u, b)
}

// Inverse returns A⁻¹ = U⁻¹U⁻ᵀ, both triangles filled, from Cholesky's factor.
// Cost 4·n³/3 operations, memory 2·n² numbers.
func Inverse(ctx context.Context, u Matrix) (Matrix, error) {
	x, err := invertUpper(ctx, u)
	if err != nil {
		return Matrix{}, err
	}
	inverse := New(u.Rows, u.Rows)
	err = Syrk(ctx, false, 1, x, 0, inverse)
	Mirror(inverse)
	return inverse, err
}

// invertUpper returns U⁻¹. Panel by panel it solves X·U = I for the rows that
// are not zero yet.
func invertUpper(ctx context.Context, u Matrix) (Matrix, error) {
	x := New(u.Rows, u.Rows)
	for k := 0; k < u.Rows; k += panel {
		end := min(k+panel, u.Rows)
		for i := k; i < end; i++ {
			x.Data[i*x.Stride+i] = 1
		}
		done := View(x, 0, end, k, end)
		if err := SolveRight(ctx, done, View(u, k, end, k, end)); err != nil {
			return x, err
		}
		rest := View(x, 0, end, end, u.Rows)
		if err := Gemm(ctx, false, false, -1, done, View(u, k, end, end, u.Cols), 1, rest); err != nil {
			return x, err
		}
	}
	return x, ctx.Err()
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
