package svmplus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/learntest"
	"rvflplus/internal/oracle"
	"rvflplus/kernel"
	"rvflplus/learn"
)

var ctx = context.Background()

func problemOf(c oracle.Margin) learn.Problem {
	return learn.Problem{X: c.X.Dense(), Priv: c.Priv.Dense(), Y: oracle.Column(c.Y).Dense()}
}

func train(t testing.TB, c Config, p learn.Problem) (*Model, learn.Report) {
	t.Helper()
	m, report, err := c.Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*Model), report
}

func predict(m *Model, x *mat.Dense) *mat.Dense {
	_, outputs := m.Dims()
	out := mat.NewDense(x.RawMatrix().Rows, outputs, nil)
	m.PredictTo(out, x)
	return out
}

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

func TestReferenceAnswers(t *testing.T) {
	for _, c := range oracle.ReadMargin(t) {
		rbf := with(func(d *Config) {
			d.C, d.Gamma, d.Tolerance, d.Kernel, d.PrivKernel = c.C, c.Gamma, 1e-7,
				kernel.Must(fmt.Sprintf("rbf:width=%v", c.Width)), kernel.Must(fmt.Sprintf("rbf:width=%v", c.PrivWidth))
		})
		linear := rbf
		linear.Kernel, linear.PrivKernel = kernel.Must("linear"), kernel.Must("linear")
		for _, solver := range Solvers() {
			wants := []float64{c.PlusObjective, c.PlusLinear}
			if solver == "fast" {
				wants = []float64{c.FastObjective, c.FastLinear}
			}
			for i, cfg := range []Config{rbf, linear} {
				cfg.Solver = solver
				m, report := train(t, cfg, problemOf(c))
				what := fmt.Sprintf("%s %s %s", c.Name, solver, cfg.Kernel)
				o := report.Optimum
				near(t, what+": objective", []float64{o.Objective}, wants[i:i+1], 1e-6)
				if !(o.Gap <= 1e-7*o.Objective) || !(o.KKT < 1e-2) || o.Iterations == 0 {
					t.Errorf("%s: ended with %+v", what, *o)
				}
				if solver == "fast" && i == 0 {
					near(t, what+": decisions", predict(m, c.Xtest.Dense()).RawMatrix().Data, c.FastTest, 1e-6)
					near(t, what+": alpha", alphaOf(m, c), c.FastAlpha, 1e-6)
				}
			}
		}
	}
}

// alphaOf returns α row by row of the problem.
func alphaOf(m *Model, c oracle.Margin) []float64 {
	out := make([]float64, len(c.Y))
	for k := range m.parts.Support.Rows {
		i := slices.IndexFunc(c.X, func(row []float64) bool { return slices.Equal(row, blas.Row(m.parts.Support, k)) })
		out[i] = c.Y[i] * m.parts.Alpha.Data[k]
	}
	return out
}

// Fast SVM+ with a linear normal and another privileged kernel is the squared-slack
// form: the two of them are told apart by both kernels.
func TestFastWithOneLinearKernel(t *testing.T) {
	c := oracle.ReadMargin(t)[0]
	cfg := with(func(d *Config) {
		d.C, d.Gamma, d.Solver, d.Kernel, d.PrivKernel, d.Tolerance = c.C, c.Gamma, "fast", kernel.Must("linear"),
			kernel.Must("poly:degree=1,offset=0"), 1e-8
	})
	m, report := train(t, cfg, problemOf(c))
	near(t, "objective", []float64{report.Optimum.Objective}, []float64{c.FastLinearKernel}, 1e-6)
	if !m.Parts().Linear() {
		t.Error("a linear kernel keeps its support vectors")
	}
}

func TestEstimatorPromises(t *testing.T) {
	for _, solver := range Solvers() {
		for _, name := range []string{"rbf:width=0.5", "linear"} {
			t.Run(solver+" "+name, func(t *testing.T) {
				c := with(func(c *Config) {
					c.C, c.Gamma, c.Solver, c.Kernel, c.Tolerance = 50, 0.01, solver, kernel.Must(name), 1e-9
				})
				learntest.Run(t, learntest.Estimator{Trainer: c, OneHot: true, NoLeaveOneOut: true, NeedsAllPriv: true,
					Tolerance: 1e-4})
			})
		}
	}
}

// three draws three classes that the first two features tell, with privileged
// features that tell how far from the others a row lies.
func three(n int) learn.Problem {
	r := rand.New(rand.NewPCG(3, 4))
	p := learn.Problem{X: mat.NewDense(n, 3, nil), Priv: mat.NewDense(n, 2, nil), Y: mat.NewDense(n, 3, nil)}
	for i := range n {
		for j := range 3 {
			p.X.Set(i, j, r.NormFloat64()+3*b2f(i%3 == j))
		}
		p.Priv.SetRow(i, []float64{p.X.At(i, i%3), r.NormFloat64()})
		p.Y.Set(i, i%3, 1)
	}
	return p
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestSeveralClasses(t *testing.T) {
	p := three(60)
	for _, solver := range Solvers() {
		for _, name := range []string{"rbf", "linear"} {
			c := with(func(c *Config) { c.C, c.Gamma, c.Solver, c.Kernel = 10, 1, solver, kernel.Must(name) })
			m, report := train(t, c, p)
			out := predict(m, p.X)
			right, sum := 0, 0.0
			for i := range 60 {
				row := out.RawRowView(i)
				right += int(b2f(slices.Index(row, slices.Max(row)) == i%3))
			}
			if right < 52 {
				t.Errorf("%s %s: %d of 60 rows right", solver, name, right)
			}
			for j := range 3 {
				one := p
				one.Y = mat.DenseCopyOf(p.Y.Slice(0, 60, j, j+1))
				alone, r := train(t, c, one)
				near(t, "a class alone", predict(alone, p.X).RawMatrix().Data,
					mat.DenseCopyOf(out.Slice(0, 60, j, j+1)).RawMatrix().Data, 1e-12)
				sum += r.Optimum.Objective
			}
			near(t, "the summed objective", []float64{report.Optimum.Objective}, []float64{sum}, 1e-12)
		}
	}
}

// The two columns of a one-hot problem are one machine.
func TestTwoColumnsAreOneMachine(t *testing.T) {
	c := oracle.ReadMargin(t)[0]
	p := problemOf(c)
	for _, solver := range Solvers() {
		cfg := with(func(d *Config) { d.C, d.Gamma, d.Solver = c.C, c.Gamma, solver })
		one, r1 := train(t, cfg, p)
		q := p
		q.Y = mat.NewDense(len(c.Y), 2, nil)
		for i, y := range c.Y {
			q.Y.SetRow(i, []float64{b2f(y < 0), b2f(y > 0)})
		}
		two, r2 := train(t, cfg, q)
		a, b := predict(one, p.X), predict(two, p.X)
		for i := range c.Y {
			if b.At(i, 1) != a.At(i, 0) || b.At(i, 0) != -a.At(i, 0) {
				t.Fatalf("%s: row %d is %v, one column gives %v", solver, i, b.RawRowView(i), a.At(i, 0))
			}
		}
		if r1.Optimum.Objective != r2.Optimum.Objective {
			t.Errorf("%s: objectives %v and %v", solver, r1.Optimum.Objective, r2.Optimum.Objective)
		}
	}
}

// hard returns problems that trip solvers.
func hard() map[string]learn.Problem {
	r := rand.New(rand.NewPCG(1, 5))
	base := func(gap float64) learn.Problem {
		n := 40
		p := learn.Problem{X: mat.NewDense(n, 2, nil), Priv: mat.NewDense(n, 2, nil), Y: mat.NewDense(n, 1, nil)}
		for i := range n {
			y := float64(2*(i%2) - 1)
			p.Y.Set(i, 0, y)
			p.X.SetRow(i, []float64{r.NormFloat64() + gap*y, r.NormFloat64()})
			p.Priv.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
		}
		return p
	}
	all := map[string]learn.Problem{"separable": base(10), "inseparable": base(0), "duplicates": base(1),
		"constant": base(1), "contradictions": base(1), "few": base(1)}
	for i := range 40 {
		all["duplicates"].X.SetRow(i, all["duplicates"].X.RawRowView(i%4))
		all["duplicates"].Priv.SetRow(i, all["duplicates"].Priv.RawRowView(i%4))
		all["contradictions"].X.SetRow(i, all["contradictions"].X.RawRowView(i/2%5))
		all["contradictions"].Priv.SetRow(i, all["contradictions"].Priv.RawRowView(i/2%5))
		all["constant"].X.Set(i, 1, 7)
		all["constant"].Priv.SetRow(i, []float64{3, 3})
		all["few"].Y.Set(i, 0, -1)
	}
	all["few"].Y.Set(0, 0, 1)
	return all
}

// On hard problems every solver gives the right objective or says that it could
// not.
func TestHardProblems(t *testing.T) {
	for name, p := range hard() {
		for _, k := range []string{"linear", "rbf:width=1"} {
			for _, c := range []float64{1e-5, 1e-2, 1, 1e2, 1e5} {
				what := fmt.Sprintf("%s %s C=%v", name, k, c)
				mustAgree(t, what, with(func(d *Config) { d.C, d.Gamma, d.Kernel = c, 1, kernel.Must(k) }), p,
					[]string{"gsmo", "ipm", "mat"})
				mustAgree(t, what, with(func(d *Config) { d.C, d.Gamma, d.Kernel = c, 1, kernel.Must(k) }), p,
					[]string{"fast"})
			}
		}
	}
}

func mustAgree(t *testing.T, what string, c Config, p learn.Problem, solvers []string) {
	t.Helper()
	var found []float64
	for _, solver := range solvers {
		c.Solver = solver
		_, report, err := c.Train(ctx, p)
		if err != nil {
			t.Logf("%s %s: %v", what, solver, err)
			if !errors.Is(err, fault.NotSolved) {
				t.Errorf("%s %s: %v", what, solver, err)
			}
			continue
		}
		found = append(found, report.Optimum.Objective)
	}
	if len(found) == 0 {
		t.Errorf("%s: no solver of %v succeeded", what, solvers)
	}
	for _, v := range found {
		near(t, what, []float64{v}, found[:1], 1e-5)
	}
}

func TestOneClass(t *testing.T) {
	for _, solver := range Solvers() {
		p := hard()["separable"]
		p.Y.Apply(func(int, int, float64) float64 { return -1 }, p.Y)
		m, report := train(t, with(func(c *Config) { c.Solver = solver }), p)
		if out := predict(m, p.X); slices.Max(out.RawMatrix().Data) != -1 || slices.Min(out.RawMatrix().Data) != -1 ||
			len(report.Notes) != 1 {
			t.Errorf("%s: outputs %v, notes %q", solver, out.RawMatrix().Data[:3], report.Notes)
		}
	}
}

func TestWarnsOfAConstantDecision(t *testing.T) {
	p := hard()["inseparable"]
	for _, solver := range []string{"gsmo", "ipm", "mat"} {
		_, report := train(t, with(func(c *Config) {
			c.C, c.Gamma, c.Solver, c.Kernel = 1e-4, 1e6, solver, kernel.Must("rbf:width=1")
		}), p)
		if len(report.Notes) != 1 {
			t.Errorf("%s: objective %v of at most %v, notes %q", solver, report.Optimum.Objective, 40*1e-4,
				report.Notes)
		}
	}
}

func TestRefusals(t *testing.T) {
	good := hard()["separable"]
	numbers := good
	numbers.Y = mat.NewDense(40, 1, nil)
	numbers.Y.Set(3, 0, 0.5)
	bare := good
	bare.Priv = nil
	for name, c := range map[string]struct {
		config Config
		p      learn.Problem
	}{
		"C":      {with(func(c *Config) { c.C = -1 }), good},
		"gamma":  {with(func(c *Config) { c.Gamma = math.Inf(1) }), good},
		"kernel": {with(func(c *Config) { c.Kernel = kernel.Spec{{Name: "x"}} }), good},
		"priv kernel": {with(func(c *Config) {
			c.PrivKernel = kernel.Spec{{Name: "rbf", Params: map[string]float64{"width": 0}}}
		}), good},
		"solver":   {with(func(c *Config) { c.Solver = "x" }), good},
		"tol":      {with(func(c *Config) { c.Tolerance = 1 }), good},
		"max-iter": {with(func(c *Config) { c.MaxIterations = -1 }), good}, "numbers": {DefaultConfig(), numbers},
		"no privileged": {DefaultConfig(), bare},
		"negative":      {with(func(c *Config) { c.Kernel = kernel.Must("chi2") }), good},
	} {
		if _, _, err := c.config.Train(ctx, c.p); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, solver := range Solvers() {
		c := with(func(c *Config) { c.Solver, c.MaxIterations, c.C = solver, 1, 100 })
		_, _, err := c.Train(ctx, hard()["inseparable"])
		if !errors.Is(err, fault.NotSolved) || fault.HintOf(err) == "" {
			t.Errorf("%s with one iteration: %v", solver, err)
		}
	}
}

func TestOverflowIsAnError(t *testing.T) {
	p := hard()["separable"]
	p.X.Scale(1e200, p.X)
	for _, solver := range Solvers() {
		for _, name := range []string{"linear", "poly"} {
			_, _, err := with(func(c *Config) { c.Solver, c.Kernel = solver, kernel.Must(name) }).Train(ctx, p)
			if !errors.Is(err, fault.NotSolved) {
				t.Errorf("%s %s: %v", solver, name, err)
			}
		}
	}
}

// Cancelling ends a long fit soon; the time is bounded only by the test's own
// deadline.
func TestCancelledHalfway(t *testing.T) {
	p := three(600)
	for _, solver := range Solvers() {
		c, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		_, _, err := with(func(c *Config) {
			c.Solver, c.Tolerance, c.Kernel, c.MaxIterations = solver, 1e-12, kernel.Must("laplacian"), 1<<40
		}).Train(c, p)
		if cancel(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", solver, err)
		}
	}
}

func TestFromPartsRefuses(t *testing.T) {
	m, _ := train(t, DefaultConfig(), three(30))
	good := m.Parts()
	for name, spoil := range map[string]func(*Parts){
		"no kernel": func(p *Parts) { p.Kernel = nil }, "offset": func(p *Parts) { p.Offset = nil },
		"rows": func(p *Parts) { p.Support = blas.View(p.Support, 0, 1, 0, 3) },
		"both": func(p *Parts) { p.Weight = blas.New(3, 3) },
	} {
		p := good
		if spoil(&p); name == "" {
			continue
		}
		if _, err := FromParts(p); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := FromParts(good); err != nil {
		t.Error(err)
	}
}

// A class of weight w is one whose rows have weight w, in all machines.
func TestClassWeightsAreRowWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	p := learn.Problem{X: mat.NewDense(30, 2, nil), Priv: mat.NewDense(30, 2, nil), Y: mat.NewDense(30, 3, nil),
		Weight: make([]float64, 30)}
	weights := []float64{3, 1, 0.5}
	for i := range 30 {
		p.X.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
		p.Priv.SetRow(i, []float64{r.NormFloat64(), p.X.At(i, 0)})
		p.Y.Set(i, i%3, 1)
		p.Weight[i] = weights[i%3]
	}
	for _, solver := range Solvers() {
		c := with(func(c *Config) {
			c.Solver, c.Kernel, c.Gamma, c.Tolerance = solver, kernel.Must("rbf:width=2"), 1, 1e-7
		})
		a, _, err := c.Train(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		q := p
		q.Weight, c.ClassWeight = nil, weights
		b, _, err := c.Train(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		x, y := mat.NewDense(30, 3, nil), mat.NewDense(30, 3, nil)
		a.PredictTo(x, p.X)
		b.PredictTo(y, p.X)
		if !mat.Equal(x, y) {
			t.Errorf("%s: other decisions", solver)
		}
		c.ClassWeight = weights[:2]
		if _, _, err := c.Train(ctx, q); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: two weights for three classes: %v", solver, err)
		}
	}
}

// with returns the defaults after a change.
func with(change func(*Config)) Config {
	c := DefaultConfig()
	change(&c)
	return c
}
