package compare

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/search"
	"rvflplus/internal/target"
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
	// Closed says that leave-one-out costs little: such methods are tuned by its squared
	// error and tested by permutation. Others are tuned by the metric in 5 folds, and only
	// measured on held-out rows.
	Closed bool
	// Candidates returns the settings to tune over for training rows p.
	Candidates func(p learn.Problem) ([]Candidate, error)

	kind    kind.Kind // methods of one kind differ in the correction alone
	targets kind.Targets
	config  param.Config // what is not tuned
	// member and base are those of kind.Member: such methods choose their settings themselves, all of one base at once.
	member, base string
	// correction is that of the method; "" where candidates have their own, or none.
	correction learn.Correction
}

// Candidate is one setting of a method.
type Candidate struct {
	Trainer learn.Trainer
	config  param.Config // what Trainer was made of; of kinds only
}

// Trainers makes the estimators of settings; a *pipeline.Prepared does.
type Trainers interface {
	Trainer(c param.Config) (learn.Trainer, error)
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

// averaged is the baseline that stands in every comparison: a mixture of models without privileged columns. What
// mixing gains must not be taken for a gain of the columns.
const averaged = "averaged"

// DefaultMethods are the names of the methods that are compared unless others are named. Where some rows have no target
// label joins them; where some rows have no privileged values distill, which needs all, is left out.
func DefaultMethods() []string {
	return []string{"krvfl", averaged, "krvfl+:additive", "krvfl+:projected", "distill", "transfer", "stack"}
}

// All stands for every kind in closed form and every correction, but those kinds that are there for parity.
const All = "all"

// allMethods lists what All stands for.
func allMethods() []string {
	var names []string
	for _, k := range kind.All() {
		if k.ClosedForm && !k.Parity {
			names = append(names, k.Name)
		}
	}
	return names
}

// suited leaves out of a list that nobody spelt the methods that these rows do not suit, and tells which.
func suited(names []string, p learn.Problem) (left []string, notes []fault.Text) {
	for _, name := range names {
		k, err := kind.ByName(name)
		needsAll := err == nil && slices.Contains([]string{"distill", "weigh"}, k.Name)
		switch {
		case name == "label" && p.Unlabelled == nil:
		case needsAll && p.HasPriv != nil:
			notes = append(notes, fault.Textf("%s is not compared: it needs the privileged values of every row", name))
		case name == "distill" && p.Group != nil:
			notes = append(notes, fault.Textf("distill is not compared: it is chosen by leaving out single rows"))
		default:
			left = append(left, name)
		}
	}
	return left, notes
}

// CheckNames returns a fault.Usage error for names of methods that Compare does not take; none stand for the default.
func CheckNames(names []string, c param.Config) error {
	if len(names) == 0 || slices.Equal(names, []string{All}) {
		return nil
	}
	_, err := Methods(names, c, nil, kind.Targets{})
	return err
}

// Methods returns the methods of the given names, with c for what is not tuned; trainers
// makes the estimator of a setting, and targets are what kinds are told of the targets. A
// name is KIND, which for kinds with a correction means one method each, or
// KIND:CORRECTION. The kind averaged joins them. For every kind without privileged data an upper bound is added: the
// same model with the privileged columns as features. An unknown name, or a list without a
// method of both roles, is a fault.Usage error.
func Methods(names []string, c param.Config, trainers Trainers, targets kind.Targets) ([]Method, error) {
	var all, upper []Method
	add := func(k kind.Kind, c param.Config, role Role, name string) {
		m := methodOf(c, trainers, targets, k, role, name)
		if m.member, m.base = k.Member(m.correction); m.member != "" {
			m.Candidates = nil
		}
		if role == UpperBound {
			upper = append(upper, m)
			return
		}
		all = append(all, m)
	}
	for _, name := range names {
		k, corrections, err := methodNamed(name)
		if err != nil {
			return nil, err
		}
		c := c
		c.Kind = k.Name
		switch {
		case !k.Privileged:
			add(k, c, Baseline, k.Name)
			add(k, c, UpperBound, k.Name+" seeing all")
		case corrections == nil:
			add(k, c, Privileged, k.Name)
		}
		for _, c.Correction = range corrections {
			add(k, c, Privileged, k.Name+":"+string(c.Correction))
		}
	}
	if err := checkMethods(all); err != nil {
		return nil, err
	}
	if !slices.Contains(names, averaged) {
		k, err := kind.ByName(averaged)
		if err != nil {
			return nil, err
		}
		c.Kind = k.Name
		add(k, c, Baseline, k.Name)
		add(k, c, UpperBound, k.Name+" seeing all")
	}
	slices.SortStableFunc(all, func(a, b Method) int { return strings.Compare(string(a.Role), string(b.Role)) })
	return append(all, upper...), nil
}

// methodNamed returns the kind of a name and its corrections: nil for kinds without, one if the name has it.
func methodNamed(name string) (kind.Kind, []learn.Correction, error) {
	kindName, correction, one := strings.Cut(name, ":")
	k, err := kind.ByName(kindName)
	if err != nil {
		return k, nil, err
	}
	corrects := k.Has(param.Correction)
	switch {
	case one && !corrects:
		return k, nil, fault.New(fault.Usage, "method %q: kind %s has no correction", name, k.Name)
	case !corrects:
		return k, nil, nil
	case !one:
		return k, learn.Corrections(), nil
	}
	if learn.Correction(correction).Validate() != nil {
		return k, nil, fault.Param("the correction of method "+k.Name, "projected, additive, paper or derived",
			correction)
	}
	return k, []learn.Correction{learn.Correction(correction)}, nil
}

// permutes reports whether the method takes part in the permutation test: its statistic costs little, and a gain of it
// that came by what the normal columns tell of the privileged ones, which permuted residuals keep, would not count.
// Transfer, labels and what is mixed of them gain just by that; they are judged on held-out rows.
func (m Method) permutes() bool {
	return m.Closed && m.Role == Privileged &&
		slices.Contains([]string{"", "additive", "projected", "distill"}, m.member)
}

// judgedHeldOut reports whether a privileged method is judged on held-out rows.
func (m Method) judgedHeldOut() bool { return m.Closed && m.Role == Privileged && !m.permutes() }

func checkMethods(all []Method) error {
	seen, roles := map[string]bool{}, map[Role]bool{}
	for _, m := range all {
		if seen[m.Name] {
			return fault.New(fault.Usage, "method %q is named twice", m.Name)
		}
		seen[m.Name], roles[m.Role] = true, roles[m.Role] || m.Closed
	}
	if !roles[Baseline] || !roles[Privileged] {
		return fault.New(fault.Usage,
			"a comparison needs a closed-form method without privileged data and one with it").
			WithHint("for example krvfl,krvfl+:projected; support vector machines join those: krvfl,krvfl+,svm,svm+")
	}
	return nil
}

// methodOf returns the method of a kind.
func methodOf(c param.Config, trainers Trainers, targets kind.Targets, k kind.Kind, role Role, name string) Method {
	m := Method{Name: name, Role: role, Closed: k.ClosedForm && !k.Parity, kind: k, targets: targets, config: c}
	if k.Has(param.Correction) {
		m.correction = c.Correction
	}
	m.Candidates = func(p learn.Problem) ([]Candidate, error) {
		bases, err := overScales(c), error(nil)
		if k.Kernels {
			if bases, err = overWidths(c, k, p); err != nil {
				return nil, err
			}
		}
		cs, gs := gridsOf(k, p)
		var out []Candidate
		for _, c := range bases {
			for _, c.Gamma = range gs {
				for _, c.C = range cs {
					t, err := trainers.Trainer(c)
					if err != nil {
						return nil, err
					}
					out = append(out, Candidate{t, c})
				}
			}
		}
		return out, nil
	}
	return m
}

// gridsOf returns the grids of C and of γ of a kind; that of γ has one number where there
// is no γ.
func gridsOf(k kind.Kind, p learn.Problem) (cs, gs []float64) {
	cs, gs = layerC, gammas
	switch {
	case !k.ClosedForm:
		cs, gs = slices.Clone(marginC), marginGammas
		if k.Task == target.Regression {
			floats.Scale(search.TargetStd(p.Y), cs)
		}
	case k.Kernels:
		cs = kernelC
	}
	if !k.Privileged {
		gs = gammas[:1]
	}
	return cs, gs
}

func overScales(c param.Config) []param.Config {
	var out []param.Config
	for _, u := range scales {
		c.U = u
		out = append(out, c)
	}
	return out
}

// overWidths varies the automatic widths of the normal kernel; those of the privileged
// one are the median distance.
func overWidths(c param.Config, k kind.Kind, p learn.Problem) ([]param.Config, error) {
	c = search.WithTargetTolerance(p.Y, k, c)
	c.Epsilon = search.TargetStd(p.Y) / 10
	rows := p.CompleteFirst()
	normal, err := c.Kernel.Resolve(rows.X, c.Seed)
	if err != nil {
		return nil, err
	}
	if p.Priv != nil {
		complete := blas.View(rows.Priv, 0, rows.Complete, 0, rows.Priv.Cols)
		priv, err := c.PrivKernel.Or(c.Kernel).Resolve(complete, c.Seed)
		if err != nil {
			return nil, err
		}
		c.PrivKernel = priv.Spec()
	}
	spec, factors := c.Kernel, widthFactors
	if !spec.HasAutomaticWidth() {
		factors = widthFactors[:1]
	}
	var out []param.Config
	for _, factor := range factors {
		c.Kernel = spec.ScaleWidths(normal.Spec(), factor)
		out = append(out, c)
	}
	return out, nil
}
