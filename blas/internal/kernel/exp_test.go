package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// exact returns exp(x) to some 150 bits.
func exact(x float64) *big.Float {
	const precision, halvings = 200, 40
	r := new(big.Float).SetPrec(precision).SetFloat64(x)
	r.SetMantExp(r, -halvings)
	sum, term := big.NewFloat(1).SetPrec(precision), big.NewFloat(1).SetPrec(precision)
	for k := 1; k < 12; k++ {
		term.Mul(term, r).Quo(term, new(big.Float).SetPrec(precision).SetInt64(int64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExpIsWithinOneUlp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	var worst float64
	for range 4000 {
		x := (r.Float64() - 0.5) * math.Pow(10, r.Float64()*5-2)
		x = max(-745, min(709.7, x))
		want := exact(x)
		nearest, _ := want.Float64()
		ulp := math.Nextafter(nearest, math.Inf(1)) - nearest
		diff := new(big.Float).Sub(big.NewFloat(Exp(x)).SetPrec(200), want)
		d, _ := diff.Float64()
		worst = math.Max(worst, math.Abs(d)/ulp)
	}
	t.Logf("largest error %.3f ulp", worst)
	if !(worst < 1) {
		t.Errorf("largest error %.3f ulp, documented is below 1", worst)
	}
}

var edges = []float64{
	0, math.Copysign(0, -1), 1, -1, 709.7, 709.782712893384, 709.7827128933841, 710, 1e4, 1e308, math.Inf(1),
	-708.3964185322641, -708.4, -720, -740, -745.13, -745.1332191019411, -745.1332191019412, -746, -1e308,
	math.Inf(-1), math.NaN(),
	1e-300, -1e-300, 5e-324, 0.34657359027997264, -0.34657359027997264,
}

func TestExpAtTheEdges(t *testing.T) {
	for x, want := range map[float64]float64{
		math.Inf(1): math.Inf(1), math.Inf(-1): 0, 1e308: math.Inf(1), -1e308: 0, 1e4: math.Inf(1), -1e4: 0, 0: 1,
		math.Copysign(0, -1): 1,
		709.7827128933841:    math.Inf(1), -745.1332191019412: 0, -746: 0,
	} {
		if got := Exp(x); got != want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Error("exp(NaN) is not NaN")
	}
	for _, x := range edges {
		if math.IsNaN(x) || x > 709.782712893384 || x < -745.1332191019411 {
			continue
		}
		want, _ := exact(x).Float64()
		if got := Exp(x); !(math.Abs(got-want) <= 0x1p-52*want+5e-324) {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
}

// exactTanh returns tanh(x) to some 100 bits.
func exactTanh(x float64) *big.Float {
	e, one := exact(2*x), big.NewFloat(1).SetPrec(200)
	above, below := new(big.Float).Sub(e, one), new(big.Float).Add(e, one)
	return above.Quo(above, below)
}

func TestTanhIsWithinThreeUlp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 10))
	var worst float64
	for range 4000 {
		x := (r.Float64() - 0.5) * math.Pow(10, r.Float64()*9-7)
		x = max(-30, min(30, x))
		want := exactTanh(x)
		nearest, _ := want.Float64()
		ulp := math.Nextafter(math.Abs(nearest), math.Inf(1)) - math.Abs(nearest)
		diff := new(big.Float).Sub(big.NewFloat(Tanh(x)).SetPrec(200), want)
		d, _ := diff.Float64()
		worst = math.Max(worst, math.Abs(d)/ulp)
	}
	t.Logf("largest error %.3f ulp", worst)
	if !(worst < 3) {
		t.Errorf("largest error %.3f ulp, documented is below 3", worst)
	}
}

func TestTanhAtTheEdges(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	for _, c := range [][2]float64{{0, 0}, {negativeZero, negativeZero}, {math.Inf(1), 1}, {math.Inf(-1), -1},
		{1e308, 1}, {-25, -1}, {5e-324, 5e-324}, {1e-300, 1e-300}} {
		if got := Tanh(c[0]); math.Float64bits(got) != math.Float64bits(c[1]) {
			t.Errorf("tanh(%v) = %v, want %v", c[0], got, c[1])
		}
	}
	if !math.IsNaN(Tanh(math.NaN())) {
		t.Error("tanh(NaN) is not NaN")
	}
}

// TestVectorsHaveTheSameBits compares every Vector with the portable functions, at
// the edges too, with guard words behind.
func TestVectorsHaveTheSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	values := append([]float64{}, edges...)
	for range 500 {
		values = append(values, (r.Float64()-0.5)*math.Pow(10, r.Float64()*6-2))
	}
	norms := random(r, len(values))
	for i := range norms {
		if i%3 == 0 {
			norms[i] *= 1.7e308 // sums overflow
		}
	}
	for _, v := range vectors() {
		for name, f := range map[string]struct {
			run  func(x *float64, n int)
			want func(x, norm float64) float64
		}{
			"exp": {func(x *float64, n int) { v.Exp(x, n, 1) }, func(x, _ float64) float64 { return Exp(x) }},
			"scaled exp": {func(x *float64, n int) { v.Exp(x, n, -0.3) },
				func(x, _ float64) float64 { return Exp(x * -0.3) }},
			"sigmoid": {v.Sigmoid, func(x, _ float64) float64 { return 1 / (1 + Exp(0-x)) }},
			"tanh":    {v.Tanh, func(x, _ float64) float64 { return Tanh(x) }},
			"rbf": {
				func(x *float64, n int) { v.RBF(x, &norms[0], n, 1.5, -0.7) },
				func(x, norm float64) float64 { return RBF(x, 1.5, norm, -0.7) },
			},
		} {
			for n := range 20 {
				checkSlice(t, v.Name+" "+name, values[:n], norms, f.run, f.want)
			}
			checkSlice(t, v.Name+" "+name, values, norms, f.run, f.want)
		}
	}
}

// checkSlice compares what run makes of values with want, and looks at the word behind.
func checkSlice(
	t *testing.T, name string, values, norms []float64, run func(x *float64, n int), want func(x, norm float64) float64,
) {
	t.Helper()
	n := len(values)
	x := append(slices.Clone(values), guard)
	run(&x[0], n)
	for i, value := range values {
		if want := want(value, norms[i]); math.Float64bits(x[i]) != math.Float64bits(want) &&
			!(math.IsNaN(want) && math.IsNaN(x[i])) {
			t.Errorf("%s(%v), %d of %d, is %v, want %v", name, value, i, n, x[i], want)
		}
	}
	if x[n] != guard {
		t.Errorf("%s of %d numbers wrote past the end", name, n)
	}
}
