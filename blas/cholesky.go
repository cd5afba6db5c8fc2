package blas

import (
	"context"
	"sync"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	lgonum "gonum.org/v1/gonum/lapack/gonum"

	"rvflplus/blas/internal/kernel"
)

var lapackImpl lgonum.Implementation

// Factor overwrites the upper triangle of the symmetric matrix A with U, A = UᵀU;
// the strict lower triangle is neither read nor changed. A may have more columns than
// rows: the columns beyond the square, B, become U⁻ᵀB. The pivot is -1, or, when
// A is not positive definite, the first row whose pivot is not positive; A is then
// partly overwritten. tell, when not nil, hears of progress in shares of the work.
// Cost n³/3 operations.
func Factor(ctx context.Context, a Matrix, tell func(done, total int)) (pivot int, err error) {
	if a.Rows > a.Cols {
		panic("blas: Factor of a matrix that is not square")
	}
	if a.Rows <= largePanel {
		return factor(ctx, a)
	}
	for k := 0; k < a.Rows; k += largePanel {
		end := min(k+largePanel, a.Rows)
		if pivot, err := eliminate(ctx, View(a, k, a.Rows, k, a.Cols), end-k, factor); err != nil {
			return -1, err
		} else if pivot >= 0 {
			return k + pivot, nil
		}
		if tell != nil {
			left := float64(a.Rows-end) / float64(a.Rows)
			tell(int(shares*(1-left*left*left)), shares)
		}
	}
	return -1, ctx.Err()
}

// Cholesky is Factor for gonum's way of passing matrices: n×n numbers in rows lda
// apart. ok is false when A is not positive definite.
func Cholesky(n int, a []float64, lda int) (ok bool) {
	if n < 0 || lda < max(1, n) || n > 0 && len(a) < (n-1)*lda+n {
		panic("blas: Cholesky of a matrix with a wrong shape")
	}
	pivot, _ := Factor(background, general(n, n, a, lda), nil)
	return pivot < 0
}

const (
	shares     = 1000        // resolution of Factor's progress
	largePanel = 1536        // rows eliminated between two reports of progress
	leaf       = kernel.Side // rows eliminated one by one
)

// eliminate factors the first h rows with head and updates the rest.
func eliminate(
	ctx context.Context, a Matrix, h int, head func(context.Context, Matrix) (int, error),
) (pivot int, err error) {
	upper, right, rest := View(a, 0, h, 0, h), View(a, 0, h, h, a.Cols), View(a, h, a.Rows, h, a.Cols)
	if pivot, err := head(ctx, upper); pivot >= 0 || err != nil {
		return pivot, err
	}
	if err := solveLeftTrans(ctx, upper, right); err != nil {
		return -1, err
	}
	p := product{tA: true, alpha: -1, a: View(right, 0, h, 0, rest.Rows), b: right, c: rest, part: upperPart, k: h}
	return -1, p.compute(ctx, 1)
}

// factor factors by halves.
func factor(ctx context.Context, a Matrix) (pivot int, err error) {
	square := a.Rows == a.Cols
	if square {
		if pivot, done := systemFactor(a); done {
			return pivot, ctx.Err()
		}
	}
	h := middle(a.Rows)
	if a.Rows <= leaf {
		if square {
			return factorLeaf(a), ctx.Err()
		}
		h = a.Rows
	}
	if pivot, err := eliminate(ctx, a, h, factor); pivot >= 0 || err != nil {
		return pivot, err
	}
	if h == a.Rows {
		return -1, nil
	}
	if pivot, err = factor(ctx, View(a, h, a.Rows, h, a.Cols)); pivot >= 0 {
		pivot += h
	}
	return pivot, err
}

// leaves hold a triangle each while it is factored or inverted.
var leaves = sync.Pool{New: func() any { return new([leaf * kernel.Side]float64) }}

// takeLeaf returns a copy of the upper triangle of up to leaf rows, zeros elsewhere in these rows.
func takeLeaf(a Matrix) *[leaf * kernel.Side]float64 {
	buffer := leaves.Get().(*[leaf * kernel.Side]float64)
	for i := range a.Rows {
		row := buffer[i*kernel.Side:][:kernel.Side]
		clear(row)
		copy(row[i:], Row(a, i)[i:])
	}
	return buffer
}

// giveLeaf copies the upper triangle back.
func giveLeaf(buffer *[leaf * kernel.Side]float64, a Matrix) {
	for i := range a.Rows {
		copy(Row(a, i)[i:], buffer[i*kernel.Side+i:])
	}
}

// factorLeaf factors up to leaf rows.
func factorLeaf(a Matrix) (pivot int) {
	buffer := takeLeaf(a)
	defer leaves.Put(buffer)
	pivot = kernel.Best.Factor(&buffer[0], a.Rows)
	giveLeaf(buffer, a)
	if pivot == a.Rows {
		return -1
	}
	return pivot
}

// solveLeftTrans overwrites B with U⁻ᵀB.
func solveLeftTrans(ctx context.Context, u, b Matrix) error {
	return triangular{side: gblas.Left, upper: true, trans: true}.solve(ctx, u, b)
}

// SolveCholesky overwrites B with A⁻¹B, where u holds Cholesky's factor of A.
// Cost 2·n² operations a column.
func SolveCholesky(ctx context.Context, u, b Matrix) error {
	if u.Rows != u.Cols || u.Rows != b.Rows {
		panic("blas: dimension mismatch")
	}
	if err := solveLeftTrans(ctx, u, b); err != nil {
		return err
	}
	return triangular{side: gblas.Left, upper: true}.solve(ctx, u, b)
}

// SolveRight overwrites B with B·U⁻¹, U upper triangular. Cost n² operations a
// row of B.
func SolveRight(ctx context.Context, b, u Matrix) error {
	if u.Rows != u.Cols || b.Cols != u.Rows {
		panic("blas: dimension mismatch")
	}
	return triangular{side: gblas.Right, upper: true}.solve(ctx, u, b)
}

// Inverse returns A⁻¹ = U⁻¹U⁻ᵀ, both triangles filled, from Cholesky's factor. Cost 2·n³/3 operations, memory 2·n²
// numbers.
func Inverse(ctx context.Context, u Matrix) (Matrix, error) {
	inverse := New(u.Rows, u.Rows)
	return inverse, InverseTo(ctx, u, New(u.Rows, u.Rows), inverse)
}

// InverseTo adds A⁻¹ to dst as Inverse computes it. Both work, which is left with U⁻¹, and dst are n×n; work holds
// zeros.
func InverseTo(ctx context.Context, u, work, dst Matrix) error {
	if u.Rows != u.Cols || work.Rows != u.Rows || work.Cols != u.Rows || dst.Rows != u.Rows || dst.Cols != u.Rows {
		panic("blas: dimension mismatch")
	}
	// X = U⁻¹: panel by panel, X·U = I is solved for the rows that are not zero yet.
	for k := 0; k < u.Rows; k += inversePanel {
		end := min(k+inversePanel, u.Rows)
		for i := k; i < end; i++ {
			work.Data[i*work.Stride+i] = 1
		}
		done, rest := View(work, 0, end, k, end), View(work, 0, end, end, u.Rows)
		if err := SolveRight(ctx, done, View(u, k, end, k, end)); err != nil {
			return err
		}
		if err := Gemm(ctx, false, false, -1, done, View(u, k, end, end, u.Cols), 1, rest); err != nil {
			return err
		}
	}
	return TimesTransposed(ctx, work, dst)
}

// TimesTransposed adds X·Xᵀ to C for an upper triangular X, zeros below the diagonal;
// both triangles of C are filled. Cost n³/3 operations.
func TimesTransposed(ctx context.Context, x, c Matrix) error {
	for k := 0; k < x.Rows; k += inversePanel {
		end := min(k+inversePanel, x.Rows)
		if err := Syrk(ctx, false, 1, View(x, 0, end, k, end), 1, View(c, 0, end, 0, end)); err != nil {
			return err
		}
	}
	Mirror(c)
	return ctx.Err()
}

// InvertUpper overwrites the upper triangle of u with the upper triangle of U⁻¹, by halves; the
// strict lower triangle is neither read nor changed. Cost n³/3 operations.
func InvertUpper(ctx context.Context, u Matrix) error {
	n := u.Rows
	if n <= leaf {
		invertLeaf(u)
		return ctx.Err()
	}
	h := middle(n)
	upper, right, rest := View(u, 0, h, 0, h), View(u, 0, h, h, n), View(u, h, n, h, n)
	if err := (triangular{side: gblas.Left, upper: true}).solve(ctx, upper, right); err != nil {
		return err
	}
	for i := range right.Rows {
		for j, v := range Row(right, i) {
			right.Data[i*right.Stride+j] = -v
		}
	}
	if err := SolveRight(ctx, right, rest); err != nil {
		return err
	}
	if err := InvertUpper(ctx, upper); err != nil {
		return err
	}
	return InvertUpper(ctx, rest)
}

// invertLeaf inverts up to leaf rows.
func invertLeaf(u Matrix) {
	buffer := takeLeaf(u)
	defer leaves.Put(buffer)
	kernel.Best.Invert(&buffer[0], u.Rows)
	giveLeaf(buffer, u)
}

// inversePanel is the number of columns of the inverse that are solved at once.
const inversePanel = 256

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
