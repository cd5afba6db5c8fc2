package kernel

import (
	"math"
	"sync"
)

// Vector works on slices.
type Vector struct {
	Name  string
	Lanes int
	// Exp sets x to exp(x·scale) in place, n numbers from x on, a multiple of Lanes;
	// so do Sigmoid, Tanh and RBF, which takes inner products x.
	Exp           func(x *float64, n int, scale float64)
	Sigmoid, Tanh func(x *float64, n int)
	RBF           func(x, norms *float64, n int, norm, scale float64)
	// Axpy adds alpha·x to y, Gaps adds |alpha − x|, n numbers, a multiple of
	// AxpyStep.
	Axpy, Gaps func(y, x *float64, n int, alpha float64)
	// Dot sets Sums partial sums of products of n numbers, a multiple of Sums;
	// product i belongs to sum i mod Sums.
	Dot func(sums, x, y *float64, n int)
}

// What the lengths given to Axpy and Dot are multiples of.
const (
	AxpyStep = 16
	Sums     = 32
)

// BestVector is the fastest Vector of this machine, nil when it has none.
var BestVector = first(vectors())

func first(all []Vector) *Vector {
	if len(all) == 0 {
		return nil
	}
	return &all[0]
}

// Axpy adds alpha·x to y, which has the length of x.
func Axpy(alpha float64, x, y []float64) {
	n := 0
	if v := BestVector; v != nil && len(x) >= AxpyStep {
		n = len(x) / AxpyStep * AxpyStep
		v.Axpy(&y[0], &x[0], n, alpha)
	}
	y = y[:len(x)]
	for i := n; i < len(x); i++ {
		y[i] = math.FMA(alpha, x[i], y[i])
	}
}

// Gaps adds |alpha − xᵢ| to sum, which has the length of x.
func Gaps(alpha float64, x, sum []float64) {
	n := 0
	if v := BestVector; v != nil && len(x) >= AxpyStep {
		n = len(x) / AxpyStep * AxpyStep
		v.Gaps(&sum[0], &x[0], n, alpha)
	}
	sum = sum[:len(x)]
	for i := n; i < len(x); i++ {
		sum[i] += math.Abs(alpha - x[i])
	}
}

// sums keeps the partial sums of Dot, which the call by pointer would allocate.
var sums = sync.Pool{New: func() any { return new([Sums]float64) }}

// Dot returns the sum of the products of x and y, which has the length of x: Sums
// partial sums, added pair by pair.
func Dot(x, y []float64) float64 {
	s := sums.Get().(*[Sums]float64)
	defer sums.Put(s)
	clear(s[:])
	n := 0
	if v := BestVector; v != nil && len(x) >= Sums {
		n = len(x) / Sums * Sums
		v.Dot(&s[0], &x[0], &y[0], n)
	}
	y = y[:len(x)]
	for i := n; i < len(x); i++ {
		s[i%Sums] = math.FMA(x[i], y[i], s[i%Sums])
	}
	for half := Sums / 2; half > 0; half /= 2 {
		for i := range half {
			s[i] += s[i+half]
		}
	}
	return s[0]
}
