package svm

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
)

// From consistent pairs, r_pq = π_p/(π_p+π_q), coupling finds π.
func TestCouplingFindsConsistentProbabilities(t *testing.T) {
	want := []float64{0.1, 0.6, 0.25, 0.05}
	r := blas.New(4, 4)
	for p := range 4 {
		for q := range 4 {
			r.Data[p*4+q] = want[p] / (want[p] + want[q])
		}
	}
	for i, v := range couple(r) {
		if math.Abs(v-want[i]) > 0.002 {
			t.Errorf("class %d: %v, want %v", i, v, want[i])
		}
	}
}

func TestProbabilities(t *testing.T) {
	p := spiral(3, 150)
	c := Config{C: 3, Kernel: "rbf:width=1", Probability: true, Seed: 4}
	m, _ := train(t, c, p)
	got, again := mat.NewDense(150, 3, nil), mat.NewDense(150, 3, nil)
	m.(*Classifier).Probabilities(got, p.X)
	same, _ := train(t, c, p)
	same.(*Classifier).Probabilities(again, p.X)
	var loss float64
	for i := range 150 {
		var sum float64
		for j := range 3 {
			v := got.At(i, j)
			sum += v
			if !(v >= 0 && v <= 1) || v != again.At(i, j) {
				t.Fatalf("row %d: %v, again %v", i, got.RawRowView(i), again.RawRowView(i))
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("row %d sums to %v", i, sum)
		}
		loss -= math.Log(got.At(i, (i*7)%3)) / 150
	}
	if loss > 0.9*math.Log(3) {
		t.Errorf("log loss %v, that of guessing is %v", loss, math.Log(3))
	}
}

// Folds without one of the classes, and a class without rows at all.
func TestProbabilitiesOfRareClasses(t *testing.T) {
	p := spiral(3, 12)
	p.Y = mat.NewDense(12, 4, nil)
	for i := range 12 {
		p.Y.Set(i, min(1, i%11), 1)
	}
	m, _ := train(t, Config{Probability: true}, p)
	got := mat.NewDense(12, 4, nil)
	m.(*Classifier).Probabilities(got, p.X)
	for _, v := range got.RawMatrix().Data {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("probability %v", v)
		}
	}
}
