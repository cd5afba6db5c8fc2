package svmplus

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/kernel"
	"rvflplus/learn"
)

// cvxoptCases is what testdata/generate.py writes.
type cvxoptCases struct {
	X, Priv [][]float64
	Y       []float64
	Cases   []struct {
		Kernel               string
		C, Gamma, Plus, Fast float64
	}
}

func (f cvxoptCases) problem() learn.Problem {
	p := learn.Problem{X: mat.NewDense(len(f.X), len(f.X[0]), nil), Priv: mat.NewDense(len(f.X), len(f.Priv[0]), nil),
		Y: mat.NewDense(len(f.X), 1, f.Y)}
	for i := range f.X {
		p.X.SetRow(i, f.X[i])
		p.Priv.SetRow(i, f.Priv[i])
	}
	return p
}

// Every solver finds cvxopt's optimum, and says how near it is.
func TestOptimaOfCvxopt(t *testing.T) {
	text, err := os.ReadFile("testdata/cvxopt.json")
	if err != nil {
		t.Fatal(err)
	}
	var f cvxoptCases
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Cases {
		cfg := with(func(d *Config) {
			d.C, d.Gamma, d.Tolerance, d.Kernel, d.PrivKernel = c.C, c.Gamma, 1e-7, kernel.Must(c.Kernel),
				kernel.Must(c.Kernel)
		})
		if c.Kernel == "rbf" {
			cfg.Kernel, cfg.PrivKernel = kernel.Must("rbf:width=2"), kernel.Must("rbf:width=3")
		}
		want := map[string]float64{"gsmo": c.Plus, "ipm": c.Plus, "mat": c.Plus, "fast": c.Fast}
		for _, solver := range Solvers() {
			if want[solver] == 0 {
				continue
			}
			cfg.Solver = solver
			_, report := train(t, cfg, f.problem())
			what := fmt.Sprintf("%s, %s kernels, C = %v, gamma = %v", solver, c.Kernel, c.C, c.Gamma)
			near(t, what, []float64{report.Optimum.Objective}, []float64{want[solver]}, 1e-6)
			if o := report.Optimum; !(o.Gap <= 1e-7*o.Objective) || !(o.KKT < 1e-2) {
				t.Errorf("%s: gap %g, KKT violation %g at an objective of %g", what, o.Gap, o.KKT, o.Objective)
			}
		}
	}
}
