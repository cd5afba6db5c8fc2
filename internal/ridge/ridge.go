// Package ridge holds the closed forms: ridge regression with a second,
// privileged block of features or kernel, in the primal (sums over rows), in the
// dual (rows × rows) and by pseudo-inverse, and their exact leave-one-out.
//
// The problem of all three is, in the notation of the paper's eq:12 and eq17,
//
//	α = (Ω + Ω̃/γ + (CV)⁻¹)⁻¹ (Y − 1ȳ − κ Ω̃v 1ᵀ),   f(x) = k(x,·)α + ȳ
//
// with Ω = HHᵀ and Ω̃ = H̃H̃ᵀ in explicit features, V = diag(v) the row weights, ȳ
// the weighted mean of Y (0 when not centred) and κ the correction: C/γ (paper),
// −C/γ (derived) or 0 (additive).
package ridge

import (
	"rvflplus/blas"
	"rvflplus/learn"
)

// sign is +1, −1 or 0: the factor before C/γ in κ.
func sign(c learn.Correction) float64 {
	switch c {
	case learn.Derived:
		return -1
	case learn.Additive:
		return 0
	}
	return 1
}

// Params are the hyper-parameters that all closed forms share.
type Params struct {
	C          float64          // > 0; the ridge is 1/C
	Gamma      float64          // > 0; weight of the privileged part, unused without one
	Correction learn.Correction // unused without a privileged part
	Center     bool             // subtract the targets' weighted mean, and restore it in predictions
}

func (p Params) kappa() float64 { return sign(p.Correction) * p.C / p.Gamma }

// lackingFactor returns what the squared-error weight of rows without privileged
// values is multiplied by: they have h̃ = 0 and the extra noise variance ω̄/γ, ω̄
// the mean of ‖h̃‖² over complete rows.
func (p Params) lackingFactor(privTrace, weight float64) float64 {
	if weight == 0 || privTrace == 0 {
		return 1
	}
	return 1 / (1 + p.C*privTrace/weight/p.Gamma)
}

// minRCond is the reciprocal condition number below which a solution has no
// correct digit left.
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
