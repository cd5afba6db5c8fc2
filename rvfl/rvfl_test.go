package rvfl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/learntest"
	"rvflplus/internal/oracle"
	"rvflplus/learn"
)

var ctx = context.Background()

// layer makes the layer of an oracle case, whose weights are stored n×P.
func oracleLayer(t *testing.T, name string, a oracle.Rows, b []float64) *feature.Links {
	t.Helper()
	act, err := activation.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	w := mat.DenseCopyOf(a.Dense().T())
	return &feature.Links{Weight: w.RawMatrix(), Bias: b, Activation: act}
}

func dense(a blas.Matrix) *mat.Dense {
	d := mat.NewDense(a.Rows, a.Cols, nil)
	for i := range a.Rows {
		d.SetRow(i, blas.Row(a, i))
	}
	return d
}

func TestReferenceAnswers(t *testing.T) {
	for _, c := range oracle.Read(t, "rvflplus_*.json") {
		for _, solver := range []string{"primal", "dual", "auto"} {
			t.Run(c.Name+"/"+solver, func(t *testing.T) {
				cfg := with(func(d *Config) {
					d.C, d.Gamma, d.Activation, d.Center, d.Solver = c.C, c.Gamma, c.Activation, false, solver
					d.Correction = learn.Paper
				})
				normal, priv := oracleLayer(t, c.Activation, c.A, c.B), oracleLayer(t, c.Activation, c.PrivA, c.PrivB)
				p := learn.Problem{X: c.X.Dense(), Priv: c.Priv.Dense(), Y: c.Y.Dense(), LeaveOneOut: learn.Always}
				m, report, err := cfg.TrainWith(ctx, p, layerOf(normal), layerOf(priv))
				if err != nil {
					t.Fatal(err)
				}
				oracle.Near(t, "w", dense(m.Parts().Weight), c.W)
				oracle.Near(t, "the test output", predict(m, c.Xtest.Dense()), c.Test)
				oracle.Near(t, "leave-one-out", report.LeaveOneOut, c.Loo)
				p.Priv = nil
				if m, _, err = cfg.TrainWith(ctx, p, layerOf(normal), nil); err != nil {
					t.Fatal(err)
				}
				oracle.Near(t, "w without privileged data", dense(m.Parts().Weight), c.WithoutPriv)
			})
		}
		t.Run(c.Name+"/pinv", func(t *testing.T) {
			cfg := with(func(c *Config) { c.Center, c.Solver = false, "pinv" })
			p := learn.Problem{X: c.X.Dense(), Y: c.Y.Dense()}
			m, _, err := cfg.TrainWith(ctx, p, layerOf(oracleLayer(t, c.Activation, c.A, c.B)), nil)
			if err != nil {
				t.Fatal(err)
			}
			oracle.Near(t, "w by pseudo-inverse", dense(m.Parts().Weight), c.Pinv)
		})
	}
}

func predict(m learn.Model, x *mat.Dense) *mat.Dense {
	_, outputs := m.Dims()
	out := mat.NewDense(x.RawMatrix().Rows, outputs, nil)
	m.PredictTo(out, x)
	return out
}

func TestEstimatorPromises(t *testing.T) {
	small := with(func(c *Config) { c.C, c.Gamma, c.Hidden, c.PrivHidden, c.Seed = 10, 2, 7, 5, 3 })
	for _, correction := range learn.Corrections() {
		for _, solver := range []string{"primal", "dual"} {
			c := small
			c.Correction, c.Solver, c.ProjectC = correction, solver, 3 // chosen ones differ among refits
			t.Run(string(correction)+"/"+solver,
				func(t *testing.T) { learntest.Run(t, learntest.Estimator{Trainer: c}) })
		}
	}
	small.ProjectC = 0.5
	wide := small
	wide.Hidden, wide.Center, wide.Init, wide.Activation = 200, false, "gaussian", "tanh"
	t.Run("wide", func(t *testing.T) { learntest.Run(t, learntest.Estimator{Trainer: wide}) })
	t.Run("no privileged", func(t *testing.T) { learntest.Run(t, learntest.Estimator{Trainer: small, NoPriv: true}) })
	pinv := with(func(c *Config) { c.Hidden, c.Solver = 6, "pinv" })
	t.Run("pinv", func(t *testing.T) {
		learntest.Run(t, learntest.Estimator{Trainer: pinv, NoPriv: true, Tolerance: 1e-6})
	})
}

func random(n int) learn.Problem {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	draw := func(cols int) *mat.Dense {
		m := mat.NewDense(n, cols, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
		return m
	}
	return learn.Problem{X: draw(4), Priv: draw(3), Y: draw(2)}
}

func TestPrimalEqualsDual(t *testing.T) {
	for _, n := range []int{20, 600} {
		for _, correction := range learn.Corrections() {
			p := random(n)
			p.LeaveOneOut = learn.Always
			p.HasPriv = make([]bool, n)
			p.Weight = make([]float64, n)
			for i := range n {
				p.HasPriv[i], p.Weight[i] = i%3 > 0, float64(i%5)/2
			}
			c := with(func(c *Config) { c.C, c.Gamma, c.Hidden, c.PrivHidden, c.Correction = 5, 3, 30, 20, correction })
			var models []*Model
			var loos []*mat.Dense
			for _, solver := range []string{"primal", "dual"} {
				c.Solver = solver
				m, report, err := c.Train(ctx, p)
				if err != nil {
					t.Fatal(err)
				}
				if report.Solver != solver {
					t.Errorf("solver %s was asked for, %s used", solver, report.Solver)
				}
				models, loos = append(models, m.(*Model)), append(loos, report.LeaveOneOut)
			}
			a, b := models[0].Parts(), models[1].Parts()
			equal(t, "w", dense(a.Weight), dense(b.Weight))
			equal(t, "w̃", dense(a.PrivWeight), dense(b.PrivWeight))
			equal(t, "leave-one-out", loos[0], loos[1])
		}
	}
}

func equal(t *testing.T, what string, a, b *mat.Dense) {
	t.Helper()
	var diff mat.Dense
	diff.Sub(a, b)
	if d := mat.Max(&diff) - mat.Min(&diff); !(d <= 1e-9*mat.Norm(b, 2)) {
		t.Errorf("%s: primal and dual differ by %g", what, d)
	}
}

// The privileged weights belong to y = hw + h̃w̃ + ȳ + ε with ε = λ/C, w = Hᵀλ and
// w̃ = H̃ᵀ(λ ± C)/γ.
func TestPrivilegedWeightsSatisfyTheConditions(t *testing.T) {
	const c, gamma = 7.0, 3.0
	for correction, sign := range map[learn.Correction]float64{learn.Paper: 1, learn.Derived: -1, learn.Additive: 0} {
		for _, solver := range []string{"primal", "dual"} {
			p := random(25)
			m, _, err := with(func(d *Config) {
				d.C, d.Gamma, d.Hidden, d.Correction, d.Solver = c, gamma, 6,
					correction, solver
			}).Train(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			parts := m.(*Model).Parts()
			g := &Model{hidden: parts.PrivHidden.links(), weight: parts.PrivWeight, offset: make([]float64, 2)}
			var lambda, shifted mat.Dense
			lambda.Sub(p.Y, predict(m, p.X))
			lambda.Sub(&lambda, predict(g, p.Priv))
			lambda.Scale(c, &lambda)
			shifted.Apply(func(_, _ int, v float64) float64 { return (v + sign*c) / gamma }, &lambda)
			equal(t, "w", dense(parts.Weight), transposedTimes(t, parts.Hidden.links(), p.X, &lambda))
			equal(t, "w̃", dense(parts.PrivWeight), transposedTimes(t, parts.PrivHidden.links(), p.Priv, &shifted))
		}
	}
}

// transposedTimes returns Hᵀa.
func transposedTimes(t *testing.T, l *feature.Links, x, a *mat.Dense) *mat.Dense {
	t.Helper()
	h, err := layer(ctx, l, x.RawMatrix())
	if err != nil {
		t.Fatal(err)
	}
	var out mat.Dense
	out.Mul(dense(h).T(), a)
	return &out
}

func TestAutoTakesTheSmallerSystem(t *testing.T) {
	for n, want := range map[int]string{30: "dual", 60: "primal"} {
		_, report, err := with(func(c *Config) { c.Hidden = 20 }).Train(ctx, random(n))
		if err != nil || report.Solver != want {
			t.Errorf("N=%d: %s, want %s (%v)", n, report.Solver, want, err)
		}
	}
}

func TestBadConfigs(t *testing.T) {
	for name, c := range map[string]Config{
		"C": with(func(c *Config) { c.C = -1 }), "NaN": with(func(c *Config) { c.C = math.NaN() }),
		"gamma": with(func(c *Config) { c.Gamma = math.Inf(1) }), "hidden": with(func(c *Config) { c.Hidden = -3 }),
		"u":          with(func(c *Config) { c.U = -1 }),
		"activation": with(func(c *Config) { c.Activation = "x" }), "init": with(func(c *Config) { c.Init = "x" }),
		"solver":               with(func(c *Config) { c.Solver = "x" }),
		"no relevance":         with(func(c *Config) { c.Init = "relevance" }),
		"relevance of others":  with(func(c *Config) { c.Init, c.Relevance = "relevance", []float64{1, 2, 3} }),
		"negative relevance":   with(func(c *Config) { c.Init, c.Relevance = "relevance", []float64{1, 2, 3, -1} }),
		"correction":           with(func(c *Config) { c.Correction = "x" }),
		"pinv with privileged": with(func(c *Config) { c.Solver = "pinv" }),
	} {
		if _, _, err := c.Train(ctx, random(10)); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Two classes differ in the means of 2 of 20 features. Few nodes along differences of their rows tell more than nodes
// in any direction do, and so do nodes of the relevant features.
func TestNodesFromTheRowsTellMore(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	draw := func(n int) learn.Problem {
		p := learn.Problem{X: mat.NewDense(n, 20, nil), Y: mat.NewDense(n, 2, nil)}
		for i := range n {
			p.Y.Set(i, i%2, 1)
			for j := range 20 {
				v := r.NormFloat64()
				if j < 2 {
					v += 3 * float64(i%2)
				}
				p.X.Set(i, j, v)
			}
		}
		return p
	}
	train, test := draw(100), draw(1000)
	relevance := make([]float64, 20)
	relevance[0], relevance[1] = 1, 1
	errors := map[string]int{}
	for _, init := range []string{"uniform", "relevance", "differences"} {
		for seed := range uint64(5) {
			c := with(func(c *Config) {
				c.Hidden, c.Direct, c.Center, c.Init, c.Seed, c.Relevance = 10, false, false, init, seed, relevance
			})
			m, _, err := c.Train(ctx, train)
			if err != nil {
				t.Fatal(err)
			}
			out := mat.NewDense(1000, 2, nil)
			m.PredictTo(out, test.X)
			for i := range 1000 {
				if out.At(i, i%2) <= out.At(i, 1-i%2) {
					errors[init]++
				}
			}
		}
	}
	if 3*errors["differences"] > errors["uniform"] || 3*errors["relevance"] > errors["uniform"] {
		t.Errorf("of 5000 rows wrong: %v", errors)
	}
}

func TestTrainWithChecksToo(t *testing.T) {
	p := random(10)
	normal, priv, err := with(func(c *Config) { c.Hidden = 3 }).layers(p.CompleteFirst())
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func() error{
		"config": func() error {
			_, _, err := with(func(c *Config) { c.Solver = "x" }).TrainWith(ctx, p, layerOf(normal), layerOf(priv))
			return err
		},
		"problem": func() error {
			_, _, err := DefaultConfig().TrainWith(ctx, learn.Problem{}, layerOf(normal), layerOf(priv))
			return err
		},
		"layer": func() error {
			_, _, err := DefaultConfig().
				TrainWith(ctx, p, layerOf(priv), layerOf(priv))
			return err
		},
		"no priv": func() error { _, _, err := DefaultConfig().TrainWith(ctx, p, layerOf(normal), nil); return err },
	} {
		if err := run(); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLeaveOneOutIsLeftOutWhereItDoesNotFit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(300 << 20))
	p := random(3000)
	p.Priv, p.LeaveOneOut = nil, learn.WhenCheap
	_, report, err := with(func(c *Config) { c.Hidden, c.Solver = 5, "dual" }).Train(ctx, p)
	if err != nil || report.LeaveOneOut != nil || len(report.Notes) != 1 {
		t.Errorf("%+v, %v", report.Notes, err)
	}
	p.LeaveOneOut = learn.Always
	if _, _, err := (with(func(c *Config) { c.Hidden, c.Solver = 5, "dual" })).
		Train(ctx, p); !errors.Is(err, fault.Resource) {
		t.Errorf("always: %v", err)
	}
}

func TestMemoryIsEstimatedFirst(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(64 << 20))
	for _, solver := range []string{"primal", "dual", "pinv"} {
		p := random(10)
		if solver == "pinv" {
			p.Priv = nil
		}
		for _, hidden := range []int{900_000, math.MaxInt64} {
			c := with(func(c *Config) { c.Hidden, c.PrivHidden, c.Solver, c.Activation = hidden, 1, solver, "hardlim" })
			if _, _, err := c.Train(ctx, p); !errors.Is(err, fault.Resource) {
				t.Errorf("%s, %d nodes: %v", solver, hidden, err)
			}
		}
	}
}

func TestFromPartsRefuses(t *testing.T) {
	m, _, err := with(func(c *Config) { c.Hidden = 5 }).Train(ctx, random(10))
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Parts){
		"no layer":   func(p *Parts) { p.Hidden = nil },
		"bias":       func(p *Parts) { h := *p.Hidden; h.Bias = h.Bias[1:]; p.Hidden = &h },
		"weight":     func(p *Parts) { p.Weight = blas.View(p.Weight, 0, 3, 0, 2) },
		"offset":     func(p *Parts) { p.Offset = p.Offset[:1] },
		"privileged": func(p *Parts) { p.PrivWeight = blas.View(p.PrivWeight, 0, 3, 0, 2) },
	} {
		parts := m.(*Model).Parts()
		spoil(&parts)
		if _, err := FromParts(parts); !errors.Is(err, fault.Data) {
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

func TestProjectedEqualsRefits(t *testing.T) {
	for _, solver := range []string{"primal", "dual"} {
		for _, center := range []bool{false, true} {
			c := with(func(c *Config) {
				c.C, c.Gamma, c.Hidden, c.PrivHidden, c.ProjectC = 10, 0.3, 7, 5, 2
				c.Solver, c.Center = solver, center
			})
			t.Run(fmt.Sprintf("%s center %v", solver, center),
				func(t *testing.T) { learntest.RunProjected(t, c, false) })
		}
	}
}

// partlyLabelled is a problem with unlabelled rows; some rows lack privileged values.
func partlyLabelled(n, u int) learn.Problem {
	p := random(n)
	more := random(u)
	p.Unlabelled = &learn.Unlabelled{X: more.X, Priv: more.Priv}
	p.HasPriv, p.Weight = make([]bool, n), make([]float64, n)
	for i := range n {
		p.HasPriv[i], p.Weight[i] = i%3 > 0, float64(i%5)/2
	}
	return p
}

// The primal passes rows in blocks; with 1000 and 900 rows there are several of each part.
func TestPrimalEqualsDualWithUnlabelledRows(t *testing.T) {
	for _, size := range [][2]int{{20, 9}, {1000, 900}} {
		p := partlyLabelled(size[0], size[1])
		p.LeaveOneOut = learn.Always
		p.LeftOut = size[0] < 100
		c := with(func(c *Config) { c.C, c.Gamma, c.Hidden, c.PrivHidden = 5, 0.5, 30, 20 })
		var models []*Model
		var reports []learn.Report
		for _, c.Solver = range []string{"primal", "dual"} {
			m, report, err := c.Train(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			models, reports = append(models, m.(*Model)), append(reports, report)
		}
		a, b := models[0].Parts(), models[1].Parts()
		if a.ProjectC != b.ProjectC || a.ProjectC == 0 {
			t.Errorf("%v rows: second stages of C %g and %g", size, a.ProjectC, b.ProjectC)
		}
		equal(t, "w", dense(a.Weight), dense(b.Weight))
		equal(t, "w̃", dense(a.PrivWeight), dense(b.PrivWeight))
		equal(t, "leave-one-out", reports[0].LeaveOneOut, reports[1].LeaveOneOut)
		if p.LeftOut {
			equal(t, "models without a row", predict(reports[0].LeftOut, p.X), predict(reports[1].LeftOut, p.X))
		}
	}
}

// With more rows than the second stage is chosen on, a sample chooses, and the fit is that of all rows.
func TestTheSecondStageIsChosenOnASample(t *testing.T) {
	p := partlyLabelled(3000, 2500)
	c := with(func(c *Config) { c.C, c.Gamma, c.Hidden, c.PrivHidden, c.Solver = 5, 0.5, 6, 4, "primal" })
	chosen, _, err := c.Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	c.ProjectC = chosen.(*Model).Parts().ProjectC
	fixed, _, err := c.Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "w", dense(chosen.(*Model).Parts().Weight), dense(fixed.(*Model).Parts().Weight))
}
