package compare

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"rvflplus/fault"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/search"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Role says what a method may look at.
type Role string

const (
	Baseline   Role = "baseline"    // normal columns only
	Privileged Role = "privileged"  // privileged columns in training
	UpperBound Role = "upper bound" // privileged columns in training and in use
)

// Method is a model with the settings it is tuned over.
type Method struct {
	Name string
	Role Role
	// Closed says that the trainers are rvfl.Config or krvfl.Config, or have a
	// leave-one-out as cheap: such methods are tuned by its squared error and tested by
	// permutation. Others are tuned by the metric in 5 folds, and only measured on
	// held-out rows.
	Closed bool
	// Candidates returns the settings to tune over for training rows p.
	Candidates func(p learn.Problem) ([]learn.Trainer, error)

	kind       string           // methods of one kind differ in the correction alone
	correction learn.Correction // "" for none
}

// The grids. Those of C differ because 1,000 nodes make a larger kernel than a bare one;
// they end where models of few rows begin to interpolate and, outside, to go astray.
var (
	kernelC      = decades(-3, 2)
	layerC       = decades(-4, 1)
	gammas       = []float64{1e-2, 1e-1, 1, 10, 1e2, 1e4}
	widthFactors = []float64{0.25, 1, 4} // of the median distance
	scales       = []float64{0.25, 1, 4} // of the random weights, u

	// Support vector machines are trained anew for every fold. In a regression C is
	// multiplied by the targets' standard deviation, of which ε is a tenth.
	marginC      = decades(-1, 2)
	marginGammas = decades(-2, 1)
)

func decades(from, to int) []float64 {
	var v []float64
	for e := from; e <= to; e++ {
		v = append(v, math.Pow10(e))
	}
	return v
}

// DefaultMethods are the names of the methods that are compared unless others are
// named: every kind in closed form. Support vector machines join when they are named.
func DefaultMethods() []string {
	var names []string
	for _, k := range pipeline.Kinds() {
		if k.Margin {
			continue
		}
		names = append(names, k.Name)
	}
	return names
}

// Methods returns the methods of the given names, with c for what is not tuned; trainer
// makes the estimator of a config (see pipeline.Prepared). A name is KIND, which for kinds with a correction means one method
// each, or KIND:CORRECTION. For every kind without privileged data an upper bound is
// added: the same model with the privileged columns as features. An unknown name, or a
// list without a method of both roles, is a fault.Usage error.
func Methods(names []string, c pipeline.Config, trainer func(pipeline.Config) (learn.Trainer, error)) ([]Method, error) {
	var all, upper []Method
	for _, name := range names {
		kindName, correction, one := strings.Cut(name, ":")
		kind, err := pipeline.KindByName(kindName)
		if err != nil {
			return nil, err
		}
		c := c
		c.Kind = kind.Name
		switch {
		case one && !(kind.Priv && inClosedForm[kind.Name]):
			return nil, fault.New(fault.Usage, "method %q: kind %s has no correction", name, kind.Name)
		case !kind.Priv:
			all = append(all, methodOf(c, trainer, kind, Baseline, kind.Name))
			upper = append(upper, methodOf(c, trainer, kind, UpperBound, kind.Name+" seeing all"))
			continue
		case !inClosedForm[kind.Name] && !one:
			all = append(all, methodOf(c, trainer, kind, Privileged, kind.Name))
			continue
		}
		corrections := learn.Corrections()
		if one {
			corrections = []learn.Correction{learn.Correction(correction)}
			if err := corrections[0].Validate(); err != nil || correction == "" {
				return nil, fault.Param("the correction of method "+kind.Name, "paper, derived or additive", correction)
			}
		}
		for _, c.Correction = range corrections {
			all = append(all, methodOf(c, trainer, kind, Privileged, kind.Name+":"+string(c.Correction)))
		}
	}
	slices.SortStableFunc(all, func(a, b Method) int { return strings.Compare(string(a.Role), string(b.Role)) })
	return append(all, upper...), checkMethods(all)
}

func checkMethods(all []Method) error {
	seen, roles := map[string]bool{}, map[Role]bool{}
	for _, m := range all {
		if seen[m.Name] {
			return fault.New(fault.Usage, "method %q is named twice", m.Name)
		}
		seen[m.Name], roles[m.Role] = true, roles[m.Role] || m.Closed
	}
	if !roles[Baseline] || !roles[Privileged] {
		return fault.New(fault.Usage, "a comparison needs a closed-form method without privileged data and one with it").
			WithHint("for example krvfl,krvfl+:additive; support vector machines join those: krvfl,krvfl+,svm,svm+")
	}
	return nil
}

// inClosedForm lists the kinds that have exact leave-one-out.
var inClosedForm = map[string]bool{"rvfl": true, "rvfl+": true, "krvfl": true, "krvfl+": true}

// methodOf returns the method of a kind.
func methodOf(c pipeline.Config, trainer func(pipeline.Config) (learn.Trainer, error), kind pipeline.Kind, role Role, name string) Method {
	m := Method{Name: name, Role: role, Closed: inClosedForm[kind.Name]}
	if kind.Priv && m.Closed {
		m.kind, m.correction = kind.Name, c.Correction
	}
	m.Candidates = func(p learn.Problem) ([]learn.Trainer, error) {
		if !kind.Kernel {
			return overRidges(overScales(c), trainer, layerC, gammasOf(kind))
		}
		bases, err := overWidths(c, p)
		if err != nil {
			return nil, err
		}
		return overRidges(bases, trainer, cOf(kind, p), gammasOf(kind))
	}
	return m
}

// cOf returns the grid of C of a kind with kernels.
func cOf(kind pipeline.Kind, p learn.Problem) []float64 {
	switch {
	case !kind.Margin:
		return kernelC
	case kind.Task == target.Classification:
		return marginC
	}
	scaled := slices.Clone(marginC)
	floats.Scale(search.TargetStd(p.Y), scaled)
	return scaled
}

// gammasOf returns the grid of γ of a kind, of one number where there is no γ.
func gammasOf(kind pipeline.Kind) []float64 {
	switch {
	case !kind.Priv:
		return gammas[:1]
	case kind.Margin:
		return marginGammas
	}
	return gammas
}

func overScales(c pipeline.Config) []pipeline.Config {
	var out []pipeline.Config
	for _, u := range scales {
		c.U = u
		out = append(out, c)
	}
	return out
}

// overWidths varies the automatic widths of the normal kernel; those of the privileged
// one are the median distance.
func overWidths(c pipeline.Config, p learn.Problem) ([]pipeline.Config, error) {
	c = search.InUnitsOf(p.Y, c.WithDefaults())
	c.Epsilon = new(search.TargetStd(p.Y) / 10)
	normal, err := resolved(c.Kernel, p, false, c.Seed)
	if err != nil {
		return nil, err
	}
	if p.Priv != nil {
		priv, err := resolved(c.PrivKernel, p, true, c.Seed)
		if err != nil {
			return nil, err
		}
		c.PrivKernel = priv.String()
	}
	spec, err := kernel.Parse(c.Kernel)
	if err != nil {
		return nil, err
	}
	var out []pipeline.Config
	for _, factor := range widthFactors {
		c.Kernel = scaled(spec, normal, factor).String()
		if len(out) == 0 || c.Kernel != out[len(out)-1].Kernel {
			out = append(out, c)
		}
	}
	return out, nil
}

// resolved returns a kernel's text with its automatic widths as numbers.
func resolved(text string, p learn.Problem, priv bool, seed uint64) (kernel.Spec, error) {
	spec, err := kernel.Parse(text)
	if err != nil {
		return nil, err
	}
	a := p.CompleteFirst()
	rows := a.X
	if priv {
		rows = a.Priv
		rows.Rows = a.Complete
	}
	k, err := spec.Resolve(rows, seed)
	if err != nil {
		return nil, err
	}
	return kernel.Parse(k.String())
}

// scaled multiplies the widths that spec leaves to the data by a factor.
func scaled(spec, resolved kernel.Spec, factor float64) kernel.Spec {
	out := slices.Clone(resolved)
	for i := range out {
		width, has := out[i].Params["width"]
		if given, fixed := given(spec, i); !has || fixed && given != kernel.Auto {
			continue
		}
		params := map[string]float64{}
		for name, v := range out[i].Params {
			params[name] = v
		}
		params["width"] = factor * width
		out[i].Params = params
	}
	return out
}

func given(spec kernel.Spec, i int) (width float64, fixed bool) {
	if i >= len(spec) {
		return 0, false
	}
	width, fixed = spec[i].Params["width"]
	return width, fixed
}

// overRidges varies γ and C.
func overRidges(bases []pipeline.Config, trainer func(pipeline.Config) (learn.Trainer, error), cs, gs []float64) ([]learn.Trainer, error) {
	var out []learn.Trainer
	for _, c := range bases {
		for _, c.Gamma = range gs {
			for _, c.C = range cs {
				t, err := trainer(c)
				if err != nil {
					return nil, err
				}
				out = append(out, t)
			}
		}
	}
	return out, nil
}
