package kernel

import "rvflplus/blas"

// RBF is the Gaussian kernel k(x, y) = exp(−‖x−y‖²/Width), Width > 0. The width
// divides the squared distance, with no factor 2.
type RBF struct{ Width float64 }

// Block implements Kernel.
func (k RBF) Block(dst, x, y blas.Matrix) { Sum{k}.Block(dst, x, y) }

func (k RBF) fromRow(dst, norms []float64, norm float64) { blas.RBF(dst, norms, norm, k.Width) }

// Spec implements Kernel.
func (k RBF) Spec() Spec {
	return Spec{{Name: "rbf", Params: map[string]float64{"width": k.Width}}}
}

// String implements Kernel.
func (k RBF) String() string { return k.Spec().String() }
