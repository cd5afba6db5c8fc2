package krvfl

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/oracle"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// The posterior by its definition, from the kernel matrices of all rows of the
// reference cases.
func TestStdEqualsItsDefinition(t *testing.T) {
	for _, c := range oracle.Read(t, "krvflplus_*.json") {
		cfg := with(func(d *Config) {
			d.C, d.Gamma, d.Kernel, d.Center, d.Correction = c.C, c.Gamma, kernel.Must(text(c)), false, learn.Paper
		})
		p := learn.Problem{X: c.X.Dense(), Priv: c.Priv.Dense(), Y: c.Y.Dense(), LeaveOneOut: learn.Always,
			Posterior: true}
		trained, _, err := cfg.Train(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		m := trained.(*Model)
		xtest := c.Xtest.Dense()
		rows, outputs := xtest.RawMatrix().Rows, p.Y.RawMatrix().Cols
		got := mat.NewDense(rows, outputs, nil)
		m.StdTo(got, xtest)
		want := posterior(t, c, m, p, xtest)
		for i := range rows {
			for j := range outputs {
				// A variance is a difference of numbers of the size of k(x,x).
				if g, w := got.At(i, j), want.At(i, j); math.Abs(g*g-w*w) > 1e-9*(1+w*w) {
					t.Errorf("%s: row %d, output %d: %.12g, want %.12g", c.Name, i, j, g, w)
				}
			}
		}
	}
}

func matrix(t *testing.T, k kernel.Kernel, x, y *mat.Dense) *mat.Dense {
	t.Helper()
	out := blas.New(x.RawMatrix().Rows, y.RawMatrix().Rows)
	if err := kernel.Add(ctx, k, 1, x.RawMatrix(), y.RawMatrix(), out); err != nil {
		t.Fatal(err)
	}
	return dense(out)
}

func posterior(t *testing.T, c oracle.Case, m *Model, p learn.Problem, x *mat.Dense) *mat.Dense {
	t.Helper()
	system, priv := matrix(t, m.terms[0].Kernel, p.X, p.X), matrix(t, m.privKernel, p.Priv, p.Priv)
	priv.Scale(1/c.Gamma, priv)
	system.Add(system, priv)
	n, outputs := system.RawMatrix().Rows, p.Y.RawMatrix().Cols
	for i := range n {
		system.Set(i, i, system.At(i, i)+1/c.C)
	}
	var inverse, alpha, fit, kmk mat.Dense
	if err := inverse.Inverse(system); err != nil {
		t.Fatal(err)
	}
	alpha.Mul(&inverse, p.Y)
	k, prior := matrix(t, m.terms[0].Kernel, x, p.X), matrix(t, m.terms[0].Kernel, x, x)
	fit.Mul(k, &inverse)
	kmk.Mul(&fit, k.T())
	want := mat.NewDense(x.RawMatrix().Rows, outputs, nil)
	for j := range outputs {
		var s2 float64
		for i := range n {
			s2 += alpha.At(i, j) * alpha.At(i, j) / inverse.At(i, i) / float64(n)
		}
		for i := range want.RawMatrix().Rows {
			want.Set(i, j, math.Sqrt(s2*max(0, prior.At(i, i)-kmk.At(i, i))))
		}
	}
	return want
}

func TestFromPartsRefusesASpreadThatIsNone(t *testing.T) {
	sound := func() Parts {
		return Parts{Support: blas.New(2, 1), Offset: []float64{0}, Terms: []Term{{
			Kernel: kernel.Linear{}, Alpha: blas.New(2, 1),
			Factor: blas.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 0, 1}}, Scale: []float64{1}}}}
	}
	if _, err := FromParts(sound()); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(p *Parts){
		"rows":     func(p *Parts) { p.Terms[0].Factor = blas.New(1, 2) },
		"scale":    func(p *Parts) { p.Terms[0].Scale = nil },
		"diagonal": func(p *Parts) { p.Terms[0].Factor.Data[3] = 0 },
		"below":    func(p *Parts) { p.Terms[0].Factor.Data[2] = 1 },
		"negative": func(p *Parts) { p.Terms[0].Scale[0] = -1 },
	} {
		p := sound()
		damage(&p)
		if _, err := FromParts(p); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
