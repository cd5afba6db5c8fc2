package search

import (
	"math"
	"slices"
	"strconv"
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
	Title   string // the name for people
	Greater bool   // greater values are better, 1 being the best; otherwise 0 is
	// Probable scores are of probabilities, which models have only after a scaling that is fitted to held-out scores.
	Probable bool
	task     target.Task
	// of scores the outputs for the given rows of the truth; NaN where the score is not defined for them.
	of func(truth pipeline.Truth, outputs *mat.Dense, rows []int) (float64, error)
	// together says that rows of all folds are scored together: the scaling of the scores needs many.
	together bool
}

var scores = []Score{
	{Name: "accuracy", Title: "accuracy", Greater: true, task: target.Classification,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Class.Accuracy })},
	{Name: "balanced-accuracy", Title: "balanced accuracy", Greater: true, task: target.Classification,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Class.BalancedAccuracy })},
	{Name: "f1", Title: "F1", Greater: true, task: target.Classification,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Class.F1 })},
	{Name: "auc", Title: "ROC AUC", Greater: true, task: target.Classification,
		of: alwaysFinite(pipeline.Truth.ROCAUC)},
	{Name: "log-loss", Title: "log loss", Probable: true, task: target.Classification,
		of:       alwaysFinite(pipeline.Truth.CalibratedLogLoss),
		together: true},
	{Name: "softmax-log-loss", Title: "softmax log loss", Probable: true, task: target.Classification,
		of: alwaysFinite(pipeline.Truth.SoftmaxLogLoss)},
	{Name: "rmse", Title: "RMSE", task: target.Regression,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Number.RMSE })},
	{Name: "mae", Title: "MAE", task: target.Regression,
		of: ofMetrics(func(m pipeline.Metrics) float64 { return m.Number.MAE })},
	{Name: "r2", Title: "R²", Greater: true, task: target.Regression,
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

// Measures lists the names of the scores that need no probabilities: all but the log losses.
func Measures() []string {
	var names []string
	for _, s := range scores {
		if !s.Probable {
			names = append(names, s.Name)
		}
	}
	return names
}

// CheckMeasure returns a fault.Usage error for a name that Measures does not list; "" is the task's default.
func CheckMeasure(name string) error {
	for _, s := range scores {
		switch {
		case name != "" && s.Name != name:
		case s.Probable:
			return fault.New(fault.Usage, "%s does not apply here: the scores of closed forms are no probabilities",
				fault.Set("score", name)).
				WithHint("use %s, which ranks rows by their scores alike", fault.Set("score", "auc"))
		default:
			return nil
		}
	}
	return fault.Param("score", "one of "+strings.Join(Measures(), ", "), strconv.Quote(name))
}

// MeasureByName is ScoreByName for the names that Measures lists.
func MeasureByName(name string, task target.Task) (Score, error) {
	if err := CheckMeasure(name); err != nil {
		return Score{}, err
	}
	return among(Measures(), name, task)
}

// ScoreByName returns the score called name, or for "" the task's default: accuracy or
// rmse. One of the other task is a fault.Usage error.
func ScoreByName(name string, task target.Task) (Score, error) { return among(Scores(), name, task) }

func among(names []string, name string, task target.Task) (Score, error) {
	var fit []string
	for _, s := range scores {
		if s.task != task || !slices.Contains(names, s.Name) {
			continue
		}
		if s.Name == name || name == "" {
			return s, nil
		}
		fit = append(fit, s.Name)
	}
	return Score{}, fault.Param("score", "one of "+strings.Join(fit, ", ")+" for a "+string(task), name)
}

// Loss returns how far a value is from the best one: 1 − value where greater values are better, else the value itself.
func (s Score) Loss(value float64) float64 {
	if s.Greater {
		return 1 - value
	}
	return value
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
