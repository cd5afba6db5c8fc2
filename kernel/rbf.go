package kernel

import "rvflplus/blas"

// RBF is the Gaussian kernel k(x, y) = exp(−‖x−y‖²/Width), Width > 0. The width
// divides the squared distance, with no factor 2.
type RBF struct{ Width float64 }

// Block implements Kernel.
func (k RBF) Block(dst, x, y blas.Matrix) {
	dots(dst, x, y)
	k.fromProducts(dst, x, y)
}

func (k RBF) fromProducts(dst, x, y blas.Matrix) {
	norms := squaredNorms(y)
	for i, norm := range squaredNorms(x) {
		blas.RBF(blas.Row(dst, i), norms, norm, k.Width)
	}
}

// Spec implements Kernel.
func (k RBF) Spec() Spec {
	return Spec{{"rbf", map[string]float64{"width": k.Width}}}
}

// String implements Kernel.
func (k RBF) String() string { return k.Spec().String() }
