// Package krvfl trains kernel random vector functional-link networks: KRVFL and
// KRVFL+ (the paper's eq17), which also learns from privileged features. The
// random layer is replaced by a kernel, so nothing is drawn.
package krvfl

import (
	"errors"

	"rvflplus/internal/param"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Config holds the hyper-parameters. It starts from DefaultConfig; a value outside its
// range is an error.
type Config struct {
	C          float64          // regularisation, ridge 1/C; > 0, default 1
	Gamma      float64          // weight of the privileged part; > 0, default 10,000
	Correction learn.Correction // default learn.Projected
	Kernel     kernel.Spec      // of the normal space; default rbf of automatic width
	PrivKernel kernel.Spec      // of the privileged space; nil (default) for Kernel
	// ProjectC and ProjectKernel are the regularisation and the kernel of the second stage of learn.Projected. 0 and
	// nil (the defaults) are chosen by the stage's own leave-one-out: C of 10⁻³ … 10³ or 10⁻⁶, which switches the
	// stage off, and Kernel with ¼, 1 and 4 times its automatic widths.
	ProjectC      float64
	ProjectKernel kernel.Spec
	Linear        bool   // adds the linear kernel to both, as eq:16 does; default true
	Center        bool   // centres the targets; default true. False is exactly eq17, without an intercept
	Seed          uint64 // draws the rows for an automatic width above 1,000 rows
}

// DefaultConfig returns the documented defaults.
func DefaultConfig() Config {
	d := param.Default()
	return Config{C: d.C, Gamma: d.Gamma, Correction: d.Correction, Kernel: d.Kernel, Linear: d.Linear,
		Center: d.Center}
}

// Validate returns a fault.Usage error for values out of their range.
func (c Config) Validate() error {
	return errors.Join(
		param.C.CheckValue(c.C), param.Gamma.CheckValue(c.Gamma), param.Correction.CheckValue(c.Correction),
		c.Kernel.Validate(), c.PrivKernel.Validate(), param.ProjectC.CheckValue(c.ProjectC), c.ProjectKernel.Validate())
}
