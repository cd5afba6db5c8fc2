package kernel

import (
	"math"

	"rvflplus/blas"
)

// Wavelet is the Morlet kernel
//
//	k(x, y) = Π cos(Frequency·(xᵢ−yᵢ)/Dilation)·exp(−(xᵢ−yᵢ)²/Width)
//
// with Width > 0, Dilation > 0, Frequency ≥ 0.
type Wavelet struct{ Width, Dilation, Frequency float64 }

// Block implements Kernel.
func (k Wavelet) Block(dst, x, y blas.Matrix) {
	eachPair(dst, x, y, func(x, y []float64) float64 {
		product, square := 1.0, 0.0
		for i, v := range x {
			d := v - y[i]
			product *= math.Cos(k.Frequency * d / k.Dilation)
			square += d * d
		}
		return product * math.Exp(-square/k.Width)
	})
}

// Spec implements Kernel.
func (k Wavelet) Spec() Spec {
	return Spec{{Name: "wavelet", Params: map[string]float64{
		"width": k.Width, "dilation": k.Dilation, "frequency": k.Frequency,
	}}}
}

// String implements Kernel.
func (k Wavelet) String() string { return k.Spec().String() }

func euclidean(x, y []float64) float64 {
	var d float64
	for i, v := range x {
		d += (v - y[i]) * (v - y[i])
	}
	return d
}
