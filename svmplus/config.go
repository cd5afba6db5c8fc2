// Package svmplus trains support vector machines that learn from privileged
// features: SVM+ (Vapnik and Vashist, Neural Networks 22, 2009) and Fast SVM+ (Li,
// Dai, Tan, Xu and Van Gool, CVPR 2016). Several classes are learnt one against
// the rest. docs/svmplus.md states which solvers solve the same problem.
package svmplus

import (
	"errors"
	"math"
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Config holds the hyper-parameters. Its zero value is the documented default; a
// field at its zero value means that default.
type Config struct {
	C             float64 // price of slack; > 0, default 1
	Gamma         float64 // weight of the privileged part; > 0, default 1000
	Solver        string  // see Solvers; default "gsmo"
	Kernel        string  // of the normal space, see kernel.Parse, taken bare; default "rbf" of automatic width
	PrivKernel    string  // of the privileged space; default Kernel
	Tolerance     float64 // relative duality gap; from 1e-12 to 0.1, default 1e-6
	MaxIterations int     // of one machine; ≥ 1, 0 means the solver's own cap
	// ClassWeight multiplies C for the rows of each class, in all machines: for the
	// columns of the targets, or of one column for -1 and 1; each > 0, nil is 1.
	ClassWeight []float64
	Seed        uint64 // draws the rows for an automatic width above 1,000 rows
}

// Solvers lists the solvers. gsmo (generalised sequential minimal optimisation),
// ipm (interior point) and mat (active set) solve SVM+; fast solves Fast SVM+,
// whose problem is another one, and yet another one with two linear kernels.
func Solvers() []string { return []string{"gsmo", "ipm", "mat", "fast"} }

// WithDefaults returns the config with every default filled in.
func (c Config) WithDefaults() Config {
	c.C = learn.Or(c.C, 1)
	c.Gamma = learn.Or(c.Gamma, 1000)
	c.Solver = learn.Or(c.Solver, "gsmo")
	c.Kernel = learn.Or(c.Kernel, "rbf")
	c.PrivKernel = learn.Or(c.PrivKernel, c.Kernel)
	c.Tolerance = learn.Or(c.Tolerance, 1e-6)
	return c
}

// Validate returns a fault.Usage error for values out of their range.
func (c Config) Validate() error {
	c = c.WithDefaults()
	_, err := kernel.Parse(c.Kernel)
	_, errPriv := kernel.Parse(c.PrivKernel)
	errs := []error{learn.Positive("C", c.C), learn.Positive("gamma", c.Gamma), err, errPriv}
	if !slices.Contains(Solvers(), c.Solver) {
		errs = append(errs, fault.Param("svm-solver", "one of "+strings.Join(Solvers(), ", "), c.Solver))
	}
	if !(c.Tolerance >= 1e-12 && c.Tolerance <= 0.1) || math.IsNaN(c.Tolerance) {
		errs = append(errs, fault.Param("tol", "a number from 1e-12 to 0.1", c.Tolerance))
	}
	if c.MaxIterations < 0 {
		errs = append(errs, fault.Param("max-iter", "a whole number >= 1", c.MaxIterations))
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
