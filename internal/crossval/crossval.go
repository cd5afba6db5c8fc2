// Package crossval measures how well a way of training predicts rows that it has not seen: models are trained on some
// rows and scored on others, again and again. Everything that training chooses is chosen without the rows that are
// scored: scalings, settings, preparation.
package crossval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
	"rvflplus/internal/split"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// DefaultFolds is the number of folds where nobody gives another.
const DefaultFolds = 10

// Options say how rows are left out.
type Options struct {
	// Scheme deals the rows; the columns of groups and of times are those of the data. Without a number of folds every
	// group is a fold or, without groups, each row is left out alone in closed form.
	Scheme search.Scheme
	// RefitPreparation says whether rows that are left out alone take part in the preparation. Folds never do.
	RefitPreparation search.Refit
	Progress         learn.Progress // told of folds
}

// Result is the answer of a cross-validation.
type Result struct {
	Kind     kind.Kind
	Config   param.Config // as it was given, with the task
	Task     target.Task
	Targets  []string
	Rows     int    // with a target and a weight above 0
	Scheme   string // how the rows were left out, for people
	Folds    []Fold // nil where each row was left out alone
	Scores   []Score
	Notes    []fault.Text
	Warnings []fault.Text
	Seconds  float64
}

// Fold is what one model predicted of the rows that it was not trained on.
type Fold struct {
	Repeat, Number int // from 1
	Train, Test    int // rows
	Metrics        pipeline.Metrics
	Constant       pipeline.Metrics // of the mean, or of the most frequent class, of the training rows
	Probabilities  bool             // the log loss is that of probabilities
	Seconds        float64
}

// Run cross-validates the training of c on the rows of d. Rows without a target, which some kinds learn from, are in
// every training part. Where each row is left out alone, c must not leave settings free: the same rows would choose
// them. Cost: a training for each fold and repetition.
func Run(ctx context.Context, d *roles.Data, c param.Config, o Options) (*Result, error) {
	start := time.Now()
	p, err := settled(ctx, d, c)
	if err != nil {
		return nil, err
	}
	if o.Scheme, err = o.Scheme.Of(p.Data()); err != nil {
		return nil, err
	}
	o.Scheme.Seed = c.Seed
	c.Kind = p.Config().Kind
	r := &Result{
		Kind: p.Kind(), Config: c, Task: p.Coder().Task, Targets: p.Coder().Names, Rows: p.Data().Rows,
		Scheme: o.Scheme.String(), Notes: p.Notes(), Warnings: p.Warnings(),
	}
	r.Config.Task = string(r.Task)
	folds, later, err := o.Scheme.Deal(p.Data().Rows, p.Truth().Labels())
	switch {
	case err != nil:
	case folds == nil:
		err = r.leaveOneOut(ctx, d, o)
	default:
		err = r.leaveFolds(ctx, p, folds, later, o)
	}
	r.Seconds = time.Since(start).Seconds()
	return r, err
}

// settled prepares all rows as they come: to check them, to find those with a target and a weight, and to warn. Models
// of folds are prepared for themselves.
func settled(ctx context.Context, d *roles.Data, c param.Config) (*pipeline.Prepared, error) {
	c.Free, c.Proba = nil, ""
	if c.Scale == param.AutoScale {
		c.Scale = param.Default().Scale
	}
	if c.PrivScale == param.AutoScale {
		c.PrivScale = ""
	}
	return pipeline.Prepare(ctx, d, c)
}

// leaveFolds trains a model for every fold.
func (r *Result) leaveFolds(
	ctx context.Context, p *pipeline.Prepared, folds heldout.Folds, later [][]int, o Options) error {
	data, perRepeat := p.Data(), len(folds)/max(1, o.Scheme.Repeats)
	o.Progress.Tell("folds", 0, len(folds))
	for k, test := range folds {
		left := test
		if later != nil {
			left = slices.Concat(test, later[k])
		}
		fold := Fold{Repeat: k/perRepeat + 1, Number: k%perRepeat + 1, Test: len(test)}
		if err := fold.predict(ctx, p, r.Config, split.Others(data.Rows, left), test); err != nil {
			return inFold(k, len(folds), err)
		}
		r.Folds = append(r.Folds, fold)
		o.Progress.Tell("folds", k+1, len(folds))
	}
	r.Scores = scoresOf(r.Folds)
	return nil
}

// predict trains on some rows and scores others.
func (f *Fold) predict(ctx context.Context, p *pipeline.Prepared, c param.Config, train, test []int) error {
	start := time.Now()
	f.Train = len(train)
	c.ClassWeight = p.ClassWeightOf(train)
	m, err := search.Train(ctx, p.Data().Only(train), c, pipeline.Options{LeaveOneOut: learn.Never})
	if err != nil {
		return err
	}
	rows := p.Data().Only(test)
	weight, err := rows.Weights()
	if err != nil {
		return err
	}
	e, err := m.Evaluate(ctx, rows.Table, rows.Pick(rows.Roles.Target), pipeline.EvaluateOptions{Weight: weight})
	if err != nil {
		return err
	}
	f.Metrics, f.Probabilities = e.Metrics, m.HasProbabilities()
	f.Constant, err = constant(p, train, test)
	f.Seconds = time.Since(start).Seconds()
	return err
}

// constant scores the mean of the training rows' targets, or of the codes of their classes: the most frequent class.
func constant(p *pipeline.Prepared, train, test []int) (pipeline.Metrics, error) {
	q := p.Problem()
	weights, err := p.Data().Weights() // without those of classes
	if err != nil {
		return pipeline.Metrics{}, err
	}
	out := pipeline.MeanTargets(blas.Gather(q.Y.RawMatrix(), train), learn.Gather(weights, train), len(test))
	return p.Truth().Score(out, test)
}

// inFold says in which fold an error occurred.
func inFold(k, of int, err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	return fault.New(known.Kind, "fold %d of %d: %w", k+1, of, err).WithHint("%s", fault.HintText(err))
}

// leaveOneOut scores predictions for rows that are left out one by one, in closed form.
func (r *Result) leaveOneOut(ctx context.Context, d *roles.Data, o Options) error {
	hint := fmt.Sprint(min(DefaultFolds, max(2, r.Rows)))
	normal, priv := r.Config.Scales()
	switch {
	case !r.Kind.ClosedForm:
		return fault.New(fault.Usage, "kind %s has no leave-one-out in closed form: a model would be trained for each "+
			"of %d rows", r.Kind.Name, r.Rows).
			WithHint("use folds, such as %s", fault.Set("cv", hint))
	case len(r.Config.Free) > 0 || normal == param.AutoScale || priv == param.AutoScale:
		return fault.New(fault.Usage, "leave-one-out is of a model with given settings: rows that choose settings are "+
			"predicted too well by them").
			WithHint("give the settings, take the documented constants with %s, or use folds, such as %s",
				fault.Set("tune", "false"), fault.Set("cv", hint))
	}
	left, err := search.LeaveOneOut(ctx, d, r.Config, search.Options{
		RefitPreparation: o.RefitPreparation, Seed: r.Config.Seed, Progress: o.Progress,
	})
	if err != nil {
		return err
	}
	r.Scores = scoresOfRows(left)
	r.Notes = append(r.Notes, left.Notes...)
	return nil
}
