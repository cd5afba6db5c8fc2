package noise

import (
	"errors"
	"math"
	"slices"
	"testing"

	"rvflplus/fault"
)

const draws = 400000

func sample(w White, name string) []float64 {
	v := make([]float64, draws)
	w.AddTo(v, v, name)
	return v
}

func mean(v []float64, f func(float64) float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += f(x)
	}
	return sum / float64(len(v))
}

// The mean of x² over n draws has standard deviation √(2/n) times the power, that
// of x has √(power/n): five of them are allowed.
func TestPower(t *testing.T) {
	for dbw, want := range map[float64]float64{-20: 0.01, 0: 1, 3: 1.9952623149688795, 10: 10, 40: 1e4} {
		w := White{DBW: dbw, Seed: 1}
		if got := w.Power(); math.Abs(got/want-1) > 1e-14 {
			t.Errorf("%v dBW is %v W, want %v", dbw, got, want)
		}
		v := sample(w, "x")
		if got := mean(v, func(x float64) float64 { return x * x }); math.Abs(got/want-1) > 5*math.Sqrt(2.0/draws) {
			t.Errorf("%v dBW: mean square %v, want %v", dbw, got, want)
		}
		if got := mean(v, func(x float64) float64 { return x }); math.Abs(got) > 5*math.Sqrt(want/draws) {
			t.Errorf("%v dBW: mean %v", dbw, got)
		}
	}
}

// Kolmogorov and Smirnov: √n times the largest distance between the distributions
// is above 1.95 once in a thousand samples of normal draws.
func TestNormal(t *testing.T) {
	v := sample(White{DBW: 10, Seed: 2}, "x")
	slices.Sort(v)
	worst := 0.0
	for i, x := range v {
		cdf := math.Erfc(-x/math.Sqrt(10)/math.Sqrt2) / 2
		worst = max(worst, math.Abs(cdf-float64(i)/draws), math.Abs(cdf-float64(i+1)/draws))
	}
	if worst *= math.Sqrt(draws); worst > 1.95 {
		t.Errorf("the distance to the normal distribution is %v", worst)
	}
}

// White: neither neighbours nor columns are correlated.
func TestIndependent(t *testing.T) {
	w := White{Seed: 3}
	a, b := sample(w, "a"), sample(w, "b")
	product := func(x, y []float64) float64 {
		sum := 0.0
		for i := range x {
			sum += x[i] * y[i]
		}
		return sum / math.Sqrt(float64(len(x)))
	}
	for name, got := range map[string]float64{"neighbours": product(a[1:], a[:draws-1]), "columns": product(a, b)} {
		if math.Abs(got) > 5 {
			t.Errorf("%s are correlated: %v standard errors", name, got)
		}
	}
}

func TestSameSeedSameNoise(t *testing.T) {
	w := White{DBW: 10, Seed: 4}
	if !slices.Equal(sample(w, "x"), sample(w, "x")) {
		t.Error("the same seed gives other noise")
	}
	for name, other := range map[string][]float64{
		"seed":   sample(White{DBW: 10, Seed: 5}, "x"),
		"stream": sample(w, "y"),
	} {
		if slices.Equal(sample(w, "x"), other) {
			t.Errorf("another %s gives the same noise", name)
		}
	}
	values := []float64{1, math.NaN(), 3}
	noisy := make([]float64, 3)
	w.AddTo(noisy, values, "x")
	plain := sample(w, "x")
	if noisy[0] != 1+plain[0] || !math.IsNaN(noisy[1]) || noisy[2] != 3+plain[2] || values[0] != 1 {
		t.Errorf("%v plus noise %v is %v", values, plain[:3], noisy)
	}
}

func TestValidate(t *testing.T) {
	for _, dbw := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 301, -301} {
		if err := (White{DBW: dbw}).Validate(); !errors.Is(err, fault.Usage) {
			t.Errorf("%v dBW: %v", dbw, err)
		}
	}
	if err := (White{DBW: 300}).Validate(); err != nil {
		t.Error(err)
	}
}
