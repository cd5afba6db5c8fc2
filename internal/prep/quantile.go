package prep

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// mostKnots bounds the knots of a column under "quantile". Normal scores of a million rows span ten units, so that the
// knots of so many rows are a twentieth apart.
const mostKnots = 200

// fitKnots sets the map of "quantile": straight lines between knots, which are training values with their normal
// scores. Of more than mostKnots distinct values those are kept whose scores are nearest to evenly spaced ones, first
// and last among them.
func (c *Column) fitKnots(values []float64) {
	distinct, scores := normalScores(values)
	if len(distinct) <= mostKnots {
		c.Knots, c.Scores = distinct, scores
		return
	}
	low, high := scores[0], scores[len(scores)-1]
	for k := range mostKnots {
		i := nearest(scores, low+(high-low)*float64(k)/(mostKnots-1))
		if n := len(c.Knots); n == 0 || distinct[i] > c.Knots[n-1] {
			c.Knots, c.Scores = append(c.Knots, distinct[i]), append(c.Scores, scores[i])
		}
	}
}

// normalScores returns the distinct values, ascending, and their normal scores: Φ⁻¹((r − ½)/N) for the value of rank r
// of N. Equal values share their mean rank.
func normalScores(values []float64) (distinct, scores []float64) {
	sorted := slices.Sorted(slices.Values(values))
	for lo := 0; lo < len(sorted); {
		hi := lo + 1
		for hi < len(sorted) && sorted[hi] == sorted[lo] {
			hi++
		}
		distinct = append(distinct, sorted[lo])
		scores = append(scores, mathext.NormalQuantile(float64(lo+hi)/float64(2*len(sorted))))
		lo = hi
	}
	return distinct, scores
}

// nearest returns the place of the element of a sorted slice that is nearest to v, of two the first.
func nearest(sorted []float64, v float64) int {
	i, _ := slices.BinarySearch(sorted, v)
	if i == len(sorted) || i > 0 && v-sorted[i-1] <= sorted[i]-v {
		i--
	}
	return i
}

// score returns the normal score of x by straight lines between the knots; outside of them it is that of the first or
// the last knot.
func (c *Column) score(x float64) float64 {
	i, is := slices.BinarySearch(c.Knots, x)
	switch {
	case is:
		return c.Scores[i]
	case i == 0:
		return c.Scores[0]
	case i == len(c.Knots):
		return c.Scores[i-1]
	}
	part, whole := x-c.Knots[i-1], c.Knots[i]-c.Knots[i-1]
	if math.IsInf(whole, 0) {
		part, whole = x/2-c.Knots[i-1]/2, c.Knots[i]/2-c.Knots[i-1]/2
	}
	return min(c.Scores[i-1]+part/whole*(c.Scores[i]-c.Scores[i-1]), c.Scores[i])
}
