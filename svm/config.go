// Package svm trains support vector machines: C-SVC, several classes one against
// one, and ε-SVR, one machine a target. Problems, votes and ties are LIBSVM's
// (Chang and Lin, ACM TIST 2, 2011). They take no part in learning from
// privileged features, which they leave alone.
package svm

import (
	"errors"
	"math"

	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Config holds the hyper-parameters of C-SVC. It starts from DefaultConfig; a value
// outside its range is an error.
type Config struct {
	C             float64     // price of a margin violation; > 0, default 1
	Kernel        kernel.Spec // taken bare; default rbf of automatic width
	ClassWeight   []float64   // multiplies C for the rows of each class, in the order of classes; each > 0; nil is 1
	Tolerance     float64     // largest KKT violation; ≥ 1e-12, default 1e-3
	MaxIterations int         // of one machine; ≥ 1, or 0 (default) for 10⁷ or 100 a row, whichever is more
	CacheBytes    int64       // for rows of the kernel matrix, all machines together; ≥ 1, default 256 MB
	// Probability fits Platt's probabilities to decisions for rows left out in five folds: six fits instead of one.
	Probability bool
	Seed        uint64 // draws the rows for an automatic width above 1,000 rows, and the folds
}

// RegressionConfig holds the hyper-parameters of ε-SVR. It starts from
// DefaultRegressionConfig; a value outside its range is an error.
type RegressionConfig struct {
	C       float64     // price of an error beyond ε; > 0, default 1
	Epsilon float64     // half the width of the tube of errors that cost nothing; ≥ 0, default 0.1
	Kernel  kernel.Spec // as in Config, and so are the others
	// Tolerance is the largest KKT violation, in the targets' units: at least 1e-14 of the largest target, or 0
	// (default) for a thousandth of their standard deviation. Targets, C and ε times a factor then give the same model
	// times the factor.
	Tolerance     float64
	MaxIterations int
	CacheBytes    int64
	Seed          uint64
}

// leastTolerance is what rounding lets be reached on scaled data by a classification.
const leastTolerance = 1e-12

// DefaultConfig returns the documented defaults.
func DefaultConfig() Config {
	d := param.Default()
	return Config{C: d.C, Kernel: d.Kernel, Tolerance: 1e-3, CacheBytes: 256 << 20}
}

// DefaultRegressionConfig returns the documented defaults.
func DefaultRegressionConfig() RegressionConfig {
	d := DefaultConfig()
	return RegressionConfig{C: d.C, Epsilon: param.Epsilon.Default(), Kernel: d.Kernel, CacheBytes: d.CacheBytes}
}

// machine returns what both kinds of machine have in common.
func (c RegressionConfig) machine() Config {
	return Config{C: c.C, Kernel: c.Kernel, Tolerance: c.Tolerance, MaxIterations: c.MaxIterations,
		CacheBytes: c.CacheBytes, Seed: c.Seed}
}

// Validate returns a fault.Usage error for values out of their range.
func (c Config) Validate() error {
	errs := []error{param.C.CheckValue(c.C), c.Kernel.Validate(), checkTolerance(c.Tolerance),
		param.MaxIter.CheckValue(c.MaxIterations)}
	if c.CacheBytes < 1 {
		errs = append(errs, fault.Param("cache", "a number of bytes >= 1", c.CacheBytes))
	}
	for _, w := range c.ClassWeight {
		errs = append(errs, learn.Positive("class weight", w))
	}
	return errors.Join(errs...)
}

func checkTolerance(v float64) error {
	if !(v >= leastTolerance) || math.IsInf(v, 1) {
		return fault.Param("tol", "a finite number >= 1e-12", v)
	}
	return nil
}

// Validate returns a fault.Usage error for values out of their range.
func (c RegressionConfig) Validate() error {
	tolerance := param.Tol.CheckValue(c.Tolerance)
	if c.Tolerance == 0 {
		tolerance = nil
	}
	c.Tolerance = DefaultConfig().Tolerance
	return errors.Join(param.Epsilon.CheckValue(c.Epsilon), tolerance, c.machine().Validate())
}
