package rvflplus

import (
	"context"
	"encoding/json"

	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/internal/pipeline"
	"rvflplus/learn"

	"rvflplus/dataset"
)

// Report tells how a model came about.
type Report struct {
	Rows              int      // with a target, that it was trained on
	Unlabelled        int      // further rows, without a target, that it was trained on
	WithoutPrivileged int      // of these, rows without privileged values, see TrainOptions.AllowMissingPrivileged
	Solver            string   // primal, dual or pinv (closed forms), smo, gsmo, ipm, mat or fast (machines), libsvm
	SystemSize        int      // rows of the system that was solved; of support vector machines, the support vectors
	Train             Metrics  // of the rows it was trained on
	LeaveOneOut       *Metrics // of every row predicted by a model trained on all others; nil where not computed
	Optimum           *Optimum // of support vector machines, else nil
	// Outcome tells which methods and settings were tried and what was kept; nil where nothing was chosen.
	Outcome *learn.Outcome
	// Columns tells how much of the answers each normal column makes, the largest share first: the mean squared change
	// of the outputs on training rows when the column says nothing, divided by the sum over columns. It tells what the
	// model uses, not what causes what. Kinds "averaged" and "stack" on kernels have it, and models whose kernel has a
	// relevance; otherwise it is nil.
	Columns  []ColumnShare
	Notes    []string // what was decided or left out; a loaded model has none
	Warnings []string // where the data may not be what they seem
}

// ColumnShare is how much of a model's answers a normal column makes.
type ColumnShare struct {
	Name  string
	Share float64 // 0 … 1; 1 over all columns
}

// Optimum tells how the solver of a support vector machine ended, summed over its machines.
type Optimum struct {
	Objective  float64 // of the dual, maximised
	Gap        float64 // between primal and dual objective
	KKT        float64 // the largest violation of the optimality conditions
	Iterations int
}

// Report tells how training went.
func (m *Model) Report() Report {
	r := m.p.Report
	notes := texts(r.Notes)
	for _, s := range r.Scalings {
		notes = append(notes, s.Text().String())
	}
	out := Report{
		Rows: r.Rows, Unlabelled: r.Unlabelled, WithoutPrivileged: r.WithoutPriv,
		Solver: r.Solver, SystemSize: r.SystemSize,
		Train: metricsOf(r.Train.Metrics), Optimum: (*Optimum)(r.Train.Optimum),
		Outcome: r.Outcome, Notes: notes, Warnings: texts(r.Warnings),
	}
	for _, c := range r.Columns {
		out.Columns = append(out.Columns, ColumnShare(c))
	}
	if r.LeaveOneOut != nil {
		loo := metricsOf(r.LeaveOneOut.Metrics)
		out.LeaveOneOut = &loo
	}
	if o := out.Optimum; o != nil {
		own := *o
		out.Optimum = &own
	}
	return out
}

// Metrics are the scores of predictions whose targets are known: of a classification or of a regression, the other is
// nil.
type Metrics struct {
	Classification *ClassificationMetrics
	Regression     *RegressionMetrics
	PerTarget      map[string]RegressionMetrics // of a regression: each target by its name
}

// ClassificationMetrics are scores of predicted classes. All are fractions but LogLoss.
type ClassificationMetrics struct {
	Accuracy         float64 `json:"accuracy"`
	BalancedAccuracy float64 `json:"balanced_accuracy"` // the mean recall of the classes that occur
	F1               float64 `json:"f1"`                // the mean over classes that occur or are predicted
	LogLoss          float64 `json:"log_loss"`          // in nats, of the probabilities or the scores' softmax
}

// RegressionMetrics are scores of predicted numbers.
type RegressionMetrics struct {
	RMSE float64 `json:"rmse"` // root of the mean squared error, in the target's unit
	MAE  float64 `json:"mae"`  // mean absolute error, in the target's unit
	R2   float64 `json:"r2"`   // share of the variance that is explained, at most 1; averaged over targets
}

func metricsOf(m pipeline.Metrics) Metrics {
	var out Metrics
	if m.Class != nil {
		c := ClassificationMetrics(*m.Class)
		out.Classification = &c
	}
	if m.Number != nil {
		r := RegressionMetrics(*m.Number)
		out.Regression, out.PerTarget = &r, map[string]RegressionMetrics{}
		for name, each := range m.PerTarget {
			out.PerTarget[name] = RegressionMetrics(each)
		}
	}
	return out
}

// Main returns the score that people look at first, and its name: accuracy or RMSE.
func (m Metrics) Main() (name string, value float64) {
	switch {
	case m.Classification != nil:
		return "accuracy", m.Classification.Accuracy
	case m.Regression != nil:
		return "RMSE", m.Regression.RMSE
	}
	return "", 0
}

// MarshalJSON writes the scores as one object, as rvfl eval --json does.
func (m Metrics) MarshalJSON() ([]byte, error) {
	var own pipeline.Metrics
	own.Class = (*metric.Classification)(m.Classification)
	if m.Regression != nil {
		own.Number, own.PerTarget = (*metric.Regression)(m.Regression), map[string]metric.Regression{}
		for name, each := range m.PerTarget {
			own.PerTarget[name] = metric.Regression(each)
		}
	}
	return json.Marshal(own)
}

// Evaluation is the comparison of predictions with known targets.
type Evaluation struct {
	Rows    int
	Metrics Metrics
	Notes   []string // what the user should know about the rows
}

// EvaluateOptions say how a model is evaluated.
type EvaluateOptions struct {
	// Progress, when not nil, is told that done of total rows are done. It is called from one goroutine at a time.
	Progress func(stage string, done, total int)
}

// Evaluate predicts the rows of t, at least one, and scores the predictions. t must have the normal columns and the
// target columns by the names they had in training. A class that the model does not know counts as predicted wrongly.
func (m *Model) Evaluate(ctx context.Context, t *Table, o EvaluateOptions) (*Evaluation, error) {
	targets, err := m.targets(t)
	if err != nil {
		return nil, err
	}
	e, err := m.p.Widened(t.Names()).Evaluate(ctx, t.t, targets, o.Progress)
	if err != nil {
		return nil, err
	}
	return &Evaluation{Rows: e.Rows, Metrics: metricsOf(e.Metrics), Notes: e.Notes}, nil
}

// targets finds the target columns.
func (m *Model) targets(t *Table) ([]*dataset.Column, error) {
	if t == nil {
		return nil, fault.New(fault.Usage, "there is no table")
	}
	return findTargets(t.t, m.p.Coder.Names)
}

func findTargets(t *dataset.Table, names []string) (columns []*dataset.Column, err error) {
	for _, name := range names {
		c := t.Find(name)
		if c == nil {
			return nil, fault.New(fault.Usage, "the table has no target column %q", name)
		}
		columns = append(columns, c)
	}
	return columns, nil
}
