package compare

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

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
type residuals struct {
	fits, rest *mat.Dense // rows with privileged values only
	rows       []int      // their numbers
	all        int
	problem    learn.Problem // of predicting the privileged features
	chosen     []int         // the candidate that is m̂ of each of these
	candidates []Candidate
}

// newResiduals fits m̂: for each privileged feature the leave-one-out fits of the
// KRVFL that leave-one-out chooses.
func newResiduals(ctx context.Context, p learn.Problem, seed uint64) (*residuals, error) {
	r := &residuals{all: p.X.RawMatrix().Rows}
	for i := range r.all {
		if p.HasPriv == nil || p.HasPriv[i] {
			r.rows = append(r.rows, i)
		}
	}
	p = complete(p, r.rows)
	r.problem = p
	if err := r.fit(ctx, p, seed); err != nil {
		return nil, err
	}
	r.rest = mat.DenseCopyOf(p.Y)
	r.rest.Sub(p.Y, r.fits)
	return r, nil
}

// complete is the problem of predicting the privileged features of the given rows.
func complete(p learn.Problem, rows []int) learn.Problem {
	return learn.Problem{X: learn.GatherRows(p.X, rows), Y: learn.GatherRows(p.Priv, rows),
		Weight: learn.Gather(p.Weight, rows)}
}

// ofNumbers makes the estimators of a regression.
type ofNumbers struct{ kind.Kind }

func (k ofNumbers) Trainer(c param.Config) (learn.Trainer, error) {
	return k.Kind.Trainer(k.Complete(c), kind.Targets{}), nil
}

func (r *residuals) fit(ctx context.Context, p learn.Problem, seed uint64) error {
	k, err := kind.ByName("krvfl")
	if err != nil {
		return err
	}
	c := param.Default()
	c.Kind, c.Seed = k.Name, seed
	m := methodOf(c, ofNumbers{k}, kind.Targets{}, k, Baseline, k.Name)
	if r.candidates, err = m.Candidates(p); err != nil {
		return err
	}
	e, err := heldout.New(p, nil)
	if err != nil {
		return err
	}
	_, d := p.Y.Dims()
	best := make([]float64, d)
	for j := range best {
		best[j] = math.Inf(1)
	}
	r.fits, r.chosen = mat.NewDense(len(r.rows), d, nil), make([]int, d)
	for i, c := range r.candidates {
		outputs, err := heldOutBy(ctx, e, c, []Method{m})
		if errors.Is(err, fault.NotSolved) {
			continue
		}
		if err != nil {
			return err
		}
		for j := range best {
			if r.keep(j, outputs[0], p.Y, &best[j]) {
				r.chosen[j] = i
			}
		}
	}
	if slices.Contains(best, math.Inf(1)) {
		return fault.New(fault.NotSolved,
			"the privileged features cannot be predicted from the normal ones to permute what is left")
	}
	return nil
}

// keep takes column j of out for the fits if it is nearer to y than what there was, and
// reports whether it did.
func (r *residuals) keep(j int, out, y *mat.Dense, best *float64) bool {
	var loss float64
	for i := range r.rows {
		d := out.At(i, j) - y.At(i, j)
		loss += d * d
	}
	if !(loss < *best) {
		return false
	}
	*best = loss
	for i := range r.rows {
		r.fits.Set(i, j, out.At(i, j))
	}
	return true
}

// shuffled returns m̂(X) + rows of the rest in random order; rows without privileged
// values are zero.
func (r *residuals) shuffled(random *rand.Rand) *mat.Dense {
	_, d := r.fits.Dims()
	out := mat.NewDense(r.all, d, nil)
	for k, from := range random.Perm(len(r.rows)) {
		row := out.RawRowView(r.rows[k])
		copy(row, r.fits.RawRowView(k))
		for j, v := range r.rest.RawRowView(from) {
			row[j] += v
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
