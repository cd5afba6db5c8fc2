package krvfl

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/learntest"
	"rvflplus/internal/oracle"
	"rvflplus/kernel"
	"rvflplus/learn"
)

var ctx = context.Background()

func text(c oracle.Case) string {
	return map[string]string{
		"rbf":       fmt.Sprintf("rbf:width=%v", c.Width),
		"poly":      fmt.Sprintf("poly:degree=%v,offset=%v", c.Degree, c.Offset),
		"laplacian": fmt.Sprintf("laplacian:width=%v", c.Width),
		"wavelet":   fmt.Sprintf("wavelet:width=%v,dilation=%v,frequency=%v", c.Width, c.Dilation, c.Frequency),
		"chi2":      fmt.Sprintf("chi2:width=%v", c.Width),
		"linear":    "linear",
	}[c.Kernel]
}

func TestReferenceAnswers(t *testing.T) {
	for _, c := range oracle.Read(t, "krvflplus_*.json") {
		t.Run(c.Name, func(t *testing.T) {
			cfg := with(func(d *Config) {
				d.C, d.Gamma, d.Kernel, d.Center = c.C, c.Gamma, kernel.Must(text(c)), false
				d.Correction = learn.Paper
			})
			p := learn.Problem{X: c.X.Dense(), Priv: c.Priv.Dense(), Y: c.Y.Dense(), LeaveOneOut: learn.Always}
			m, report, err := cfg.Train(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			oracle.Near(t, "α", dense(m.(*Model).Parts().Terms[0].Alpha), c.Alpha)
			oracle.Near(t, "leave-one-out", report.LeaveOneOut, c.Loo)
			out := mat.NewDense(len(c.Xtest), 3, nil)
			m.PredictTo(out, c.Xtest.Dense())
			oracle.Near(t, "the test output", out, c.Test)
			p.Priv = nil
			if m, _, err = cfg.Train(ctx, p); err != nil {
				t.Fatal(err)
			}
			oracle.Near(t, "α without privileged data", dense(m.(*Model).Parts().Terms[0].Alpha), c.AlphaWithoutPriv)
		})
	}
}

func dense(a blas.Matrix) *mat.Dense {
	d := mat.NewDense(a.Rows, a.Cols, nil)
	for i := range a.Rows {
		d.SetRow(i, blas.Row(a, i))
	}
	return d
}

func TestEstimatorPromises(t *testing.T) {
	for _, correction := range learn.Corrections() {
		c := with(func(c *Config) {
			c.C, c.Gamma, c.Kernel, c.PrivKernel, c.Correction = 5, 2, kernel.Must("rbf:width=0.5"),
				kernel.Must("laplacian:width=1"), correction
			c.ProjectC, c.ProjectKernel = 3, kernel.Must("rbf:width=2") // chosen ones differ among refits
		})
		t.Run(string(correction), func(t *testing.T) { learntest.Run(t, learntest.Estimator{Trainer: c}) })
	}
	c := with(func(c *Config) {
		c.Kernel, c.Linear, c.Center = kernel.Must("chi2:width=2+poly:degree=2"), false, false
	})
	t.Run("sum", func(t *testing.T) { learntest.Run(t, learntest.Estimator{Trainer: c, NoPriv: true}) })
}

func TestEachSpaceHasItsOwnWidth(t *testing.T) {
	p := learn.Problem{
		X:    mat.NewDense(3, 1, []float64{0, 1, 3}),
		Priv: mat.NewDense(3, 1, []float64{0, 10, 30}),
		Y:    mat.NewDense(3, 1, []float64{1, 2, 3}),
	}
	m, _, err := DefaultConfig().Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	parts := m.(*Model).Parts()
	if a, b := parts.Terms[0].Kernel.String(), parts.PrivKernel.String(); a != "linear+rbf:width=4" ||
		b != "linear+rbf:width=400" {
		t.Errorf("kernels %s and %s", a, b)
	}
}

func TestBadConfigs(t *testing.T) {
	p := learn.Problem{X: mat.NewDense(2, 1, []float64{-1, 1}), Y: mat.NewDense(2, 1, nil)}
	for name, c := range map[string]Config{
		"C":      with(func(c *Config) { c.C = -1 }),
		"kernel": with(func(c *Config) { c.Kernel = kernel.Spec{{Name: "x"}} }),
		"priv kernel": with(func(c *Config) {
			c.PrivKernel = kernel.Spec{{Name: "rbf",
				Params: map[string]float64{"width": 0}}}
		}),
		"negative":   with(func(c *Config) { c.Kernel = kernel.Must("chi2") }),
		"correction": with(func(c *Config) { c.Correction = "x" }),
	} {
		if _, _, err := c.Train(ctx, p); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(100 << 20))
	n := 3000 // one matrix of 72 MB fits, leave-one-out's five do not
	p := learn.Problem{X: mat.NewDense(n, 1, nil), Y: mat.NewDense(n, 1, nil), LeaveOneOut: learn.Always}
	if _, _, err := (DefaultConfig()).Train(ctx, p); !errors.Is(err, fault.Resource) {
		t.Errorf("leave-one-out: %v", err)
	}
	p.X, p.Y = mat.NewDense(5000, 1, nil), mat.NewDense(5000, 1, nil)
	p.LeaveOneOut = learn.Never
	if _, _, err := (DefaultConfig()).Train(ctx, p); !errors.Is(err, fault.Resource) {
		t.Errorf("fit: %v", err)
	}
}

func TestFromPartsRefuses(t *testing.T) {
	for name, p := range map[string]Parts{
		"empty": {},
		"shapes": {Support: blas.New(2, 1), Terms: []Term{{Kernel: kernel.Linear{}, Alpha: blas.New(3, 1)}},
			Offset: []float64{0}},
	} {
		if _, err := FromParts(p); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// with returns the defaults after a change.
func with(change func(*Config)) Config {
	c := DefaultConfig()
	change(&c)
	return c
}
