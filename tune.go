package rvflplus

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
)

// TuneOptions say how hyper-parameters are searched. The zero value of each field stands for its default.
type TuneOptions struct {
	// Strategy finds the settings to try: "random" (default) draws them evenly in the logarithm, "grid" spaces them
	// evenly, "halving" draws them, scores all on few rows and the best third on three times as many, until all rows
	// take part.
	Strategy string
	// Trials is the number of settings; default 100. A grid has at most so many.
	Trials int
	// Candidates, when not empty, are the settings to try instead: whole Configs of one kind.
	Candidates []Config
	// Fixed names hyper-parameters that keep the value of the Config, by the names of docs/parameters.md: "C",
	// "gamma", "u", "width", "priv-width", "epsilon". A width that a kernel is given is always kept.
	Fixed []string

	// Folds is the number of folds that rows are left out in, at least 2. 0 (default) leaves out each row alone (each
	// group, with Columns.Group), in closed form; kinds without a closed form then have 10 folds, or as many as rows.
	// With Columns.Time the folds are blocks of time, 5 by default, each predicted from earlier rows alone.
	Folds int
	// FoldLayout deals rows to folds: "random", "stratified" or "contiguous"; default stratified for classes, else
	// random.
	FoldLayout string
	// Repeats is how often the folds are dealt, each time with other rows; default 1.
	Repeats int
	// Validation, when not nil, holds the rows that settings are scored on instead of rows left out: a table with the
	// normal and the target columns by the names of the training table.
	Validation *Table
	// RefitPreparation says whether scaling, filling and one-hot codes are fitted without the rows left out.
	RefitPreparation RefitPreparation

	// Score is what settings are compared by. Of a classification: "accuracy" (default), "balanced-accuracy", "f1",
	// "auc" (area under the ROC curve), "log-loss" (after Platt scaling), "softmax-log-loss"; of a regression: "rmse"
	// (default), "mae", "r2".
	Score string
	// Rule chooses among the scored settings: "best" (default), "neighbours" (the best mean of a setting and those
	// that are near: within 5 % of the range of each hyper-parameter in docs/parameters.md) or "one-standard-error"
	// (the first setting within a standard error of the best).
	Rule string

	// AllowMissingPrivileged is that of TrainOptions.
	AllowMissingPrivileged bool
	// LeaveOneOut says whether the Report of the final model has exact leave-one-out scores.
	LeaveOneOut LeaveOneOut
	// Progress, when not nil, is told that done of total trials are done. It is called from one goroutine at a time.
	Progress func(stage string, done, total int)
}

// RefitPreparation says when Tune fits the preparation of the features, which does not look at the targets, without
// the rows that are left out: RefitPreparationAuto (the zero value), RefitPreparationNever or RefitPreparationAlways.
// It is then fitted without each of up to ten folds. More folds, and rows that are left out alone, leave it by fifths.
type RefitPreparation int

const (
	// RefitPreparationAuto does so where fewer than 1,000 rows are tuned on. TuneResult.Notes tells otherwise. A
	// preparation that cannot be fitted without some rows, such as of a column with one cell, is fitted on all rows.
	RefitPreparationAuto RefitPreparation = iota
	// RefitPreparationNever fits the preparation once, on all rows. Leave-one-out then takes about a fifth of the time.
	RefitPreparationNever
	// RefitPreparationAlways does so for any number of rows, or Tune fails.
	RefitPreparationAlways
)

// internal returns the value as the search takes it.
func (r RefitPreparation) internal() (search.Refit, error) {
	switch r {
	case RefitPreparationAuto:
		return search.RefitFewRows, nil
	case RefitPreparationNever:
		return search.RefitNever, nil
	case RefitPreparationAlways:
		return search.RefitAlways, nil
	}
	return 0, fault.Param("RefitPreparation",
		"RefitPreparationAuto, RefitPreparationNever or RefitPreparationAlways", int(r))
}

// Trial is one setting and its score.
type Trial struct {
	Config        Config
	Score         float64 // NaN when the setting could not be evaluated
	StandardError float64 // of Score; NaN where it is not known
	Err           error   // why it could not be evaluated, else nil
	Rows          int     // that took part: all but in the first rounds of halving
	Seconds       float64 // of computing, on as many cores as it used
}

// TuneResult is the outcome of a search.
type TuneResult struct {
	Model   *Model  // trained on all rows with the chosen setting
	Trials  []Trial // in the order of the settings
	Best    int     // the number of the chosen trial, from 0
	Score   string  // what settings were compared by
	Greater bool    // greater scores are better
	Scheme  string  // how rows were left out, in words
	// Constant is the score, on the same rows, of the predictor that does not look at the features: always the class of
	// most rows, or the mean.
	Constant float64
	Notes    []string // what was decided of the preparation
	Warnings []string // the chosen setting does not beat the constant predictor
}

// Config returns the chosen setting.
func (r *TuneResult) Config() Config { return r.Trials[r.Best].Config }

// neighbourhood is the share of a range within which settings are neighbours.
const neighbourhood = 0.05

// Tune tries settings of a model, scores the predictions of rows left out, and trains the chosen setting on all rows.
// C, γ, u, ε and automatic widths are searched unless TuneOptions.Fixed names them. c gives the rest, and its seed
// draws settings and folds. For a seed the result does not depend on the
// number of threads. A setting that cannot be solved is a Trial with an error; if none can, the error is
// fault.NotSolved.
//
// Cost: a setting in closed form costs a few times its training, on all folds together; of other kinds, as many
// trainings as there are folds.
func Tune(ctx context.Context, t *Table, columns Columns, c Config, o TuneOptions) (*TuneResult, error) {
	data, err := t.with(columns)
	if err != nil {
		return nil, err
	}
	leaveOneOut, err := o.LeaveOneOut.internal()
	if err != nil {
		return nil, err
	}
	config := c.internal()
	config.Kind = cmp.Or(config.Kind, kind.DefaultName(len(data.Roles.Priv) > 0))
	config.AllowMissingPriv = o.AllowMissingPrivileged
	options, err := o.internal(data, config)
	if err != nil {
		return nil, err
	}
	r, err := search.Tune(ctx, data, config, options)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.Train(ctx, data, r.Trials[r.Best].Config, pipeline.Options{LeaveOneOut: leaveOneOut})
	if err != nil {
		return nil, err
	}
	out := &TuneResult{
		Model: newModel(p), Best: r.Best, Score: r.Score.Name, Greater: r.Score.Greater, Scheme: r.Scheme,
		Constant: r.Constant.Score, Notes: texts(r.Notes), Warnings: texts(r.Warnings),
	}
	for _, trial := range r.Trials {
		out.Trials = append(out.Trials, Trial{
			configOf(trial.Config), trial.Score, trial.SE, trial.Err, trial.Rows, trial.Seconds,
		})
	}
	return out, nil
}

// foldsWithoutClosedForm is the number of folds of kinds that train anew for every fold.
const foldsWithoutClosedForm = 10

// internal returns the options of a search that starts from c.
func (o TuneOptions) internal(data *roles.Data, c param.Config) (search.Options, error) {
	out := search.Options{
		Scheme: search.Scheme{Folds: o.Folds, Layout: o.FoldLayout, Repeats: o.Repeats},
		Score:  o.Score, Strategy: o.Strategy, Trials: o.Trials, Seed: c.Seed,
		Progress: o.Progress,
	}
	k, err := kind.ByName(c.Kind)
	if err != nil {
		return out, err
	}
	if out.RefitPreparation, err = o.RefitPreparation.internal(); err != nil {
		return out, err
	}
	if o.Folds < 0 {
		return out, fault.Param("the number of folds", "0 or at least 2", o.Folds)
	}
	switch {
	case o.Folds != 0 || o.Validation != nil:
	case data.Roles.Time >= 0:
		out.Scheme.Folds = search.FoldsInTime
	case !k.ClosedForm && data.Roles.Group < 0:
		out.Scheme.Folds = min(foldsWithoutClosedForm, data.Rows)
	}
	if out.Rule, err = o.rule(); err != nil {
		return out, err
	}
	if out.Fixed, err = o.fixed(k); err != nil {
		return out, err
	}
	if out.Candidates, err = o.candidates(c); err != nil {
		return out, err
	}
	if o.Validation != nil {
		out.Validation, err = o.validation(data)
	}
	return out, err
}

func (o TuneOptions) rule() (search.Rule, error) {
	switch o.Rule {
	case "", "best":
		return search.Best{}, nil
	case "neighbours":
		return search.Neighbours{Within: neighbourhood}, nil
	case "one-standard-error":
		return search.OneStandardError{}, nil
	}
	return nil, fault.Param("rule", "best, neighbours or one-standard-error", fmt.Sprintf("%q", o.Rule))
}

// fixed returns the hyper-parameters of kind k that are not searched.
func (o TuneOptions) fixed(k kind.Kind) (fixed []param.Param, err error) {
	for _, name := range o.Fixed {
		p := param.ByName(name)
		if p == nil || !k.Tunes(p) {
			var names []string
			for _, t := range k.Tuned {
				names = append(names, t.About().Name)
			}
			want := "one of " + strings.Join(names, ", ")
			return nil, fault.Param("a fixed hyper-parameter of kind "+k.Name, want, fmt.Sprintf("%q", name))
		}
		fixed = append(fixed, p)
	}
	return fixed, nil
}

// candidates returns the settings to try, of the kind of c.
func (o TuneOptions) candidates(c param.Config) (all []param.Config, err error) {
	for i, candidate := range o.Candidates {
		own := candidate.internal()
		own.Kind = cmp.Or(own.Kind, c.Kind)
		own.AllowMissingPriv = c.AllowMissingPriv
		if own.Kind != c.Kind {
			return nil, fault.New(fault.Usage, "candidate %d is of kind %s, not %s", i+1, own.Kind, c.Kind).
				WithHint("tune one kind at a time")
		}
		if err := pipeline.Validate(own); err != nil {
			return nil, fault.New(fault.Usage, "candidate %d: %w", i+1, err).WithHint("%s", fault.HintText(err))
		}
		all = append(all, own)
	}
	return all, nil
}

// validation returns the validation rows and their targets.
func (o TuneOptions) validation(data *roles.Data) (*search.Validation, error) {
	if o.Folds != 0 || o.RefitPreparation == RefitPreparationAlways || data.Roles.Group >= 0 || data.Roles.Time >= 0 {
		const message = "validation rows take the place of folds, groups, times and a refitted preparation"
		return nil, fault.New(fault.Usage, message).WithHint("leave these out")
	}
	t := o.Validation.t
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.Rows == 0 {
		return nil, roles.NoRows(t)
	}
	var names []string
	for _, column := range data.Pick(data.Roles.Target) {
		names = append(names, column.Name)
	}
	targets, err := findTargets(t, names)
	if err != nil {
		return nil, fmt.Errorf("the validation rows: %w", err)
	}
	return &search.Validation{Table: t, Targets: targets}, nil
}
