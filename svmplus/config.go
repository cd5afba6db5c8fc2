// Package svmplus trains support vector machines that learn from privileged
// features: SVM+ (Vapnik and Vashist, Neural Networks 22, 2009) and Fast SVM+ (Li,
// Dai, Tan, Xu and Van Gool, CVPR 2016). Several classes are learnt one against
// the rest. docs/svmplus.md states which solvers solve the same problem.
package svmplus

import (
	"errors"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Config holds the hyper-parameters. It starts from DefaultConfig; a value outside its
// range is an error.
type Config struct {
	C             float64     // price of slack; > 0, default 1
	Gamma         float64     // weight of the privileged part; > 0, default 10,000
	Solver        string      // see Solvers; default "gsmo"
	Kernel        kernel.Spec // of the normal space, taken bare; default rbf of automatic width
	PrivKernel    kernel.Spec // of the privileged space; nil (default) for Kernel
	Tolerance     float64     // relative duality gap; from 1e-12 to 0.1, default 1e-6
	MaxIterations int         // of one machine; ≥ 1, or 0 (default) for the solver's own cap
	// ClassWeight multiplies C for the rows of each class, in all machines: for the
	// columns of the targets, or of one column for -1 and 1; each > 0, nil is 1.
	ClassWeight []float64
	Seed        uint64 // draws the rows for an automatic width above 1,000 rows
}

// Solvers lists the solvers. gsmo (generalised sequential minimal optimisation),
// ipm (interior point) and mat (active set) solve SVM+; fast solves Fast SVM+,
// whose problem is another one, and yet another one with two linear kernels.
func Solvers() []string { return slices.Clone(param.SVMSolver.About().Words) }

// DefaultConfig returns the documented defaults.
func DefaultConfig() Config {
	d := param.Default()
	return Config{C: d.C, Gamma: d.Gamma, Solver: d.SVMSolver, Kernel: d.Kernel, Tolerance: 1e-6}
}

// Validate returns a fault.Usage error for values out of their range.
func (c Config) Validate() error {
	errs := []error{
		param.C.CheckValue(c.C), param.Gamma.CheckValue(c.Gamma), c.Kernel.Validate(), c.PrivKernel.Validate(),
		param.SVMSolver.CheckValue(c.Solver), param.MaxIter.CheckValue(c.MaxIterations),
	}
	if !(c.Tolerance >= 1e-12 && c.Tolerance <= 0.1) {
		errs = append(errs, fault.Param("tol", "a number from 1e-12 to 0.1", c.Tolerance))
	}
	for _, w := range c.ClassWeight {
		errs = append(errs, learn.Positive("class weight", w))
	}
	return errors.Join(errs...)
}

// cap returns the number of iterations that one machine of n rows may take.
func (c Config) cap(n int) int {
	if c.MaxIterations > 0 {
		return c.MaxIterations
	}
	switch c.Solver {
	case "gsmo":
		return max(1000000, 2000*n)
	case "mat":
		return max(10000, 20*n)
	}
	return 500
}
