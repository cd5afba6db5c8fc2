// Package metric holds the scores that reports, evaluation and tuning show.
package metric

import (
	"math"

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

// Classify compares true and predicted classes, numbered from 0. scores has one
// column a class of the model; a true class ≥ scores.Cols is one the model does
// not know. Without rows the result is zero.
func Classify(truth, predicted []int, scores blas.Matrix) Classification {
	if len(truth) != len(predicted) || len(truth) != scores.Rows {
		panic("metric: length mismatch")
	}
	if len(truth) == 0 {
		return Classification{}
	}
	c := confusion(truth, predicted)
	return Classification{
		Accuracy:         c.accuracy(len(truth)),
		BalancedAccuracy: c.meanRecall(),
		F1:               c.macroF1(),
		LogLoss:          SoftmaxLogLoss(truth, scores),
	}
}

// counts holds, for every class, how often it is true, predicted, and both.
type counts map[int]*struct{ truth, predicted, both float64 }

func confusion(truth, predicted []int) counts {
	c := counts{}
	for _, classes := range [][]int{truth, predicted} {
		for _, k := range classes {
			if c[k] == nil {
				c[k] = new(struct{ truth, predicted, both float64 })
			}
		}
	}
	for i, k := range truth {
		c[k].truth++
		c[predicted[i]].predicted++
		if k == predicted[i] {
			c[k].both++
		}
	}
	return c
}

func (c counts) accuracy(rows int) float64 {
	var both float64
	for _, k := range c {
		both += k.both
	}
	return both / float64(rows)
}

func (c counts) meanRecall() float64 {
	var recalls []float64
	for _, k := range c.sorted() {
		if k.truth > 0 {
			recalls = append(recalls, k.both/k.truth)
		}
	}
	return mean(recalls)
}

func (c counts) macroF1() float64 {
	var scores []float64
	for _, k := range c.sorted() {
		scores = append(scores, 2*k.both/(k.truth+k.predicted))
	}
	return mean(scores)
}

// sorted returns the counts in class order, so that sums have one order.
func (c counts) sorted() []*struct{ truth, predicted, both float64 } {
	var all []*struct{ truth, predicted, both float64 }
	for k, seen := 0, 0; seen < len(c); k++ {
		if c[k] != nil {
			all = append(all, c[k])
			seen++
		}
	}
	return all
}

func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// SoftmaxLogLoss is the mean of −ln p(true class) under the softmax of each row
// of scores; p is not let below 2⁻⁵², which is also what a class the model does
// not know gets. The scores are not calibrated: use it to compare, not as a
// probability statement.
func SoftmaxLogLoss(truth []int, scores blas.Matrix) float64 {
	return logLoss(truth, scores, softmaxAt)
}

// LogLoss is the mean of −ln p(true class) of rows of probabilities, p bounded as
// in SoftmaxLogLoss.
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

func softmaxAt(scores []float64, k int) float64 {
	var total float64
	for _, s := range scores {
		total += math.Exp(s - scores[k])
	}
	return 1 / total
}
