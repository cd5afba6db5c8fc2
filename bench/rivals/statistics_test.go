package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The critical values q of Demšar's table 5a, α = 0.05.
func TestNemenyi(t *testing.T) {
	for i, want := range []float64{1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164} {
		near(t, "q", studentizedRange(0.95, i+2)/math.Sqrt2, want, 0.0011)
	}
	near(t, "his critical difference of 4 methods on 14 data sets", nemenyi(4, 14), 1.25, 0.005)
}

// Demšar's example, section 3.2.3: four methods on 14 data sets.
func TestFriedman(t *testing.T) {
	f, p := friedman([]float64{3.143, 2.000, 2.893, 1.964}, 14)
	near(t, "F", f, 3.69, 0.02)
	near(t, "p", p, 0.02, 0.001)
}

func TestRanks(t *testing.T) {
	for _, c := range []struct{ losses, want []float64 }{
		{[]float64{0.3, 0.1, 0.2}, []float64{3, 1, 2}},
		{[]float64{0.1, 0.1 + 1e-12, 0.2, 0.05}, []float64{2.5, 2.5, 4, 1}},
		{[]float64{0, 0, 0}, []float64{2, 2, 2}},
	} {
		if got := ranksOf(c.losses); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.losses, got, c.want)
		}
	}
}

// One split has the standard error of a paired mean. Of splits on the same rows with the same losses it is no smaller:
// they tell nothing new. Of splits on other rows with other means it has the variance between them.
func TestPairedError(t *testing.T) {
	a, b, rows := []float64{1, 0, 1, 1}, []float64{0, 0, 0, 1}, []int{3, 5, 7, 9}
	one := paired([][]float64{a}, [][]float64{b}, [][]int{rows})
	near(t, "mean", one.mean, 0.5, 1e-15)
	near(t, "error", one.se, 0.25, 1e-15) // sqrt(4 · 0.5²)/4
	twice := paired([][]float64{a, a}, [][]float64{b, b}, [][]int{rows, rows})
	near(t, "the same split twice", twice.se, one.se, 1e-15)
	other := []int{13, 15, 17, 19}
	apart := paired([][]float64{{1, 1, 1, 1}, b}, [][]float64{{0, 0, 0, 0}, b}, [][]int{rows, other})
	near(t, "mean of both", apart.mean, 0.5, 1e-15)
	near(t, "splits that disagree", apart.se, math.Sqrt(2*2*0.25*0.25), 1e-15) // 2/(2-1)·Σ 0.25²; rows add nothing
}

// The error is that of the mean over new tables and new trained models: 95 of 100 means lie within about two of it,
// also where the model of every split has an effect on all its test rows.
func TestPairedErrorCoversTheMean(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	covered, trials := 0, 1000
	for range trials {
		const splits, n = 5, 60
		effect := make([]float64, n) // of a row, in every split that tests it
		for i := range effect {
			effect[i] = r.NormFloat64()
		}
		a, b, rows := make([][]float64, splits), make([][]float64, splits), make([][]int, splits)
		for s := range a {
			model := 0.1 * r.NormFloat64()
			rows[s] = r.Perm(n)[:20]
			for _, row := range rows[s] {
				a[s], b[s] = append(a[s], effect[row]+model+0.3*r.NormFloat64()), append(b[s], 0)
			}
		}
		if d := paired(a, b, rows); math.Abs(d.mean) <= 2*d.se {
			covered++
		}
	}
	if share := float64(covered) / float64(trials); share < 0.9 || share > 0.98 {
		t.Errorf("%v of the means lie within two standard errors", share)
	}
}

func TestMedian(t *testing.T) {
	near(t, "odd", median([]float64{5, 1, 3}), 3, 0)
	near(t, "even", median([]float64{5, 1, 3, 4}), 3.5, 0)
}
