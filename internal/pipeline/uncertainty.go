package pipeline

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

func (c Config) validateUncertainty(k Kind) error {
	var unknown, noStd error
	if c.Proba != "" {
		unknown = calibrate.Method(c.Proba).Validate()
	}
	if err := c.validateMargin(k); err != nil {
		return err
	}
	if c.Std && (!k.Kernel || k.Margin) {
		noStd = fault.New(fault.Usage, "kind %s has no standard deviation: it is that of a Gaussian process", k.Name).
			WithHint("use -m krvfl or krvfl+, or --intervals")
	}
	return errors.Join(unknown, noStd)
}

// validateMargin refuses what support vector machines do not know of themselves.
func (c Config) validateMargin(k Kind) error {
	switch {
	case !k.Margin:
		return nil
	case c.Intervals:
		return fault.New(fault.Usage, "kind %s has no exact leave-one-out, which --intervals needs", k.Name).
			WithHint("leave it out, or use -m krvfl or krvfl+")
	case c.Proba != "" && k.Task == target.Regression:
		return fault.New(fault.Usage, "--proba applies to a classification, kind %s learns a regression", k.Name).
			WithHint("leave it out, or use -m krvfl --intervals")
	case k.Name == "svm" && c.Proba == string(calibrate.Isotonic):
		return fault.New(fault.Usage, "kind svm has no --proba isotonic: its curves are of pairs of classes").WithHint("use --proba platt")
	}
	return nil
}

// checkUncertainty refuses what does not belong to the task.
func (t *training) checkUncertainty(coder *target.Coder) error {
	classification := coder.Task == target.Classification
	for _, asked := range []struct {
		is         bool
		flag, task string
		hint       string
	}{
		{t.Proba != "" && !classification, "--proba", "classification", "use --intervals for a regression"},
		{t.Intervals && classification, "--intervals", "regression", "use --proba for a classification"},
		{t.Std && classification, "--std", "regression", "use --proba for a classification"},
	} {
		if asked.is {
			return fault.New(fault.Usage, "%s applies to a %s, this is a %s", asked.flag, asked.task, coder.Task).WithHint("%s", asked.hint)
		}
	}
	return nil
}

// maxLeftOutRows and maxLeftOutNumbers bound the models without one row each that
// a model keeps: 200 MB.
const (
	maxLeftOutRows    = 5000
	maxLeftOutNumbers = maxLeftOutRows * maxLeftOutRows
)

// ask sets what the estimator has to compute for the uncertainty.
func (t *training) ask(p *learn.Problem) error {
	if t.Proba == "" && !t.Intervals && !t.Std || t.kind.Margin {
		return nil
	}
	p.LeaveOneOut, p.Posterior = learn.Always, t.Std
	if !t.Intervals {
		return nil
	}
	rows, outputs := p.Y.Dims()
	weights := rows
	if !t.kind.Kernel {
		weights = t.Hidden
		if !t.NoLinear {
			weights += t.model.Normal.Width()
		}
	}
	numbers := float64(weights) * float64(rows) * float64(outputs)
	if p.LeftOut = rows <= maxLeftOutRows && numbers <= maxLeftOutNumbers; !p.LeftOut {
		return nil
	}
	need := ridge.DualBytes(rows, true) + 8*3*max(numbers, float64(rows*rows*outputs))
	return memory.Check(need, "jackknife+", "leave --intervals out")
}

// answered returns a fault.Usage error when the estimator has no closed form for
// what was asked of it.
func (t *training) answered(report learn.Report) error {
	s, ok := t.model.Estimator.(learn.Posterior)
	switch {
	case (t.Proba != "" || t.Intervals) && !t.kind.Margin && report.LeaveOneOut == nil:
		return fault.New(fault.Usage, "kind %s has no exact leave-one-out, which --proba and --intervals need", t.kind.Name)
	case t.Std && !(ok && s.HasPosterior()):
		return fault.New(fault.Usage, "kind %s has no standard deviation", t.kind.Name).WithHint("use -m krvfl or krvfl+")
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
func (m *Model) uncertain(ctx context.Context, p *Predictions, x *mat.Dense, level float64, progress learn.Progress) error {
	rows := p.Rows()
	if m.HasProbabilities() && rows > 0 {
		if err := m.probabilities(ctx, p, x, progress); err != nil {
			return err
		}
	}
	if s, ok := m.Estimator.(learn.Posterior); ok && s.HasPosterior() {
		p.Std = m.room(rows)
		if err := inBlocks(ctx, "standard deviation", rows, learn.PredictBlock, progress, func(lo, hi int) {
			s.StdTo(slice(p.Std, lo, hi), slice(x, lo, hi))
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
	if err := inBlocks(ctx, "intervals", rows, m.Intervals.block(), progress, func(lo, hi int) {
		q.set(slice(p.Lower, lo, hi), slice(p.Upper, lo, hi), slice(p.Outputs, lo, hi), slice(x, lo, hi))
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

// inBlocks calls use for block rows at a time, so that it can be cancelled.
func inBlocks(ctx context.Context, stage string, rows, block int, progress learn.Progress, use func(lo, hi int)) error {
	for lo := 0; lo < rows; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+block, rows)
		use(lo, hi)
		progress.Tell(stage, hi, rows)
	}
	return nil
}

// slice returns rows lo … hi-1 of m.
func slice(m *mat.Dense, lo, hi int) *mat.Dense {
	return m.Slice(lo, hi, 0, m.RawMatrix().Cols).(*mat.Dense)
}
