package calibrate

import "slices"

// Steps is a monotone curve through points: straight between them, constant
// beyond the first and the last.
type Steps struct {
	Scores []float64 // increasing, at least one
	Values []float64 // non-decreasing, within [0, 1]
}

// At implements Curve.
func (s Steps) At(score float64) float64 {
	i, found := slices.BinarySearch(s.Scores, score)
	switch {
	case found:
		return s.Values[i]
	case i == 0:
		return s.Values[0]
	case i == len(s.Scores):
		return s.Values[i-1]
	}
	left, right := s.Scores[i-1], s.Scores[i]
	share := score/(right-left) - left/(right-left)
	return s.Values[i-1] + min(1, max(0, share))*(s.Values[i]-s.Values[i-1])
}

// Sound reports whether s is a curve as its fields promise.
func (s Steps) Sound() bool {
	if len(s.Scores) == 0 || len(s.Scores) != len(s.Values) || !slices.IsSorted(s.Values) {
		return false
	}
	for i := 1; i < len(s.Scores); i++ {
		if !(s.Scores[i] > s.Scores[i-1]) {
			return false
		}
	}
	return s.Values[0] >= 0 && s.Values[len(s.Values)-1] <= 1
}

// FitSteps is isotonic regression of the classes on the scores, the classes
// counting as (N₊+1)/(N₊+2) and 1/(N₋+2) as in Platt's curve, so that no
// probability is 0 or 1. Weights may be nil.
func FitSteps(scores []float64, positive []bool, weight []float64) Steps {
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

// Regress returns the non-decreasing function of x of least weighted squared
// error to y, by pooling adjacent violators: each pool of rows is kept by its
// first and last x. Rows of weight 0 are left out, equal x are one point. Values
// of y outside [0, 1] are allowed here. At least one row must have a weight > 0.
func Regress(x, y, weight []float64) Steps {
	var pools []pool
	for _, p := range points(x, y, weight) {
		pools = append(pools, p)
		for n := len(pools); n > 1 && pools[n-2].mean >= pools[n-1].mean; n-- {
			pools[n-2] = pools[n-2].merge(pools[n-1])
			pools = pools[:n-1]
		}
	}
	var s Steps
	for _, p := range pools {
		s.Scores, s.Values = append(s.Scores, p.first), append(s.Values, p.mean)
		if p.last > p.first {
			s.Scores, s.Values = append(s.Scores, p.last), append(s.Values, p.mean)
		}
	}
	return s
}

// pool is a run of rows that share one value.
type pool struct{ first, last, mean, weight float64 }

func (p pool) merge(q pool) pool {
	total := p.weight + q.weight
	return pool{p.first, q.last, p.mean + (q.mean-p.mean)*(q.weight/total), total}
}

// points returns the rows in order of x, equal x merged.
func points(x, y, weight []float64) []pool {
	var all []pool
	for i := range x {
		if w := weightOf(weight, i); w > 0 {
			all = append(all, pool{x[i], x[i], y[i], w})
		}
	}
	slices.SortStableFunc(all, func(p, q pool) int {
		switch {
		case p.first < q.first:
			return -1
		case p.first > q.first:
			return 1
		}
		return 0
	})
	var merged []pool
	for _, p := range all {
		if n := len(merged); n > 0 && merged[n-1].first == p.first {
			merged[n-1] = merged[n-1].merge(p)
		} else {
			merged = append(merged, p)
		}
	}
	return merged
}
