package krvfl

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/relevance"
	"rvflplus/internal/rng"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// LearnOptions says what LearnWidths learns beside widths. Its zero value learns widths alone.
type LearnOptions struct {
	C, Gamma bool // learns these too, instead of taking them from the config
	// Share learns the share of the kernel's affine terms, which the config's Linear does not add.
	Share bool
	Scale []float64 // of each output's error in the loss; nil means 1 each
}

// Learned is a config whose kernels have a learned width for every column.
type Learned struct {
	Config
	// Strength is that of the penalty which draws the widths of the columns towards each other; +Inf: one width.
	Strength float64
	// Loss is the mean squared error of rows left out, of those that the widths were learned on. It is lower than that
	// of new rows.
	Loss float64
}

// LearnWidths learns the widths of c's kernels that are "relevance", a width for each column of the features, by
// minimising the exact loss of rows left out: of f, or with learn.Projected and privileged features of f + g. It
// returns a config for each strength of a penalty on differing widths, the strongest first. Whole groups are left out
// where p has any. Of more than 500 rows a sample is drawn by c.Seed. Cost about a hundred evaluations of 3N³ + N²n
// operations for N rows and n features; memory some fifteen N×N matrices. A kernel that has no width for each feature
// is a fault.Usage error.
func (c Config) LearnWidths(ctx context.Context, p learn.Problem, o LearnOptions) ([]Learned, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	a := p.CompleteFirst()
	problem := relevance.Problem{
		Normal: relevance.Space{X: a.X, Columns: p.Columns, Kernel: c.withLine(c.Kernel), Share: o.Share},
		Y:      a.Y, Weight: a.Weight, Scale: o.Scale, Center: c.Center, Whole: c.Correction == learn.Projected,
		Correction: c.Correction, C: c.C, Gamma: c.Gamma, Seed: c.Seed,
	}
	if o.C {
		problem.C = 0
	}
	if o.Gamma {
		problem.Gamma = 0
	}
	if o.Scale == nil {
		problem.Scale = ones(a.Y.Cols)
	}
	if p.Priv != nil && a.Complete > 0 {
		problem.Priv = relevance.Space{X: blas.View(a.Priv, 0, a.Complete, 0, a.Priv.Cols), Columns: p.PrivColumns,
			Kernel: c.withLine(c.PrivKernel.Or(c.Kernel))}
	}
	if p.Group != nil {
		groups := learn.Gather(p.Group, a.Order())
		folds, err := split.Groups(groups, min(widthFolds, len(split.Members(groups))), c.Seed)
		if err != nil {
			return nil, err
		}
		problem.Folds = folds
	}
	fits, err := relevance.Learn(ctx, problem, relevance.Strengths())
	if err != nil {
		return nil, err
	}
	out := make([]Learned, len(fits))
	for k, f := range fits {
		out[k] = Learned{Config: c, Strength: f.Strength, Loss: f.Loss}
		out[k].C, out[k].Kernel = f.C, c.withoutLine(f.Kernel)
		if f.Priv != nil {
			out[k].Gamma, out[k].PrivKernel = f.Gamma, c.withoutLine(f.Priv)
		}
	}
	return out, nil
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// withLine adds the linear kernel where the config has it.
func (c Config) withLine(s kernel.Spec) kernel.Spec {
	if c.Linear {
		return append(kernel.Must("linear"), s...)
	}
	return s
}

func (c Config) withoutLine(s kernel.Spec) kernel.Spec {
	if c.Linear {
		return s[1:]
	}
	return s
}

// learnsWidths reports whether a width is to be learned on p.
func (c Config) learnsWidths(p learn.Problem) bool {
	return c.Kernel.LearnsRelevance() || p.Priv != nil && c.PrivKernel.Or(c.Kernel).LearnsRelevance()
}

// widthFolds is the number of folds by which the strength of the penalty is chosen.
const widthFolds = 5

// chooseWidths returns c with learned widths, under the strongest penalty whose loss on folds that had no part in the
// learning is within one standard error of the least.
func (c Config) chooseWidths(ctx context.Context, p learn.Problem) (Config, fault.Text, error) {
	p = p.Only(p.CompleteFirst().Order())
	p.LeaveOneOut, p.LeftOut, p.Posterior, p.Progress = learn.Never, false, false, nil
	folds, err := foldsOf(p, c.Seed)
	if err != nil {
		return c, fault.Text{}, err
	}
	weight := p.Weight
	if weight == nil {
		weight = ones(p.Y.RawMatrix().Rows)
	}
	crossed, err := relevance.Crossing[Learned]{
		Y: p.Y.RawMatrix(), Weight: weight, Scale: ones(p.Y.RawMatrix().Cols), Folds: folds,
		Many: len(relevance.Strengths()),
		Learn: func(ctx context.Context, rows []int) ([]Learned, error) {
			if rows == nil {
				return c.LearnWidths(ctx, p, LearnOptions{})
			}
			return c.LearnWidths(ctx, p.Only(rows), LearnOptions{})
		},
		Predict: func(ctx context.Context, l Learned, rows, held []int) (blas.Matrix, error) {
			m, _, err := l.Train(ctx, p.Only(rows))
			if err != nil {
				return blas.Matrix{}, err
			}
			out := mat.NewDense(len(held), p.Y.RawMatrix().Cols, nil)
			m.PredictTo(out, learn.GatherRows(p.X, held))
			return out.RawMatrix(), nil
		},
	}.Run(ctx)
	if err != nil {
		return c, fault.Text{}, err
	}
	best := crossed.Fits[crossed.Best]
	if math.IsInf(best.Strength, 1) {
		return best.Config, fault.Textf("one width was learned for all columns: one for every column is not better " +
			"by more than one standard error"), nil
	}
	return best.Config, fault.Textf("a width was learned for every column, with a penalty of %g on their differences",
		best.Strength), nil
}

// foldsOf deals the rows of p, or its groups, to folds.
func foldsOf(p learn.Problem, seed uint64) ([][]int, error) {
	if p.Group != nil {
		return split.Groups(p.Group, min(widthFolds, len(split.Members(p.Group))), seed)
	}
	n := p.Y.RawMatrix().Rows
	if n < 3 {
		return nil, fault.New(fault.Data, "widths cannot be learned on %d rows: at least 3 are needed", n)
	}
	folds := make([][]int, min(widthFolds, n))
	for k, i := range rng.New(seed, "widths").Perm(n) {
		folds[k%len(folds)] = append(folds[k%len(folds)], i)
	}
	return folds, nil
}
