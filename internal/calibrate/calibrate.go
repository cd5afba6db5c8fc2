// Package calibrate turns the scores of a classifier into probabilities: Platt
// scaling and isotonic regression. Fit it to scores of rows that the classifier
// was not trained on, such as exact leave-one-out scores.
package calibrate

import (
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
)

// Method names a way from scores to probabilities.
type Method string

const (
	// Platt is a logistic function of the score: two numbers a curve, right when
	// the scores of each class are roughly normal.
	Platt Method = "platt"
	// Isotonic is the best non-decreasing function of the score: for many rows
	// (some hundreds a class), as it has no shape of its own.
	Isotonic Method = "isotonic"
)

// Methods lists the methods.
func Methods() []string { return []string{string(Platt), string(Isotonic)} }

// Validate returns a fault.Usage error for an unknown method.
func (m Method) Validate() error {
	if slices.Contains(Methods(), string(m)) {
		return nil
	}
	return fault.Param("proba", "platt or isotonic", string(m))
}

// Curve is a non-decreasing or non-increasing function from a score to the
// probability of a class.
type Curve interface {
	At(score float64) float64
}

// Classes holds the curves of a classification. Two classes have one curve: the probability of the second class as a
// function of its score minus that of the first; the first class has the rest. With more classes, each has a curve of
// its own score, fitted against all other classes, and the values of a row are divided by their sum; a row in which
// all are 0 gets equal probabilities.
type Classes struct {
	Curves []Curve // 1, or one a class
}

// Fit fits curves to the scores of rows (N × classes, at least two) whose true classes are numbered from 0; weights ≥
// 0 may be nil for 1 each. It panics on other shapes. Cost N·log N a curve.
func Fit(m Method, scores blas.Matrix, truth []int, weight []float64) *Classes {
	if scores.Rows != len(truth) || weight != nil && len(weight) != len(truth) || scores.Cols < 2 {
		panic("calibrate: dimension mismatch")
	}
	c := &Classes{}
	score, positive := make([]float64, scores.Rows), make([]bool, scores.Rows)
	fitClass := func(class int, scoreOf func(row []float64) float64) {
		for i, t := range truth {
			score[i], positive[i] = scoreOf(blas.Row(scores, i)), t == class
		}
		c.Curves = append(c.Curves, fit(m, score, positive, weight))
	}
	if scores.Cols == 2 {
		fitClass(1, func(row []float64) float64 { return row[1] - row[0] })
		return c
	}
	for k := range scores.Cols {
		fitClass(k, func(row []float64) float64 { return row[k] })
	}
	return c
}

func fit(m Method, scores []float64, positive []bool, weight []float64) Curve {
	if m == Isotonic {
		return FitIsotonic(scores, positive, weight)
	}
	return FitSigmoid(scores, positive, weight)
}

// Probabilities returns a probability for each class of each row of scores, which has one column a class.
func (c *Classes) Probabilities(scores blas.Matrix) blas.Matrix {
	if scores.Cols != max(2, len(c.Curves)) {
		panic("calibrate: dimension mismatch")
	}
	all := blas.New(scores.Rows, scores.Cols)
	for i := range all.Rows {
		p, scores := blas.Row(all, i), blas.Row(scores, i)
		if len(c.Curves) == 1 {
			p[1] = c.Curves[0].At(scores[1] - scores[0])
			p[0] = 1 - p[1]
			continue
		}
		var sum float64
		for k, s := range scores {
			p[k] = c.Curves[k].At(s)
			sum += p[k]
		}
		for k := range p {
			if sum > 0 {
				p[k] /= sum
			} else {
				p[k] = 1 / float64(len(p))
			}
		}
	}
	return all
}

// targets returns the values that positive and negative rows have instead of 1 and 0: (N₊+1)/(N₊+2) and 1/(N₋+2),
// Platt's guard against probabilities of 0 and 1, which a finite sample cannot support. It also returns N₊ and N₋, the
// sums of weights.
func targets(positive []bool, weight []float64) (high, low, np, nn float64) {
	for i, is := range positive {
		if is {
			np += weightOf(weight, i)
		} else {
			nn += weightOf(weight, i)
		}
	}
	return (np + 1) / (np + 2), 1 / (nn + 2), np, nn
}

func weightOf(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}
