package pipeline

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/split"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// probable is an estimator that fits probabilities of classes by itself.
type probable interface {
	HasProbabilities() bool
	Probabilities(dst, x *mat.Dense) // rows × classes
}

// HasProbabilities reports whether predictions come with probabilities of classes:
// see Config.Proba.
func (m *Model) HasProbabilities() bool {
	own, ok := m.Estimator.(probable)
	return m.Proba != nil || ok && own.HasProbabilities()
}

// probabilitiesOf returns those of prepared rows x with the given scores, at least one row; an empty matrix if the
// model has none.
func (m *Model) probabilitiesOf(ctx context.Context, scores blas.Matrix, x *mat.Dense, progress learn.Progress) (
	blas.Matrix, error) {
	switch {
	case !m.HasProbabilities():
		return blas.Matrix{}, nil
	case m.Proba != nil:
		out := m.Proba.Probabilities(scores)
		return out, finite(out)
	}
	out := mat.NewDense(scores.Rows, len(m.Coder.Classes), nil)
	if err := learn.InBlocks(ctx, "probabilities", scores.Rows, learn.PredictBlock, progress, func(lo, hi int) {
		m.Estimator.(probable).Probabilities(learn.Rows(out, lo, hi), learn.Rows(x, lo, hi))
	}); err != nil {
		return blas.Matrix{}, err
	}
	return out.RawMatrix(), finite(out.RawMatrix())
}

// scores returns the scores of the classes, an empty matrix of a regression.
func (m *Model) scores(outputs *mat.Dense) blas.Matrix {
	if m.Coder.Task != target.Classification {
		return blas.Matrix{}
	}
	return m.Coder.Scores(outputs)
}

// leftOutFolds is the number of folds that rows are left out in where there is no
// exact leave-one-out; LIBSVM takes as many.
const leftOutFolds = 5

// fitProba fits the curves to scores of rows left out.
func (t *training) fitProba(ctx context.Context, p learn.Problem, leaveOneOut *mat.Dense) (err error) {
	switch {
	case t.Proba == "" || t.kind.OwnProba:
		return nil
	case leaveOneOut == nil:
		if leaveOneOut, err = t.crossValidated(ctx, p); err != nil {
			return err
		}
	}
	scores := t.model.Coder.Scores(leaveOneOut)
	if err := finite(scores); err != nil {
		return err
	}
	t.model.Proba = calibrate.Fit(calibrate.Method(t.Proba), scores, t.truth.labels, t.weights)
	return nil
}

// decreasingCurves warns of Platt's curves by which a class is the less probable, the
// higher its score: rows left out scored no better than at random.
func (t *training) decreasingCurves() []fault.Text {
	curves, n := t.kind.Facts(t.model.Estimator).Sigmoids, 0
	if t.model.Proba != nil {
		for _, c := range t.model.Proba.Curves {
			if s, ok := c.(calibrate.Sigmoid); ok {
				curves = append(curves, s)
			}
		}
	}
	for _, s := range curves {
		if s.A >= 0 {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []fault.Text{fault.Textf("probabilities: %d of %d curves do not rise with the score, because rows left "+
		"out were "+
		"predicted no better than at random; they may contradict the predictions", n, len(curves))}
}

// crossValidated returns the outputs for each row of the estimator trained on the
// other folds, with the same kernels.
func (t *training) crossValidated(ctx context.Context, p learn.Problem) (*mat.Dense, error) {
	f, err := split.StratifiedKFold(t.truth.labels, min(leftOutFolds, t.data.Rows), t.Seed)
	if err != nil {
		return nil, err
	}
	trainer := t.kind.Trainer(t.model.Config, t.targets())
	p.Progress, p.Announce = nil, nil
	out := mat.NewDense(t.data.Rows, t.model.Coder.Outputs(), nil)
	for k := range f.K {
		fold := f.Split(k)
		model, _, err := trainer.Train(ctx, p.Only(fold.Train))
		if err != nil {
			return nil, fmt.Errorf("probabilities, without fold %d of %d: %w", k+1, f.K, err)
		}
		some := mat.NewDense(len(fold.Test), t.model.Coder.Outputs(), nil)
		model.PredictTo(some, learn.GatherRows(p.X, fold.Test))
		for i, row := range fold.Test {
			out.SetRow(row, some.RawRowView(i))
		}
		t.options.Progress.Tell("folds for probabilities", k+1, f.K)
	}
	return out, nil
}
