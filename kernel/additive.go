package kernel

import (
	"slices"

	"rvflplus/blas"
)

// AdditiveRBF is k(x, y) = (1/n)·Σ exp(−(xᵢ−yᵢ)²/Width), Width > 0: a sum over the features of functions of one feature
// each. It is the first-order kernel of D. Duvenaud, H. Nickisch, C. Rasmussen, Additive Gaussian Processes, 2011.
// Evaluation takes an exponential for each feature.
type AdditiveRBF struct{ Width float64 }

// Block implements Kernel.
func (k AdditiveRBF) Block(dst, x, y blas.Matrix) { additive(dst, x, y, k.Width, true) }

// Spec implements Kernel.
func (k AdditiveRBF) Spec() Spec {
	return Spec{{Name: "additive-rbf", Params: map[string]float64{"width": k.Width}}}
}

// String implements Kernel.
func (k AdditiveRBF) String() string { return k.Spec().String() }

// AdditiveLaplacian is k(x, y) = (1/n)·Σ exp(−|xᵢ−yᵢ|/Width), Width > 0. See AdditiveRBF.
type AdditiveLaplacian struct{ Width float64 }

// Block implements Kernel.
func (k AdditiveLaplacian) Block(dst, x, y blas.Matrix) { additive(dst, x, y, k.Width, false) }

// Spec implements Kernel.
func (k AdditiveLaplacian) Spec() Spec {
	return Spec{{Name: "additive-laplacian", Params: map[string]float64{"width": k.Width}}}
}

// String implements Kernel.
func (k AdditiveLaplacian) String() string { return k.Spec().String() }

// additive sets dst[i,j] to the mean over the features of exp(−d/width), where d is the distance of xᵢ and yⱼ in one
// feature, squared if wanted. Without features it is 1, as where all factors of a relevance go to 0.
func additive(dst, x, y blas.Matrix, width float64, squared bool) {
	columns := columnsOf(y)
	defer columnRooms.Put(columns)
	buffer := rowBuffers.Get().(*[]float64)
	defer rowBuffers.Put(buffer)
	*buffer = slices.Grow((*buffer)[:0], y.Rows)[:y.Rows]
	values, n := *buffer, float64(x.Cols)
	for i := range x.Rows {
		row := blas.Row(dst, i)
		clear(row)
		for f, v := range blas.Row(x, i) {
			clear(values)
			blas.AddAbsDiff(v, (*columns)[f*y.Rows:][:y.Rows], values)
			if squared {
				for j, d := range values {
					values[j] = d * d
				}
			}
			blas.Decay(values, width)
			blas.Axpy(1, values, row)
		}
		for j := range row {
			if row[j] /= n; n == 0 {
				row[j] = 1
			}
		}
	}
}
