// Package krvfl trains kernel random vector functional-link networks: KRVFL and
// KRVFL+ (the paper's eq17), which also learns from privileged features. The
// random layer is replaced by a kernel, so nothing is drawn.
package krvfl

import (
	"errors"

	"rvflplus/internal/ridge"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Config holds the hyper-parameters. Its zero value is the documented default; a
// field at its zero value means that default.
type Config struct {
	C          float64          // regularisation, ridge 1/C; > 0, default 1
	Gamma      float64          // weight of the privileged part; > 0, default 1000
	Correction learn.Correction // default learn.Paper
	Kernel     string           // of the normal space, see kernel.Parse; default "rbf" of automatic width
	PrivKernel string           // of the privileged space; default Kernel
	NoLinear   bool             // leaves the linear kernel out of both sums
	NoCenter   bool             // does not centre the targets: exactly eq17, no intercept
	Seed       uint64           // draws the rows for an automatic width above 1,000 rows
}

// WithDefaults returns the config with every default filled in.
func (c Config) WithDefaults() Config {
	c.C = learn.Or(c.C, 1)
	c.Gamma = learn.Or(c.Gamma, 1000)
	c.Correction = learn.Or(c.Correction, learn.Paper)
	c.Kernel = learn.Or(c.Kernel, "rbf")
	c.PrivKernel = learn.Or(c.PrivKernel, c.Kernel)
	return c
}

// Validate returns a fault.Usage error for values out of their range.
func (c Config) Validate() error {
	c = c.WithDefaults()
	_, err := kernel.Parse(c.Kernel)
	_, errPriv := kernel.Parse(c.PrivKernel)
	return errors.Join(learn.Positive("C", c.C), learn.Positive("gamma", c.Gamma), c.Correction.Validate(), err, errPriv)
}

// Params returns what the closed forms need.
func (c Config) Params() ridge.Params {
	return ridge.Params{C: c.C, Gamma: c.Gamma, Correction: c.Correction, Center: !c.NoCenter}
}
