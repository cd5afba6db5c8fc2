package qp

import (
	"rvflplus/blas"
	"rvflplus/fault"
)

func notPositive() error {
	return fault.New(fault.NotSolved, "the quadratic form is not positive semi-definite, or far out of scale").
		WithHint("use another kernel or width, or scale the features")
}

// largest returns the largest |x|.
func largest(v []float64) float64 {
	var m float64
	for _, x := range v {
		m = max(m, x, -x)
	}
	return m
}

// solveCholesky overwrites x with (UᵀU)⁻¹x.
func solveCholesky(u blas.Matrix, x []float64) {
	forwardSubstitute(u, x, 0)
	backSubstitute(u, x)
}

// forwardSubstitute overwrites x, whose first from elements are 0, with U⁻ᵀx.
func forwardSubstitute(u blas.Matrix, x []float64, from int) {
	for i := from; i < len(x); i++ {
		row := blas.Row(u, i)
		x[i] /= row[i]
		blas.Axpy(-x[i], row[i+1:], x[i+1:])
	}
}

// backSubstitute overwrites x with U⁻¹x.
func backSubstitute(u blas.Matrix, x []float64) {
	for i := len(x) - 1; i >= 0; i-- {
		row := blas.Row(u, i)
		x[i] = (x[i] - blas.Dot(row[i+1:], x[i+1:])) / row[i]
	}
}
