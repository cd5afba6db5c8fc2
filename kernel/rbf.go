package kernel

import "rvflplus/blas"

// RBF is the Gaussian kernel k(x, y) = exp(−‖x−y‖²/Width), Width > 0. The width
// divides the squared distance, with no factor 2.
type RBF struct{ Width float64 }

// Block implements Kernel.
func (k RBF) Block(dst, x, y blas.Matrix) {
	squaredDistances(dst, x, y)
	decay(dst, k.Width)
}

// String implements Kernel.
func (k RBF) String() string { return term("rbf", "width", k.Width) }
