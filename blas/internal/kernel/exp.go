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

// taylor[k] is 1/k!.
var taylor = func() (t [14]float64) {
	factorial := 1.0
	for k := range t {
		if k > 0 {
			factorial *= float64(k)
		}
		t[k] = 1 / factorial
	}
	return t
}()

// Exp returns exp(x) with the same operations, and so the same bits, as every
// Vector.
func Exp(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	n, r := reduce(max(min(x, expMax), expMin))
	half := n >> 1
	return taylorSum(r, 0) * power(half) * power(n-half)
}

// Tanh returns tanh(x) likewise: e/(e+2) with e = exp(2|x|) − 1.
func Tanh(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	y := min(math.Abs(x), tanhMax)
	n, r := reduce(y + y)
	p := power(n)
	e := math.FMA(math.FMA(r*r, taylorSum(r, 2), r), p, p-1)
	return math.Copysign(e/(e+2), x)
}

// RBF returns exp(scale·d) for the squared distance d that an inner product and the
// sum of two squared norms give.
func RBF(dot, norms, scale float64) float64 {
	return Exp(max(0, norms-2*dot) * scale)
}

// reduce splits x into n·ln 2 + r with n whole.
func reduce(x float64) (n int, r float64) {
	whole := math.RoundToEven(x * log2e)
	return int(whole), math.FMA(-whole, ln2Lo, math.FMA(-whole, ln2Hi, x))
}

// taylorSum returns the sum of r^(k-from)/k! over k ≥ from.
func taylorSum(r float64, from int) float64 {
	p := taylor[13]
	for k := 12; k >= from; k-- {
		p = math.FMA(p, r, taylor[k])
	}
	return p
}

// power returns 2ᵏ for k in the range of normal numbers.
func power(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
