package gram

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"rvflplus/blas"
)

var ctx = context.Background()

const d, e, m = 5, 3, 2

// fill draws the same rows for the same seed.
func fill(b Block, seed uint64) Block {
	r := rand.New(rand.NewPCG(seed, 1))
	for _, part := range []blas.Matrix{b.H, b.Priv, b.Y} {
		for i := range part.Rows {
			row := blas.Row(part, i)
			for j := range row {
				row[j] = r.NormFloat64()
			}
		}
	}
	return b
}

func add(t *testing.T, s *Stats, rows int, seed uint64, weight []float64) {
	t.Helper()
	if err := s.Add(ctx, fill(s.Block(rows), seed), weight); err != nil {
		t.Fatal(err)
	}
}

func worst(a, b *Stats) float64 {
	var w float64
	for i := range a.sum.Rows {
		for j := i; j < a.sum.Cols; j++ {
			w = math.Max(w, math.Abs(a.sum.Data[i*a.sum.Stride+j]-b.sum.Data[i*b.sum.Stride+j]))
		}
	}
	return w
}

func TestBlocksEqualTheDefinition(t *testing.T) {
	s := New(d, e, m)
	v := []float64{1, 0.5, 2, 0}
	add(t, s, 4, 9, v)
	b := fill(s.Block(4), 9)
	var hp, hy, h1, yy, trace float64
	for i, w := range v {
		h, p, y := blas.Row(b.H, i), blas.Row(b.Priv, i), blas.Row(b.Y, i)
		hp += w * h[1] * p[2]
		hy += w * h[4] * y[1]
		h1 += w * p[0]
		yy += w * y[0] * y[1]
		trace += w * blas.Dot(p, p)
	}
	k := d + e
	for name, pair := range map[string][2]float64{
		"HᵀVH̃":     {s.Features().Data[1*(k+m+1)+d+2], hp},
		"HᵀVY":      {s.FeaturesTargets().Data[4*(k+m+1)+1], hy},
		"H̃ᵀV1":     {s.FeatureSums().Data[d*(k+m+1)], h1},
		"YᵀVY":      {s.Targets().Data[1], yy},
		"Σv":        {s.Weight(), 3.5},
		"tr H̃ᵀVH̃": {s.PrivTrace(), trace},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-13 {
			t.Errorf("%s is %g, want %g", name, pair[0], pair[1])
		}
	}
	if got := s.TargetSums(); got.Rows != m || got.Cols != 1 {
		t.Errorf("YᵀV1 is %d×%d", got.Rows, got.Cols)
	}
}

func TestMergedEqualsAdded(t *testing.T) {
	whole, part := New(d, e, m), New(d, e, m)
	add(t, whole, 10, 1, nil)
	add(t, whole, 7, 2, nil)
	add(t, part, 7, 2, nil)
	merged := New(d, e, m)
	add(t, merged, 10, 1, nil)
	if err := merged.Merge(part); err != nil {
		t.Fatal(err)
	}
	if w := worst(whole, merged); w > 1e-12 || merged.Rows() != 17 {
		t.Errorf("off by %g, %d rows", w, merged.Rows())
	}
	if err := merged.Merge(New(d, e, m+1)); err == nil {
		t.Error("statistics of another shape were merged")
	}
}

func TestSubUndoesAdd(t *testing.T) {
	s, want := New(d, e, m), New(d, e, m)
	add(t, want, 10, 1, nil)
	add(t, s, 10, 1, nil)
	v := []float64{1, 2, 3}
	add(t, s, 3, 5, v)
	if err := s.Sub(ctx, fill(s.Block(3), 5), v); err != nil {
		t.Fatal(err)
	}
	if w := worst(s, want); w > 1e-12 || s.Rows() != 10 {
		t.Errorf("off by %g, %d rows", w, s.Rows())
	}
}

func TestWholeWeightsAreCopies(t *testing.T) {
	weighted, copied := New(d, e, m), New(d, e, m)
	add(t, weighted, 2, 3, []float64{3, 0})
	for range 3 {
		b := fill(copied.Block(2), 3).Head(1)
		if err := copied.Add(ctx, b, nil); err != nil {
			t.Fatal(err)
		}
	}
	if w := worst(weighted, copied); w > 1e-12 {
		t.Errorf("off by %g", w)
	}
}
