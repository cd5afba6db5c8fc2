package kind

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/feature"
	"rvflplus/internal/param"
	"rvflplus/internal/rng"
	"rvflplus/kernel"
	"rvflplus/krvfl"
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

// withRelevance returns c with the relevance of the features where it lacks them: the factors that a KRVFL of kernel
// rbf learns in each space, with its C, under the penalty of layerStrength. The largest factor is 1.
func withRelevance(ctx context.Context, c param.Config, p learn.Problem, t Targets) (param.Config, error) {
	if !lacksRelevance(c) {
		return c, nil
	}
	if n := p.Y.RawMatrix().Rows; n > mostRelevanceRows {
		p = p.Only(rng.New(c.Seed, "relevance of layers").Perm(n)[:mostRelevanceRows])
	}
	config := krvfl.DefaultConfig()
	config.Kernel, config.Seed = kernel.Must("rbf:width=relevance"), c.Seed
	config.Center = c.Center && !t.Classification
	factors := func(q learn.Problem) ([]float64, error) {
		learned, err := config.LearnWidths(ctx, q, krvfl.LearnOptions{C: true})
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(learned, func(l krvfl.Learned) bool { return l.Strength == layerStrength })
		if r := learned[i].Kernel[0].Relevance; r != nil {
			return r, nil
		}
		return slices.Repeat([]float64{1}, q.X.RawMatrix().Cols), nil // nothing tells the columns apart
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

// layerStrength is the strength of the penalty on differing widths. Random layers need no more than a rough relevance,
// so no folds choose it.
const layerStrength = 0.1
