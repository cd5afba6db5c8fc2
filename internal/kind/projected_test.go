package kind

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/learn"
)

// Configs of several corrections are predicted as each alone, the projected form by its own leave-one-out among them.
func TestProjectedStandsAmongOtherCorrections(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(cols int) *mat.Dense {
		m := mat.NewDense(25, cols, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
		return m
	}
	problem := learn.Problem{X: draw(3), Priv: draw(2), Y: draw(2)}
	for _, name := range []string{"rvfl+", "krvfl+"} {
		for _, folds := range []heldout.Folds{nil, {{0, 3, 5}, {1, 2}}} {
			e, err := heldout.New(problem, folds)
			if err != nil {
				t.Fatal(err)
			}
			var configs []param.Config
			for _, correction := range []learn.Correction{learn.Additive, learn.Projected, learn.Paper} {
				c, _, err := Complete(param.With(func(c *param.Config) {
					c.Kind, c.Hidden, c.Gamma, c.Correction = name, 8, 0.5, correction
				}))
				if err != nil {
					t.Fatal(err)
				}
				configs = append(configs, c)
			}
			k, err := ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			together, err := k.HeldOut(context.Background(), e, configs, Targets{})
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range configs {
				alone, err := k.HeldOut(context.Background(), e, []param.Config{c}, Targets{})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(together[i].RawMatrix().Data, alone[0].RawMatrix().Data) {
					t.Errorf("%s %s: other predictions among others than alone", name, c.Correction)
				}
			}
			if mat.EqualApprox(together[0], together[1], 1e-6) {
				t.Errorf("%s: the projected form is the additive one", name)
			}
		}
	}
}
