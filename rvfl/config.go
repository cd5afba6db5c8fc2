// Package rvfl trains random vector functional-link networks: RVFL by ridge
// regression (the paper's eq:4) or by pseudo-inverse (eq:3), and RVFL+ (eq:12),
// which also learns from privileged features.
package rvfl

import (
	"cmp"
	"errors"
	"math"

	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/param"
	"rvflplus/internal/ridge"
	"rvflplus/learn"
)

// Config holds the hyper-parameters. It starts from DefaultConfig; a value outside its
// range is an error.
type Config struct {
	C          float64          // regularisation, ridge 1/C; > 0, default 1
	Gamma      float64          // weight of the privileged part; > 0, default 10,000
	Correction learn.Correction // default learn.Projected
	// ProjectC is the regularisation of the second stage of learn.Projected. 0 (the default) is chosen by the stage's
	// own leave-one-out, of 10⁻³ … 10³ and 10⁻⁶, which switches the stage off.
	ProjectC   float64
	Hidden     int     // enhancement nodes P of the normal space; ≥ 1, default 1000
	PrivHidden int     // enhancement nodes of the privileged space; ≥ 1, or 0 (default) for Hidden
	U          float64 // scale of random weights and biases; > 0, default 1
	Activation string  // see package activation; default "sigmoid"
	Init       string  // of the random weights: "uniform" (default), "gaussian", "relevance" or "differences"
	// Relevance and PrivRelevance hold, for Init "relevance", a factor ≥ 0 for each normal and each privileged feature,
	// which its uniform weights are multiplied by. The privileged ones may be nil, for 1 each.
	Relevance, PrivRelevance []float64
	Direct                   bool   // direct links beside the enhancement nodes; default true
	Center                   bool   // centres the targets; default true. False is exactly eq:12, without an intercept
	Solver                   string // "auto" (default: the smaller system), "primal", "dual" or "pinv"
	Seed                     uint64 // of the random layers
}

// DefaultConfig returns the documented defaults.
func DefaultConfig() Config {
	d := param.Default()
	return Config{
		C: d.C, Gamma: d.Gamma, Correction: d.Correction, Hidden: d.Hidden, U: d.U,
		Activation: d.Activation, Init: d.Init, Direct: d.Linear, Center: d.Center, Solver: d.Solver,
	}
}

// Validate returns a fault.Usage error that names every value out of its range.
func (c Config) Validate() error {
	return errors.Join(
		param.C.CheckValue(c.C), param.Gamma.CheckValue(c.Gamma), param.Correction.CheckValue(c.Correction),
		param.ProjectC.CheckValue(c.ProjectC),
		param.Hidden.CheckValue(c.Hidden), param.PrivHidden.CheckValue(c.PrivHidden), param.U.CheckValue(c.U),
		param.Activation.CheckValue(c.Activation), param.Init.CheckValue(c.Init), param.Solver.CheckValue(c.Solver),
		checkFactors(c.Relevance), checkFactors(c.PrivRelevance))
}

func checkFactors(relevance []float64) error {
	for _, r := range relevance {
		if !(r >= 0) || math.IsInf(r, 1) {
			return fault.Param("relevance", "finite numbers >= 0", r)
		}
	}
	return nil
}

func (c Config) params() ridge.Params {
	return ridge.Params{C: c.C, Gamma: c.Gamma, Correction: c.Correction, Center: c.Center}
}

// layers draws the random layers for the rows of a problem; the two are independent, and
// priv is nil without privileged features.
func (c Config) layers(rows learn.Ordered) (normal, priv *feature.Links, err error) {
	return feature.Layers{
		Hidden: c.Hidden, PrivHidden: cmp.Or(c.PrivHidden, c.Hidden), U: c.U, Init: c.Init, Relevance: c.Relevance,
		PrivRelevance: c.PrivRelevance, Activation: c.Activation, Direct: c.Direct, Seed: c.Seed,
	}.Draw(rows)
}
