package kernel

import "rvflplus/blas"

// Linear is k(x, y) = x·y.
type Linear struct{}

// Block implements Kernel.
func (Linear) Block(dst, x, y blas.Matrix) { dots(dst, x, y) }

func (Linear) fromRow(_, _ []float64, _ float64) {}

// Spec implements Kernel.
func (Linear) Spec() Spec { return Spec{{Name: "linear"}} }

// String implements Kernel.
func (Linear) String() string { return "linear" }
