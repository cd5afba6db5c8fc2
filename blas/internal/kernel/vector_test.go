package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// withVector runs fn with every Vector and with none.
func withVector(fn func(name string)) {
	best := BestVector
	defer func() { BestVector = best }()
	BestVector = nil
	fn("portable")
	for _, v := range vectors() {
		BestVector = &v
		fn(v.Name)
	}
}

func TestAxpyGapsAndDotAreTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for n := range 101 {
		x, y := random(r, n), guarded(n)
		copy(y[16:], random(r, n))
		sum, dot := slices.Clone(y), dotByDefinition(x, y[16:])
		for i, v := range x {
			sum[16+i] = math.FMA(0.75, v, sum[16+i])
		}
		distances := slices.Clone(y)
		for i, v := range x {
			distances[16+i] += math.Abs(0.25 - v)
		}
		withVector(func(name string) {
			d := slices.Clone(y)
			Gaps(0.25, x, d[16:16+n])
			same(t, d, distances, "%s gaps, n=%d", name, n)
			got := slices.Clone(y)
			Axpy(0.75, x, got[16:16+n])
			same(t, got, sum, "%s axpy, n=%d", name, n)
			if d := Dot(x, y[16:16+n]); math.Float64bits(d) != math.Float64bits(dot) {
				t.Errorf("%s dot, n=%d: %v, want %v", name, n, d, dot)
			}
		})
	}
}

func dotByDefinition(x, y []float64) float64 {
	var s [32]float64
	for i, v := range x {
		s[i%32] = math.FMA(v, y[i], s[i%32])
	}
	for half := 16; half > 0; half /= 2 {
		for i := range half {
			s[i] += s[i+half]
		}
	}
	return s[0]
}
