package crossval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"rvflplus/internal/pipeline"
	"rvflplus/internal/search"
)

// Score is the mean of a score over the folds, and how sure it is.
type Score struct {
	Name    string // as in JSON: "accuracy", "rmse" …
	Greater bool   // greater values are better
	Mean    float64
	SE      float64   // standard error of Mean; NaN where it is not known
	Values  []float64 // of each fold; nil where rows were left out alone
	// Constant is the mean of the same score for the constant that the training rows tell; NaN where it was not
	// measured and where it says nothing.
	Constant float64
}

// StandardError returns the standard error of the mean of scores of models that were trained on overlapping rows, by
// Nadeau and Bengio (Machine Learning 52, 2003, doi:10.1023/A:1024068626366): √((1/k + n₂/n₁)·s²) for k scores of
// variance s² (divisor k − 1), each of n₂ test rows predicted by a model of n₁ training rows. s²/k alone would take the
// models for independent. Bouckaert and Frank (2004, doi:10.1007/978-3-540-24775-3_3) use it for repeated folds. It is
// NaN for one score.
func StandardError(scores []float64, train, test float64) float64 {
	k := float64(len(scores))
	if k < 2 {
		return math.NaN()
	}
	return stat.StdDev(scores, nil) * math.Sqrt(1/k+test/train)
}

// scoresOf summarises folds. Where they differ in size, n₁ and n₂ are means.
func scoresOf(folds []Fold) []Score {
	var scores []Score
	var train, test float64
	least := math.MaxInt
	for _, f := range folds {
		train, test, least = train+float64(f.Train), test+float64(f.Test), min(least, f.Test)
	}
	for i, named := range numbersOf(folds[0].Metrics, folds[0].Probabilities) {
		if named.name == "r2" && least < 2 {
			continue // one row has no variance that could be explained
		}
		s := Score{Name: named.name, Greater: named.greater}
		for _, f := range folds {
			s.Values = append(s.Values, numbersOf(f.Metrics, f.Probabilities)[i].value)
			s.Constant += numbersOf(f.Constant, f.Probabilities)[i].value / float64(len(folds))
		}
		if slices.ContainsFunc(s.Values, math.IsNaN) {
			continue // not defined in every fold: the area under the ROC curve of one class, for example
		}
		s.Mean, s.SE = stat.Mean(s.Values, nil), StandardError(s.Values, train, test)
		if named.name == "log_loss" {
			s.Constant = math.NaN() // of a softmax of shares
		}
		scores = append(scores, s)
	}
	return scores
}

// scoresOfRows lists the scores of rows that were left out one by one and scored together.
func scoresOfRows(left *search.LeftOut) []Score {
	var scores []Score
	for _, n := range numbersOf(left.Metrics, false) {
		if math.IsNaN(n.value) {
			continue
		}
		s := Score{Name: n.name, Greater: n.greater, Mean: n.value, SE: math.NaN(), Constant: math.NaN()}
		if n.name == left.Main {
			s.SE = left.SE
		}
		scores = append(scores, s)
	}
	return scores
}

// number is one score of some predictions.
type number struct {
	name    string
	greater bool
	value   float64
}

// numbersOf lists the scores of predictions, the one that people look at first before the others. One that is not
// defined is NaN. The log loss and the Brier score are among them only where they are those of probabilities.
func numbersOf(m pipeline.Metrics, probabilities bool) []number {
	if n := m.Number; n != nil {
		return []number{{"rmse", false, n.RMSE}, {"mae", false, n.MAE}, {"r2", true, n.R2}}
	}
	c := m.Class
	all := []number{
		{"accuracy", true, c.Accuracy}, {"balanced_accuracy", true, c.BalancedAccuracy}, {"f1", true, c.F1},
	}
	defined := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	all = append(all, number{"roc_auc", true, defined(c.ROCAUC)}, number{"pr_auc", true, defined(c.PRAUC)})
	if probabilities {
		all = append(all, number{"log_loss", false, defined(c.LogLoss)}, number{"brier", false, defined(c.Brier)})
	}
	return all
}

// Formula says in words how standard errors were computed.
func (r *Result) Formula() string {
	if r.Folds == nil {
		return "over the rows, as if they were predicted independently of each other"
	}
	return "the root of (1/k + test rows/training rows) times the variance of the k scores (Nadeau and Bengio 2003)"
}

// Beats reports whether the mean of the first score is better than that of a constant; true where this is not known.
// Where classes have weights the balanced accuracy is looked at, since the models give up accuracy for it.
func (r *Result) Beats() bool {
	s := r.Scores[0]
	if k := slices.IndexFunc(r.Scores, func(s Score) bool { return s.Name == "balanced_accuracy" }); k >= 0 &&
		r.Config.ClassWeight != "" {
		s = r.Scores[k]
	}
	switch {
	case math.IsNaN(s.Constant):
		return true
	case s.Greater:
		return s.Mean > s.Constant
	}
	return s.Mean < s.Constant
}
