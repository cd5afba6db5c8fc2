package kernel

import (
	"math"
	"math/rand/v2"
	"slices"

	"rvflplus/blas"
)

// maxWidthRows bounds the rows whose pairs an automatic width looks at.
const maxWidthRows = 1000

// automaticWidth returns the width of training rows x; Spec.Resolve says how it is defined.
type automaticWidth func(x blas.Matrix, seed uint64) float64

// ofRows is the median over pairs of rows of their distance.
func ofRows(distance func(x, y []float64) float64) automaticWidth {
	return func(x blas.Matrix, seed uint64) float64 {
		var all []float64
		eachSampledPair(x, maxWidthRows, seed, func(a, b []float64) {
			if d := distance(a, b); d > 0 {
				all = append(all, d)
			}
		})
		return median(all)
	}
}

// ofColumns is the median over pairs of rows and features of the distance in one feature. It looks at about as many
// numbers as ofRows, however many features there are.
func ofColumns(distance func(x, y []float64) float64) automaticWidth {
	return func(x blas.Matrix, seed uint64) float64 {
		most := max(fewestWidthRows, int(maxWidthRows/math.Sqrt(float64(x.Cols))))
		var all []float64
		eachSampledPair(x, most, seed, func(a, b []float64) {
			for j := range a {
				if d := distance(a[j:j+1], b[j:j+1]); d > 0 {
					all = append(all, d)
				}
			}
		})
		return median(all)
	}
}

const fewestWidthRows = 10

// eachSampledPair calls fn for all pairs of rows of x, or of most of them drawn by seed.
func eachSampledPair(x blas.Matrix, most int, seed uint64, fn func(a, b []float64)) {
	rows := sample(x.Rows, most, seed)
	for i, a := range rows {
		for _, b := range rows[:i] {
			fn(blas.Row(x, a), blas.Row(x, b))
		}
	}
}

// sample returns the numbers below n, or most of them drawn by seed.
func sample(n, most int, seed uint64) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	if n <= most {
		return rows
	}
	r := rand.New(rand.NewPCG(seed, 0x7769647468)) // "width"
	r.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	rows = rows[:most]
	slices.Sort(rows)
	return rows
}

// median returns the middle value, the mean of the two middle ones when their
// number is even, and 1 for no values.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 1
	}
	slices.Sort(v)
	half := len(v) / 2
	if len(v)%2 == 1 {
		return v[half]
	}
	return v[half-1]/2 + v[half]/2
}
