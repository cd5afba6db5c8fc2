package compare

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

// The numbers are scipy.stats.t's, with the variance factor 1/5 + 25/75.
func TestCorrectedInterval(t *testing.T) {
	got := CorrectedInterval([]float64{0.1, -0.05, 0.2, 0.15, 0.02}, 75, 25)
	want := Interval{0.084, -0.1190667983949235, 0.2870667983949235, 0.3147745093344374}
	if !near(got.Mean, want.Mean) || !near(got.Low, want.Low) || !near(got.High, want.High) || !near(got.P, want.P) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := CorrectedInterval([]float64{0, 0, 0}, 3, 1); got != (Interval{P: 1}) {
		t.Errorf("no differences: %v", got)
	}
	if got := CorrectedInterval([]float64{2, 2}, 3, 1); got != (Interval{2, 2, 2, 0}) {
		t.Errorf("equal differences: %v", got)
	}
}

// By hand; with equal weights R's p.adjust gives the same.
func TestHolm(t *testing.T) {
	equal := []float64{1, 1, 1, 1}
	got, factors := Holm([]float64{0.01, 0.04, 0.03, 0.005}, equal)
	want, times := []float64{0.03, 0.06, 0.06, 0.02}, []float64{3, 1, 2, 4}
	for i := range want {
		if !near(got[i], want[i]) || !near(factors[i], times[i]) {
			t.Fatalf("%v by %v, want %v by %v", got, factors, want, times)
		}
	}
	if got, _ := Holm([]float64{0.9, 0.8}, equal[:2]); !slices.Equal(got, []float64{1, 1}) {
		t.Errorf("p above 1: %v", got)
	}
	// 0.02 has the share 0.7 of the level, and leaves all of it to the other.
	got, _ = Holm([]float64{0.04, 0.02}, []float64{0.3, 0.7})
	if !near(got[1], 0.02/0.7) || !near(got[0], 0.04) {
		t.Errorf("with weights: %v", got)
	}
	if got, _ := Holm(nil, nil); len(got) != 0 {
		t.Error("no tests")
	}
}

func TestPermutationP(t *testing.T) {
	if p := permutationP(2, []float64{1, 2, 3, 0}); p != 3.0/5 {
		t.Errorf("p = %v", p)
	}
	if p := permutationP(9, []float64{1, 2, 3, 0}); p != 1.0/5 {
		t.Errorf("p = %v", p)
	}
}

func TestPOfALossDoesNotCount(t *testing.T) {
	c := &Comparison{Baseline: "averaged", Permutation: Permutation{Baseline: "krvfl", Tests: []Test{
		{Method: "rvfl+:paper", Statistic: -0.1, Holm: 0.03}, {Method: "krvfl+:paper", Statistic: 0.1, Holm: 0.03},
		{Method: "krvfl+:additive", Statistic: -0.1, Holm: 0.5},
	}}}
	note := c.PNote()
	if !strings.HasPrefix(note, "p of rvfl+:paper does not count:") || !strings.Contains(note, "but krvfl has") {
		t.Error(note)
	}
	c.Permutation.Tests = c.Permutation.Tests[1:]
	if note := c.PNote(); note != "" {
		t.Error(note)
	}
}
