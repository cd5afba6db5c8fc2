package kernel

import (
	"math/rand/v2"
	"slices"

	"rvflplus/blas"
)

// maxWidthRows bounds the rows whose pairs medianDistance looks at.
const maxWidthRows = 1000

// medianDistance is the automatic width; Spec.Resolve says how it is defined.
func medianDistance(x blas.Matrix, distance func(x, y []float64) float64, seed uint64) float64 {
	rows := sample(x.Rows, seed)
	var all []float64
	for i, a := range rows {
		for _, b := range rows[:i] {
			if d := distance(blas.Row(x, a), blas.Row(x, b)); d > 0 {
				all = append(all, d)
			}
		}
	}
	return median(all)
}

// sample returns the numbers below n, or maxWidthRows of them drawn by seed.
func sample(n int, seed uint64) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	if n <= maxWidthRows {
		return rows
	}
	r := rand.New(rand.NewPCG(seed, 0x7769647468)) // "width"
	r.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	rows = rows[:maxWidthRows]
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
