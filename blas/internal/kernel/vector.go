package kernel

import "math"

// Vector works on n numbers from its pointers on.
type Vector struct {
	Name string
	// Exp sets x to exp(x·scale) in place; so do Sigmoid, Tanh and RBF, which takes inner products x.
	Exp           func(x *float64, n int, scale float64)
	Sigmoid, Tanh func(x *float64, n int)
	RBF           func(x, norms *float64, n int, norm, scale float64)
	// Axpy adds alpha·x to y, Gaps adds |alpha − x|.
	Axpy, Gaps func(y, x *float64, n int, alpha float64)
	// Dot returns the sum of the products: 32 partial sums, where product i belongs to sum i mod 32, added by halves.
	Dot func(x, y *float64, n int) float64
}

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
	y = y[:len(x)]
	if v := BestVector; v != nil && len(x) > 0 {
		v.Axpy(&y[0], &x[0], len(x), alpha)
		return
	}
	for i, xi := range x {
		y[i] = math.FMA(alpha, xi, y[i])
	}
}

// Gaps adds |alpha − xᵢ| to sum, which has the length of x.
func Gaps(alpha float64, x, sum []float64) {
	sum = sum[:len(x)]
	if v := BestVector; v != nil && len(x) > 0 {
		v.Gaps(&sum[0], &x[0], len(x), alpha)
		return
	}
	for i, xi := range x {
		sum[i] += math.Abs(alpha - xi)
	}
}

// Dot returns the sum of the products of x and y, which has the length of x: 32 partial
// sums, added by halves.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	if v := BestVector; v != nil && len(x) > 0 {
		return v.Dot(&x[0], &y[0], len(x))
	}
	var s [32]float64
	for i, xi := range x {
		s[i%len(s)] = math.FMA(xi, y[i], s[i%len(s)])
	}
	for half := len(s) / 2; half > 0; half /= 2 {
		for i := range half {
			s[i] += s[i+half]
		}
	}
	return s[0]
}
