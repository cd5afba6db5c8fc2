package relevance

import (
	"context"
	"errors"
	"math"
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/internal/parallel"
	"rvflplus/internal/split"
)

// Crossing says how strengths of the penalty are judged: by predictions for rows that had no part in the learning. T is
// what is learned.
type Crossing[T any] struct {
	Y      blas.Matrix // N×m
	Weight []float64   // N
	Scale  []float64   // of each output's error, m
	Folds  [][]int     // every row is in one of them
	Many   int         // number of strengths
	// Learn returns a fit for each strength from some rows, in ascending order; nil means all.
	Learn func(ctx context.Context, rows []int) ([]T, error)
	// Predict returns the predictions for held rows of a model that is trained on others with what was learned on them.
	Predict func(ctx context.Context, f T, rows, held []int) (blas.Matrix, error)
	Done    func() // called after each of the folds, and after the fit to all rows; nil for none
}

// Crossed is what was learned on all rows, and the predictions for rows that had no part in the learning.
type Crossed[T any] struct {
	Fits []T           // on all rows, one for each strength
	Out  []blas.Matrix // for each strength, the predictions of every row by what is learned on the other folds, N×m
	Loss []float64     // their mean squared errors; +Inf where a fold cannot be predicted
	SE   []float64     // standard error of the mean difference from the losses of the best strength
	Best int           // the first strength whose loss is within one SE of the least
}

// fewRows is the number of rows up to which runs go side by side, instead of their matrix products.
const fewRows = 600

// Run learns on all rows and, for each fold, on the rows outside it, and predicts the fold by what was learned there.
func (c Crossing[T]) Run(ctx context.Context) (Crossed[T], error) {
	n, m := c.Y.Rows, c.Y.Cols
	out := Crossed[T]{}
	for range c.Many {
		out.Out = append(out.Out, blas.New(n, m))
	}
	errs, failed := make([]error, len(c.Folds)+1), make([][]bool, len(c.Folds))
	loop := parallel.For
	if n > fewRows {
		loop = parallel.Serial
	}
	err := loop(ctx, len(c.Folds)+1, func(k int) {
		if k == 0 {
			out.Fits, errs[k] = c.Learn(ctx, nil)
		} else {
			failed[k-1], errs[k] = c.leave(ctx, c.Folds[k-1], out.Out)
		}
		if c.Done != nil {
			c.Done()
		}
	})
	if err = errors.Join(append(errs, err)...); err != nil {
		return out, err
	}
	c.judge(&out, failed)
	return out, nil
}

// leave learns without a fold and writes the predictions for its rows; failed tells under which strengths there are
// none.
func (c Crossing[T]) leave(ctx context.Context, fold []int, out []blas.Matrix) (failed []bool, err error) {
	rest := split.Others(c.Y.Rows, fold)
	fits, err := c.Learn(ctx, rest)
	unsolved := func(err error) bool { return ctx.Err() == nil && errors.Is(err, fault.NotSolved) }
	if unsolved(err) {
		return slices.Repeat([]bool{true}, c.Many), nil
	}
	if err != nil {
		return nil, err
	}
	failed = make([]bool, c.Many)
	for s, fit := range fits {
		own, err := c.Predict(ctx, fit, rest, fold)
		if unsolved(err) {
			failed[s] = true
			continue
		}
		if err != nil {
			return nil, err
		}
		for k, i := range fold {
			copy(blas.Row(out[s], i), blas.Row(own, k))
		}
	}
	return failed, nil
}

// judge computes the losses and applies the one-standard-error rule.
func (c Crossing[T]) judge(out *Crossed[T], failed [][]bool) {
	losses, least := make([][]float64, c.Many), 0
	out.Loss, out.SE, out.Best = make([]float64, c.Many), make([]float64, c.Many), -1
	for s := range losses {
		losses[s] = metric.SquaredErrors(c.Y, out.Out[s], c.Scale)
		out.Loss[s], _ = metric.WeightedMean(losses[s], c.Weight)
		for _, f := range failed {
			if f[s] {
				out.Loss[s] = math.Inf(1)
			}
		}
		if out.Loss[s] < out.Loss[least] {
			least = s
		}
	}
	for s := range losses {
		worse := make([]float64, len(losses[s]))
		for i := range worse {
			worse[i] = losses[s][i] - losses[least][i]
		}
		var mean float64
		mean, out.SE[s] = metric.WeightedMean(worse, c.Weight)
		if out.Best < 0 && !math.IsInf(out.Loss[s], 1) && mean <= out.SE[s] {
			out.Best = s
		}
	}
	out.Best = max(out.Best, 0)
}
