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
	of      func(pipeline.Metrics) float64
}

var scores = []Score{
	{"accuracy", true, target.Classification, func(m pipeline.Metrics) float64 { return m.Class.Accuracy }},
	{"balanced-accuracy", true, target.Classification,
		func(m pipeline.Metrics) float64 { return m.Class.BalancedAccuracy }},
	{"f1", true, target.Classification, func(m pipeline.Metrics) float64 { return m.Class.F1 }},
	{"log-loss", false, target.Classification, nil},
	{"softmax-log-loss", false, target.Classification, func(m pipeline.Metrics) float64 { return m.Class.LogLoss }},
	{"rmse", false, target.Regression, func(m pipeline.Metrics) float64 { return m.Number.RMSE }},
	{"mae", false, target.Regression, func(m pipeline.Metrics) float64 { return m.Number.MAE }},
	{"r2", true, target.Regression, func(m pipeline.Metrics) float64 { return m.Number.R2 }},
}

// Scores lists the names of the scores: of classes (fractions; f1 is the macro mean;
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
// mean over the folds. Rows that are left out alone are scored all together, and so are
// folds of which one has a single row. Log-loss is scored over all rows too, because its
// scaling needs many. se is the standard error: of the mean over the folds, or of an
// accuracy or an RMSE over the rows; NaN for other scores of rows that are scored together.
func (s Score) Of(
	truth pipeline.Truth, outputs *mat.Dense, rows []int, folds heldout.Folds,
) (score, se float64, err error) {
	nan := math.NaN()
	if s.of == nil {
		return truth.CalibratedLogLoss(outputs, rows), nan, nil
	}
	if folds == nil || smallest(folds) < 2 {
		m, err := truth.Score(outputs, rows)
		if err != nil {
			return nan, nan, err
		}
		return s.of(m), s.standardError(truth, outputs, rows, m), nil
	}
	var each []float64
	at := 0
	for _, fold := range folds {
		end := at + len(fold)
		m, err := truth.Score(outputs.Slice(at, end, 0, outputs.RawMatrix().Cols).(*mat.Dense), rows[at:end])
		if err != nil {
			return nan, nan, err
		}
		each = append(each, s.of(m))
		score += s.of(m)
		at = end
	}
	return score / float64(len(folds)), stat.StdDev(each, nil) / math.Sqrt(float64(len(each))), nil
}

// standardError returns that of a score over rows that are scored together.
func (s Score) standardError(truth pipeline.Truth, outputs *mat.Dense, rows []int, m pipeline.Metrics) float64 {
	n := float64(len(rows))
	switch s.Name {
	case "accuracy":
		return math.Sqrt(m.Class.Accuracy * (1 - m.Class.Accuracy) / n)
	case "rmse": // that of the mean square, by the delta method
		return stat.StdDev(truth.SquaredErrors(outputs, rows), nil) / math.Sqrt(n) / (2 * m.Number.RMSE)
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
