package relevance

import (
	"context"
	"errors"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/parallel"
	"rvflplus/internal/metric"
	"rvflplus/learn"
)

// Crossed is what was learned on all rows, and the predictions for rows that had no part in the learning.
type Crossed struct {
	Fits []Fit         // on all rows, one for each strength
	Out  []blas.Matrix // for each strength, the predictions of every row by what is learned on the other folds, N×m
	Loss []float64     // their mean squared error, as Problem's
	SE   []float64     // standard error of the mean of the differences of losses from those of the best strength
	Best int           // the number of the largest penalty whose loss is within one SE of the least
}

// Train returns the predictions for held rows, numbers of rows of a problem, of a model of the other rows with what
// was learned on them: a matrix of a row for each and m columns.
type Train func(ctx context.Context, f Fit, rest, held []int) (blas.Matrix, error)

// Cross learns on all rows and, for each fold, on the rows outside it, and predicts the fold by what was learned there.
// The folds must hold every row once. Strengths that cannot be trained without some fold have a loss of +Inf. done,
// when not nil, is called after each of the len(folds)+1 runs. Runs of few rows go side by side.
func Cross(ctx context.Context, p Problem, folds [][]int, strengths []float64, train Train, done func()) (
	Crossed, error) {
	n, m := p.Y.Rows, p.Y.Cols
	c := Crossed{Loss: make([]float64, len(strengths)), SE: make([]float64, len(strengths))}
	for range strengths {
		c.Out = append(c.Out, blas.New(n, m))
	}
	errs, failed := make([]error, len(folds)+1), make([][]bool, len(folds))
	loop := parallel.For
	if n > fewRows {
		loop = parallel.Serial
	}
	err := loop(ctx, len(folds)+1, func(k int) {
		if k == 0 {
			c.Fits, errs[k] = Learn(ctx, p, strengths)
		} else {
			failed[k-1], errs[k] = p.leave(ctx, folds[k-1], strengths, train, c.Out)
		}
		if done != nil {
			done()
		}
	})
	if err = errors.Join(append(errs, err)...); err != nil {
		return c, err
	}
	c.judge(p, failed)
	return c, nil
}

// fewRows is the number of rows up to which runs go side by side, instead of their matrix products.
const fewRows = 600

// leave learns without a fold and writes the predictions for its rows; failed tells under which strengths there are
// none.
func (p Problem) leave(ctx context.Context, fold []int, strengths []float64, train Train, out []blas.Matrix) (
	failed []bool, err error) {
	failed = make([]bool, len(strengths))
	rest := rowsWithout(p.Y.Rows, fold)
	fits, err := Learn(ctx, p.only(rest), strengths)
	for s := range strengths {
		var own blas.Matrix
		if err == nil {
			own, err = train(ctx, fits[s], rest, fold)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, fault.NotSolved):
			failed[s] = true
			continue
		case err != nil:
			return nil, err
		}
		for k, i := range fold {
			copy(blas.Row(out[s], i), blas.Row(own, k))
		}
	}
	return failed, nil
}

// judge computes the losses and applies the one-standard-error rule.
func (c *Crossed) judge(p Problem, failed [][]bool) {
	losses := make([][]float64, len(c.Out))
	least := 0
	for s, out := range c.Out {
		losses[s] = metric.SquaredErrors(p.Y, out, p.Scale)
		c.Loss[s], _ = metric.WeightedMean(losses[s], p.Weight)
		for _, f := range failed {
			if f[s] {
				c.Loss[s] = math.Inf(1)
			}
		}
		if c.Loss[s] < c.Loss[least] {
			least = s
		}
	}
	c.Best = -1
	for s := range losses {
		worse := make([]float64, len(losses[s]))
		for i := range worse {
			worse[i] = losses[s][i] - losses[least][i]
		}
		mean, se := metric.WeightedMean(worse, p.Weight)
		if c.SE[s] = se; c.Best < 0 && !math.IsInf(c.Loss[s], 1) && mean <= se {
			c.Best = s
		}
	}
	c.Best = max(c.Best, 0)
}

// rowsWithout returns the rows below n outside a fold, in order.
func rowsWithout(n int, fold []int) []int {
	left := make([]bool, n)
	for _, i := range fold {
		left[i] = true
	}
	var rows []int
	for i := range n {
		if !left[i] {
			rows = append(rows, i)
		}
	}
	return rows
}

// only returns the problem of some rows, in ascending order.
func (p Problem) only(rows []int) Problem {
	nc := 0
	for nc < len(rows) && rows[nc] < p.Priv.X.Rows {
		nc++
	}
	at := map[int]int{}
	for k, i := range rows {
		at[i] = k
	}
	if p.Priv.X.Rows > 0 {
		p.Priv.X = blas.Gather(p.Priv.X, rows[:nc])
	}
	p.Normal.X, p.Y, p.Weight = blas.Gather(p.Normal.X, rows), blas.Gather(p.Y, rows), learn.Gather(p.Weight, rows)
	folds := p.Folds
	p.Folds = nil
	for _, fold := range folds {
		var own []int
		for _, i := range fold {
			if k, in := at[i]; in {
				own = append(own, k)
			}
		}
		if len(own) > 0 {
			p.Folds = append(p.Folds, own)
		}
	}
	return p
}
