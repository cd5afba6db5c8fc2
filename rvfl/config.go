// Package rvfl trains random vector functional-link networks: RVFL by ridge
// regression (the paper's eq:4) or by pseudo-inverse (eq:3), and RVFL+ (eq:12),
// which also learns from privileged features.
package rvfl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rvflplus/activation"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/learn"
)

// Config holds the hyper-parameters. Its zero value is the documented default; a
// field at its zero value means that default.
type Config struct {
	C          float64          // regularisation, ridge 1/C; > 0, default 1
	Gamma      float64          // weight of the privileged part; > 0, default 1000
	Correction learn.Correction // default learn.Paper
	Hidden     int              // enhancement nodes P of the normal space; ≥ 1, default 1000
	PrivHidden int              // enhancement nodes of the privileged space; ≥ 1, default Hidden
	U          float64          // scale of random weights and biases; > 0, default 1
	Activation string           // see package activation; default "sigmoid"
	Init       string           // see feature.Inits; default "uniform"
	NoDirect   bool             // leaves the direct links out
	NoCenter   bool             // does not centre the targets: exactly eq:12, no intercept
	Solver     string           // "auto" (default: the smaller system), "primal", "dual", "pinv"
	Seed       uint64           // of the random layers
}

// Solvers lists the values of Config.Solver.
func Solvers() []string { return []string{"auto", "primal", "dual", "pinv"} }

// WithDefaults returns the config with every default filled in.
func (c Config) WithDefaults() Config {
	c.C = learn.Or(c.C, 1)
	c.Gamma = learn.Or(c.Gamma, 1000)
	c.Correction = learn.Or(c.Correction, learn.Paper)
	c.Hidden = learn.Or(c.Hidden, 1000)
	c.PrivHidden = learn.Or(c.PrivHidden, c.Hidden)
	c.U = learn.Or(c.U, 1)
	c.Activation = learn.Or(c.Activation, "sigmoid")
	c.Init = learn.Or(c.Init, "uniform")
	c.Solver = learn.Or(c.Solver, "auto")
	return c
}

// Validate returns a fault.Usage error that names every value out of its range.
func (c Config) Validate() error {
	c = c.WithDefaults()
	_, err := activation.ByName(c.Activation)
	return errors.Join(
		learn.Positive("C", c.C), learn.Positive("gamma", c.Gamma), c.Correction.Validate(),
		learn.AtLeastOne("hidden", c.Hidden), learn.AtLeastOne("priv-hidden", c.PrivHidden),
		learn.Positive("u", c.U), err,
		oneOf("init", c.Init, feature.Inits()), oneOf("solver", c.Solver, Solvers()))
}

func oneOf(name, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return fault.Param(name, "one of "+strings.Join(known, ", "), value)
}

// Params returns what the closed forms need.
func (c Config) Params() ridge.Params {
	return ridge.Params{C: c.C, Gamma: c.Gamma, Correction: c.Correction, Center: !c.NoCenter}
}

const fewerNodes = "use fewer enhancement nodes (--hidden, --priv-hidden)"

// Layers draws the random layers for n normal and d privileged features; the two
// are independent, and priv is nil for d = 0. Defaults must have been filled in.
func (c Config) Layers(n, d int) (normal, priv *feature.Links, err error) {
	act, err := activation.ByName(c.Activation)
	if err != nil {
		return nil, nil, err
	}
	need := 8 * (float64(c.Hidden)*float64(n+1) + float64(c.PrivHidden)*float64(d+1))
	if err := memory.Check(need, fmt.Sprintf("a model with %d + %d enhancement nodes", c.Hidden, c.PrivHidden), fewerNodes); err != nil {
		return nil, nil, err
	}
	draw := feature.Draw{Nodes: c.Hidden, U: c.U, Init: c.Init, Activation: act, NoDirect: c.NoDirect, Seed: c.Seed, Stream: "hidden"}
	if normal, err = draw.New(n); err != nil || d == 0 {
		return normal, nil, err
	}
	draw.Nodes, draw.Stream = c.PrivHidden, "priv.hidden"
	priv, err = draw.New(d)
	return normal, priv, err
}
