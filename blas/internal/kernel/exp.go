package kernel

import "math"

// Constants of blas/_asm/exp.go; the two must agree, which tests see.
const (
	log2e  = 1.4426950408889634
	ln2Hi  = 6.93147180369123816490e-01
	ln2Lo  = 1.90821492927058770002e-10
	expMax = 710
	expMin = -746
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
	x = max(min(x, expMax), expMin)
	n := math.RoundToEven(x * log2e)
	r := math.FMA(-n, ln2Lo, math.FMA(-n, ln2Hi, x))
	p := taylor[13]
	for k := 12; k >= 0; k-- {
		p = math.FMA(p, r, taylor[k])
	}
	whole := int(n)
	half := whole >> 1
	return p * power(half) * power(whole-half)
}

// power returns 2ᵏ for k in the range of normal numbers.
func power(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
