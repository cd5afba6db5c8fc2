package kernel

import (
	"math"
	"slices"
	"sync"

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
	columns := columnsOf(y)
	defer columnRooms.Put(columns)
	for i := range x.Rows {
		row := blas.Row(dst, i)
		clear(row)
		for f, v := range blas.Row(x, i) {
			blas.AddAbsDiff(v, (*columns)[f*y.Rows:][:y.Rows], row)
		}
	}
}

// columnRooms are reused, as tiles are.
var columnRooms = sync.Pool{New: func() any { return new([]float64) }}

// columnsOf returns y's columns one after the other.
func columnsOf(y blas.Matrix) *[]float64 {
	columns := columnRooms.Get().(*[]float64)
	*columns = slices.Grow((*columns)[:0], y.Rows*y.Cols)[:y.Rows*y.Cols]
	for j := range y.Rows {
		for f, v := range blas.Row(y, j) {
			(*columns)[f*y.Rows+j] = v
		}
	}
	return columns
}

// Spec implements Kernel.
func (k Laplacian) Spec() Spec {
	return Spec{{Name: "laplacian", Params: map[string]float64{"width": k.Width}}}
}

// String implements Kernel.
func (k Laplacian) String() string { return k.Spec().String() }

func manhattan(x, y []float64) float64 {
	var d float64
	for i, v := range x {
		d += math.Abs(v - y[i])
	}
	return d
}
