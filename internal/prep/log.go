package prep

import (
	"math"
	"slices"
)

const (
	// leastSkewness is the skewness up to which a column stays as it is under "log": Bulmer (1979) calls a
	// distribution of up to so much approximately symmetric.
	leastSkewness = 0.5
	// lessened is the share of its skewness that a column must have lost by its logarithm.
	lessened = 0.01
	// mostSearchedOn bounds the values that the unit is searched on: evenly spaced order statistics.
	mostSearchedOn = 10_000
	// halvings of the interval that the unit is searched in.
	halvings = 24
)

// fitLog sets the map of "log" where the column is skewed: sign(d)·log(1+|d|/s) of d = x − a, the modulus
// transformation of John and Draper (1980) with λ = 0, for distances in the unit s. The origin a is the end of the
// training range at which the cells crowd: the smallest cell of a column skewed to the right, the largest of one skewed
// to the left. All training cells lie on one side of it, where the map is the shifted logarithm of Box and Cox (1964).
// There the skewness falls with s (van Zwet 1964), and s is taken so that it is 0. But s is no less than the distance
// from a to the nearest tenth of the cells off a: a smaller unit would spread these few over most of the range.
func (c *Column) fitLog(values []float64) {
	sorted := slices.Sorted(slices.Values(values))
	if n := len(sorted); n > mostSearchedOn {
		spaced := make([]float64, mostSearchedOn)
		for k := range spaced {
			spaced[k] = sorted[k*(n-1)/(mostSearchedOn-1)]
		}
		sorted = spaced
	}
	before := skewness(sorted)
	if !(math.Abs(before) > leastSkewness) {
		return
	}
	c.Origin = c.Min
	if before < 0 {
		c.Origin = c.Max
	}
	low, high := unitRange(sorted, c.Origin)
	after := func(unit float64) float64 {
		out := make([]float64, len(sorted))
		for i, v := range sorted {
			out[i] = signedLog(v, c.Origin, unit)
		}
		return skewness(out)
	}
	c.Unit = low
	if after(low)*before < 0 {
		for range halvings {
			middle := math.Sqrt(low) * math.Sqrt(high)
			if after(middle)*before < 0 {
				low = middle
			} else {
				high = middle
			}
		}
		c.Unit = high
	}
	if !(math.Abs(after(c.Unit)) < (1-lessened)*math.Abs(before)) {
		c.Origin, c.Unit = 0, 0
	}
}

// unitRange returns the least unit of a logarithm of distances from an origin, and one under which it is as good as
// straight.
func unitRange(sorted []float64, origin float64) (low, high float64) {
	var distances []float64
	for _, v := range sorted {
		if v != origin {
			distances = append(distances, math.Abs(v-origin))
		}
	}
	slices.Sort(distances)
	return distances[len(distances)/10], min(1000*distances[len(distances)-1], math.MaxFloat64)
}

// signedLog returns sign(d)·log(1+|d|/unit) of d = x − origin.
func signedLog(x, origin, unit float64) float64 {
	d := x - origin
	return math.Copysign(math.Log1p(math.Abs(d)/unit), d)
}

// skewness returns the third standardised moment, NaN where the moments over- or underflow.
func skewness(v []float64) float64 {
	mean, sd := moments(v)
	var sum float64
	for _, x := range v {
		d := (x - mean) / sd
		sum += d * d * d / float64(len(v))
	}
	return sum
}
