package lupi

import (
	"context"

	"rvflplus/internal/metric"
	"rvflplus/learn"
)

// RowLosses are the losses of rows, each left out of what predicts it.
type RowLosses struct{ Loss, Weight []float64 }

// TunedLosses returns the losses of the method tuned under the setting that it chooses. Of more than 1,000 rows it is a
// sample; problems that differ in their features alone have the same rows. Cost: a factorisation for each C and width.
func (c Config) TunedLosses(ctx context.Context, p learn.Problem) (RowLosses, error) {
	c.Method = "tuned"
	f, _, err := c.begin(p)
	if err != nil {
		return RowLosses{}, err
	}
	m, err := f.tuned(ctx)
	if err != nil {
		return RowLosses{}, err
	}
	return RowLosses{f.losses(m.out), f.weight}, nil
}

// Mean returns the weighted mean of the losses and its standard error.
func (l RowLosses) Mean() (mean, se float64) { return metric.WeightedMean(l.Loss, l.Weight) }

// Gain returns the mean by which the losses are less than other losses of the same rows, and its standard error.
func (l RowLosses) Gain(other RowLosses) (mean, se float64) {
	less := make([]float64, len(l.Loss))
	for i, v := range other.Loss {
		less[i] = v - l.Loss[i]
	}
	return metric.WeightedMean(less, l.Weight)
}
