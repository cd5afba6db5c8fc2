package pipeline

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// checkUncertainty refuses what does not belong to the task.
func (t *training) checkUncertainty(coder *target.Coder) error {
	proba, intervals := fault.Name("proba"), fault.Name("intervals")
	var name, task, instead any
	switch classification := coder.Task == target.Classification; {
	case t.Proba != "" && !classification:
		name, task, instead = proba, target.Classification, intervals
	case t.Intervals && classification:
		name, task, instead = intervals, target.Regression, proba
	case t.Std && classification:
		name, task, instead = fault.Name("std"), target.Regression, proba
	default:
		return nil
	}
	return fault.New(fault.Usage, "%s applies to a %s, this is a %s", name, task, coder.Task).
		WithHint("use %s for a %s", instead, coder.Task)
}

// maxLeftOutRows and maxLeftOutNumbers bound the models without one row each that
// a model keeps: 200 MB.
const (
	maxLeftOutRows    = 5000
	maxLeftOutNumbers = maxLeftOutRows * maxLeftOutRows
)

// ask sets what the estimator has to compute for the uncertainty.
func (t *training) ask(p *learn.Problem) error {
	if t.Proba == "" && !t.Intervals && !t.Std || !t.kind.ClosedForm {
		return nil
	}
	p.LeaveOneOut, p.Posterior = learn.Always, t.Std
	if !t.Intervals {
		return nil
	}
	rows, outputs := p.Y.Dims()
	weights := rows
	if !t.kind.Kernels {
		weights = t.Hidden
		if t.Linear {
			weights += t.model.Normal.Width()
		}
	}
	if s, is := t.kind.Estimator.(kind.Several); is {
		weights *= s.Networks(t.Config)
	}
	numbers := float64(weights) * float64(rows) * float64(outputs)
	if p.LeftOut = rows <= maxLeftOutRows && numbers <= maxLeftOutNumbers; !p.LeftOut {
		return nil
	}
	need := ridge.DualBytes(rows, true) + 8*3*max(numbers, float64(rows*rows*outputs))
	return memory.Check(need, "jackknife+", "leave %s out", fault.Name("intervals"))
}

// answered returns a fault.Usage error when the estimator has no closed form for
// what was asked of it.
func (t *training) answered(report learn.Report) error {
	s, ok := t.model.Estimator.(learn.Posterior)
	switch {
	case (t.Proba != "" || t.Intervals) && t.kind.ClosedForm && report.LeaveOneOut == nil:
		return fault.New(fault.Usage, "kind %s has no exact leave-one-out, which %s and %s need",
			t.kind.Name, fault.Name("proba"), fault.Name("intervals"))
	case t.Std && !(ok && s.HasPosterior()):
		return fault.New(fault.Usage, "kind %s has no standard deviation", t.kind.Name).
			WithHint("use %s or krvfl+", fault.Set("kind", "krvfl"))
	}
	return nil
}

// keepIntervals keeps what intervals are computed from.
func (t *training) keepIntervals(report learn.Report) {
	if !t.Intervals {
		return
	}
	v := &Intervals{LeftOut: report.LeftOut}
	v.setResiduals(t.truth.y, report.LeaveOneOut.RawMatrix())
	t.model.Intervals = v
	t.note("intervals are of the %s", v.Name())
}

// uncertain adds what the model knows of the uncertainty of predictions p for
// prepared rows x.
func (m *Model) uncertain(ctx context.Context, p *Predictions, x *mat.Dense, level float64,
	progress learn.Progress) error {
	rows := p.Rows()
	if m.HasProbabilities() && rows > 0 {
		var err error
		if p.Probabilities, err = m.probabilitiesOf(ctx, p.Scores, x, progress); err != nil {
			return err
		}
	}
	if s, ok := m.Estimator.(learn.Posterior); ok && s.HasPosterior() {
		p.Std = m.room(rows)
		if err := learn.InBlocks(ctx, "standard deviation", rows, learn.PredictBlock, progress, func(lo, hi int) {
			s.StdTo(learn.Rows(p.Std, lo, hi), learn.Rows(x, lo, hi))
		}); err != nil {
			return err
		}
	}
	if level == 0 {
		return nil
	}
	p.Lower, p.Upper = m.room(rows), m.room(rows)
	p.Notes = append(p.Notes, m.Intervals.promise(level))
	q := m.Intervals.at(level)
	if err := learn.InBlocks(ctx, "intervals", rows, m.Intervals.block(), progress, func(lo, hi int) {
		q.set(learn.Rows(p.Lower, lo, hi), learn.Rows(p.Upper, lo, hi), learn.Rows(p.Outputs, lo, hi),
			learn.Rows(x, lo, hi))
	}); err != nil {
		return err
	}
	return errors.Join(finite(p.Lower.RawMatrix()), finite(p.Upper.RawMatrix()))
}

// room returns a matrix for an output each of rows rows, which may be none.
func (m *Model) room(rows int) *mat.Dense {
	if rows == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(rows, m.Coder.Outputs(), nil)
}
