package blas

import "rvflplus/blas/internal/kernel"

// Exp replaces every x by exp(x). The error is below 1 ulp (the test of package
// blas/internal/kernel measures it); NaN stays NaN, overflow is +Inf, underflow
// passes through subnormal numbers to 0. The bits do not depend on the
// instructions used; that holds for all functions of slices here.
func Exp(x []float64) { expScaled(x, 1) }

// Decay replaces every d by exp(−d/width), with the exponential of Exp: the
// Laplacian kernel of L1 distances, the Gaussian of squared ones.
func Decay(d []float64, width float64) { expScaled(d, -1/width) }

func expScaled(x []float64, scale float64) {
	if v := kernel.BestVector; v != nil && len(x) > 0 {
		v.Exp(&x[0], len(x), scale)
		return
	}
	for i, v := range x {
		x[i] = kernel.Exp(v * scale)
	}
}

// RBF replaces inner products x·yᵢ by exp(−‖x−yᵢ‖²/width), given ‖x‖² and each
// ‖yᵢ‖². Squared distances are at least 0, and exactly 0 where norm, norms[i] and
// the inner product are equal.
func RBF(dots, norms []float64, norm, width float64) {
	if len(norms) != len(dots) {
		panic("blas: length mismatch")
	}
	scale := -1 / width
	if v := kernel.BestVector; v != nil && len(dots) > 0 {
		v.RBF(&dots[0], &norms[0], len(dots), norm, scale)
		return
	}
	for i, v := range dots {
		dots[i] = kernel.RBF(v, norm, norms[i], scale)
	}
}

// Sigmoid replaces every x by 1/(1+exp(−x)), with the exponential of Exp.
func Sigmoid(x []float64) {
	if v := kernel.BestVector; v != nil && len(x) > 0 {
		v.Sigmoid(&x[0], len(x))
		return
	}
	for i, v := range x {
		x[i] = 1 / (1 + kernel.Exp(0-v))
	}
}

// Tanh replaces every x by its hyperbolic tangent. The error is below 3 ulp (also
// measured by the test); the sign of zero and NaN are kept.
func Tanh(x []float64) {
	if v := kernel.BestVector; v != nil && len(x) > 0 {
		v.Tanh(&x[0], len(x))
		return
	}
	for i, v := range x {
		x[i] = kernel.Tanh(v)
	}
}

// AddAbsDiff adds |alpha − xᵢ| to sum[i]: one feature's part of L1 distances.
func AddAbsDiff(alpha float64, x, sum []float64) {
	if len(x) != len(sum) {
		panic("blas: length mismatch")
	}
	kernel.Gaps(alpha, x, sum)
}

// Axpy adds alpha·x to y, each by one fused multiply-add.
func Axpy(alpha float64, x, y []float64) {
	if len(x) != len(y) {
		panic("blas: length mismatch")
	}
	kernel.Axpy(alpha, x, y)
}
