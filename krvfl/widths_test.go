package krvfl

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/relevance"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// informative has 20 columns, of which the first three count.
func informative(rows int, seed uint64) learn.Problem {
	r := rand.New(rand.NewPCG(seed, 5))
	p := learn.Problem{X: mat.NewDense(rows, 20, nil), Y: mat.NewDense(rows, 1, nil)}
	for i := range p.X.RawMatrix().Data {
		p.X.RawMatrix().Data[i] = r.NormFloat64()
	}
	for i := range rows {
		x := p.X.RawRowView(i)
		p.Y.Set(i, 0, math.Sin(2*x[0])+x[1]*x[2]+x[2]+0.3*r.NormFloat64())
	}
	return p
}

// The columns that count most in the answers of a model with learned widths are the three that the targets depend on.
func TestTheInformativeColumnsAreFound(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 2 // the race detector makes learning slow
	}
	found := uint64(0)
	for seed := range seeds {
		p := informative(150, seed)
		c := with(func(c *Config) { c.Kernel = kernel.Must("rbf:width=relevance") })
		learned, err := c.LearnWidths(t.Context(), p, LearnOptions{C: true})
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := learned[1].Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		columns := make([]int, 20)
		for j := range columns {
			columns[j] = j
		}
		shares, err := relevance.Shares{Model: m, X: p.X, Columns: columns, Scale: []float64{1}, Support: 150}.
			Measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if slices.Min(shares[:3]) > slices.Max(shares[3:]) {
			found++
		} else {
			t.Logf("seed %d: %.3g", seed, shares)
		}
	}
	if found < seeds-1 {
		t.Errorf("the three columns were found under %d of %d seeds", found, seeds)
	}
}

// Leave-one-out of a model with learned widths is that of refits with these widths.
func TestLeaveOneOutAtLearnedWidths(t *testing.T) {
	p := informative(40, 1)
	p.LeaveOneOut = learn.Always
	r := rand.New(rand.NewPCG(1, 1))
	p.Priv = mat.NewDense(40, 2, nil)
	for i := range p.Priv.RawMatrix().Data {
		p.Priv.RawMatrix().Data[i] = r.NormFloat64()
	}
	for _, correction := range []learn.Correction{learn.Projected, learn.Additive, learn.Paper} {
		c := with(func(c *Config) {
			c.C, c.Gamma, c.Kernel, c.Correction = 10, 2, kernel.Must("rbf:width=relevance"), correction
			c.ProjectC, c.ProjectKernel = 3, kernel.Must("rbf:width=20")
		})
		m, report, err := c.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		parts := m.(*Model).Parts()
		fixed := c
		fixed.Kernel, fixed.PrivKernel = parts.Terms[0].Kernel.Spec()[1:], parts.PrivKernel.Spec()[1:]
		for _, i := range []int{0, 17, 39} {
			var rest []int
			for k := range 40 {
				if k != i {
					rest = append(rest, k)
				}
			}
			q := p.Only(rest)
			q.LeaveOneOut = learn.Never
			without, _, err := fixed.Train(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			out := mat.NewDense(1, 1, nil)
			without.PredictTo(out, mat.NewDense(1, 20, p.X.RawRowView(i)))
			if got, want := report.LeaveOneOut.At(i, 0), out.At(0, 0); math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("%s, row %d: %.12g, by a refit %.12g", correction, i, got, want)
			}
		}
	}
}

func TestLearnWidthsRefuses(t *testing.T) {
	p := informative(20, 1)
	for name, text := range map[string]string{
		"two terms": "rbf:width=relevance+laplacian:width=relevance",
		"chi2":      "chi2:width=relevance",
	} {
		spec, err := kernel.Parse(text)
		if err == nil {
			_, _, err = with(func(c *Config) { c.Kernel = spec }).Train(t.Context(), p)
		}
		if !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	two := with(func(c *Config) { c.Kernel = kernel.Must("rbf:width=relevance") })
	if _, _, err := two.Train(t.Context(), p.Only([]int{0, 1})); !errors.Is(err, fault.Data) {
		t.Errorf("two rows: %v", err)
	}
}
