// Package ridge holds the closed forms: ridge regression with a second, privileged block of features or kernel, in the
// primal (sums over rows), in the dual (rows × rows) and by pseudo-inverse, and their exact leave-one-out.
//
// The problem of all three is, in the notation of the paper's eq:12 and eq17,
//
//	α = (Ω + Ω̃/γ + (CV)⁻¹)⁻¹ (Y − 1ȳ − κ Ω̃v 1ᵀ),   f(x) = k(x,·)α + ȳ
//
// with Ω = HHᵀ and Ω̃ = H̃H̃ᵀ in explicit features, V = diag(v) the row weights, ȳ the weighted mean of Y (0 when not
// centred) and κ the correction: C/γ (paper), −C/γ (derived) or 0 (additive).
package ridge

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// sign is +1, −1 or 0: the factor before C/γ in κ.
func sign(c learn.Correction) float64 {
	switch c {
	case learn.Derived:
		return -1
	case learn.Additive, learn.Projected:
		return 0
	}
	return 1
}

// Params are the hyper-parameters that all closed forms share.
type Params struct {
	C          float64          // > 0; the ridge is 1/C
	Gamma      float64          // > 0; weight of the privileged part, unused without one
	Correction learn.Correction // unused without a privileged part; learn.Projected: the first stage of Projected
	Center     bool             // subtract the targets' weighted mean, and restore it in predictions
}

func (p Params) kappa() float64 { return sign(p.Correction) * p.C / p.Gamma }

// corrects reports whether the right-hand side of a problem with complete rows has a correction.
func (p Params) corrects(complete int) bool { return complete > 0 && sign(p.Correction) != 0 }

// lackingFactor returns the factor of the squared-error weight of rows without privileged values: they have h̃ = 0 and
// the extra noise variance ω̄/γ, where ω̄ is the mean of ‖h̃‖² over complete rows.
func (p Params) lackingFactor(privTrace, weight float64) float64 {
	if weight == 0 || privTrace == 0 {
		return 1
	}
	return 1 / (1 + p.C*privTrace/weight/p.Gamma)
}

// noise returns the diagonal of (CV)⁻¹; rows after the complete ones count less. privTrace is Σvᵢ‖h̃ᵢ‖² over complete
// rows.
func (p Params) noise(weight []float64, complete int, privTrace float64) ([]float64, error) {
	lacking := 1.0
	if complete > 0 && complete < len(weight) {
		lacking = p.lackingFactor(privTrace, sum(weight[:complete]))
	}
	diag := make([]float64, len(weight))
	for i, v := range weight {
		if i >= complete {
			v *= lacking
		}
		if diag[i] = 1 / (p.C * v); math.IsInf(diag[i], 0) {
			return nil, fault.New(fault.NotSolved, "1/(C·weight) overflows for C = %g and a weight of %g", p.C, v).
				WithHint("use weight 0 to leave a row out")
		}
	}
	return diag, nil
}

// meanUndefined reports whether centred targets have no mean without a row of weight v out of total, which may differ
// from the sum of the weights by rounding.
func (p Params) meanUndefined(v, total float64) bool {
	return p.Center && !(total-v > 4*minRCond*total)
}

// meanShift returns ȳ⁽⁻ⁱ⁾ − ȳ for a row of weight v out of total, given the row's y less ȳ; it is 0 when the targets
// are not centred.
func (p Params) meanShift(v, total, y float64) float64 {
	if !p.Center {
		return 0
	}
	return -v * y / (total - v)
}

// minRCond is the reciprocal condition number below which a solution has no correct digit left.
const minRCond = 0x1p-52

// mean returns the weighted means of the columns of y, or zeros.
func mean(y blas.Matrix, v []float64, total float64, center bool) []float64 {
	m := make([]float64, y.Cols)
	if !center {
		return m
	}
	for i := range y.Rows {
		for j, t := range blas.Row(y, i) {
			m[j] += v[i] * t
		}
	}
	for j := range m {
		m[j] /= total
	}
	return m
}

// column returns a copy of column j of a.
func column(a blas.Matrix, j int) []float64 {
	c := make([]float64, a.Rows)
	for i := range c {
		c[i] = a.Data[i*a.Stride+j]
	}
	return c
}

// vector returns v as a matrix of one column; it shares v's memory.
func vector(v []float64) blas.Matrix {
	return blas.Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}

// full returns both triangles of g.
func full(ctx context.Context, g Gramian) (blas.Matrix, error) {
	a := blas.New(g.Size(), g.Size())
	if err := g.Add(ctx, 1, a, nil); err != nil {
		return a, err
	}
	blas.Mirror(a)
	return a, nil
}

func sum(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s
}

func dot(x, y []float64) float64 { return blas.Dot(x, y) }
