package ridge

import (
	"context"
	"fmt"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
)

// factorise replaces the upper triangle of s by its Cholesky factor. A system
// that is not positive definite, or whose solution would have no correct digit,
// is a fault.NotSolved error that names the pivot. floor is what was added to the
// diagonal of a matrix that is positive semi-definite but for rounding.
func factorise(ctx context.Context, s blas.Matrix, floor float64, tell func(done, total int)) error {
	// No element of such a matrix is larger than the largest of the diagonal.
	if bound := float64(s.Rows) * largestPivot(s); enough(floor, bound, s.Rows) {
		pivot, err := blas.Factor(ctx, s, tell)
		if err != nil || pivot < 0 {
			return err
		}
		return singular(s.Rows, fmt.Sprintf("pivot %d is not positive", pivot+1))
	}
	norm := blas.SymNorm(s)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return fault.New(fault.NotSolved, "the features are so large that their products overflow").
			WithHint("scale the features")
	}
	pivot, err := blas.Factor(ctx, s, tell)
	if err != nil {
		return err
	}
	if pivot >= 0 {
		return singular(s.Rows, fmt.Sprintf("pivot %d is not positive", pivot+1))
	}
	if floor > leastFloor(norm, s.Rows) {
		return nil
	}
	if rc := blas.RCond(s, norm); rc < minRCond {
		return singular(s.Rows, fmt.Sprintf("reciprocal condition number %.1e, smallest pivot at %d", rc, smallestPivot(s)+1))
	}
	return nil
}

// enough reports whether a ridge bounds the condition number of a system whose norm is
// at most so large; it is false when the norm is not finite.
func enough(floor, norm float64, size int) bool {
	return floor/norm/math.Sqrt(float64(size)) > 2*minRCond && !math.IsInf(norm, 0)
}

func largestPivot(s blas.Matrix) float64 {
	largest := 0.0
	for i := range s.Rows {
		largest = max(largest, s.Data[i*s.Stride+i])
	}
	return largest
}

// leastFloor is the ridge from which on the condition number of an n×n system of the
// given 1-norm needs no estimate, which would cost a good part of what the
// factorisation does: no eigenvalue is below floor less n·2⁻⁵²·norm for the rounding
// of the sums, and so ‖S⁻¹‖₁ ≤ √n/(that).
func leastFloor(norm float64, n int) float64 {
	return (2*math.Sqrt(float64(n)) + float64(n)) * minRCond * norm
}

func singular(size int, why string) error {
	return fault.New(fault.NotSolved, "the %d×%d system is not positive definite to working precision: %s", size, size, why).
		WithHint("use a smaller C, or scale the features")
}

func smallestPivot(u blas.Matrix) int {
	best := 0
	for i := range u.Rows {
		if u.Data[i*u.Stride+i] < u.Data[best*u.Stride+best] {
			best = i
		}
	}
	return best
}

// leverage is an error for a row that alone determines its own prediction.
func leverageOne(row int) error {
	return fault.New(fault.NotSolved, "leave-one-out is not defined: without row %d the problem is no longer determined to working precision", row+1).
		WithHint("use a smaller C")
}
