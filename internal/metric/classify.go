// Package metric holds the scores that reports, evaluation and tuning show.
package metric

import (
	"maps"
	"math"
	"slices"

	"rvflplus/blas"
)

// Classification holds the scores of predicted classes. All are fractions except
// LogLoss, which is in nats.
type Classification struct {
	Accuracy         float64 `json:"accuracy"`
	BalancedAccuracy float64 `json:"balanced_accuracy"` // mean recall over the classes that occur
	F1               float64 `json:"f1"`                // macro: mean over classes that occur or are predicted
	LogLoss          float64 `json:"log_loss"`          // of the softmax of the scores
}

// Classify compares true and predicted classes, numbered from 0. scores has one column for each class of the model; a
// true class ≥ scores.Cols is one that the model does not know. Without rows the result is zero.
func Classify(truth, predicted []int, scores blas.Matrix) Classification {
	if len(truth) != len(predicted) || len(truth) != scores.Rows {
		panic("metric: length mismatch")
	}
	if len(truth) == 0 {
		return Classification{}
	}
	// How often every class is true, predicted, and both.
	type count struct{ truth, predicted, both float64 }
	counts := map[int]*count{}
	of := func(class int) *count {
		if counts[class] == nil {
			counts[class] = new(count)
		}
		return counts[class]
	}
	for i, k := range truth {
		of(k).truth++
		of(predicted[i]).predicted++
		if k == predicted[i] {
			of(k).both++
		}
	}
	var both float64
	var recalls, f1 []float64
	for _, k := range slices.Sorted(maps.Keys(counts)) { // sums have one order
		c := counts[k]
		both += c.both
		if c.truth > 0 {
			recalls = append(recalls, c.both/c.truth)
		}
		f1 = append(f1, 2*c.both/(c.truth+c.predicted))
	}
	return Classification{
		Accuracy:         both / float64(len(truth)),
		BalancedAccuracy: mean(recalls),
		F1:               mean(f1),
		LogLoss:          SoftmaxLogLoss(truth, scores),
	}
}

func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// SoftmaxLogLoss is the mean of −ln p(true class) under the softmax of each row of scores. p counts as at least 2⁻⁵²,
// which is also the p of a class that the model does not know. The scores are not calibrated: use it to compare, not
// as a statement of probability.
func SoftmaxLogLoss(truth []int, scores blas.Matrix) float64 {
	return logLoss(truth, scores, func(scores []float64, k int) float64 {
		var total float64
		for _, s := range scores {
			total += math.Exp(s - scores[k])
		}
		return 1 / total
	})
}

// LogLoss is the mean of −ln p(true class) of rows of probabilities, with p bounded as in SoftmaxLogLoss.
func LogLoss(truth []int, probabilities blas.Matrix) float64 {
	return logLoss(truth, probabilities, func(p []float64, k int) float64 { return p[k] })
}

func logLoss(truth []int, rows blas.Matrix, at func(row []float64, k int) float64) float64 {
	var sum float64
	for i, k := range truth {
		p := 0.0
		if k < rows.Cols {
			p = at(blas.Row(rows, i), k)
		}
		sum -= math.Log(max(p, 0x1p-52))
	}
	return sum / float64(len(truth))
}
