package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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

// near fails unless got is within relative tolerance of want's largest element.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	var scale, worst float64
	for i, w := range want {
		scale, worst = max(scale, math.Abs(w)), max(worst, math.Abs(got[i]-w))
	}
	if !(worst <= tolerance*scale) {
		t.Errorf("%s is off by %.2g of its largest element", what, worst/scale)
	}
}

func train(t *testing.T, c learn.Trainer, p learn.Problem) (learn.Model, learn.Report) {
	t.Helper()
	m, report, err := c.Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	return m, report
}

func predict(m learn.Model, x *mat.Dense) *mat.Dense {
	_, outputs := m.Dims()
	out := mat.NewDense(x.RawMatrix().Rows, outputs, nil)
	m.PredictTo(out, x)
	return out
}

// exact returns Kd and b of the optimum whose free and bounded variables are those of
// d, the reference's answer: f(xᵢ) = targetᵢ for 0 < |dᵢ| < C and Σd = 0 are linear
// equations. LIBSVM keeps K in float32, so d itself is right to about six digits
// only, but which variables are free it gets right.
func exact(t *testing.T, k *mat.Dense, d, target []float64, c float64) (w []float64, b float64) {
	t.Helper()
	var free []int
	w = slices.Clone(d)
	for i, v := range d {
		if v != 0 && math.Abs(v) < c*(1-1e-9) {
			free, w[i] = append(free, i), 0
		}
	}
	n := len(free)
	a, rhs := mat.NewDense(n+1, n+1, nil), mat.NewVecDense(n+1, nil)
	for r, i := range free {
		rhs.SetVec(r, target[i]-mat.Dot(k.RowView(i), mat.NewVecDense(len(w), w)))
		a.Set(r, n, 1)
		a.Set(n, r, 1)
		for s, j := range free {
			a.Set(r, s, k.At(i, j))
		}
	}
	for _, v := range w {
		rhs.SetVec(n, rhs.AtVec(n)-v)
	}
	var x mat.VecDense
	if err := x.SolveVec(a, rhs); err != nil {
		t.Fatal(err)
	}
	for r, i := range free {
		w[i] = x.AtVec(r)
	}
	return w, x.AtVec(n)
}

// of returns Σᵢ wᵢk(xᵢ, x) + b for rows x.
func of(k kernel.Kernel, support *mat.Dense, w []float64, b float64, x *mat.Dense) []float64 {
	m := &Regressor{parts: RegressorParts{Kernel: k, Support: support.RawMatrix(),
		Coef: oracle.Column(w).Dense().RawMatrix(), Offset: []float64{b}}}
	return predict(m, x).RawMatrix().Data
}

func gramOf(k kernel.Kernel, x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, n, nil)
	k.Block(out.RawMatrix(), x.RawMatrix(), x.RawMatrix())
	return out
}

// The objective and, of the reference's free variables, the exact solution. What the
// reference says of test rows is off by what float32 does to K: 1.1e-6 on ten seeds.
func TestReferenceAnswersOfSVC(t *testing.T) {
	for _, c := range oracle.ReadMargin(t) {
		t.Run(c.Name, func(t *testing.T) {
			cfg := with(func(d *Config) {
				d.C, d.Kernel, d.Tolerance = c.C, kernel.Must(fmt.Sprintf("rbf:width=%v", c.Width)), 1e-12
			})
			m, report := train(t, cfg, learn.Problem{X: c.X.Dense(), Y: oracle.Column(c.Y).Dense()})
			near(t, "the objective", []float64{report.Optimum.Objective}, []float64{c.SVCObjective}, 1e-8)
			parts := m.(*Classifier).Parts()
			w, b := exact(t, gramOf(parts.Kernel, c.X.Dense()), c.SVCAlphaY, c.Y, c.C)
			near(t, "the decisions", predict(m, c.Xtest.Dense()).RawMatrix().Data,
				of(parts.Kernel, c.X.Dense(), w, b, c.Xtest.Dense()), 1e-10)
			near(t, "the reference's decisions", predict(m, c.Xtest.Dense()).RawMatrix().Data, c.SVCTest, 1e-5)
			sign := float64(2*parts.Order[0] - 1)
			near(t, "b", []float64{sign * parts.Offset[0]}, []float64{b}, 1e-9)
			if o := report.Optimum; !(o.KKT <= 1e-10) || !(o.Gap <= 1e-8*o.Objective) || !(o.Gap >= 0) ||
				o.Iterations == 0 {
				t.Errorf("ended with %+v", *o)
			}
		})
	}
}

func TestReferenceAnswersOfSVR(t *testing.T) {
	for _, c := range oracle.ReadMargin(t) {
		t.Run(c.Name, func(t *testing.T) {
			cfg := withRegression(func(d *RegressionConfig) {
				d.C, d.Epsilon, d.Kernel, d.Tolerance = c.C, c.SVREpsilon,
					kernel.Must(fmt.Sprintf("rbf:width=%v", c.Width)), 1e-12
			})
			m, report := train(t, cfg, learn.Problem{X: c.X.Dense(), Y: oracle.Column(c.SVRY).Dense()})
			k, target := m.(*Regressor).Parts().Kernel, make([]float64, len(c.SVRY))
			for i, z := range c.SVRY {
				target[i] = z - math.Copysign(c.SVREpsilon, c.SVRCoef[i])
			}
			w, b := exact(t, gramOf(k, c.X.Dense()), c.SVRCoef, target, c.C)
			near(t, "the outputs", predict(m, c.Xtest.Dense()).RawMatrix().Data,
				of(k, c.X.Dense(), w, b, c.Xtest.Dense()), 1e-10)
			near(t, "the reference's outputs", predict(m, c.Xtest.Dense()).RawMatrix().Data, c.SVRTest, 1e-5)
			near(t, "b", m.(*Regressor).Parts().Offset, []float64{b}, 1e-9)
			near(t, "the objective", []float64{report.Optimum.Objective}, []float64{tubeObjective(c, k)}, 1e-8)
		})
	}
}

// tubeObjective is zᵀd − ½dᵀKd − εΣ|d| of the reference's d.
func tubeObjective(c oracle.Margin, k kernel.Kernel) float64 {
	kd := of(k, c.X.Dense(), c.SVRCoef, 0, c.X.Dense())
	var sum float64
	for i, d := range c.SVRCoef {
		sum += d*c.SVRY[i] - d*kd[i]/2 - c.SVREpsilon*math.Abs(d)
	}
	return sum
}

func TestEstimatorPromises(t *testing.T) {
	tight := with(func(c *Config) { c.C, c.Kernel, c.Tolerance = 5, kernel.Must("rbf:width=0.5"), 1e-11 })
	for name, e := range map[string]learntest.Estimator{
		"svc": {Trainer: tight, OneHot: true},
		"linear": {Trainer: with(func(c *Config) { c.Kernel, c.Tolerance = kernel.Must("linear"), 1e-11 }),
			OneHot: true},
		"svr": {Trainer: withRegression(func(c *RegressionConfig) {
			c.C, c.Kernel, c.Tolerance = 5, kernel.Must("rbf:width=0.5"), 1e-11
		})},
	} {
		e.NoPriv, e.NoLeaveOneOut, e.Tolerance = true, true, 1e-7
		t.Run(name, func(t *testing.T) { learntest.Run(t, e) })
	}
}

// Rows of several classes on a spiral, so that all pairs have support vectors.
func spiral(k, n int) learn.Problem {
	p := learn.Problem{X: mat.NewDense(n, 2, nil), Y: mat.NewDense(n, k, nil)}
	for i := range n {
		a := float64(i) * 0.37
		class := (i * 7) % k
		r := 1 + float64(i%5)/4 + 0.3*math.Sin(float64(i*i))
		p.X.SetRow(i, []float64{r * math.Cos(a+float64(class)), r * math.Sin(a+2*float64(class))})
		p.Y.Set(i, class, 1)
	}
	return p
}

// Without a machine for every pair: the same votes, computed from the machines of
// each pair trained alone.
func TestVotesAreThoseOfThePairs(t *testing.T) {
	const k = 4
	p := spiral(k, 120)
	cfg := with(func(c *Config) { c.C, c.Kernel, c.Tolerance = 3, kernel.Must("rbf:width=1"), 1e-9 })
	m, _ := train(t, cfg, p)
	scores := predict(m, p.X)
	classes := m.(*Classifier).Decide(scores)
	votes := make([][]int, 120)
	for i := range votes {
		votes[i] = make([]int, k)
	}
	for a := range k {
		for b := a + 1; b < k; b++ {
			var x, y []float64
			for i := range 120 {
				if p.Y.At(i, a)+p.Y.At(i, b) == 1 {
					x = append(x, p.X.RawRowView(i)...)
					y = append(y, p.Y.At(i, a)-p.Y.At(i, b))
				}
			}
			alone, _ := train(t, cfg, learn.Problem{X: mat.NewDense(len(y), 2, x), Y: mat.NewDense(len(y), 1, y)})
			for i, f := range predict(alone, p.X).RawMatrix().Data {
				winner := b
				if f > 0 {
					winner = a
				}
				votes[i][winner]++
			}
		}
	}
	for i, v := range votes {
		for class, n := range v {
			if math.Abs(scores.At(i, class)-float64(n)) >= 1.0/3 {
				t.Fatalf("row %d: scores %v, votes %v", i, scores.RawRowView(i), v)
			}
			if n > v[classes[i]] {
				t.Fatalf("row %d: class %d with votes %v", i, classes[i], v)
			}
		}
	}
}

// Classes that appear first win ties, whatever their numbers.
func TestTiesGoToTheClassThatAppearedFirst(t *testing.T) {
	m := &Classifier{ClassifierParts{Order: []int{2, 0, 1}, Outputs: 3}}
	if got := m.Decide(mat.NewDense(1, 3, []float64{1.2, 1.3, 1.1}))[0]; got != 2 {
		t.Errorf("class %d", got)
	}
	if got := m.Decide(mat.NewDense(1, 3, []float64{2, 1, -0.3}))[0]; got != 0 {
		t.Errorf("class %d", got)
	}
}

func TestClassWeightsAreRowWeights(t *testing.T) {
	p := spiral(3, 60)
	cfg := with(func(c *Config) {
		c.C, c.Kernel, c.Tolerance, c.ClassWeight = 2, kernel.Must("rbf:width=1"), 1e-10, []float64{1, 3, 0.5}
	})
	a, _ := train(t, cfg, p)
	p.Weight = make([]float64, 60)
	for i := range p.Weight {
		p.Weight[i] = cfg.ClassWeight[(i*7)%3]
	}
	cfg.ClassWeight = nil
	b, _ := train(t, cfg, p)
	near(t, "the decisions", a.(*Classifier).Decisions(p.X).RawMatrix().Data,
		b.(*Classifier).Decisions(p.X).RawMatrix().Data, 1e-8)
}

// blobs are two groups of points; some stand on the wrong side when asked for.
func blobs(n int, inseparable bool) learn.Problem {
	p := learn.Problem{X: mat.NewDense(n, 2, nil), Y: mat.NewDense(n, 1, nil)}
	for i := range n {
		y := float64(i%2*2 - 1)
		p.X.SetRow(i, []float64{2*y + math.Sin(float64(3*i)), math.Cos(float64(5 * i))})
		if inseparable && i%7 == 0 {
			y = -y
		}
		p.Y.Set(i, 0, y)
	}
	return p
}

func TestHardCases(t *testing.T) {
	constant := blobs(40, true)
	for i := range 40 {
		constant.X.Set(i, 1, 3)
	}
	same := blobs(20, true)
	for i := range 20 {
		same.X.SetRow(i, []float64{1, 1})
	}
	twice := blobs(40, true)
	for i := range 20 {
		twice.X.SetRow(20+i, twice.X.RawRowView(i))
	}
	for name, p := range map[string]learn.Problem{
		"separable": blobs(40, false), "inseparable": blobs(40, true), "duplicate rows": twice,
		"constant feature": constant, "all rows equal": same,
	} {
		for _, k := range []string{"rbf:width=2", "linear", "poly"} {
			for _, price := range []float64{1e-5, 1, 1e5} {
				m, report, err := with(func(c *Config) {
					c.C, c.Kernel, c.MaxIterations = price, kernel.Must(k), 300_000
				}).Train(ctx, p)
				if errors.Is(err, fault.NotSolved) && fault.HintOf(err) != "" {
					t.Logf("%s, %s, C = %g: %v", name, k, price, err)
					continue
				}
				if err != nil {
					t.Errorf("%s, %s, C = %g: %v", name, k, price, err)
					continue
				}
				checkOptimal(t, fmt.Sprintf("%s, %s, C = %g", name, k, price), price, p, m, report)
			}
		}
	}
}

// checkOptimal compares the primal objective of a model, computed from its
// decisions, with the dual one that the solver reports.
func checkOptimal(t *testing.T, what string, price float64, p learn.Problem, m learn.Model, report learn.Report) {
	t.Helper()
	parts := m.(*Classifier).Parts()
	f := predict(m, p.X).RawMatrix().Data
	support := mat.NewDense(max(1, parts.Support.Rows), 2, nil)
	for i := range parts.Support.Rows {
		support.SetRow(i, blas.Row(parts.Support, i))
	}
	at := m.(*Classifier).Decisions(support).RawMatrix().Data
	var primal float64
	for i := range parts.Support.Rows {
		primal += parts.Coef.Data[i] * (at[i] - parts.Offset[0]) / 2
	}
	for i, v := range f {
		primal += price * max(0, 1-v*p.Y.At(i, 0))
	}
	o := report.Optimum
	if !(o.Objective <= primal*(1+1e-9)) || !(primal-o.Objective <= 1.01*o.Gap+1e-9*primal) ||
		!(o.Gap <= 40*price*1e-3*2+1e-3*o.Objective) {
		t.Errorf("%s: primal %g, dual %g, gap %g", what, primal, o.Objective, o.Gap)
	}
}

func TestOneClassIsConstant(t *testing.T) {
	p := blobs(10, false)
	for i := range 10 {
		p.Y.Set(i, 0, -1)
	}
	m, report := train(t, DefaultConfig(), p)
	for _, f := range predict(m, p.X).RawMatrix().Data {
		if f != -1 {
			t.Errorf("f = %g", f)
		}
	}
	if report.Size != 0 || report.Optimum.Objective != 0 {
		t.Errorf("%+v", report)
	}
}

func TestRefusals(t *testing.T) {
	p := blobs(20, true)
	for name, c := range map[string]learn.Trainer{
		"C":          with(func(c *Config) { c.C = -1 }),
		"kernel":     with(func(c *Config) { c.Kernel = kernel.Spec{{Name: "x"}} }),
		"tolerance":  with(func(c *Config) { c.Tolerance = -1 }),
		"iterations": with(func(c *Config) { c.MaxIterations = -1 }),
		"weights":    with(func(c *Config) { c.ClassWeight = []float64{1} }),
		"weight":     with(func(c *Config) { c.ClassWeight = []float64{1, 0} }),
		"cache":      with(func(c *Config) { c.CacheBytes = -1 }),
		"epsilon":    withRegression(func(c *RegressionConfig) { c.Epsilon = -1.0 }),
		"negative":   withRegression(func(c *RegressionConfig) { c.Kernel = kernel.Must("chi2") }),
		"below 0":    withRegression(func(c *RegressionConfig) { c.Tolerance = -1 }),
		"tiny":       withRegression(func(c *RegressionConfig) { c.Tolerance = 1e-15 }),
	} {
		if _, _, err := c.Train(ctx, p); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err := with(func(c *Config) { c.MaxIterations, c.C = 3, 100 }).Train(ctx, p)
	if !errors.Is(err, fault.NotSolved) || fault.HintOf(err) == "" {
		t.Errorf("three iterations: %v", err)
	}
	p.X.Scale(1e200, p.X)
	_, _, err = with(func(c *Config) { c.Kernel = kernel.Must("poly") }).Train(ctx, p)
	if !errors.Is(err, fault.NotSolved) {
		t.Errorf("overflow: %v", err)
	}
	p = blobs(20, true)
	p.Y.Set(3, 0, 0.5)
	if _, _, err := (DefaultConfig()).Train(ctx, p); !errors.Is(err, fault.Data) {
		t.Errorf("no class: %v", err)
	}
}

// with returns the defaults after a change.
func with(change func(*Config)) Config {
	c := DefaultConfig()
	change(&c)
	return c
}

func withRegression(change func(*RegressionConfig)) RegressionConfig {
	c := DefaultRegressionConfig()
	change(&c)
	return c
}
