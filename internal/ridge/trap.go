package ridge

import (
	"rvflplus/fault"
)

// trap notices leave-one-out that tells every row its own target. Let the features of all rows sum to 0, Σhⱼ = 0, and
// be so many that they fit any targets of N−1 rows. Without row i the model then predicts
//
//	f⁽⁻ⁱ⁾ = hᵢw = −Σ_{j≠i} hⱼw = −Σ_{j≠i} yⱼ = yᵢ − Σyⱼ.
//
// Targets that were centred on all rows, and balanced ±1, sum to 0: every residual is 0, on pure noise too. With one
// output a class the residuals of a row are the classes' sizes, so that balanced classes are all told right. The
// prediction is the exact one of the model without the row. But it comes from the sums over all rows and says nothing
// of new rows. Targets whose mean is taken anew without each row (Params.Center) escape: their rows are predicted by
// that mean.
//
// In M = (Ω + Ω̃/γ + (CV)⁻¹)⁻¹ one direction u then outweighs the others, M ≈ c·uuᵀ, and 1 is not orthogonal to it. The
// residual of a target of 1 is ρᵢ = (M1)ᵢ/Mᵢᵢ. For u = 1 it is ρᵢ = N, and in general Σ1/ρᵢ ≈ 1. Where k directions
// are left over, Σ1/ρᵢ ≈ k: N less the degrees of freedom of the fit. The residuals of noise are too small, by the
// factor 1−1/k. So leave-one-out is given up where Σ1/ρᵢ is less than 4 and all ρᵢ are greater than 1: every row is
// predicted as if a constant target changed its sign. A fit with fewer degrees of freedom than rows, however exact,
// has a large sum, and features that can express a constant have small ρᵢ.
//
// Whole folds that are left out tell of the sum of their targets alone, which matters less the larger they are; they
// are not looked at.
type trap struct {
	rows    int
	shares  float64 // Σ1/ρᵢ
	escapes bool
}

const (
	// mostTrapped is the number of directions left over below which leave-one-out is given up.
	mostTrapped = 4
	// fewestTrapped is the number of rows from which on chance alone does not make all ρᵢ that large.
	fewestTrapped = 8
)

// add takes the residual ρ of a target of 1 that a row has without it.
func (t *trap) add(residual float64) {
	t.rows++
	t.shares += 1 / residual
	t.escapes = t.escapes || !(residual > 1)
}

// err returns a fault.NotSolved error if leave-one-out of the rows that were added says nothing. p are the parameters
// of the fit.
func (t *trap) err(p Params) error {
	if p.Center || t.escapes || t.rows < fewestTrapped || t.shares >= mostTrapped {
		return nil
	}
	return fault.New(fault.NotSolved, "leave-one-out says nothing here: the features of all rows sum to 0 and fit any "+
		"targets, so that each row's own target can be told from the others' targets").
		WithHint("use a smaller %s or fewer features, or leave out folds of several rows", fault.Name("C"))
}
