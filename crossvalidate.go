package rvflplus

import (
	"context"

	"rvflplus/fault"
	"rvflplus/internal/crossval"
	"rvflplus/internal/search"
)

// CrossValidateOptions say how rows are left out, and how models are trained. The zero value of each field stands for
// its default.
type CrossValidateOptions struct {
	// Folds is the number of folds, at least 2; 0 (default) is 10, or as many as rows, and with Columns.Time 5.
	Folds int
	// LeaveOneOut leaves out each row alone, in closed form, or with Columns.Group each group. Without groups the kind
	// must have a closed form and the Config must give all settings. Folds must be 0 then.
	LeaveOneOut bool
	// FoldLayout deals rows to folds: "random", "stratified" or "contiguous"; default stratified for classes, else
	// random.
	FoldLayout string
	// Repeats is how often the folds are dealt, each time with other rows; default 1.
	Repeats int
	// RefitPreparation says whether rows that are left out alone take part in the preparation. Folds never do.
	RefitPreparation RefitPreparation
	// Train says how each model is trained and what it chooses. Its LeaveOneOut, Progress and Announce are not used.
	Train TrainOptions
	// Progress, when not nil, is told that done of total folds are done. It is called from one goroutine at a time.
	Progress func(stage string, done, total int)
}

// CrossValidation tells how well models predict rows that they were not trained on.
type CrossValidation struct {
	Task   string           // "classification" or "regression"
	Scheme string           // how rows were left out, in words
	Scores []ScoreEstimate  // the score that people look at first before the others
	Folds  []FoldEvaluation // repetition after repetition; nil where each row was left out alone
	// Formula says in words what the standard errors are.
	Formula  string
	Notes    []string
	Warnings []string // where the data may not be what they seem
	Seconds  float64
}

// ScoreEstimate is the mean of a score over the folds, or the score of rows that were left out alone.
type ScoreEstimate struct {
	Name    string // "rmse", "mae" or "r2"; "accuracy", "balanced_accuracy", "f1" or, with Config.Proba, "log_loss"
	Greater bool   // greater values are better
	Mean    float64
	// StandardError of Mean, corrected for training sets that overlap (Nadeau and Bengio 2003); NaN where not known.
	StandardError float64
	// Constant is the same mean for the mean or the most frequent class of the training rows; NaN where not known.
	Constant float64
}

// FoldEvaluation is how well one model predicted the rows of one fold.
type FoldEvaluation struct {
	Repeat, Fold        int // from 1
	TrainRows, TestRows int
	Metrics             Metrics
}

// CrossValidate trains models as Train does with c and o.Train, each without the rows of a fold, and scores them on
// these rows. Everything that training chooses, the preparation too, is chosen without them. With Columns.Group whole
// groups leave together; with Columns.Time the folds are blocks of time, each predicted from earlier rows alone. The
// seed of c deals the rows.
//
// Cost: a training for each fold and repetition; leaving out rows alone costs a few trainings.
func CrossValidate(ctx context.Context, t *Table, columns Columns, c Config, o CrossValidateOptions) (
	*CrossValidation, error) {
	data, err := t.with(columns)
	if err != nil {
		return nil, err
	}
	config := c.internal()
	config.AllowMissingPriv = o.Train.AllowMissingPrivileged
	if config, err = o.Train.choose(config, len(data.Roles.Priv) > 0); err != nil {
		return nil, err
	}
	config.Nested = false
	options, err := o.internal(data.Rows, data.Roles.Time >= 0)
	if err != nil {
		return nil, err
	}
	r, err := crossval.Run(ctx, data, config, options)
	if err != nil {
		return nil, err
	}
	out := &CrossValidation{
		Task: string(r.Task), Scheme: r.Scheme, Formula: r.Formula(), Notes: texts(r.Notes),
		Warnings: texts(r.Warnings), Seconds: r.Seconds,
	}
	for _, s := range r.Scores {
		out.Scores = append(out.Scores, ScoreEstimate{s.Name, s.Greater, s.Mean, s.SE, s.Constant})
	}
	for _, f := range r.Folds {
		out.Folds = append(out.Folds, FoldEvaluation{f.Repeat, f.Number, f.Train, f.Test, metricsOf(f.Metrics)})
	}
	return out, nil
}

// internal returns the options for some rows, which may have times.
func (o CrossValidateOptions) internal(rows int, times bool) (crossval.Options, error) {
	out := crossval.Options{
		Scheme:   search.Scheme{Folds: o.Folds, Layout: o.FoldLayout, Repeats: o.Repeats},
		Progress: o.Progress,
	}
	switch {
	case o.Folds < 0 || o.Folds == 1:
		return out, fault.Param("the number of folds", "0 or at least 2", o.Folds)
	case o.LeaveOneOut && o.Folds > 0:
		return out, fault.New(fault.Usage, "leave-one-out has no number of folds").WithHint("leave out one of both")
	case o.LeaveOneOut || o.Folds > 0:
	case times:
		out.Scheme.Folds = search.FoldsInTime
	default:
		out.Scheme.Folds = max(2, min(crossval.DefaultFolds, rows))
	}
	var err error
	out.RefitPreparation, err = o.RefitPreparation.internal()
	return out, err
}
