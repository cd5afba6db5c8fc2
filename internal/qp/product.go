package qp

import (
	gblas "gonum.org/v1/gonum/blas"

	"rvflplus/blas"
	"rvflplus/fault"
)

// times computes dst ← A·x, or Aᵀ·x.
func times(trans bool, a blas.Matrix, x, dst []float64) {
	clear(dst)
	if a.Rows == 0 || a.Cols == 0 {
		return
	}
	t := gblas.NoTrans
	if trans {
		t = gblas.Trans
	}
	blas.Implementation{}.Dgemv(t, a.Rows, a.Cols, 1, a.Data, a.Stride, x, 1, 0, dst, 1)
}

func notPositive() error {
	return fault.New(fault.NotSolved, "the quadratic form is not positive semi-definite, or far out of scale").
		WithHint("use another kernel or width, or scale the features")
}

func largest(v []float64) float64 {
	var m float64
	for _, x := range v {
		m = max(m, x, -x)
	}
	return m
}

// solveFactored overwrites x with (UᵀU)⁻¹x.
func solveFactored(u blas.Matrix, x []float64) {
	forward(u, x, 0)
	backward(u, x)
}

// forward overwrites x, whose first from elements are 0, with U⁻ᵀx.
func forward(u blas.Matrix, x []float64, from int) {
	for i := from; i < len(x); i++ {
		row := blas.Row(u, i)
		x[i] /= row[i]
		blas.Axpy(-x[i], row[i+1:], x[i+1:])
	}
}

// backward overwrites x with U⁻¹x.
func backward(u blas.Matrix, x []float64) {
	for i := len(x) - 1; i >= 0; i-- {
		row := blas.Row(u, i)
		x[i] = (x[i] - blas.Dot(row[i+1:], x[i+1:])) / row[i]
	}
}
