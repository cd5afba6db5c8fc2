package svmplus

import (
	"context"
	"fmt"
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/qp"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Train fits a machine for each column of p.Y, which holds 0 or -1 for the rows
// outside its class and 1 for the rows inside; two columns that are opposite are one
// machine. All rows must have privileged values; a row of weight v counts as v
// rows. A fit that misses the tolerance is a fault.NotSolved error. Memory 88N²
// bytes at most, with solver fast and two linear kernels 16N(n+d).
func (c Config) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	if err := c.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	if err := p.Check(); err != nil {
		return nil, learn.Report{}, err
	}
	if err := checkProblem(p); err != nil {
		return nil, learn.Report{}, err
	}
	if classes := max(2, p.Y.RawMatrix().Cols); c.ClassWeight != nil && len(c.ClassWeight) != classes {
		return nil, learn.Report{},
			fault.New(fault.Usage, "%d class weights for %d classes", len(c.ClassWeight), classes)
	}
	t := newTraining(c, p)
	if err := learn.CheckBoxConstraints(t.c); err != nil {
		return nil, learn.Report{}, err
	}
	if err := t.fit(ctx); err != nil {
		return nil, learn.Report{}, err
	}
	model, err := t.model(ctx)
	return model, t.report, err
}

// checkProblem refuses problems that SVM+ does not solve.
func checkProblem(p learn.Problem) error {
	if p.Priv == nil {
		return fault.New(fault.Usage, "svm+ learns from privileged features, but there are none").
			WithHint("use svm")
	}
	for i, has := range p.HasPriv {
		if !has {
			return fault.New(fault.Usage, "svm+ needs the privileged values of every row, row %d has none", i+1).
				WithHint("leave such rows out, or use krvfl+ or rvfl+")
		}
	}
	if p.LeaveOneOut == learn.Always {
		return fault.New(fault.Usage, "leave-one-out of svm+ has no closed form").
			WithHint("use cross-validation, or krvfl+")
	}
	y := p.Y.RawMatrix()
	for i := range y.Rows {
		for j, v := range blas.Row(y, i) {
			if v != 0 && v != 1 && v != -1 {
				return fault.New(fault.Usage,
					"svm+ learns classes, targets must be 0, 1 or -1, got %v in row %d, column %d", v, i+1, j+1).
					WithHint("use krvfl+ or rvfl+ for numbers")
			}
		}
	}
	return nil
}

// machine is one class against the rest.
type machine struct {
	y      []float64 // ±1
	sign   float64   // of every row when there is one class only, else 0
	alphaY []float64 // α∘y
	weight []float64 // w, where it is computed instead of α
	bias   float64
	result qp.Result
}

// training is one run of Train.
type training struct {
	Config
	problem      learn.Problem
	rows         learn.Ordered
	c            []float64 // C·vᵢ
	machines     []*machine
	mirrored     bool // the one machine serves two opposite columns
	kernel, priv kernel.Kernel
	report       learn.Report
}

func newTraining(c Config, p learn.Problem) *training {
	t := &training{Config: c, problem: p, rows: p.CompleteFirst()}
	t.c = make([]float64, t.rows.X.Rows)
	for i, v := range t.rows.Weight {
		t.c[i] = t.C * v * t.classWeight(blas.Row(t.rows.Y, i))
	}
	for j := range t.rows.Y.Cols {
		t.machines = append(t.machines, newMachine(t.rows.Y, j))
	}
	if len(t.machines) == 2 && opposite(t.machines[0], t.machines[1]) {
		t.machines, t.mirrored = t.machines[1:], true
	}
	return t
}

// classWeight returns the weight of the class of a row of targets, 1 for rows of
// no class.
func (t *training) classWeight(y []float64) float64 {
	switch class := slices.Index(y, 1); {
	case t.ClassWeight == nil:
		return 1
	case len(y) == 1:
		return t.ClassWeight[class+1]
	case class >= 0:
		return t.ClassWeight[class]
	}
	return 1
}

func newMachine(y blas.Matrix, j int) *machine {
	m := &machine{y: make([]float64, y.Rows)}
	var sum float64
	for i := range m.y {
		m.y[i] = -1
		if y.Data[i*y.Stride+j] > 0 {
			m.y[i] = 1
		}
		sum += m.y[i]
	}
	if sum == float64(y.Rows) || sum == -float64(y.Rows) {
		m.sign = sum / float64(y.Rows)
	}
	return m
}

func opposite(a, b *machine) bool {
	for i := range a.y {
		if a.y[i] == b.y[i] {
			return false
		}
	}
	return true
}

func (t *training) fit(ctx context.Context) error {
	var err error
	if t.kernel, err = t.Kernel.Resolve(t.rows.X, t.Seed); err != nil {
		return fmt.Errorf("normal features: %w", err)
	}
	if t.priv, err = t.PrivKernel.Or(t.Kernel).Resolve(t.rows.Priv, t.Seed); err != nil {
		return fmt.Errorf("privileged features: %w", err)
	}
	if err := t.checkMemory(); err != nil {
		return err
	}
	var solve func(context.Context, *machine) error // its creation computes the matrices that machines share
	switch {
	case t.primal():
		solve = t.linearSolver()
	case t.Solver == "fast":
		solve, err = t.fastSolver(ctx)
	default:
		solve, err = t.marginSolver(ctx)
	}
	if err != nil {
		return err
	}
	optimum := learn.Optimum{}
	for i, m := range t.machines {
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.sign != 0 { // one class needs no solver
			m.bias, m.alphaY = m.sign, make([]float64, len(m.y))
			m.result.Converged = true
			t.note("column %d of the targets has one class only: its decision value is %v everywhere", i+1, m.sign)
		} else if err := solve(ctx, m); err != nil {
			return err
		}
		if r := m.result; !r.Converged {
			return fault.New(fault.NotSolved, "solver %s did not converge: after %d iterations "+
				"the duality gap is %.3g at an objective of %.6g, largest KKT violation %.3g",
				t.Solver, r.Iterations, r.Gap, r.Objective, r.KKT).
				WithHint("raise %s or %s, scale the features, use a smaller C, or another %s",
					fault.Name("max-iter"), fault.Name("tol"), fault.Name("svm-solver"))
		}
		optimum.Objective += m.result.Objective
		optimum.Gap += m.result.Gap
		optimum.KKT = max(optimum.KKT, m.result.KKT)
		optimum.Iterations += m.result.Iterations
		t.problem.Progress.Tell("machines", i+1, len(t.machines))
	}
	t.report.Solver, t.report.Optimum = t.Solver, &optimum
	return nil
}

func isLinear(k kernel.Kernel) bool {
	_, linear := k.(kernel.Linear)
	return linear
}

// primal reports whether Fast SVM+ runs in the space of the features.
func (t *training) primal() bool { return t.Solver == "fast" && isLinear(t.kernel) && isLinear(t.priv) }

func (t *training) checkMemory() error {
	n := float64(t.rows.X.Rows)
	if t.primal() {
		width := float64(t.rows.X.Cols + t.rows.Priv.Cols + 2)
		need := 8*n*(width+20) + 24*width*width
		return memory.Check(need, fmt.Sprintf("SVM+ of %d rows", t.rows.X.Rows), "use fewer rows")
	}
	numbers := map[string]float64{"gsmo": 11, "ipm": 10, "mat": 11, "fast": 6}[t.Solver]
	return memory.Check(8*numbers*n*n, fmt.Sprintf("a kernel SVM+ of %d rows", t.rows.X.Rows),
		"use %s %s, whose memory grows with the rows only, or fewer rows",
		fault.Set("svm-solver", "fast"), fault.Set("kernel", "linear"))
}

func (t *training) note(format string, args ...any) {
	t.report.Notes = append(t.report.Notes, fault.Textf(format, args...))
}

// gram returns the kernel matrix, both triangles.
func gram(ctx context.Context, k kernel.Kernel, x blas.Matrix) (blas.Matrix, error) {
	m := blas.New(x.Rows, x.Rows)
	if err := kernel.AddSymmetric(ctx, k, 1, x, m, nil); err != nil {
		return m, err
	}
	blas.Mirror(m)
	for i := range m.Rows {
		if overflows(blas.Row(m, i)) {
			return m, fault.New(fault.NotSolved, "values of kernel %s overflow", k).
				WithHint("scale the features, or use another kernel")
		}
	}
	return m, nil
}

// overflows reports whether v has elements that are not finite; for most rows the sum of squares shows that it has
// none.
func overflows(v []float64) bool {
	if square := blas.Dot(v, v); square-square == 0 {
		return false
	}
	return slices.ContainsFunc(v, func(x float64) bool { return x-x != 0 })
}

// marginSolver returns the solver of SVM+ proper.
func (t *training) marginSolver(ctx context.Context) (func(context.Context, *machine) error, error) {
	k, err := gram(ctx, t.kernel, t.rows.X)
	if err != nil {
		return nil, err
	}
	priv, err := gram(ctx, t.priv, t.rows.Priv)
	if err != nil {
		return nil, err
	}
	solve := map[string]func(context.Context, qp.SVMPlusDual, float64, int) (qp.SVMPlusSolution, error){
		"gsmo": qp.GSMO, "ipm": qp.InteriorSVMPlus, "mat": qp.ActiveSet,
	}[t.Solver]
	return func(ctx context.Context, m *machine) error {
		dual := qp.SVMPlusDual{K: k, Priv: priv, Y: m.y, C: t.c, Gamma: t.Gamma}
		s, err := solve(ctx, dual, t.Tolerance, t.cap(len(m.y)))
		if err != nil {
			return err
		}
		m.alphaY, m.bias, m.result = signed(s.Alpha, m.y), s.Bias, s.Result
		t.warnConstant(m, s.ClassNormals)
		return nil
	}, nil
}

// warnConstant says when the tolerance does not tell the decision function from 0:
// ‖w‖² is off by at most twice the gap.
func (t *training) warnConstant(m *machine, squaredNorm float64) {
	var all float64
	for _, c := range t.c {
		all += c
	}
	if squaredNorm <= 20*m.result.Gap || m.result.Objective >= all*(1-1e-6) && !t.primal() {
		t.note("the best decision function is 0 everywhere, or not told from it by %s %v: "+
			"the privileged features explain no slack at C = %v and gamma = %v; use a larger C or a smaller gamma",
			fault.Name("tol"), t.Tolerance, t.C, t.Gamma)
	}
}

func signed(alpha, y []float64) []float64 {
	out := make([]float64, len(y))
	for i, a := range alpha {
		out[i] = a * y[i]
	}
	return out
}

// model builds the model from the machines.
func (t *training) model(ctx context.Context) (*Model, error) {
	outputs := len(t.machines)
	if t.mirrored {
		outputs = 2
	}
	p := Parts{Kernel: t.kernel, PrivKernel: t.priv, Offset: make([]float64, outputs)}
	alpha, weight := blas.New(t.rows.X.Rows, outputs), blas.New(t.rows.X.Cols, outputs)
	for j := range outputs {
		m, sign := t.machines[0], float64(2*j-1)
		if !t.mirrored {
			m, sign = t.machines[j], 1
		}
		p.Offset[j] = sign * m.bias
		for i, x := range m.alphaY {
			alpha.Data[i*alpha.Stride+j] = sign * x
		}
		for i, x := range m.weight {
			weight.Data[i*weight.Stride+j] = sign * x
		}
	}
	var support []int // rows that some machine uses
	for i := range alpha.Rows {
		if slices.ContainsFunc(blas.Row(alpha, i), func(a float64) bool { return a != 0 }) {
			support = append(support, i)
		}
	}
	t.report.Size = len(support)
	switch {
	case t.primal():
		p.Weight = weight
	case isLinear(t.kernel):
		if err := blas.Gemm(ctx, true, false, 1, t.rows.X, alpha, 0, weight); err != nil {
			return nil, err
		}
		p.Weight = weight
	default:
		if len(support) == 0 { // a model has at least one row
			support = []int{0}
		}
		p.Support, p.Alpha = blas.Gather(t.rows.X, support), blas.Gather(alpha, support)
	}
	if err := learn.CheckWeights(alpha); err != nil {
		return nil, err
	}
	return &Model{p}, learn.CheckWeights(weight)
}

var _ learn.Trainer = Config{}
