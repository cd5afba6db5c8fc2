package krvfl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/learntest"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// fixedStages is a config of learn.Projected whose second stage is not chosen. Its kernels have one diagonal, so that
// rows without privileged values have the same weight in every refit.
func fixedStages(center bool) Config {
	return with(func(c *Config) {
		c.C, c.Gamma, c.Kernel, c.PrivKernel = 5, 0.4, kernel.Must("rbf:width=0.5"), kernel.Must("laplacian:width=1")
		c.ProjectC, c.ProjectKernel, c.Center, c.Linear = 3, kernel.Must("rbf:width=2"), center, false
	})
}

func TestProjectedEqualsRefits(t *testing.T) {
	for _, center := range []bool{false, true} {
		for _, lacking := range []bool{false, true} {
			t.Run(fmt.Sprintf("center %v lacking %v", center, lacking), func(t *testing.T) {
				learntest.RunProjected(t, fixedStages(center), lacking)
			})
		}
	}
	c := fixedStages(true)
	c.Linear = true
	t.Run("linear", func(t *testing.T) { learntest.RunProjected(t, c, false) })
}

// partly is a problem with unlabelled rows and rows without privileged values.
func partly() learn.Problem {
	r := rand.New(rand.NewPCG(5, 5))
	draw := func(rows, cols int) *mat.Dense {
		m := mat.NewDense(rows, cols, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
		return m
	}
	p := learn.Problem{X: draw(12, 2), Priv: draw(12, 3), Y: draw(12, 2), HasPriv: make([]bool, 12),
		Unlabelled: &learn.Unlabelled{X: draw(5, 2), Priv: draw(5, 3)}}
	for i := range 12 {
		p.HasPriv[i] = i%3 > 0
	}
	return p
}

// The posterior of both stages, computed as it is defined, in the order of the support.
func TestProjectedPosteriorEqualsItsDefinition(t *testing.T) {
	p := partly()
	p.LeaveOneOut, p.Posterior = learn.Always, true
	c := fixedStages(true)
	trained, _, err := c.Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	m := trained.(*Model)
	want := make([]float64, 2)
	at := []float64{0.3, -0.2}
	for k, term := range m.terms {
		support := term.rows(m.support)
		n := support.Rows
		system := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				system.Set(i, j, value(term.Kernel, blas.Row(support, i), blas.Row(support, j)))
			}
		}
		if k == 0 {
			addPriv(system, p, c)
		} else {
			for i := range n {
				system.Set(i, i, system.At(i, i)+1/c.ProjectC)
			}
		}
		var inverse mat.Dense
		if err := inverse.Inverse(system); err != nil {
			t.Fatal(err)
		}
		left := value(term.Kernel, at, at)
		for i := range n {
			for j := range n {
				left -= value(term.Kernel, at, blas.Row(support, i)) * inverse.At(i, j) *
					value(term.Kernel, at, blas.Row(support, j))
			}
		}
		for j := range want {
			var scale float64
			for i := range n {
				a := term.Alpha.Data[i*term.Alpha.Stride+j]
				scale += a * a / inverse.At(i, i) / float64(n)
			}
			want[j] += scale * left
		}
	}
	got := mat.NewDense(1, 2, nil)
	m.StdTo(got, mat.NewDense(1, 2, at))
	for j, v := range want {
		if d := math.Abs(got.At(0, j) - math.Sqrt(v)); !(d < 1e-9) {
			t.Errorf("output %d: %.12g, want %.12g", j, got.At(0, j), math.Sqrt(v))
		}
	}
}

// addPriv adds Ω̃/γ and the noise of the labelled rows in the order of the support: those without privileged values
// come first.
func addPriv(system *mat.Dense, p learn.Problem, c Config) {
	k, err := c.PrivKernel.Kernel()
	if err != nil {
		panic(err)
	}
	var order []int
	for _, has := range []bool{false, true} {
		for i, h := range p.HasPriv {
			if h == has {
				order = append(order, i)
			}
		}
	}
	for a, i := range order {
		noise := 1 / c.C
		if !p.HasPriv[i] {
			noise += 1 / c.Gamma // the diagonal of the kernel is 1
		}
		system.Set(a, a, system.At(a, a)+noise)
		for b, j := range order {
			if p.HasPriv[i] && p.HasPriv[j] {
				system.Set(a, b, system.At(a, b)+value(k, p.Priv.RawRowView(i), p.Priv.RawRowView(j))/c.Gamma)
			}
		}
	}
}

// value returns k(a, b).
func value(k kernel.Kernel, a, b []float64) float64 {
	out := blas.New(1, 1)
	row := func(v []float64) blas.Matrix { return blas.Matrix{Rows: 1, Cols: len(v), Stride: len(v), Data: v} }
	if err := kernel.Add(ctx, k, 1, row(a), row(b), out); err != nil {
		panic(err)
	}
	return out.Data[0]
}

// The second stage is switched off where the privileged columns tell nothing that the normal ones know, and its
// settings are among those that the documentation names.
func TestTheSecondStageIsChosen(t *testing.T) {
	p := partly()
	m, _, err := DefaultConfig().Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	parts := m.(*Model).Parts()
	if parts.ProjectC != 1e-6 {
		t.Errorf("noise is projected with C %g", parts.ProjectC)
	}
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 12 { // the privileged columns are functions of the normal ones, and the target is theirs
		p.HasPriv[i] = true
		a, b := p.X.At(i, 0), p.X.At(i, 1)
		p.Priv.SetRow(i, []float64{a + b, a - b, a})
		p.Y.SetRow(i, []float64{a + b + 0.01*r.NormFloat64(), a})
	}
	p.Unlabelled = nil
	c := DefaultConfig()
	c.Gamma = 0.1
	if m, _, err = c.Train(ctx, p); err != nil {
		t.Fatal(err)
	}
	if parts = m.(*Model).Parts(); !(parts.ProjectC >= 1) {
		t.Errorf("a function of the normal columns is projected with C %g", parts.ProjectC)
	}
}
