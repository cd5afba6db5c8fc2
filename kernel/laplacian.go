package kernel

import (
	"math"

	"rvflplus/blas"
)

// Laplacian is k(x, y) = exp(−Σ|xᵢ−yᵢ|/Width), Width > 0.
type Laplacian struct{ Width float64 }

// Block implements Kernel.
func (k Laplacian) Block(dst, x, y blas.Matrix) {
	k.distances(dst, x, y)
	decay(dst, k.Width)
}

func (Laplacian) metric() string   { return "L1" }
func (k Laplacian) scale() float64 { return k.Width }

func (Laplacian) distances(dst, x, y blas.Matrix) {
	columns := blas.New(y.Cols, y.Rows)
	for j := range y.Rows {
		for f, v := range blas.Row(y, j) {
			columns.Data[f*columns.Stride+j] = v
		}
	}
	for i := range x.Rows {
		row := blas.Row(dst, i)
		clear(row)
		for f, v := range blas.Row(x, i) {
			blas.AddGaps(v, blas.Row(columns, f), row)
		}
	}
}

// String implements Kernel.
func (k Laplacian) String() string { return term("laplacian", "width", k.Width) }

func manhattan(x, y []float64) float64 {
	var d float64
	for i, v := range x {
		d += math.Abs(v - y[i])
	}
	return d
}
