package search

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/rng"
	"rvflplus/kernel"
	"rvflplus/krvfl"
)

// Strategies lists how candidates are found: drawn at random, on a grid, or drawn at
// random and sifted by successive halving.
func Strategies() []string { return []string{"random", "grid", "halving"} }

// Range is an interval of a hyper-parameter that is searched evenly in its logarithm.
type Range struct{ Low, High float64 }

// Ranges of the paper: C and γ, the scale u of random weights, and widths as multiples
// of the automatic width (the median distance).
var (
	RangeC     = Range{1e-5, 1e5}
	RangeGamma = Range{1e-5, 1e5}
	RangeU     = Range{1.0 / 32, 32}
	RangeWidth = Range{1.0 / 32, 32}
)

// Ranges of support vector machines: C, γ, and ε. A larger C makes their solvers slow and
// seldom a better model. In a regression C and ε are multiples of the targets' standard
// deviation.
var (
	RangeMargin  = Range{1e-2, 1e3}
	RangeEpsilon = Range{1e-3, 1}
)

// at returns the value a share t of the way.
func (r Range) at(t float64) float64 {
	return r.Low * math.Exp(t*math.Log(r.High/r.Low))
}

// dimension is one hyper-parameter that is searched.
type dimension struct {
	name string
	Range
	set func(c *pipeline.Config, v float64)
}

// Candidates returns the settings to try: base with the hyper-parameters that its kind
// has and fixed (by flag name: C, gamma, epsilon, u, width, priv-width) does not hold set to
// other values. "grid" takes as many points in every dimension, ends included, as make
// at most trials settings. The result depends on the seed, not on the order of evaluation.
func Candidates(p *pipeline.Prepared, base pipeline.Config, strategy string, trials int, fixed []string, seed uint64) ([]pipeline.Config, error) {
	if !slices.Contains(Strategies(), strategy) {
		return nil, fault.Param("strategy", "one of "+strings.Join(Strategies(), ", "), strategy)
	}
	if trials < 1 {
		return nil, fault.Param("trials", "a whole number >= 1", trials)
	}
	base = InUnitsOf(p.Problem().Y, base.WithDefaults())
	all, err := dimensions(p, &base)
	if err != nil {
		return nil, err
	}
	free := slices.DeleteFunc(slices.Clone(all), func(d dimension) bool { return slices.Contains(fixed, d.name) })
	if strategy == "grid" {
		return grid(base, free, trials), nil
	}
	return draw(base, all, free, trials, seed), nil
}

// dimensions returns what a kind can be tuned by, and makes the automatic widths of
// base explicit.
func dimensions(p *pipeline.Prepared, base *pipeline.Config) ([]dimension, error) {
	kind, err := pipeline.KindByName(base.Kind)
	if err != nil {
		return nil, err
	}
	all := ridges(p, kind, base.Solver != "pinv")
	if !kind.Kernel {
		return append(all, dimension{"u", RangeU, func(c *pipeline.Config, v float64) { c.U = v }}), nil
	}
	normal, err := widths(base.Kernel, p.Problem().X.RawMatrix(), base.Seed)
	if err != nil {
		return nil, fmt.Errorf("normal features: %w", err)
	}
	if base.Kernel = normal.at(1); normal.free() {
		all = append(all, dimension{"width", RangeWidth, func(c *pipeline.Config, v float64) { c.Kernel = normal.at(v) }})
	}
	if !kind.Priv {
		return all, nil
	}
	priv, err := widths(base.PrivKernel, p.Complete(), base.Seed)
	if err != nil {
		return nil, fmt.Errorf("privileged features: %w", err)
	}
	if base.PrivKernel = priv.at(1); priv.free() {
		all = append(all, dimension{"priv-width", RangeWidth, func(c *pipeline.Config, v float64) { c.PrivKernel = priv.at(v) }})
	}
	return all, nil
}

// ridges returns the dimensions beside the features of a space: C if it has one, γ, ε.
func ridges(p *pipeline.Prepared, kind pipeline.Kind, hasC bool) (all []dimension) {
	c, gamma, scale := RangeC, RangeGamma, 1.0
	if kind.Margin {
		c, gamma = RangeMargin, RangeMargin
	}
	if kind.Name == "svr" {
		scale = TargetStd(p.Problem().Y)
	}
	if hasC {
		all = append(all, dimension{"C", c, func(c *pipeline.Config, v float64) { c.C = v * scale }})
	}
	if kind.Priv {
		all = append(all, dimension{"gamma", gamma, func(c *pipeline.Config, v float64) { c.Gamma = v }})
	}
	if kind.Name == "svr" {
		all = append(all, dimension{"epsilon", RangeEpsilon, func(c *pipeline.Config, v float64) { c.Epsilon = new(v * scale) }})
	}
	return all
}

// InUnitsOf returns the config with the tolerance that a support vector regression has for
// targets of y's spread, unless it is given: what a tolerance means depends on the
// targets' unit. Other kinds keep theirs.
func InUnitsOf(y *mat.Dense, c pipeline.Config) pipeline.Config {
	if c.Kind == "svr" && c.Tol == 0 {
		c.Tol = max(leastTolerance, TargetStd(y)/1000)
	}
	return c
}

const leastTolerance = 1e-12 // of svm

// TargetStd returns the standard deviation of targets, over several the root mean square of
// theirs; 1 if they are constant.
func TargetStd(y *mat.Dense) float64 {
	rows, m := y.Dims()
	var sum float64
	for j := range m {
		_, sd := stat.PopMeanStdDev(mat.Col(nil, j, y), nil)
		sum += sd * sd
	}
	if sum == 0 || rows == 0 {
		return 1
	}
	return math.Sqrt(sum / float64(m))
}

// scalable is a kernel with its automatic widths, which are multiplied.
type scalable struct {
	spec kernel.Spec
	auto []bool // by term
}

// widths finds the automatic widths of a kernel for rows x.
func widths(text string, x blas.Matrix, seed uint64) (scalable, error) {
	given, err := kernel.Parse(text)
	if err != nil {
		return scalable{}, err
	}
	k, err := krvfl.Config{NoLinear: true, Seed: seed}.Resolve(text, x)
	if err != nil {
		return scalable{}, err
	}
	s := scalable{}
	if s.spec, err = kernel.Parse(k.String()); err != nil {
		return s, err
	}
	for _, t := range given {
		w, set := t.Params["width"]
		s.auto = append(s.auto, t.Has("width") && (!set || w == kernel.Auto))
	}
	return s, nil
}

func (s scalable) free() bool { return slices.Contains(s.auto, true) }

// at returns the kernel's text with the automatic widths times factor.
func (s scalable) at(factor float64) string {
	out := slices.Clone(s.spec)
	for i, auto := range s.auto {
		if auto {
			out[i].Params = map[string]float64{}
			for name, v := range s.spec[i].Params {
				out[i].Params[name] = v
			}
			out[i].Params["width"] *= factor
		}
	}
	return out.String()
}

// draw draws every dimension for every trial, so that fixing one leaves the values of
// the others.
func draw(base pipeline.Config, all, free []dimension, trials int, seed uint64) []pipeline.Config {
	r := rng.New(seed, "search")
	out := make([]pipeline.Config, trials)
	for i := range out {
		out[i] = base
		for _, d := range all {
			v := d.at(r.Float64())
			if slices.ContainsFunc(free, func(f dimension) bool { return f.name == d.name }) {
				d.set(&out[i], v)
			}
		}
	}
	return out
}

func grid(base pipeline.Config, free []dimension, trials int) []pipeline.Config {
	out := []pipeline.Config{base}
	points := 1
	for math.Pow(float64(points+1), float64(len(free))) <= float64(trials) && len(free) > 0 {
		points++
	}
	for _, d := range free {
		var next []pipeline.Config
		for _, c := range out {
			for k := range points {
				t := 0.5
				if points > 1 {
					t = float64(k) / float64(points-1)
				}
				d.set(&c, d.at(t))
				next = append(next, c)
			}
		}
		out = next
	}
	return out
}
