package calibrate

import (
	"cmp"
	"slices"
)

// IsotonicCurve is a monotone curve through points: straight between them, constant before the first and after the
// last.
type IsotonicCurve struct {
	Scores []float64 // increasing, at least one
	Values []float64 // non-decreasing, within [0, 1]
}

// At implements Curve.
func (c IsotonicCurve) At(score float64) float64 {
	i, found := slices.BinarySearch(c.Scores, score)
	switch {
	case found:
		return c.Values[i]
	case i == 0:
		return c.Values[0]
	case i == len(c.Scores):
		return c.Values[i-1]
	}
	left, right := c.Scores[i-1], c.Scores[i]
	share := score/(right-left) - left/(right-left)
	return c.Values[i-1] + min(1, max(0, share))*(c.Values[i]-c.Values[i-1])
}

// Sound reports whether c is a curve as its fields promise.
func (c IsotonicCurve) Sound() bool {
	if len(c.Scores) == 0 || len(c.Scores) != len(c.Values) || !slices.IsSorted(c.Values) {
		return false
	}
	for i := 1; i < len(c.Scores); i++ {
		if !(c.Scores[i] > c.Scores[i-1]) {
			return false
		}
	}
	return c.Values[0] >= 0 && c.Values[len(c.Values)-1] <= 1
}

// FitIsotonic is isotonic regression of the classes on the scores. The classes count as (N₊+1)/(N₊+2) and 1/(N₋+2), as
// in Platt's curve, so that no probability is 0 or 1. Weights may be nil.
func FitIsotonic(scores []float64, positive []bool, weight []float64) IsotonicCurve {
	high, low, _, _ := targets(positive, weight)
	y := make([]float64, len(scores))
	for i, is := range positive {
		y[i] = low
		if is {
			y[i] = high
		}
	}
	return Regress(scores, y, weight)
}

// Regress returns the non-decreasing function of x of least weighted squared error to y, by pooling adjacent
// violators: each pool of rows is kept by its first and last x. Rows of weight 0 are left out, rows of equal x are one
// point. y may lie outside [0, 1] here. At least one row must have a weight > 0.
func Regress(x, y, weight []float64) IsotonicCurve {
	var rows, pools []pool
	for i := range x {
		if w := weightOf(weight, i); w > 0 {
			rows = append(rows, pool{x[i], x[i], y[i], w})
		}
	}
	slices.SortStableFunc(rows, func(p, q pool) int { return cmp.Compare(p.first, q.first) })
	var points []pool // of different x
	for _, row := range rows {
		if n := len(points); n > 0 && points[n-1].first == row.first {
			points[n-1] = points[n-1].merge(row)
		} else {
			points = append(points, row)
		}
	}
	for _, p := range points {
		pools = append(pools, p)
		for n := len(pools); n > 1 && pools[n-2].mean >= pools[n-1].mean; n-- {
			pools[n-2] = pools[n-2].merge(pools[n-1])
			pools = pools[:n-1]
		}
	}
	var c IsotonicCurve
	for _, p := range pools {
		c.Scores, c.Values = append(c.Scores, p.first), append(c.Values, p.mean)
		if p.last > p.first {
			c.Scores, c.Values = append(c.Scores, p.last), append(c.Values, p.mean)
		}
	}
	return c
}

// pool is a run of rows that share one value.
type pool struct{ first, last, mean, weight float64 }

func (p pool) merge(q pool) pool {
	total := p.weight + q.weight
	return pool{p.first, q.last, p.mean + (q.mean-p.mean)*(q.weight/total), total}
}
