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

// ClassificationMetrics are scores of predicted classes: fractions, but LogLoss, Brier and counts of rows. What is not
// defined for the rows is nil. Rows count by their weights.
type ClassificationMetrics struct {
	Accuracy         float64
	BalancedAccuracy float64  // the mean recall of the classes that occur
	F1               float64  // the mean over classes that occur or are predicted
	LogLoss          *float64 // in nats, of the probabilities of a model trained with Config.Proba, else nil
	LogLossReason    string   // why LogLoss and Brier are nil
	// ROCAUC and PRAUC are the areas under the ROC and the precision-recall curve (average precision) of the
	// probabilities, or of the scores where there are none: of two classes those of the second one, of several the
	// mean over the classes, each against the rest.
	ROCAUC *float64
	PRAUC  *float64
	// Brier is the mean squared error of the probability of the second of two classes, of several classes the mean of
	// their sum.
	Brier     *float64
	Classes   []string                // those of the model in its order, then others that occurred
	PerClass  map[string]ClassMetrics // each class against the rest
	Confusion [][]float64             // rows by true and predicted class in the order of Classes; nil of over 100
}

// ClassMetrics are the scores of one class against the rest. What is not defined is nil.
type ClassMetrics struct {
	Rows      float64  // of the class
	Predicted float64  // rows that are taken for it
	Precision *float64 // share of these that are of the class
	Recall    *float64 // share of its rows that are taken for it
	F1        *float64 // 2·precision·recall/(precision + recall)
	ROCAUC    *float64
	PRAUC     *float64
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
		out.Classification = classificationOf(*m.Class)
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

func classificationOf(c metric.Classification) *ClassificationMetrics {
	out := &ClassificationMetrics{
		Accuracy: c.Accuracy, BalancedAccuracy: c.BalancedAccuracy, F1: c.F1, LogLoss: c.LogLoss,
		LogLossReason: c.LogLossReason, ROCAUC: c.ROCAUC, PRAUC: c.PRAUC, Brier: c.Brier, Classes: c.Classes,
		PerClass: map[string]ClassMetrics{}, Confusion: c.Confusion,
	}
	for name, own := range c.PerClass {
		out.PerClass[name] = ClassMetrics(own)
	}
	return out
}

func (c *ClassificationMetrics) internal() *metric.Classification {
	out := &metric.Classification{
		Accuracy: c.Accuracy, BalancedAccuracy: c.BalancedAccuracy, F1: c.F1, LogLoss: c.LogLoss,
		LogLossReason: c.LogLossReason, ROCAUC: c.ROCAUC, PRAUC: c.PRAUC, Brier: c.Brier, Classes: c.Classes,
		PerClass: map[string]metric.Class{}, Confusion: c.Confusion,
	}
	for name, own := range c.PerClass {
		out.PerClass[name] = metric.Class(own)
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
	if c := m.Classification; c != nil {
		own.Class = c.internal()
	}
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
	// Constant are the scores, on the same rows, of the predictor that does not look at the features: always the class
	// of most rows, with the shares of the classes as probabilities, or the mean.
	Constant Metrics
	Notes    []string // what the user should know about the rows
	Warnings []string // the model does not beat the constant predictor
}

// EvaluateOptions say how a model is evaluated.
type EvaluateOptions struct {
	// Threshold is that of PredictOptions.
	Threshold *float64
	// Weight is what each row counts as, >= 0, not all 0; nil for 1 each.
	Weight []float64
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
	e, err := m.p.Widened(t.Names()).Evaluate(ctx, t.t, targets,
		pipeline.EvaluateOptions{Threshold: o.Threshold, Weight: o.Weight, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	return &Evaluation{Rows: e.Rows, Metrics: metricsOf(e.Metrics), Constant: metricsOf(e.Constant.Metrics),
		Notes: e.Notes, Warnings: texts(e.Warnings)}, nil
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
