package kernel

import "rvflplus/blas"

// ChiSquare is k(x, y) = exp(−Σ(xᵢ−yᵢ)²/(xᵢ+yᵢ)/Width), Width > 0, for
// non-negative features (histograms); 0/0 counts as 0. A negative feature of a
// row to be predicted counts as 0.
type ChiSquare struct{ Width float64 }

// Block implements Kernel.
func (k ChiSquare) Block(dst, x, y blas.Matrix) {
	k.distances(dst, x, y)
	decay(dst, k.Width)
}

func (ChiSquare) metric() string                  { return "chi2" }
func (k ChiSquare) scale() float64                { return k.Width }
func (ChiSquare) distances(dst, x, y blas.Matrix) { eachPair(dst, x, y, chiSquare) }

// Spec implements Kernel.
func (k ChiSquare) Spec() Spec {
	return Spec{{Name: "chi2", Params: map[string]float64{"width": k.Width}}}
}

// String implements Kernel.
func (k ChiSquare) String() string { return k.Spec().String() }

func chiSquare(x, y []float64) float64 {
	var d float64
	for i := range x {
		a, b := max(0, x[i]), max(0, y[i])
		if a+b > 0 {
			d += (a - b) * (a - b) / (a + b)
		}
	}
	return d
}

// AdditiveChiSquare is k(x, y) = Σ 2xᵢyᵢ/(xᵢ+yᵢ), for non-negative features; 0/0
// counts as 0. A negative feature of a row to be predicted counts as 0.
type AdditiveChiSquare struct{}

// Block implements Kernel.
func (AdditiveChiSquare) Block(dst, x, y blas.Matrix) {
	eachPair(dst, x, y, func(x, y []float64) float64 {
		var s float64
		for i := range x {
			a, b := max(0, x[i]), max(0, y[i])
			if a+b > 0 {
				s += 2 * a * b / (a + b)
			}
		}
		return s
	})
}

// Spec implements Kernel.
func (AdditiveChiSquare) Spec() Spec { return Spec{{Name: "additive-chi2"}} }

// String implements Kernel.
func (AdditiveChiSquare) String() string { return "additive-chi2" }
