package lupi

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/ridge"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// transferFolds is the number of folds by which transfer is chosen.
const transferFolds = 5

// transfer is knowledge transfer: every privileged column is predicted from the normal features, and the predictions F
// are features of a second ridge regression, beside the normal ones or alone. F holds leave-one-out predictions on
// training rows and those of the full fit in use.
//
// Leave-one-out of the second stage leaks: the value x̃ᵢ sits in the features of the other rows. So everything but the
// settings of the first stage is chosen by folds of the whole pipeline, the tuned ridge regression without transfer
// among the choices.
func (f *fit) transfer(ctx context.Context) (*member, error) {
	if m := f.members["transfer"]; m != nil {
		return m, nil
	}
	if f.Base != "krvfl" {
		return nil, fault.New(fault.Usage, "transfer is built on kernels: there is no %s", fault.Set("base", f.Base)).
			WithHint("use %s, or fewer rows", fault.Set("base", "krvfl"))
	}
	tuned, err := f.tuned(ctx)
	if err != nil {
		return nil, err
	}
	first, err := f.firstStage(ctx)
	if err != nil {
		return nil, err
	}
	folds, err := f.transferFolds()
	if err != nil {
		return nil, err
	}
	best, tried, err := f.secondStage(ctx, first, folds, tuned)
	if err != nil {
		return nil, err
	}
	m := &member{name: "transfer", privileged: true, out: best.out, tried: tried, of: best.of,
		settings: []learn.Setting{set("features", best.how)}}
	if best.how == "normal" {
		m.out, m.parts = tuned.out, tuned.parts
		m.settings = append(m.settings, tuned.settings...)
		return f.keep(m), nil
	}
	m.settings = append(m.settings, number("C", best.c), number("width", best.width))
	m.parts = []part{{key: "transfer", weight: 1, train: by(transferrer{
		fit: f, first: first, both: best.how == "both", factor: best.width, c: best.c,
	})}}
	return f.keep(m), nil
}

func (f *fit) transferFolds() ([][]int, error) {
	if f.folds != nil {
		return f.folds, nil
	}
	return dealt(f.rows.X.RawMatrix().Rows, transferFolds, f.Seed)
}

// dealt deals n rows to k folds, or as many as there are rows.
func dealt(n, k int, seed uint64) ([][]int, error) {
	of, err := split.KFold(n, min(k, n), seed)
	folds := make([][]int, of.K)
	for row, k := range of.Of {
		folds[k] = append(folds[k], row)
	}
	return folds, err
}

// columnFit is the first stage's setting of some privileged columns.
type columnFit struct {
	columns []int
	trainer learn.Trainer
}

// firstStage chooses representation and C for every privileged column.
func (f *fit) firstStage(ctx context.Context) ([]columnFit, error) {
	s, err := f.memberSpace(ctx)
	if err != nil {
		return nil, err
	}
	priv := blas.View(f.rows.Priv.RawMatrix(), 0, f.complete, 0, f.rows.Priv.RawMatrix().Cols)
	t := target{y: priv, weight: f.weight[:f.complete], folds: f.completeFolds(), center: true,
		scale: ones(priv.Cols)}
	settings := s.size() * len(f.C)
	f.expect(settings)
	columns := make([][]float64, settings)
	err = f.each(ctx, settings, priv.Rows, 1, func(k int) {
		inner := blas.View(s.inner[k/len(f.C)], 0, f.complete, 0, f.complete)
		path := ridge.NewPath(ridge.PathProblem{Omega: inner, Y: priv, Weight: t.weight, Sets: t.folds})
		if out, err := t.predict(ctx, path, f.C[k%len(f.C)]); err == nil {
			columns[k] = t.columns(out)
		}
	})
	if err != nil {
		return nil, err
	}
	groups := make([]columnFit, settings)
	for j := range priv.Cols {
		best, least := 0, math.Inf(1)
		for k, errors := range columns {
			if errors != nil && errors[j] < least {
				best, least = k, errors[j]
			}
		}
		groups[best].columns = append(groups[best].columns, j)
		groups[best].trainer = f.trainerOf(s, best/len(f.C), f.C[best%len(f.C)], true)
	}
	var out []columnFit
	for _, g := range groups {
		if len(g.columns) > 0 {
			out = append(out, g)
		}
	}
	return out, nil
}

// completeFolds returns the folds without the rows that lack privileged values.
func (f *fit) completeFolds() [][]int {
	var out [][]int
	for _, fold := range f.folds {
		var left []int
		for _, i := range fold {
			if i < f.complete {
				left = append(left, i)
			}
		}
		if len(left) > 0 && len(left) < f.complete {
			out = append(out, left)
		}
	}
	return out
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// arrangement is a setting of the second stage.
type arrangement struct {
	how   string // features: "both", "predicted" or "normal"
	width float64
	c     float64
	out   *mat.Dense
	of    int

	failed bool // it could not be solved without some fold
}

// secondStage chooses the features, the width and C of the second stage by folds of the whole pipeline.
func (f *fit) secondStage(ctx context.Context, first []columnFit, folds [][]int, tuned *member) (
	best arrangement, tried int, err error) {
	n, m := f.rows.Y.Dims()
	widths := f.Widths
	if !f.Kernel.HasAutomaticWidth() {
		widths = widths[:1]
	}
	var all []arrangement
	for _, how := range []string{"both", "predicted"} {
		for _, w := range widths {
			for _, c := range f.C {
				all = append(all, arrangement{how: how, width: w, c: c, out: mat.NewDense(n, m, nil)})
			}
		}
	}
	f.expect(len(all))
	skipped := 0
	if f.late() {
		skipped, all = len(all), nil
	}
	for _, fold := range folds {
		if err := f.secondStageOn(ctx, first, fold, all); err != nil {
			return best, 0, err
		}
	}
	of := len(all) + skipped
	f.tell(of)
	without, err := f.withoutFolds(ctx, folds, tuned.parts[0].train)
	if err != nil {
		return best, 0, err
	}
	best = arrangement{how: "normal", out: without}
	least := f.targets().loss(without)
	for _, a := range all {
		if a.failed {
			continue
		}
		if loss := f.targets().loss(a.out); loss < least {
			best, least = a, loss
		}
	}
	best.of = of
	return best, len(all), nil
}

// secondStageOn sets the predictions of a fold by all arrangements, trained on the other rows.
func (f *fit) secondStageOn(ctx context.Context, first []columnFit, fold []int, all []arrangement) error {
	if len(all) == 0 {
		return nil
	}
	rest := f.rows.Only(split.Others(f.rows.X.RawMatrix().Rows, fold))
	held := learn.GatherRows(f.rows.X, fold)
	stage, err := trainFirst(ctx, first, rest)
	if err != nil {
		return err
	}
	predicted := stage.features(held)
	for k := 0; k < len(all); k += len(f.C) {
		both := all[k].how == "both"
		x, z := stage.join(rest.X, stage.learned, both), stage.join(held, predicted, both)
		err := f.overC(ctx, x, z, rest, all[k].width, func(c int, out *mat.Dense) {
			if out == nil {
				all[k+c].failed = true
				return
			}
			for at, i := range fold {
				all[k+c].out.SetRow(i, out.RawRowView(at))
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// overC calls use with the predictions for rows z of ridge regressions on x for every C, nil where one cannot be
// solved.
func (f *fit) overC(ctx context.Context, x, z *mat.Dense, p learn.Problem, factor float64,
	use func(c int, out *mat.Dense)) error {
	specs, err := f.scaled(f.Kernel, []float64{factor}, x.RawMatrix(), 1)
	if err != nil {
		return err
	}
	k, err := specs[0].Kernel()
	if err != nil {
		return err
	}
	inner, cross := blas.New(x.RawMatrix().Rows, x.RawMatrix().Rows), blas.New(z.RawMatrix().Rows, x.RawMatrix().Rows)
	if err := kernel.AddSymmetric(ctx, k, 1, x.RawMatrix(), inner, nil); err != nil {
		return err
	}
	blas.Mirror(inner)
	if err := kernel.Add(ctx, k, 1, z.RawMatrix(), x.RawMatrix(), cross); err != nil {
		return err
	}
	for c, value := range f.C {
		d, err := ridge.FitDual(ctx, ridge.DualProblem{Omega: filled{inner}, Y: p.Y.RawMatrix(), Weight: weightsOf(p),
			Params: ridge.Params{C: value, Center: f.Center}})
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			use(c, nil)
			continue
		}
		out := blas.New(cross.Rows, d.Alpha.Cols)
		for i := range out.Rows {
			copy(blas.Row(out, i), d.Offset)
		}
		if err := blas.Gemm(ctx, false, false, 1, cross, d.Alpha, 1, out); err != nil {
			return err
		}
		use(c, mat.NewDense(out.Rows, out.Cols, out.Data))
	}
	return nil
}

func weightsOf(p learn.Problem) []float64 {
	if p.Weight != nil {
		return p.Weight
	}
	return ones(p.Y.RawMatrix().Rows)
}

// filled is a Gramian that is in memory.
type filled struct{ m blas.Matrix }

// Size implements ridge.Gramian.
func (g filled) Size() int { return g.m.Rows }

// Add implements ridge.Gramian.
func (g filled) Add(_ context.Context, scale float64, dst blas.Matrix, _ func(done, total int)) error {
	for i := range g.m.Rows {
		blas.Axpy(scale, blas.Row(g.m, i)[i:], blas.Row(dst, i)[i:])
	}
	return nil
}

// Times implements ridge.Gramian.
func (g filled) Times(_ context.Context, v []float64) ([]float64, error) {
	out := make([]float64, g.m.Rows)
	blas.Gemv(false, g.m, v, out)
	return out, nil
}

// Diag implements ridge.Gramian.
func (g filled) Diag() []float64 {
	d := make([]float64, g.m.Rows)
	for i := range d {
		d[i] = g.m.Data[i*g.m.Stride+i]
	}
	return d
}

// transferrer trains both stages.
type transferrer struct {
	*fit
	first  []columnFit
	both   bool
	factor float64
	c      float64
}

// Train implements learn.Trainer.
func (t transferrer) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	stage, err := trainFirst(ctx, t.first, p)
	if err != nil {
		return nil, learn.Report{}, fmt.Errorf("privileged columns: %w", err)
	}
	q := p.WithPriv(nil)
	q.HasPriv, q.Unlabelled, q.X, q.Columns = nil, nil, stage.join(p.X, stage.learned, t.both), nil
	if t.both {
		q.Columns = learn.ColumnsBeside(p.Columns, p.X.RawMatrix().Cols, nil, stage.learned.RawMatrix().Cols)
	}
	specs, err := t.scaled(t.Kernel, []float64{t.factor}, q.X.RawMatrix(), 1)
	if err != nil {
		return nil, learn.Report{}, err
	}
	second, report, err := kernelRidge(specs[0], t.grownC(t.c, q), t.Center, t.Seed).Train(ctx, q)
	if err != nil {
		return nil, learn.Report{}, err
	}
	report.LeaveOneOut = nil // it leaks, see transfer
	model, err := NewTransfer(stage.model, stage.mean, stage.sd, t.both, second)
	return model, report, err
}

// predictedColumns is a trained first stage.
type predictedColumns struct {
	model    learn.Model // privileged columns from normal features
	learned  *mat.Dense  // its standardised leave-one-out predictions of the rows that it was trained on
	mean, sd []float64   // of those predictions
}

// trainFirst trains the first stage on the rows of p that have privileged values.
func trainFirst(ctx context.Context, first []columnFit, p learn.Problem) (*predictedColumns, error) {
	n, d := p.Priv.Dims()
	var complete []int
	for i := range n {
		if p.HasPriv == nil || p.HasPriv[i] {
			complete = append(complete, i)
		}
	}
	if len(complete) < 2 {
		return nil, fault.New(fault.NotSolved, "%d of the rows that transfer is trained on have privileged values: "+
			"its first stage needs two", len(complete))
	}
	rows := learn.Problem{X: p.X, Columns: p.Columns, Y: p.Priv, Weight: p.Weight}
	if len(complete) < n {
		rows = rows.Only(complete)
	}
	learned := mat.NewDense(len(complete), d, nil)
	stage := &predictedColumns{}
	var models []learn.Model
	for _, g := range first {
		q := rows
		q.Y, q.LeaveOneOut = columnsOf(rows.Y, g.columns), learn.Always
		m, report, err := g.trainer.Train(ctx, q)
		if err != nil {
			return nil, err
		}
		for k, j := range g.columns {
			learned.SetCol(j, mat.Col(nil, k, report.LeaveOneOut))
		}
		models = append(models, m)
	}
	var err error
	if stage.model, err = beside(models, first, d); err != nil {
		return nil, err
	}
	stage.mean, stage.sd = moments(learned)
	whole := mat.NewDense(n, d, nil)
	if len(complete) < n {
		stage.model.PredictTo(whole, p.X) // rows without privileged values had no part in the first stage
	}
	for k, i := range complete {
		whole.SetRow(i, learned.RawRowView(k))
	}
	stage.learned = stage.standardised(whole)
	return stage, nil
}

func columnsOf(m *mat.Dense, columns []int) *mat.Dense {
	rows, _ := m.Dims()
	out := mat.NewDense(rows, len(columns), nil)
	for k, j := range columns {
		out.SetCol(k, mat.Col(nil, j, m))
	}
	return out
}

// moments returns the means and standard deviations of columns; that of a constant column is 1.
func moments(m *mat.Dense) (mean, sd []float64) {
	rows, cols := m.Dims()
	mean, sd = make([]float64, cols), make([]float64, cols)
	for j := range cols {
		for i := range rows {
			mean[j] += m.At(i, j) / float64(rows)
		}
		for i := range rows {
			d := m.At(i, j) - mean[j]
			sd[j] += d * d / float64(rows)
		}
		if sd[j] = math.Sqrt(sd[j]); !(sd[j] > 1e-12) {
			sd[j] = 1
		}
	}
	return mean, sd
}

// features returns the standardised predictions of the privileged columns for rows x.
func (s *predictedColumns) features(x *mat.Dense) *mat.Dense {
	out := mat.NewDense(x.RawMatrix().Rows, len(s.mean), nil)
	s.model.PredictTo(out, x)
	return s.standardised(out)
}

func (s *predictedColumns) standardised(m *mat.Dense) *mat.Dense {
	standardise(m, s.mean, s.sd)
	return m
}

// farthest bounds standardised predictions.
const farthest = 5

func standardise(m *mat.Dense, mean, sd []float64) {
	m.Apply(func(_, j int, v float64) float64 {
		return min(max((v-mean[j])/sd[j], -farthest), farthest)
	}, m)
}

// join returns the features of the second stage.
func (s *predictedColumns) join(x, predicted *mat.Dense, both bool) *mat.Dense {
	if !both {
		return predicted
	}
	var out mat.Dense
	out.Augment(x, predicted)
	return &out
}
