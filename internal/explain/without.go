package explain

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/kind"
	"rvflplus/internal/metric"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// SettingsOf returns the settings with which models like m are trained anew for WithoutPrivileged: those of m, without
// what a model keeps to tell of its uncertainty.
func SettingsOf(m *pipeline.Model) param.Config {
	c := m.Config
	c.Proba, c.Intervals, c.Std = "", false, false
	c.AllowMissingPriv = m.Report.WithoutPriv > 0
	return c
}

// WithoutPrivileged measures what each privileged column of training rows is worth to models with the settings c: by
// how much the mean leave-one-out loss grows where the column is left out of training. Every row is predicted by the
// model of all others, in closed form. Settings stay. A kind that chooses settings itself, such as a stack, chooses
// them anew each time, and its losses are of the rows that it leaves out to do so: where it learns widths, in folds.
//
// A column is left out by silencing it: all its prepared features are 0 in every row. For kernels of distances or of
// products, and for random layers, whose other weights then stay the same, this is what leaving it out does; the number
// of features, and with it a width that was learned for each, stays as it was.
//
// A loss is the squared error of the scores for a class (1 for the row's class, else 0; or ±1), and of numbers that in
// units of the target's variance. Cost: a leave-one-out for each column and two more.
func WithoutPrivileged(ctx context.Context, d *roles.Data, c param.Config, progress learn.Progress) (*Part, error) {
	p, err := pipeline.Prepare(ctx, d, c)
	if err != nil {
		return nil, err
	}
	if len(d.Roles.Priv) == 0 || !p.Kind().Privileged {
		return nil, fault.New(fault.Usage, "kind %s learns from no privileged columns here", p.Kind().Name)
	}
	if !p.Kind().ClosedForm {
		return nil, fault.New(fault.Usage, "kind %s has no exact leave-one-out, by which privileged columns are "+
			"measured", p.Kind().Name)
	}
	w := leaving{p: p, c: freed(p.Settle(c), p.Kind()), problem: p.Problem(), progress: progress}
	w.total = len(d.Roles.Priv) + 2
	all, err := w.losses(ctx, func(int) bool { return false })
	if err != nil {
		return nil, err
	}
	out := &Part{Rows: len(all), Of: w.lossText()}
	out.Loss, out.SE = meanOf(all)
	for k, name := range p.Schema().Privileged {
		without, err := w.losses(ctx, func(column int) bool { return column == k })
		if err != nil {
			return nil, err
		}
		floats.Sub(without, all)
		out.Columns = append(out.Columns, columnOf(name.Name, without))
	}
	if len(out.Columns) > 1 {
		without, err := w.losses(ctx, func(int) bool { return true })
		if err != nil {
			return nil, err
		}
		floats.Sub(without, all)
		together := columnOf("all together", without)
		out.Together = &together
	}
	progress.Tell("privileged columns", w.total, w.total)
	out.sort()
	return out, nil
}

// freed returns settings with the widths that they do not tell, of a kind that chooses its settings, free: a model file
// does not tell widths that its stack has chosen.
func freed(c param.Config, k kind.Kind) param.Config {
	c.Free = slices.Clone(c.Free)
	for _, width := range []param.Param{param.Width, param.PrivWidth} {
		free := slices.Contains(k.Chosen, width) && math.IsNaN(width.Number(&c))
		if free && len(c.Free) > 0 && !slices.Contains(c.Free, width) {
			c.Free = append(c.Free, width)
		}
	}
	return c
}

// leaving is one measurement.
type leaving struct {
	p           *pipeline.Prepared
	c           param.Config
	problem     learn.Problem
	progress    learn.Progress
	done, total int
}

// losses returns the leave-one-out loss of every row where some privileged columns are silent.
func (w *leaving) losses(ctx context.Context, silent func(column int) bool) ([]float64, error) {
	w.progress.Tell("privileged columns", w.done, w.total)
	w.done++
	e, err := heldout.New(silenced(w.problem, silent), nil)
	if err != nil {
		return nil, err
	}
	outputs, err := w.p.HeldOut(ctx, e, w.c)
	if err != nil {
		return nil, err
	}
	if floats.HasNaN(outputs[0].RawMatrix().Data) {
		return nil, fault.New(fault.NotSolved, "a prediction for a row left out is not a number")
	}
	return metric.SquaredErrors(w.problem.Y.RawMatrix(), outputs[0].RawMatrix(), w.scale()), ctx.Err()
}

// scale returns the factors of the differences of outputs: of numbers, one over the standard deviation of the target.
func (w *leaving) scale() []float64 {
	y := w.problem.Y.RawMatrix()
	scale := make([]float64, y.Cols)
	for j := range scale {
		scale[j] = 1
		if w.p.Coder().Task == target.Regression {
			if sd := stat.PopStdDev(mat.Col(nil, j, w.problem.Y), nil); sd > 0 {
				scale[j] = 1 / sd
			}
		}
	}
	return scale
}

func (w *leaving) lossText() string {
	if w.p.Coder().Task == target.Regression {
		return "mean squared error for rows left out, that of the target's mean being about 1"
	}
	return "mean squared error of the scores for rows left out"
}

// silenced returns a problem whose privileged features of some columns are 0 in every row.
func silenced(p learn.Problem, silent func(column int) bool) learn.Problem {
	quiet := func(x *mat.Dense) *mat.Dense {
		if x == nil {
			return nil
		}
		out := mat.DenseCopyOf(x)
		for j, column := range p.PrivColumns {
			if silent(column) {
				for i := range out.RawMatrix().Rows {
					out.Set(i, j, 0)
				}
			}
		}
		return out
	}
	p.Priv = quiet(p.Priv)
	if p.Unlabelled != nil {
		p.Unlabelled = &learn.Unlabelled{X: p.Unlabelled.X, Priv: quiet(p.Unlabelled.Priv)}
	}
	return p
}
