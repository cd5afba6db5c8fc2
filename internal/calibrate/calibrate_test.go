package calibrate

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"rvflplus/blas"
	"rvflplus/fault"
)

// reference is what testdata/generate.py wrote.
type reference struct {
	Scores   []float64 `json:"scores"`
	Positive []bool    `json:"positive"`
	Weight   []float64 `json:"weight"`
	Platt    []float64 `json:"platt"`
	Sklearn  []float64 `json:"sklearn"`
	At       []float64 `json:"at"`
	Isotonic []float64 `json:"isotonic"`
}

func references(t *testing.T) []reference {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	var all []reference
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	return all
}

func compare(t *testing.T, what string, c Curve, at, want []float64, tolerance float64) {
	t.Helper()
	for i, x := range at {
		if got := c.At(x); !(math.Abs(got-want[i]) <= tolerance) {
			t.Errorf("%s at %g: %.12g, want %.12g", what, x, got, want[i])
			return
		}
	}
}

func TestAgainstSciPyAndScikitLearn(t *testing.T) {
	for _, r := range references(t) {
		s := FitSigmoid(r.Scores, r.Positive, r.Weight)
		compare(t, "Platt", s, r.Scores, r.Platt, 1e-6) // Nelder and Mead's accuracy
		if r.Sklearn != nil {
			compare(t, "Platt by scikit-learn", s, r.Scores, r.Sklearn, 1e-4)
		}
		compare(t, "isotonic", FitIsotonic(r.Scores, r.Positive, r.Weight), r.At, r.Isotonic, 1e-12)
	}
}

// The gradient of the cross-entropy is zero: predictions add up to the targets.
func TestSigmoidIsStationary(t *testing.T) {
	for _, r := range references(t) {
		s := FitSigmoid(r.Scores, r.Positive, r.Weight)
		high, low, np, nn := targets(r.Positive, r.Weight)
		centre, spread := moments(r.Scores, r.Weight)
		var ga, gb float64
		for i, x := range r.Scores {
			d := r.Weight[i] * (low - s.At(x))
			if r.Positive[i] {
				d = r.Weight[i] * (high - s.At(x))
			}
			ga, gb = ga+d*(x-centre)/spread, gb+d
		}
		if math.Abs(ga)+math.Abs(gb) > 1e-9*(np+nn) {
			t.Errorf("gradient %g, %g", ga, gb)
		}
	}
}

func TestWeightsAreCopies(t *testing.T) {
	r := references(t)[3]
	var s []float64
	var p []bool
	for i, w := range r.Weight {
		for range int(w) {
			s, p = append(s, r.Scores[i]), append(p, r.Positive[i])
		}
	}
	for _, m := range []Method{Platt, Isotonic} {
		weighted, copied := fit(m, r.Scores, r.Positive, r.Weight), fit(m, s, p, nil)
		for _, x := range r.At {
			if a, b := weighted.At(x), copied.At(x); math.Abs(a-b) > 1e-10 {
				t.Errorf("%s at %g: %g with weights, %g with copies", m, x, a, b)
			}
		}
	}
}

// Isotonic regression is the least squares fit: no monotone change improves it.
func TestRegressIsMonotoneAndOptimal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		n := 1 + r.IntN(30)
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64(r.IntN(10)), r.NormFloat64()
		}
		s := Regress(x, y, nil)
		if !slices.IsSorted(s.Values) || !slices.IsSorted(s.Scores) {
			t.Fatalf("not monotone: %v", s)
		}
		square := func(f func(float64) float64) float64 {
			var sum float64
			for i := range n {
				d := y[i] - f(x[i])
				sum += d * d
			}
			return sum
		}
		best := square(s.At)
		for range 20 {
			cut, up := float64(r.IntN(10)), 0.01*r.Float64()
			moved := func(v float64) float64 {
				if v >= cut {
					return s.At(v) + up
				}
				return s.At(v)
			}
			if square(moved) < best-1e-12 {
				t.Fatalf("raising everything from %g improves the fit", cut)
			}
		}
	}
}

func TestHardCases(t *testing.T) {
	for name, c := range map[string]struct {
		scores   []float64
		positive []bool
	}{
		"separable": {[]float64{-2, -1, 1, 2}, []bool{false, false, true, true}},
		"one class": {[]float64{1, 2, 3}, []bool{true, true, true}},
		"constant":  {[]float64{5, 5, 5}, []bool{true, false, true}},
		"huge":      {[]float64{-1e300, 1e300, 2e299}, []bool{false, true, true}},
		"one row":   {[]float64{0}, []bool{false}},
		"reversed":  {[]float64{2, 1, -1, -2}, []bool{false, false, true, true}},
	} {
		for _, m := range []Method{Platt, Isotonic} {
			f := fit(m, c.scores, c.positive, nil)
			for _, x := range append([]float64{0, -1e301, 1e301}, c.scores...) {
				if p := f.At(x); !(p >= 0 && p <= 1) {
					t.Errorf("%s %s: probability %v at %g", name, m, p, x)
				}
			}
		}
	}
}

func TestProbabilitiesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, classes := range []int{2, 4} {
		scores, truth := blas.New(80, classes), make([]int, 80)
		for i := range truth {
			truth[i] = r.IntN(classes)
			for k := range classes {
				scores.Data[i*classes+k] = r.NormFloat64()
			}
			scores.Data[i*classes+truth[i]] += 2
		}
		for _, m := range []Method{Platt, Isotonic} {
			p := Fit(m, scores, truth, nil).Probabilities(scores)
			right := 0.0
			for i := range truth {
				var sum float64
				for _, v := range blas.Row(p, i) {
					sum += v
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("%s: row %d adds up to %v", m, i, sum)
				}
				right += p.Data[i*classes+truth[i]] / 80
			}
			if right < 0.5 {
				t.Errorf("%s, %d classes: the true class gets %.2f", m, classes, right)
			}
		}
	}
	zero := IsotonicCurve{[]float64{0}, []float64{0}}
	flat := Classes{[]Curve{zero, zero, zero}}
	if p := flat.Probabilities(blas.New(1, 3)); p.Data[0] != 1.0/3 {
		t.Errorf("no class likely: %v", p.Data)
	}
}

func TestUnknownMethod(t *testing.T) {
	if err := Method("beta").Validate(); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
	unsorted, above := IsotonicCurve{[]float64{1, 0}, []float64{0, 1}}, IsotonicCurve{[]float64{0}, []float64{2}}
	if unsorted.Sound() || (IsotonicCurve{}).Sound() || above.Sound() {
		t.Error("curves that are none are called sound")
	}
}
