package metric

import (
	"cmp"
	"math"
	"slices"

	"rvflplus/blas"
)

// Step is the state of a sweep at a threshold: rows whose value is at least Threshold are taken for the class.
type Step struct {
	Threshold  float64
	True       float64 // rows of the class that are taken for it, by weight
	False      float64 // rows of other classes that are
	newT, newF float64 // of these, rows whose value is the threshold
}

// Sweep is the way of a threshold from the largest value of a class to the smallest. Rows of one value are taken
// together, so that ties do not depend on the order of the rows.
type Sweep struct {
	Steps              []Step // thresholds descend; the last one takes all rows
	Positive, Negative float64
}

// Sweep returns the sweep of the class k < r.Values.Cols against the rest.
func (r Classified) Sweep(k int) Sweep {
	order := make([]int, len(r.Truth))
	for i := range order {
		order[i] = i
	}
	value := func(i int) float64 { return blas.Row(r.Values, i)[k] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(b), value(a)) })
	var s Sweep
	for n, i := range order {
		if n == 0 || value(i) != s.Steps[len(s.Steps)-1].Threshold {
			s.Steps = append(s.Steps, Step{Threshold: value(i)})
		}
		step, w := &s.Steps[len(s.Steps)-1], weightOf(r.Weight, i)
		if r.Truth[i] == k {
			step.newT += w
			s.Positive += w
		} else {
			step.newF += w
			s.Negative += w
		}
		step.True, step.False = s.Positive, s.Negative
	}
	return s
}

// ROCArea is the area under the curve of the true positive rate over the false positive rate: the probability that a
// row of the class has a larger value than another row, ties counted half. It is NaN where one of the two does not
// occur. J. A. Hanley, B. J. McNeil: The meaning and use of the area under a ROC curve, Radiology 143 (1982) 29-36.
func (s Sweep) ROCArea() float64 {
	if s.Positive == 0 || s.Negative == 0 {
		return math.NaN()
	}
	var area float64
	for _, step := range s.Steps {
		area += step.newF * (step.True - step.newT/2)
	}
	return area / (s.Positive * s.Negative)
}

// AveragePrecision is the area under the precision-recall curve as a sum of steps: the precision at each threshold
// times the recall that it adds. It is NaN where no row is of the class.
func (s Sweep) AveragePrecision() float64 {
	if s.Positive == 0 {
		return math.NaN()
	}
	var area float64
	for _, step := range s.Steps {
		area += step.newT * step.True / (step.True + step.False)
	}
	return area / s.Positive
}
