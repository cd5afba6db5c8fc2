package kernel

import (
	"math"

	"rvflplus/blas"
)

// Polynomial is k(x, y) = (x·y + Offset)^Degree, Degree a whole number ≥ 1,
// Offset ≥ 0.
type Polynomial struct{ Degree, Offset float64 }

// Block implements Kernel.
func (k Polynomial) Block(dst, x, y blas.Matrix) { Sum{k}.Block(dst, x, y) }

func (k Polynomial) fromRow(dst, _ []float64, _ float64) {
	for j, v := range dst {
		dst[j] = math.Pow(v+k.Offset, k.Degree)
	}
}

// Spec implements Kernel.
func (k Polynomial) Spec() Spec {
	return Spec{{Name: "poly", Params: map[string]float64{"degree": k.Degree, "offset": k.Offset}}}
}

// String implements Kernel.
func (k Polynomial) String() string { return k.Spec().String() }
