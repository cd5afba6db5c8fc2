package heldout

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/learn"
)

// Refit returns the outputs for the rows of Held of any trainer: by its own exact leave-one-out where it has one, else
// by training without each fold.
func (e *Evaluator) Refit(ctx context.Context, t learn.Trainer) (*mat.Dense, error) {
	if e.folds == nil {
		p := e.problem
		p.LeaveOneOut = learn.Always
		_, report, err := t.Train(ctx, p)
		refused := errors.Is(err, fault.Usage) // it has none
		switch {
		case !refused && err != nil:
			return nil, err
		case !refused && report.LeaveOneOut != nil:
			return e.only(report.LeaveOneOut), nil
		}
	}
	out := mat.NewDense(len(e.held), e.rows.Y.Cols, nil)
	at := 0
	for _, fold := range e.eachFold() {
		model, _, err := t.Train(ctx, e.without(fold))
		if err != nil {
			return nil, err
		}
		if _, m := model.Dims(); m != e.rows.Y.Cols {
			return nil, fault.New(fault.Usage, "the model has %d outputs for %d targets", m, e.rows.Y.Cols)
		}
		model.PredictTo(out.Slice(at, at+len(fold), 0, e.rows.Y.Cols).(*mat.Dense), learn.GatherRows(e.problem.X, fold))
		at += len(fold)
	}
	return out, ctx.Err()
}

func (e *Evaluator) eachFold() Folds {
	if e.folds != nil {
		return e.folds
	}
	folds := make(Folds, len(e.held))
	for k, row := range e.held {
		folds[k] = []int{row}
	}
	return folds
}

// without returns the problem of the rows outside a fold.
func (e *Evaluator) without(fold []int) learn.Problem {
	left := slices.Clone(fold)
	slices.Sort(left)
	var rest []int
	for i := range e.problem.X.RawMatrix().Rows {
		if _, out := slices.BinarySearch(left, i); !out {
			rest = append(rest, i)
		}
	}
	return e.problem.Only(rest)
}
