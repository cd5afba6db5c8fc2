package svm

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/kernel"
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
	c := with(func(c *Config) { c.C, c.Kernel, c.Probability, c.Seed = 3, kernel.Must("rbf:width=1"), true, 4 })
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
	m, _ := train(t, with(func(c *Config) { c.Probability = true }), p)
	got := mat.NewDense(12, 4, nil)
	m.(*Classifier).Probabilities(got, p.X)
	for _, v := range got.RawMatrix().Data {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("probability %v", v)
		}
	}
}

// Decisions for a fold are those of a machine trained without its rows.
func TestFoldsAreDecidedByTheOthers(t *testing.T) {
	p := spiral(2, 60)
	p.Weight = make([]float64, 60)
	for i := range p.Weight {
		p.Weight[i] = 1 + float64(i%3)
	}
	c := with(func(c *Config) {
		c.C, c.Kernel, c.Tolerance, c.Probability, c.ClassWeight = 3, kernel.Must("rbf:width=1"), 1e-10, true,
			[]float64{2, 1}
	})
	run, err := c.pairwise(p)
	if err != nil {
		t.Fatal(err)
	}
	l := run.holdOut(0)
	for fold := range folds {
		if err := run.decideFold(ctx, l, fold); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[int]bool{}
	for k, i := range l.order {
		row := l.rows[i]
		seen[row] = true
		if k%7 > 0 {
			continue
		}
		rest := p
		rest.Weight = slices.Clone(p.Weight)
		fold := slices.IndexFunc([]int{12, 24, 36, 48, 60}, func(end int) bool { return k < end })
		for _, out := range l.order[12*fold : 12*fold+12] {
			rest.Weight[l.rows[out]] = 0
		}
		m, _ := train(t, with(func(c *Config) {
			c.C, c.Kernel, c.Tolerance, c.ClassWeight = 3, kernel.Must("rbf:width=1"), 1e-10, []float64{2, 1}
		}), rest)
		f := m.(*Classifier).Decisions(p.X).At(row, 0)
		if m.(*Classifier).Parts().Order[0] != run.order[0] {
			f = -f
		}
		if math.Abs(f-l.decision[k]) > 1e-7 {
			t.Errorf("row %d: %v, want %v", row, l.decision[k], f)
		}
		if want := p.Y.At(row, run.order[0]) == 1; l.isPositive[k] != want || l.weights[k] != p.Weight[row] {
			t.Errorf("row %d: positive %v of weight %v", row, l.isPositive[k], l.weights[k])
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d rows decided", len(seen))
	}
}
