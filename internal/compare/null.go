package compare

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/learn"
)

// residuals are the privileged features split into what the normal ones tell of them,
// m̂(X), and the rest. Exchanging rows of the rest keeps how X̃ depends on X and
// breaks only what X̃ knows of the target beyond X. Exchanging rows of X̃ itself would
// break both, and take any dependence on X for knowledge of y.
//
// The spread of the rest may depend on X too. It is estimated, and rows are exchanged in
// units of it: otherwise X̃ would look as if it knew where the target is noisy.
type residuals struct {
	mean   *fitted    // X̃ by X, of rows with privileged values only
	spread *fitted    // the size of what is left
	rest   *mat.Dense // what is left, in units of the spread
	rows   []int      // their numbers
	all    int
	exchanger
}

// newResiduals fits m̂ and the spread: for each privileged feature the fits to rows left out of the KRVFL that these
// rows choose.
func (r *run) newResiduals(ctx context.Context, p learn.Problem, seed uint64) (*residuals, error) {
	left := &residuals{all: p.X.RawMatrix().Rows}
	for i := range left.all {
		if p.HasPriv == nil || p.HasPriv[i] {
			left.rows = append(left.rows, i)
		}
	}
	p = complete(p, left.rows)
	left.exchanger = r.exchanger(p.Group)
	var err error
	if left.mean, err = fitColumns(ctx, p, seed); err != nil {
		return nil, err
	}
	left.rest = mat.DenseCopyOf(p.Y)
	left.rest.Sub(p.Y, left.mean.out)
	size := mat.DenseCopyOf(left.rest)
	size.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, size)
	p.Y = size
	if left.spread, err = fitColumns(ctx, p, seed); err != nil {
		return nil, err
	}
	left.spread.mayBeConstant()
	left.rest.DivElem(left.rest, left.spread.out)
	return left, nil
}

// complete is the problem of predicting the privileged features of the given rows.
func complete(p learn.Problem, rows []int) learn.Problem {
	return learn.Problem{X: learn.GatherRows(p.X, rows), Y: learn.GatherRows(p.Priv, rows),
		Columns: p.Columns, Weight: learn.Gather(p.Weight, rows), Group: learn.Gather(p.Group, rows)}
}

// fitted is a regression of several columns, each by its own setting of KRVFL.
type fitted struct {
	problem    learn.Problem
	candidates []Candidate
	chosen     []int      // the candidate of each column, -1 for a constant
	loss       []float64  // squared errors of each column, added up
	out        *mat.Dense // predictions of rows left out
	mean       []float64  // of each column, where it may be constant; nil elsewhere
}

// ofNumbers makes the estimators of a regression.
type ofNumbers struct{ kind.Kind }

func (k ofNumbers) Trainer(c param.Config) (learn.Trainer, error) {
	return k.Kind.Trainer(k.Complete(c), kind.Targets{}), nil
}

// fitColumns chooses the setting of each column on rows left out, whole groups where there are some.
func fitColumns(ctx context.Context, p learn.Problem, seed uint64) (*fitted, error) {
	k, err := kind.ByName("krvfl")
	if err != nil {
		return nil, err
	}
	c := param.Default()
	c.Kind, c.Seed = k.Name, seed
	m := methodOf(c, ofNumbers{k}, kind.Targets{}, k, Baseline, k.Name)
	rows, d := p.Y.Dims()
	f := &fitted{problem: p, chosen: make([]int, d), loss: slices.Repeat([]float64{math.Inf(1)}, d),
		out: mat.NewDense(rows, d, nil)}
	if f.candidates, err = m.Candidates(p); err != nil {
		return nil, err
	}
	folds, err := foldsOf(p, seed)
	if err != nil {
		return nil, err
	}
	e, err := heldout.New(p, folds)
	if err != nil {
		return nil, err
	}
	for i, c := range f.candidates {
		outputs, err := heldOutBy(ctx, e, c, []Method{m})
		if errors.Is(err, fault.NotSolved) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for j := range f.chosen {
			f.keep(i, j, outputs[0], e.Held())
		}
	}
	if slices.Contains(f.loss, math.Inf(1)) {
		return nil, fault.New(fault.NotSolved,
			"the privileged features cannot be predicted from the normal ones to permute what is left")
	}
	return f, nil
}

// keep takes candidate i for column j if its predictions of the given rows are nearer than what there was.
func (f *fitted) keep(i, j int, out *mat.Dense, held []int) {
	var loss float64
	for k, row := range held {
		d := out.At(k, j) - f.problem.Y.At(row, j)
		loss += d * d
	}
	if !(loss < f.loss[j]) {
		return
	}
	f.loss[j], f.chosen[j] = loss, i
	for k, row := range held {
		f.out.Set(row, j, out.At(k, j))
	}
}

// leastSpread is the least estimate of a local spread, as a share of the mean: a smaller one is more likely an error of
// the estimate.
const leastSpread = 0.25

// mayBeConstant takes the mean of a column of sizes where it predicts rows left out as well as what was chosen does,
// and bounds the predictions of others away from 0.
func (f *fitted) mayBeConstant() {
	rows, d := f.out.Dims()
	f.mean = make([]float64, d)
	for j := range d {
		column := mat.Col(nil, j, f.problem.Y)
		f.mean[j] = stat.Mean(column, nil)
		var loss float64
		for _, v := range column {
			e := (v - f.mean[j]) * float64(rows) / float64(max(1, rows-1)) // without the row itself
			loss += e * e
		}
		if f.mean[j] == 0 {
			f.mean[j] = 1 // nothing is left of the column
		}
		if loss <= f.loss[j] {
			f.chosen[j] = -1
		}
		for i := range rows {
			f.out.Set(i, j, f.bounded(j, f.out.At(i, j)))
		}
	}
}

// bounded returns the size that is estimated for column j.
func (f *fitted) bounded(j int, v float64) float64 {
	if f.chosen[j] < 0 {
		return f.mean[j]
	}
	return max(v, leastSpread*f.mean[j])
}

// at returns the predictions for other rows.
func (f *fitted) at(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	rows, _ := x.Dims()
	out := mat.NewDense(rows, len(f.chosen), nil)
	known := map[int]*mat.Dense{}
	for j, t := range f.chosen {
		if t >= 0 && known[t] == nil {
			model, _, err := f.candidates[t].Trainer.Train(ctx, f.problem)
			if err != nil {
				return nil, err
			}
			if known[t], err = learn.Predict(ctx, model, x, nil); err != nil {
				return nil, err
			}
		}
		for i := range rows {
			v := 0.0
			if t >= 0 {
				v = known[t].At(i, j)
			}
			if f.mean != nil {
				v = f.bounded(j, v)
			}
			out.Set(i, j, v)
		}
	}
	return out, nil
}

// shuffled returns m̂(X) + rows of the rest in another order, in the spread of their new place; rows without
// privileged values are zero.
func (r *residuals) shuffled(random *rand.Rand) *mat.Dense {
	_, d := r.rest.Dims()
	out, rest := mat.NewDense(r.all, d, nil), r.exchanged(r.rest, random)
	for k, row := range r.rows {
		for j, v := range rest.RawRowView(k) {
			out.Set(row, j, r.mean.out.At(k, j)+r.spread.out.At(k, j)*v)
		}
	}
	return out
}

// noise returns standard normal numbers of the shape of m.
func noise(m *mat.Dense, random *rand.Rand) *mat.Dense {
	rows, d := m.Dims()
	out := mat.NewDense(rows, d, nil)
	for i := range rows {
		row := out.RawRowView(i)
		for j := range row {
			row[j] = random.NormFloat64()
		}
	}
	return out
}
