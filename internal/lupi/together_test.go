package lupi

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/feature"
	"rvflplus/internal/rng"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// tableOf returns a problem whose privileged feature tells the noise of most of its rows, and a config for it.
func tableOf(rows int, gaps bool) (learn.Problem, Config) {
	r := rng.New(3, "together")
	x, priv, y := mat.NewDense(rows, 2, nil), mat.NewDense(rows, 1, nil), mat.NewDense(rows, 1, nil)
	p := learn.Problem{X: x, Priv: priv, Y: y}
	if gaps {
		p.HasPriv = make([]bool, rows)
	}
	for i := range rows {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
		noise := r.NormFloat64()
		y.Set(i, 0, math.Sin(x.At(i, 0))+noise)
		if gaps {
			p.HasPriv[i] = i%6 != 1
		}
		if !gaps || p.HasPriv[i] {
			priv.Set(i, 0, noise+0.2*r.NormFloat64())
		}
	}
	grids := Free()
	return p, Config{Base: "krvfl", Kernel: kernel.Must("rbf"), Center: true, Linear: true,
		Gamma: grids.Gamma, Widths: grids.Scales, PrivWidths: []float64{1},
		U: grids.Scales, Lambdas: grids.Lambdas, Powers: grids.Powers,
		Layers: feature.Layers{Hidden: 10, PrivHidden: 10, Init: "uniform", Activation: "sigmoid"}}
}

// Methods that choose together choose what each chooses alone, in any order, and train the same models.
func TestTogetherIsEachAlone(t *testing.T) {
	ctx := context.Background()
	for _, gaps := range []bool{false, true} {
		p, c := tableOf(40, gaps)
		methods := []string{"stack", "projected", "additive", "transfer", "tuned", "averaged"}
		if !gaps {
			methods = append(methods, "distill", "weigh")
		}
		all, err := c.Together(ctx, p, methods)
		if err != nil {
			t.Fatal(err)
		}
		for k, name := range methods {
			alone := c
			alone.Method = name
			q := p
			q.LeaveOneOut = learn.Always
			m, report, err := alone.Train(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			var loss float64
			for i := range 40 {
				loss += math.Pow(report.LeaveOneOut.At(i, 0)-p.Y.At(i, 0), 2) / 40
			}
			again, _, err := all[k].Train(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			a, b := mat.NewDense(40, 1, nil), mat.NewDense(40, 1, nil)
			m.PredictTo(a, p.X)
			again.PredictTo(b, p.X)
			if math.Abs(all[k].Loss/loss-1) > 1e-9 || !mat.EqualApprox(a, b, 1e-9) || !(all[k].Seconds > 0) {
				t.Errorf("%s, gaps %v: loss %v alone, %v together", name, gaps, loss, all[k].Loss)
			}
		}
	}
}

// Rows without a target are for label: projected is what it is without them.
func TestTogetherWithoutTargets(t *testing.T) {
	ctx := context.Background()
	p, c := tableOf(30, false)
	want, err := c.Together(ctx, p, []string{"projected"})
	if err != nil {
		t.Fatal(err)
	}
	more, _ := tableOf(50, false)
	p.Unlabelled = &learn.Unlabelled{X: more.X, Priv: more.Priv}
	got, err := c.Together(ctx, p, []string{"label", "projected"})
	if err != nil {
		t.Fatal(err)
	}
	if got[1].Loss != want[0].Loss || got[0].Loss == want[0].Loss {
		t.Errorf("projected %v, %v beside rows without a target, label %v", want[0].Loss, got[1].Loss, got[0].Loss)
	}
}

// With the width held, the loss for a permutation test is that of the methods on a problem with the same features.
func TestNullIsTogether(t *testing.T) {
	ctx := context.Background()
	own := map[string][]string{"krvfl": {"projected", "distill", "additive"}, "rvfl": {"projected"}}
	for base, methods := range own {
		p, c := tableOf(30, false)
		c.Base, c.Widths, c.U = base, []float64{1}, []float64{0.5}
		null, err := c.NewNull(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		other, _ := tableOf(31, false)
		p.Priv = mat.DenseCopyOf(other.Priv.Slice(1, 31, 0, 1))
		got, err := null.Losses(ctx, p.Priv, methods)
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.Together(ctx, p, methods)
		if err != nil {
			t.Fatal(err)
		}
		for k, name := range methods {
			if math.Abs(got[k]/want[k].Loss-1) > 1e-12 {
				t.Errorf("%s on %s: %v, want %v", name, base, got[k], want[k].Loss)
			}
		}
	}
	p, c := tableOf(30, true)
	if null, err := c.NewNull(ctx, p); err != nil {
		t.Error(err)
	} else if losses, err := null.Losses(ctx, p.Priv, []string{"projected"}); err != nil || !(losses[0] > 0) {
		t.Errorf("%v, %v", losses, err)
	}
	if _, err := c.Together(ctx, p, []string{"distill"}); err == nil {
		t.Error("distillation of rows without privileged values")
	}
}
