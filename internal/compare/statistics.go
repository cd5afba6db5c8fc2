package compare

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a mean with its 95 % confidence interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	P    float64 `json:"p"` // of the two-sided test that the mean is 0
}

// CorrectedInterval returns the interval of Nadeau and Bengio's corrected resampled t-test (Machine Learning 52, 2003,
// doi:10.1023/A:1024068626366). The differences were measured on at least two random splits into train and test rows.
// The splits overlap, so the variance of the mean is (1/k + test/train)·s² instead of s²/k. When all differences are
// equal the interval has no width, and P is 1 for 0, else 0.
func CorrectedInterval(differences []float64, train, test int) Interval {
	k := float64(len(differences))
	mean, sd := stat.MeanStdDev(differences, nil)
	if slices.Max(differences) == slices.Min(differences) {
		mean, sd = differences[0], 0
	}
	scale := sd * math.Sqrt(1/k+float64(test)/float64(train))
	if scale == 0 {
		p := 0.0
		if mean == 0 {
			p = 1
		}
		return Interval{mean, mean, mean, p}
	}
	t := distuv.StudentsT{Sigma: 1, Nu: k - 1}
	half := scale * t.Quantile(0.975)
	return Interval{mean, mean - half, mean + half, 2 * t.Survival(math.Abs(mean)/scale)}
}

// standardError returns the standard error of the mean of an interval from so many splits.
func (v Interval) standardError(splits int) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(splits - 1)}
	return (v.High - v.Mean) / t.Quantile(0.975)
}

// greater returns the p-value of the one-sided test that the mean is greater than 0.
func (v Interval) greater() float64 {
	if v.Mean > 0 {
		return v.P / 2
	}
	return 1 - v.P/2
}

// Holm returns the p-values adjusted for several tests, in the order of p, and the factor of each. Rejecting where the
// adjusted p-value is at most α keeps the probability of any false rejection below α. A test of greater weight has a
// greater share of α. With equal weights the smallest of n p-values is multiplied by n, the next by n - 1; an adjusted
// p-value is never below the one before (Holm, Scandinavian Journal of Statistics 6, 1979; section 3 has the weights).
func Holm(p, weight []float64) (adjusted, factor []float64) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i]/weight[i], p[j]/weight[j]) })
	left, least := floats.Sum(weight), 0.0
	adjusted, factor = make([]float64, len(p)), make([]float64, len(p))
	for _, i := range order {
		factor[i] = left / weight[i]
		least = max(least, min(1, factor[i]*p[i]))
		adjusted[i] = least
		left -= weight[i]
	}
	return adjusted, factor
}

// permutationP returns the p-value (1 + #{null ≥ observed})/(B + 1).
func permutationP(observed float64, null []float64) float64 {
	return float64(1+reached(observed, null)) / float64(len(null)+1)
}

// reached counts the values that are at least as large as the observed one.
func reached(observed float64, null []float64) int {
	n := 0
	for _, v := range null {
		if v >= observed {
			n++
		}
	}
	return n
}

// meanSD returns the mean and the standard deviation, 0 for a single value.
func meanSD(v []float64) (mean, sd float64) {
	if len(v) == 1 {
		return v[0], 0
	}
	return stat.MeanStdDev(v, nil)
}
