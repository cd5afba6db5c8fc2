package search

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/target"
)

// Score is what candidates are compared by.
type Score struct {
	Name    string
	Greater bool // greater values are better
	task    target.Task
	// of scores the outputs for the given rows of the truth; NaN where the score is not defined for them.
	of func(truth pipeline.Truth, outputs *mat.Dense, rows []int) (float64, error)
	// together says that rows of all folds are scored together: the scaling of the scores needs many.
	together bool
}

var scores = []Score{
	{Name: "accuracy", Greater: true, task: target.Classification,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Class.Accuracy })},
	{Name: "balanced-accuracy", Greater: true, task: target.Classification,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Class.BalancedAccuracy })},
	{Name: "f1", Greater: true, task: target.Classification,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Class.F1 })},
	{Name: "auc", Greater: true, task: target.Classification, of: alwaysFinite(pipeline.Truth.ROCAUC)},
	{Name: "log-loss", task: target.Classification, of: alwaysFinite(pipeline.Truth.CalibratedLogLoss),
		together: true},
	{Name: "softmax-log-loss", task: target.Classification, of: alwaysFinite(pipeline.Truth.SoftmaxLogLoss)},
	{Name: "rmse", task: target.Regression,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Number.RMSE })},
	{Name: "mae", task: target.Regression, of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Number.MAE })},
	{Name: "r2", Greater: true, task: target.Regression,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Number.R2 })},
}

// ofMetrics returns a Score.of that takes one of the metrics.
func ofMetrics(take func(pipeline.Metrics) float64) func(pipeline.Truth, *mat.Dense, []int) (float64, error) {
	return func(truth pipeline.Truth, outputs *mat.Dense, rows []int) (float64, error) {
		m, err := truth.Score(outputs, rows)
		if err != nil {
			return math.NaN(), err
		}
		return take(m), nil
	}
}

// alwaysFinite returns a Score.of that has no error.
func alwaysFinite(
	of func(pipeline.Truth, *mat.Dense, []int) float64,
) func(pipeline.Truth, *mat.Dense, []int) (float64, error) {
	return func(truth pipeline.Truth, outputs *mat.Dense, rows []int) (float64, error) {
		return of(truth, outputs, rows), nil
	}
}

// Scores lists the names of the scores: of classes (fractions; f1 is the macro mean; auc the area under the ROC curve;
// log-loss is taken after Platt scaling of the held-out scores, softmax-log-loss of their
// softmax) and of numbers (r2 averaged over targets).
func Scores() []string {
	var names []string
	for _, s := range scores {
		names = append(names, s.Name)
	}
	return names
}

// ScoreByName returns the score called name, or for "" the task's default: accuracy or
// rmse. One of the other task is a fault.Usage error.
func ScoreByName(name string, task target.Task) (Score, error) {
	var fit []string
	for _, s := range scores {
		if s.task == task && (s.Name == name || name == "") {
			return s, nil
		}
		if s.task == task {
			fit = append(fit, s.Name)
		}
	}
	return Score{}, fault.Param("score", "one of "+strings.Join(fit, ", ")+" for a "+string(task), name)
}

// Better reports whether a is better than b. NaN, a trial that failed, is worse than
// everything else.
func (s Score) Better(a, b float64) bool { return Scored{Greater: s.Greater}.better(a, b) }

// Of scores outputs for the rows of the truth: outputs has a row for every element of the
// folds, whose numbers rows lists. Every fold is scored by itself, and the result is the
// mean over the folds for which the score is defined. Rows that are left out alone are scored all together, and so are
// folds of which one has a single row. Log-loss is scored over all rows too, because its
// scaling needs many. se is the standard error: of the mean over the folds, or of an
// accuracy or an RMSE over the rows; NaN for other scores of rows that are scored together.
// A score that is not defined, such as the area under the ROC curve of rows of one class, is a fault.Data error.
func (s Score) Of(
	truth pipeline.Truth, outputs *mat.Dense, rows []int, folds heldout.Folds,
) (score, se float64, err error) {
	nan := math.NaN()
	alone := s.together || folds == nil || smallest(folds) < 2
	if alone {
		folds = heldout.Folds{rows}
	}
	var each []float64
	at := 0
	for _, fold := range folds {
		end := at + len(fold)
		v, err := s.of(truth, outputs.Slice(at, end, 0, outputs.RawMatrix().Cols).(*mat.Dense), rows[at:end])
		if err != nil {
			return nan, nan, err
		}
		if !math.IsNaN(v) {
			each = append(each, v)
		}
		at = end
	}
	switch {
	case len(each) == 0:
		return nan, nan, fault.New(fault.Data, "%s is not defined: the rows that are scored are of one class", s.Name)
	case alone:
		return each[0], s.standardError(truth, outputs, rows, each[0]), nil
	}
	for _, v := range each {
		score += v
	}
	return score / float64(len(each)), stat.StdDev(each, nil) / math.Sqrt(float64(len(each))), nil
}

// ofConstant scores the best constant for the given rows, as Of does. All rows have the same score for a class, so that
// the area under the ROC curve is 1/2; its probabilities are the shares of the classes.
func (s Score) ofConstant(truth pipeline.Truth, rows []int, folds heldout.Folds) (string, float64, error) {
	name, outputs := truth.Constant(rows)
	switch s.Name {
	case "auc":
		return name, 0.5, nil
	case "log-loss":
		return name, truth.ConstantLogLoss(rows), nil
	}
	score, _, err := s.Of(truth, outputs, rows, folds)
	return name, score, err
}

// standardError returns that of a score over rows that are scored together.
func (s Score) standardError(truth pipeline.Truth, outputs *mat.Dense, rows []int, score float64) float64 {
	switch s.Name {
	case "accuracy":
		return math.Sqrt(score * (1 - score) / truth.Effective(rows))
	case "rmse": // that of the mean square, by the delta method
		return truth.MeanSquareSE(outputs, rows) / (2 * score)
	}
	return math.NaN()
}

func smallest(folds heldout.Folds) int {
	least := math.MaxInt
	for _, fold := range folds {
		least = min(least, len(fold))
	}
	return least
}
