// Package svm trains support vector machines: C-SVC, several classes one against
// one, and ε-SVR, one machine a target. Problems, votes and ties are LIBSVM's
// (Chang and Lin, ACM TIST 2, 2011). They take no part in learning from
// privileged features, which they leave alone.
package svm

import (
	"errors"
	"math"

	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Config holds the hyper-parameters of C-SVC. Its zero value is the documented
// default; a field at its zero value means that default.
type Config struct {
	C             float64   // price of a margin violation; > 0, default 1
	Kernel        string    // see kernel.Parse, taken bare; default "rbf" of automatic width
	ClassWeight   []float64 // multiplies C for the rows of each class, in the order of classes; each > 0; nil is 1
	Tolerance     float64   // largest KKT violation; ≥ 1e-12, default 1e-3
	MaxIterations int       // of one machine; default qp.MaxIterations of its rows
	CacheBytes    int64     // for rows of the kernel matrix, all machines together; default 256 MB
	Probability   bool      // fits Platt's probabilities to decisions for rows left out in five folds: six fits instead of one
	Seed          uint64    // draws the rows for an automatic width above 1,000 rows, and the folds
}

// RegressionConfig holds the hyper-parameters of ε-SVR, as Config does.
type RegressionConfig struct {
	C             float64  // price of an error beyond ε; > 0, default 1
	Epsilon       *float64 // half the width of the tube of errors that cost nothing; ≥ 0, nil means 0.1
	Kernel        string
	Tolerance     float64
	MaxIterations int
	CacheBytes    int64
	Seed          uint64
}

const (
	defaultTolerance = 1e-3
	defaultCache     = 256 << 20
	defaultEpsilon   = 0.1
	// leastTolerance is what rounding lets be reached on scaled data.
	leastTolerance = 1e-12
)

// WithDefaults returns the config with every default filled in.
func (c Config) WithDefaults() Config {
	c.C = learn.Or(c.C, 1)
	c.Kernel = learn.Or(c.Kernel, "rbf")
	c.Tolerance = learn.Or(c.Tolerance, defaultTolerance)
	c.CacheBytes = learn.Or(c.CacheBytes, defaultCache)
	return c
}

// WithDefaults returns the config with every default filled in.
func (c RegressionConfig) WithDefaults() RegressionConfig {
	d := c.machine().WithDefaults()
	c.C, c.Kernel, c.Tolerance, c.CacheBytes = d.C, d.Kernel, d.Tolerance, d.CacheBytes
	if c.Epsilon == nil {
		c.Epsilon = new(defaultEpsilon)
	}
	return c
}

// machine returns what both kinds of machine have in common.
func (c RegressionConfig) machine() Config {
	return Config{C: c.C, Kernel: c.Kernel, Tolerance: c.Tolerance, MaxIterations: c.MaxIterations, CacheBytes: c.CacheBytes, Seed: c.Seed}
}

// Validate returns a fault.Usage error for values out of their range.
func (c Config) Validate() error {
	c = c.WithDefaults()
	_, err := kernel.Parse(c.Kernel)
	errs := []error{learn.Positive("C", c.C), err, checkTolerance(c.Tolerance)}
	if c.MaxIterations < 0 {
		errs = append(errs, fault.Param("max-iter", "a whole number >= 1", c.MaxIterations))
	}
	if c.CacheBytes < 0 {
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
	c = c.WithDefaults()
	var err error
	if e := *c.Epsilon; !(e >= 0) || math.IsInf(e, 1) {
		err = fault.Param("epsilon", "a finite number >= 0", e)
	}
	return errors.Join(err, c.machine().Validate())
}
