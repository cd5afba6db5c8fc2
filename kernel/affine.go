package kernel

import "rvflplus/blas"

// Affine is k(x, y) = Slope·x·y + Offset, Slope > 0, Offset ≥ 0. With a slope of 1/n for n standardised features its
// values are as large as those of kernels between 0 and 1, so that one C fits a sum of both.
type Affine struct{ Slope, Offset float64 }

// Block implements Kernel.
func (k Affine) Block(dst, x, y blas.Matrix) { Sum{k}.Block(dst, x, y) }

func (k Affine) fromRow(dst, _ []float64, _ float64) {
	for j, v := range dst {
		dst[j] = k.Slope*v + k.Offset
	}
}

// Spec implements Kernel.
func (k Affine) Spec() Spec {
	return Spec{{Name: "affine", Params: map[string]float64{"slope": k.Slope, "offset": k.Offset}}}
}

// String implements Kernel.
func (k Affine) String() string { return k.Spec().String() }
