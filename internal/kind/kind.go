// Package kind is the only one that knows the concrete estimators. A kind is a model that
// the user names (-m krvfl+): its estimator, the hyper-parameters it has, what it can say
// of its uncertainty, its tensors in a model file and its held-out predictions. Adding a
// kind means a file here, a line in All and the estimator's own package.
package kind

import (
	"context"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/bound"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// Kind is one kind of model.
type Kind struct {
	Name       string
	Summary    string
	Privileged bool        // learns from privileged columns
	Kernels    bool        // has kernels, and no random layers
	ClosedForm bool        // has exact leave-one-out in closed form
	OwnProba   bool        // fits probabilities of classes itself, by Platt's scaling of pairs
	Posterior  bool        // knows the posterior standard deviation of its outputs
	Task       target.Task // the only one it learns, "" for both
	OtherTask  string      // the kind that learns the other task, where there is one only
	Plain      string      // of a privileged kind: its sibling without privileged columns

	PrivOptional bool // of a privileged kind: trains without privileged columns too
	Parity       bool // stands for what others publish: in a comparison only when it is named, and then tuned by folds

	// Params are the hyper-parameters the kind has, beside those that every kind has.
	Params []param.Param
	// Accepts are parameters that the kind takes without having a use for them.
	Accepts []param.Param
	// Tuned are those that a search varies.
	Tuned []Tuned
	// Chosen are those that training chooses itself when they are free (param.Config.Free).
	Chosen []param.Param
	// ChoosesScale says that training chooses the scaling too where it is free.
	ChoosesScale bool
	// Unlabelled says that the kind learns from rows without a target too.
	Unlabelled bool
	// WeighsClasses says that the estimator takes weights of classes beside those of rows, because its probabilities
	// know the rows' weights only. For other kinds the weight of a row holds that of its class.
	WeighsClasses bool
	// Solvers are what Report.Solver may say of the kind.
	Solvers []string

	Estimator

	others []param.Param // those that the kind does not take
}

// Tuned is a hyper-parameter that a search varies.
type Tuned struct {
	param.Param
	param.Range
	// OfTarget says that the range is of multiples of the targets' standard deviation.
	OfTarget bool
}

// Targets is what a kind needs to know of the targets beside their values.
type Targets struct {
	Classification bool      // outputs are codes of classes, which are not centred
	ClassWeight    []float64 // a weight for each class, or nil; of kinds that are Kind.WeighsClasses
}

// Estimator is what a kind does. A config that is passed has gone through Complete.
type Estimator interface {
	// Complete fills in the defaults that depend on the kind or on other parameters.
	Complete(c param.Config) param.Config
	// Validate judges what the ranges of the parameters do not.
	Validate(c param.Config) error
	// Trainer returns the estimator's own config.
	Trainer(c param.Config, t Targets) learn.Trainer
	// Resolved returns the config of a trained model with what training took from the data: automatic widths, and
	// the second stage of learn.Projected.
	Resolved(c param.Config, m learn.Model) param.Config
	// Tensors returns what a model file holds of a trained model. keepPrivileged adds what
	// prediction does not need.
	Tensors(m learn.Model, keepPrivileged bool) []Tensor
	// Model builds the model of the given tensors; a mistake in them is a fault.Data error.
	Model(c param.Config, t *Tensors) (learn.Model, error)
	// Facts tells what a model file is checked against.
	Facts(m learn.Model) Facts
}

// Facts describes a trained model.
type Facts struct {
	Hidden    int // enhancement nodes; -1 where not known
	PrivWidth int // privileged features that are kept with the model; -1 for none
	PrivRows  int // rows with privileged values that are kept with the model; -1 where not known
	Sigmoids  []calibrate.Sigmoid
}

// WithHeldOut is an Estimator that predicts rows left out in closed form. Others are trained anew.
type WithHeldOut interface {
	// HeldOut is Kind.HeldOut.
	HeldOut(ctx context.Context, e *heldout.Evaluator, configs []param.Config, t Targets) ([]*mat.Dense, error)
}

// Described is an Estimator whose models a config does not describe whole: their parts are a text of the model file.
type Described interface {
	// Description returns the text, from which Estimator.Model builds the model with Tensors.Description.
	Description(m learn.Model) (string, error)
}

// LeaveOneOut is an Estimator whose models without one row each share the layer or the
// support of a model, and differ in weights and offset.
type LeaveOneOut interface {
	// Weights returns the output weights and the offset of a model.
	Weights(m learn.Model) (weight blas.Matrix, offset []float64)
	// WithWeights returns the model with other weights and another offset.
	WithWeights(m learn.Model, weight blas.Matrix, offset []float64) (learn.Model, error)
}

// Several is an Estimator whose models consist of several networks, each with the output weights of one.
type Several interface {
	// Networks returns their number.
	Networks(c param.Config) int
}

// Linear is an Estimator whose outputs are f(x) = h(x)w + offset: what the bounds of package
// bound speak of.
type Linear interface {
	// Space returns the space of h(x) and w, the offsets, and f(x) without them as a text.
	Space(m learn.Model) (space bound.Space, offset []float64, form string)
}

// kinds lists the kinds in the order of help texts.
var kinds = withOthers([]Kind{rvflKind, rvflPlusKind, krvflKind, krvflPlusKind, svmKind, svrKind, svmPlusKind,
	averagedKind, labelKind, transferKind, distillKind, weighKind, stackKind,
	ensembleKind, deepKind, deepPlusKind, cascadeKind, kernelCascadeKind})

// withOthers completes the descriptions of the kinds: weights of classes for those that learn classes, and the
// parameters that a kind does not take.
func withOthers(kinds []Kind) []Kind {
	for i := range kinds {
		k := &kinds[i]
		if k.Task != target.Regression {
			k.Params = append(slices.Clip(k.Params), param.ClassWeights)
		}
		k.others = slices.DeleteFunc(slices.Clone(param.All()), k.Takes)
	}
	return kinds
}

// All lists the kinds that can be trained.
func All() []Kind { return slices.Clone(kinds) }

// Names lists their names.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// ByName returns the kind called name, or a fault.Usage error.
func ByName(name string) (Kind, error) {
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
	}
	return Kind{}, fault.Param("kind", "one of "+strings.Join(Names(), ", "), name)
}

// DefaultName returns the kind that is trained when none is named.
func DefaultName(privileged bool) string {
	if privileged {
		return rvflPlusKind.Name
	}
	return rvflKind.Name
}

// Complete returns c with the defaults that depend on the kind or on other parameters.
// Parameters that the kind does not take have their own defaults: it does not look at them.
func (k Kind) Complete(c param.Config) param.Config {
	for _, p := range k.others {
		p.Reset(&c)
	}
	return k.Estimator.Complete(c)
}

// Has reports whether the kind has a hyper-parameter, or one of those of all kinds, or of all that learn from
// privileged columns.
func (k Kind) Has(p param.Param) bool {
	return slices.Contains(k.Params, p) || slices.Contains(common, p) ||
		k.Privileged && slices.Contains(ofPrivileged, p)
}

// Takes reports whether the kind takes a parameter: those it has and those it accepts.
func (k Kind) Takes(p param.Param) bool { return k.Has(p) || slices.Contains(k.Accepts, p) }

// common are the parameters of every kind.
var common = []param.Param{
	param.Task, param.Encoding, param.Scale, param.Impute, param.Dates, param.MissingIndicator, param.MinCategory,
	param.Seed, param.Proba, param.Intervals, param.Std,
}

// ofPrivileged are the parameters of every kind that learns from privileged columns.
var ofPrivileged = []param.Param{param.PrivScale}

// Tunes reports whether a search of the kind varies a parameter.
func (k Kind) Tunes(p param.Param) bool {
	return slices.ContainsFunc(k.Tuned, func(t Tuned) bool { return t.Param == p })
}

// tuned lists parameters with the ranges of their descriptions.
func tuned(params ...param.Param) []Tuned {
	var out []Tuned
	for _, p := range params {
		out = append(out, Tuned{Param: p, Range: p.About().Tuned})
	}
	return out
}

// splitProjected is HeldOut by closed, but for configs of the projected form, which are fitted whole.
func splitProjected(ctx context.Context, e *heldout.Evaluator, k Estimator, configs []param.Config, t Targets,
	closed func(configs []param.Config) ([]*mat.Dense, error)) ([]*mat.Dense, error) {
	projected := func(c param.Config) bool { return c.Correction == learn.Projected && e.HasPriv() }
	rest := slices.DeleteFunc(slices.Clone(configs), projected)
	whole := slices.DeleteFunc(slices.Clone(configs), func(c param.Config) bool { return !projected(c) })
	var outputs, fitted []*mat.Dense
	var err error
	if len(rest) > 0 {
		if outputs, err = closed(rest); err != nil {
			return nil, err
		}
	}
	if fitted, err = byRefitting(ctx, e, k, whole, t); err != nil {
		return nil, err
	}
	out := make([]*mat.Dense, len(configs))
	for i, c := range configs {
		from := &outputs
		if projected(c) {
			from = &fitted
		}
		out[i], *from = (*from)[0], (*from)[1:]
	}
	return out, nil
}

// HeldOut returns the outputs for the rows that e leaves out, a matrix for each config; the configs differ in the
// correction alone.
func (k Kind) HeldOut(ctx context.Context, e *heldout.Evaluator, configs []param.Config, t Targets) (
	[]*mat.Dense, error) {
	if own, has := k.Estimator.(WithHeldOut); has {
		return own.HeldOut(ctx, e, configs, t)
	}
	return byRefitting(ctx, e, k.Estimator, configs, t)
}

// byRefitting is HeldOut by training anew without the rows, or by an estimator's own leave-one-out.
func byRefitting(ctx context.Context, e *heldout.Evaluator, k Estimator, configs []param.Config,
	t Targets) ([]*mat.Dense, error) {
	out := make([]*mat.Dense, len(configs))
	for i, c := range configs {
		var err error
		if out[i], err = e.Refit(ctx, k.Trainer(c, t)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
