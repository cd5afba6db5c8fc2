package ridge

import (
	"context"
	"fmt"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
)

// factorise replaces the upper triangle of s by its Cholesky factor. A system that is not positive definite, or whose
// solution would have no correct digit, is a fault.NotSolved error that names the pivot. floor was added to the
// diagonal of a matrix that is positive semi-definite but for rounding.
func factorise(ctx context.Context, s blas.Matrix, floor float64, tell func(done, total int)) error {
	largest, norm := 0.0, 0.0
	for i := range s.Rows {
		largest = max(largest, s.Data[i*s.Stride+i])
	}
	// No element of such a matrix is larger than the largest of the diagonal, which bounds the norm. A ridge that is
	// large beside the bound bounds the condition number.
	bound := float64(s.Rows) * largest
	sound := floor/bound/math.Sqrt(float64(s.Rows)) > 2*minRCond && !math.IsInf(bound, 0)
	if !sound {
		norm = blas.SymNorm(s)
		if math.IsNaN(norm) || math.IsInf(norm, 0) {
			return fault.New(fault.NotSolved, "the features are so large that their products overflow").
				WithHint("scale the features")
		}
		sound = floor > leastFloor(norm, s.Rows)
	}
	pivot, err := blas.Factor(ctx, s, tell)
	switch {
	case err != nil:
		return err
	case pivot >= 0:
		return singular(s.Rows, fmt.Sprintf("pivot %d is not positive", pivot+1))
	case sound:
		return nil
	}
	if rc := blas.RCond(s, norm); rc < minRCond {
		smallest := 0
		for i := range s.Rows {
			if s.Data[i*s.Stride+i] < s.Data[smallest*s.Stride+smallest] {
				smallest = i
			}
		}
		return singular(s.Rows, fmt.Sprintf("reciprocal condition number %.1e, smallest pivot at %d", rc, smallest+1))
	}
	return nil
}

// leastFloor is the ridge from which on the condition number of an n×n system of the given 1-norm needs no estimate,
// which would cost a good part of what the factorisation does: no eigenvalue is below floor − n·2⁻⁵²·norm, where the
// second term is the rounding of the sums, and so ‖S⁻¹‖₁ ≤ √n/(floor − n·2⁻⁵²·norm).
func leastFloor(norm float64, n int) float64 {
	return (2*math.Sqrt(float64(n)) + float64(n)) * minRCond * norm
}

func singular(size int, why string) error {
	return fault.New(fault.NotSolved,
		"the %d×%d system is not positive definite to working precision: %s", size, size, why).
		WithHint("use a smaller C, or scale the features")
}

// leverageOne is an error for a row that alone determines its own prediction.
func leverageOne(row int) error {
	return fault.New(fault.NotSolved,
		"leave-one-out is not defined: without row %d the problem is no longer determined to working precision", row+1).
		WithHint("use a smaller C")
}
