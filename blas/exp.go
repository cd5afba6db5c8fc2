package blas

import "rvflplus/blas/internal/kernel"

// Exp replaces every x by exp(x). The error is below 1 ulp (measured: see the test
// of package blas/internal/kernel); NaN stays NaN, overflow is +Inf, underflow
// passes through subnormal numbers to 0. The bits do not depend on the
// instructions used.
func Exp(x []float64) {
	n := 0
	if m := kernel.BestMap; m != nil && len(x) >= m.Lanes {
		n = len(x) / m.Lanes * m.Lanes
		m.Exp(&x[0], n)
	}
	for i, v := range x[n:] {
		x[n+i] = kernel.Exp(v)
	}
}

// Sigmoid replaces every x by 1/(1+exp(−x)), with the exponential of Exp.
func Sigmoid(x []float64) {
	n := 0
	if m := kernel.BestMap; m != nil && len(x) >= m.Lanes {
		n = len(x) / m.Lanes * m.Lanes
		m.Sigmoid(&x[0], n)
	}
	for i, v := range x[n:] {
		x[n+i] = 1 / (1 + kernel.Exp(0-v))
	}
}
