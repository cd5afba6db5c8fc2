// Package qp solves the convex quadratic programs of support vector machines. It
// knows no machine learning.
package qp

// Result tells how a solver ended.
type Result struct {
	Objective, Gap, KKT float64
	Iterations          int
	Converged           bool
}
