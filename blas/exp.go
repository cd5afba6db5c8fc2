package blas

import "rvflplus/blas/internal/kernel"

// Exp replaces every x by exp(x). The error is below 1 ulp (the test of package
// blas/internal/kernel measures it); NaN stays NaN, overflow is +Inf, underflow
// passes through subnormal numbers to 0. The bits do not depend on the
// instructions used.
func Exp(x []float64) {
	n := 0
	if m := kernel.BestVector; m != nil {
		n = whole(x, m.Lanes, m.Exp)
	}
	for i, v := range x[n:] {
		x[n+i] = kernel.Exp(v)
	}
}

// Sigmoid replaces every x by 1/(1+exp(−x)), with the exponential of Exp.
func Sigmoid(x []float64) {
	n := 0
	if m := kernel.BestVector; m != nil {
		n = whole(x, m.Lanes, m.Sigmoid)
	}
	for i, v := range x[n:] {
		x[n+i] = 1 / (1 + kernel.Exp(0-v))
	}
}

// whole applies f to the whole vectors at the beginning of x and returns their
// length.
func whole(x []float64, lanes int, f func(x *float64, n int)) int {
	n := len(x) / lanes * lanes
	if n > 0 {
		f(&x[0], n)
	}
	return n
}
