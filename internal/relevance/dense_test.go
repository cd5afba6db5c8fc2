package relevance

import (
	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
)

func dense(m blas.Matrix) *mat.Dense {
	d := &mat.Dense{}
	d.SetRawMatrix(m)
	return d
}
