package kind

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/feature"
	"rvflplus/internal/param"
	"rvflplus/internal/rng"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// relevantLayers trains networks whose random weights are multiplied by the relevance of the features. It learns the
// relevance on the rows that it is trained on.
type relevantLayers struct {
	config  param.Config
	targets Targets
	of      func(c param.Config) learn.Trainer
}

// Train implements learn.Trainer.
func (r relevantLayers) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	c, err := withRelevance(ctx, r.config, p, r.targets)
	if err != nil {
		return nil, learn.Report{}, err
	}
	return r.of(c).Train(ctx, p)
}

// lacksRelevance reports whether the relevance of the features is still to be learned.
func lacksRelevance(c param.Config) bool { return c.Init == feature.Relevance && c.Relevance == nil }

// trainerOfLayers returns the trainer of layers, which learns the relevance first where it is asked for.
func trainerOfLayers(c param.Config, t Targets, of func(c param.Config) learn.Trainer) learn.Trainer {
	if lacksRelevance(c) {
		return relevantLayers{c, t, of}
	}
	return of(c)
}

// mostRelevanceRows is the number of rows that the relevance is learned on; of more rows a sample is drawn.
const mostRelevanceRows = 1000

// withRelevance returns c with the relevance of the features where it lacks them: the factors that a krvfl of kernel rbf
// learns in each space, with C and the penalty that folds choose.
func withRelevance(ctx context.Context, c param.Config, p learn.Problem, t Targets) (param.Config, error) {
	if !lacksRelevance(c) {
		return c, nil
	}
	if n := p.Y.RawMatrix().Rows; n > mostRelevanceRows {
		p = p.Only(rng.New(c.Seed, "relevance of layers").Perm(n)[:mostRelevanceRows])
	}
	own := param.With(func(d *param.Config) {
		d.Kind, d.Task, d.Seed, d.Center, d.Kernel = krvflKind.Name, c.Task, c.Seed, c.Center,
			kernel.Must("rbf:width=relevance")
		d.Free = []param.Param{param.C}
	})
	factors := func(q learn.Problem) ([]float64, error) {
		chosen, _, err := chooseRidge(ctx, "krvfl", krvflKind.Complete(own), q, t)
		if err != nil {
			return nil, err
		}
		if r := chosen.Kernel[0].Relevance; r != nil {
			return r, nil
		}
		return slices.Repeat([]float64{1}, q.X.RawMatrix().Cols), nil // one width for all
	}
	var err error
	plain := p
	plain.Priv, plain.HasPriv, plain.PrivColumns, plain.Unlabelled = nil, nil, nil, nil
	if c.Relevance, err = factors(plain); err != nil || p.Priv == nil {
		return c, err
	}
	ordered := p.CompleteFirst()
	rows := ordered.Order()[:ordered.Complete]
	hidden := plain.Only(rows)
	hidden.X, hidden.Columns = mat.DenseCopyOf(learn.GatherRows(p.Priv, rows)), p.PrivColumns
	c.PrivRelevance, err = factors(hidden)
	return c, err
}
