package kernel

import "math"

// Constants of blas/_asm/exp.go; the two must agree, which tests see.
const (
	log2e  = 1.4426950408889634
	ln2Hi  = 6.93147180369123816490e-01
	ln2Lo  = 1.90821492927058770002e-10
	expMax = 710
	expMin = -746

	tanhMax = 20
)

// series holds the coefficients of exp on |r| ≤ ln 2/2.
var series = [12]float64{
	1, 1,
	0.5000000000000001, 0.16666666666666669, 0.04166666666662413,
	0.008333333333330062, 0.0013888888917213717, 0.00019841269863053618,
	2.4801521295954376e-05, 2.7557268459997064e-06, 2.7620088445409746e-07,
	2.510038549551032e-08,
}

// Exp returns exp(x) with the same operations, and so the same bits, as every
// Vector.
func Exp(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	n, r := reduce(max(min(x, expMax), expMin))
	half := n >> 1
	return seriesFrom(r, 0) * power(half) * power(n-half)
}

// Tanh returns tanh(x) likewise: e/(e+2) with e = exp(2|x|) − 1.
func Tanh(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	y := min(math.Abs(x), tanhMax)
	n, r := reduce(y + y)
	p := power(n)
	e := math.FMA(math.FMA(r*r, seriesFrom(r, 2), r), p, p-1)
	return math.Copysign(e/(e+2), x)
}

// RBF returns exp(scale·d) for the squared distance d that an inner product and two
// squared norms give. The halves of d are formed first, so that norms near the
// largest number do not overflow where rows are equal.
func RBF(dot, x, y, scale float64) float64 {
	return Exp(max(0, (x-dot)+(y-dot)) * scale)
}

// reduce splits x into n·ln 2 + r with n whole.
func reduce(x float64) (n int, r float64) {
	whole := math.RoundToEven(x * log2e)
	return int(whole), math.FMA(-whole, ln2Lo, math.FMA(-whole, ln2Hi, x))
}

// seriesFrom returns the sum of the series' terms from on, over r^from.
func seriesFrom(r float64, from int) float64 {
	p := series[len(series)-1]
	for k := len(series) - 2; k >= from; k-- {
		p = math.FMA(p, r, series[k])
	}
	return p
}

// power returns 2ᵏ for k in the range of normal numbers.
func power(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
