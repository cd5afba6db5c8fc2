package feature

import (
	"errors"
	"math"
	"slices"
	"testing"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/rng"
	"rvflplus/learn"
)

// sampleOf returns n random rows of 3 features with targets that y makes.
func sampleOf(n int, y func(i int, x []float64) []float64) Sample {
	r := rng.New(3, "test")
	s := Sample{X: blas.New(n, 3)}
	for i := range n {
		row := blas.Row(s.X, i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
		target := y(i, row)
		if i == 0 {
			s.Y = blas.New(n, len(target))
		}
		copy(blas.Row(s.Y, i), target)
	}
	return s
}

// pairOf returns the rows at which a node of scale u is −u and u and whose difference its weights are parallel to.
func pairOf(t *testing.T, s Sample, weight []float64, bias, u float64) (a, b int) {
	t.Helper()
	at := func(x []float64) float64 { return blas.Dot(weight, x) + bias }
	found := false
	for i := range s.X.Rows {
		for j := range s.X.Rows {
			x, y := blas.Row(s.X, i), blas.Row(s.X, j)
			if math.Abs(at(x)+u) > 1e-9 || math.Abs(at(y)-u) > 1e-9 {
				continue
			}
			var square float64
			for k := range x {
				square += (y[k] - x[k]) * (y[k] - x[k])
			}
			parallel := true
			for k := range x {
				parallel = parallel && math.Abs(weight[k]-2*u*(y[k]-x[k])/square) < 1e-9
			}
			if parallel {
				a, b, found = i, j, true
			}
		}
	}
	if !found {
		t.Fatalf("weights %v, bias %v are of no pair of rows", weight, bias)
	}
	return a, b
}

func TestDifferencesAreOfRowsOfDifferentClasses(t *testing.T) {
	for name, y := range map[string]func(i int, _ []float64) []float64{
		"three classes": func(i int, _ []float64) []float64 {
			code := make([]float64, 3)
			code[i%3] = 1
			return code
		},
		"sign": func(i int, _ []float64) []float64 { return []float64{float64(1 - 2*(i%2))} },
	} {
		s := sampleOf(24, y)
		l := layerFor(t, Draw{Nodes: 200, U: 0.5, Init: Differences, Seed: 1, Stream: "hidden"}, s)
		seen := map[int]bool{}
		for i, bias := range l.Bias {
			a, b := pairOf(t, s, blas.Row(l.Weight, i), bias, 0.5)
			if slices.Equal(blas.Row(s.Y, a), blas.Row(s.Y, b)) {
				t.Errorf("%s: node %d is drawn from rows %d and %d of one class", name, i, a, b)
			}
			seen[a] = true
		}
		if len(seen) < 20 {
			t.Errorf("%s: 200 nodes start at %d of 24 rows", name, len(seen))
		}
	}
}

// Of numbers, steep pairs are preferred: 0 and 1 lie ten times as close to each other as 0 and 2 and have the same
// difference of targets, 1 and 2 have equal targets.
func TestDifferencesOfNumbersAreSteep(t *testing.T) {
	s := Sample{X: blas.New(3, 1), Y: blas.New(3, 1)}
	copy(s.X.Data, []float64{0, 1, 10})
	copy(s.Y.Data, []float64{0, 7, 7})
	l := layerFor(t, Draw{Nodes: 3000, U: 1, Init: Differences, Stream: "hidden"}, s)
	count := map[float64]int{}
	for _, w := range l.Weight.Data {
		count[math.Round(math.Abs(2/w))]++ // the distance
	}
	// A pair is 0-1, 0-10 or 1-10 with probability 1/3; 1-10 is taken when all of five are, else 0-10 where 0-1 is not
	// among them, or with probability slope over the sum of slopes.
	if n := count[9]; n > 40 || n == 0 {
		t.Errorf("%d of 3000 nodes are drawn from rows of equal targets, about 12 expected", n)
	}
	if near, far := count[1], count[10]; near < 3*far || far < 100 {
		t.Errorf("%d near pairs, %d far ones", near, far)
	}
}

// Several targets count alike whatever their units: only the first changes between rows 0 and 1, only the second
// between 1 and 2.
func TestTargetsAreStandardised(t *testing.T) {
	s := Sample{X: blas.New(3, 2), Y: blas.New(3, 2)}
	copy(s.X.Data, []float64{1, 0, 0, 0, 0, 1.01})
	copy(s.Y.Data, []float64{0, 0, 1e9, 0, 1e9, 1e-9})
	l := layerFor(t, Draw{Nodes: 2000, U: 1, Init: Differences, Stream: "hidden"}, s)
	var first, second int
	for i := range l.Bias {
		switch w := blas.Row(l.Weight, i); {
		case w[1] == 0:
			first++
		case w[0] == 0:
			second++
		}
	}
	if first < 400 || second < 400 {
		t.Errorf("%d nodes of the first target, %d of the second", first, second)
	}
}

func TestRowsAreDrawnByWeight(t *testing.T) {
	s := sampleOf(12, func(i int, _ []float64) []float64 { return []float64{float64(1 - 2*(i%2))} })
	s.Weight = slices.Repeat([]float64{1e-12}, 12)
	s.Weight[4], s.Weight[9] = 1, 3
	l := layerFor(t, Draw{Nodes: 50, U: 1, Init: Differences, Stream: "hidden"}, s)
	for i, bias := range l.Bias {
		if a, b := pairOf(t, s, blas.Row(l.Weight, i), bias, 1); min(a, b) != 4 || max(a, b) != 9 {
			t.Errorf("node %d is drawn from rows %d and %d", i, a, b)
		}
	}
}

// Without rows that differ the nodes are the same for all rows; targets that do not differ tell nothing.
func TestNothingToDifferBy(t *testing.T) {
	equal := Sample{X: blas.New(5, 2), Y: blas.New(5, 1)}
	for i := range 5 {
		equal.Y.Data[i] = float64(i)
	}
	for name, s := range map[string]Sample{"equal rows": equal, "no rows": {X: blas.New(0, 2), Y: blas.New(0, 1)}} {
		l := layerFor(t, Draw{Nodes: 4, U: 1, Init: Differences, Stream: "hidden"}, s)
		if slices.ContainsFunc(append(l.Weight.Data, l.Bias...), func(v float64) bool { return v != 0 }) {
			t.Errorf("%s: weights %v, biases %v", name, l.Weight.Data, l.Bias)
		}
	}
	constant := sampleOf(10, func(int, []float64) []float64 { return []float64{0, 1} })
	l := layerFor(t, Draw{Nodes: 4, U: 1, Init: Differences, Stream: "hidden"}, constant)
	for i, bias := range l.Bias {
		pairOf(t, constant, blas.Row(l.Weight, i), bias, 1)
	}
}

func TestDifferencesFollowSeedAndStream(t *testing.T) {
	s := sampleOf(30, func(_ int, x []float64) []float64 { return x[:1] })
	base := Draw{Nodes: 5, U: 1, Init: Differences, Seed: 1, Stream: "hidden"}
	seed, stream := base, base
	seed.Seed, stream.Stream = 2, "priv.hidden"
	w := layerFor(t, base, s).Weight.Data
	if !slices.Equal(w, layerFor(t, base, s).Weight.Data) {
		t.Error("the same draw gives other weights")
	}
	for _, other := range []Draw{seed, stream} {
		if slices.Equal(w, layerFor(t, other, s).Weight.Data) {
			t.Errorf("%+v gives the weights of %+v", other, base)
		}
	}
}

// The weights are the uniform ones times the relevance; biases stay.
func TestRelevanceScalesWeights(t *testing.T) {
	relu, err := activation.ByName("relu")
	if err != nil {
		t.Fatal(err)
	}
	d := Draw{Nodes: 6, U: 2, Init: "uniform", Activation: relu, Seed: 4, Stream: "hidden"}
	plain := draw(t, d, 3)
	d.Init, d.Relevance = Relevance, []float64{2, 0, 0.5}
	scaled := draw(t, d, 3)
	for i := range 6 {
		for j, r := range d.Relevance {
			if a, b := blas.Row(scaled.Weight, i)[j], r*blas.Row(plain.Weight, i)[j]; a != b {
				t.Fatalf("weight %d of node %d is %v, want %v", j, i, a, b)
			}
		}
	}
	if !slices.Equal(scaled.Bias, plain.Bias) {
		t.Error("biases differ")
	}
	if _, err := d.New(Sample{X: blas.New(0, 2)}); !errors.Is(err, fault.Usage) {
		t.Errorf("three numbers for two features: %v", err)
	}
}

func TestLayersNeedTheRelevance(t *testing.T) {
	rows := learn.Ordered{X: blas.New(4, 2), Priv: blas.New(4, 3), Y: blas.New(4, 1), Weight: make([]float64, 4),
		Complete: 4}
	l := Layers{Hidden: 5, PrivHidden: 5, U: 1, Init: Relevance, Activation: "sigmoid"}
	if _, _, err := l.Draw(rows); !errors.Is(err, fault.Usage) {
		t.Errorf("without relevance: %v", err)
	}
	l.Relevance, l.PrivRelevance = []float64{1, 0}, []float64{0, 2, 0}
	normal, priv, err := l.Draw(rows)
	if err != nil {
		t.Fatal(err)
	}
	if w, v := normal.Weight.Data, priv.Weight.Data; w[1] != 0 || w[0] == 0 || v[0] != 0 || v[1] == 0 {
		t.Errorf("weights %v and %v", w[:2], v[:3])
	}
}

// The privileged layer is drawn from the privileged features of the rows that have them.
func TestPrivilegedDifferences(t *testing.T) {
	normal := sampleOf(20, func(i int, _ []float64) []float64 { return []float64{float64(1 - 2*(i%2))} })
	rows := learn.Ordered{X: normal.X, Y: normal.Y, Priv: blas.New(20, 2), Weight: slices.Repeat([]float64{1}, 20),
		Complete: 8}
	for i := range rows.Priv.Data {
		rows.Priv.Data[i] = math.Sin(float64(i * i))
	}
	_, priv, err := Layers{Hidden: 3, PrivHidden: 40, U: 1, Init: Differences, Activation: "sigmoid"}.Draw(rows)
	if err != nil {
		t.Fatal(err)
	}
	s := Sample{X: rows.Priv, Y: rows.Y}
	for i, bias := range priv.Bias {
		if a, b := pairOf(t, s, blas.Row(priv.Weight, i), bias, 1); max(a, b) >= 8 || (a+b)%2 == 0 {
			t.Errorf("node %d is drawn from rows %d and %d", i, a, b)
		}
	}
}
