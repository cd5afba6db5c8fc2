package feature

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/fault"
)

var ctx = context.Background()

func draw(t *testing.T, d Draw, n int) *Links {
	t.Helper()
	return layerFor(t, d, Sample{X: blas.New(0, n)})
}

func layerFor(t *testing.T, d Draw, s Sample) *Links {
	t.Helper()
	l, err := d.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestUniformRanges(t *testing.T) {
	l := draw(t, Draw{Nodes: 2000, U: 0.5, Init: "uniform", Seed: 1, Stream: "hidden"}, 3)
	lo, hi := slices.Min(l.Weight.Data), slices.Max(l.Weight.Data)
	if lo < -0.5 || hi > 0.5 || lo > -0.49 || hi < 0.49 {
		t.Errorf("weights lie in [%g, %g], want [-0.5, 0.5]", lo, hi)
	}
	if lo, hi := slices.Min(l.Bias), slices.Max(l.Bias); lo < 0 || hi > 0.5 || lo > 0.01 || hi < 0.49 {
		t.Errorf("biases lie in [%g, %g], want [0, 0.5]", lo, hi)
	}
}

func TestGaussianSpread(t *testing.T) {
	l := draw(t, Draw{Nodes: 5000, U: 2, Init: "gaussian", Stream: "hidden"}, 2)
	sd := math.Sqrt(blas.Dot(l.Weight.Data, l.Weight.Data) / float64(len(l.Weight.Data)))
	if math.Abs(sd-2) > 0.1 {
		t.Errorf("standard deviation %g, want 2", sd)
	}
}

func TestStreamsAndSeedsAreIndependent(t *testing.T) {
	base := Draw{Nodes: 4, U: 1, Init: "uniform", Seed: 1, Stream: "hidden"}
	again, seed, stream := base, base, base
	seed.Seed, stream.Stream = 2, "priv.hidden"
	w := draw(t, base, 2).Weight.Data
	if !slices.Equal(w, draw(t, again, 2).Weight.Data) {
		t.Error("the same draw gives other weights")
	}
	for _, other := range []Draw{seed, stream} {
		if slices.Contains(draw(t, other, 2).Weight.Data, w[0]) {
			t.Errorf("%+v shares weights with %+v", other, base)
		}
	}
}

func TestUnknownInit(t *testing.T) {
	if _, err := (Draw{Nodes: 1, U: 1, Init: "xavier"}).New(Sample{X: blas.New(0, 1)}); !errors.Is(err, fault.Usage) {
		t.Errorf("error %v", err)
	}
}

func TestToByHand(t *testing.T) {
	relu, _ := activation.ByName("relu")
	weight := blas.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, -1, 0}}
	l := &Links{Weight: weight, Bias: []float64{0.5, 0.25}, Activation: relu}
	x := blas.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float64{3, 1}}
	h := blas.New(1, 4)
	if err := l.To(ctx, h, x); err != nil {
		t.Fatal(err)
	}
	if want := []float64{3, 1, 5.5, 0}; !slices.Equal(h.Data, want) {
		t.Errorf("h(x) = %v, want %v", h.Data, want)
	}
	l.NoDirect = true
	h = blas.New(1, 2)
	if err := l.To(ctx, h, x); err != nil {
		t.Fatal(err)
	}
	if want := []float64{5.5, 0}; !slices.Equal(h.Data, want) {
		t.Errorf("without direct links h(x) = %v, want %v", h.Data, want)
	}
}

func TestRowsDoNotDependOnEachOther(t *testing.T) {
	l := draw(t, Draw{Nodes: 70, U: 1, Init: "uniform", Stream: "hidden"}, 9)
	x := blas.New(130, 9)
	for i := range x.Data {
		x.Data[i] = math.Sin(float64(i))
	}
	all := blas.New(130, l.Width())
	if err := l.To(ctx, all, x); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 63, 64, 129} {
		one := blas.New(1, l.Width())
		if err := l.To(ctx, one, blas.View(x, i, i+1, 0, 9)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one.Data, blas.Row(all, i)) {
			t.Errorf("row %d has other bits alone", i)
		}
	}
}
