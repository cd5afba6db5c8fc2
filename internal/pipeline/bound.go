package pipeline

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/bound"
	"rvflplus/internal/kind"
	"rvflplus/internal/target"
)

// Bound computes the bound of m from its training rows: a table with the normal columns, and the target. Errors are
// those of BoundSpace, of bound.Compute and of reading the table.
func (m *Model) Bound(
	ctx context.Context, t *dataset.Table, targets []*dataset.Column, o bound.Options,
) (*bound.Report, error) {
	space, err := m.BoundSpace()
	if err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	x, outputs, classes, err := m.outputsAndClasses(t, targets)
	if err != nil {
		return nil, err
	}
	return bound.Compute(ctx, space, x.RawMatrix(), outputs, classes, o)
}

// Risk returns the mean loss of m, of one output, on a table with the normal columns and the target.
func (m *Model) Risk(t *dataset.Table, targets []*dataset.Column, l bound.Loss) (float64, error) {
	_, outputs, classes, err := m.outputsAndClasses(t, targets)
	if err != nil {
		return 0, err
	}
	return l.Risk(outputs, classes), nil
}

// outputsAndClasses returns the prepared rows of a table, and the output and the class ±1 of each.
func (m *Model) outputsAndClasses(
	t *dataset.Table, targets []*dataset.Column,
) (x *mat.Dense, f, classes []float64, err error) {
	x, y, err := m.Encode(t, targets)
	if err != nil {
		return nil, nil, nil, err
	}
	f = make([]float64, t.Rows)
	m.Estimator.PredictTo(mat.NewDense(t.Rows, 1, f), x)
	return x, f, mat.Col(nil, 0, y), nil
}

// BoundSpace returns the space in which the output of m is h(x)w. It is a fault.Usage error, with a remedy where there
// is one, unless m is a model that the bounds of package bound speak of: two classes as one ±1 output of the form
// h(x)w.
func (m *Model) BoundSpace() (bound.Space, error) {
	e, is := m.Kind.Estimator.(kind.Linear)
	if !is { // no other way to train would help
		return nil, fault.New(fault.Usage, "the bound is for kinds rvfl, rvfl+, krvfl and krvfl+")
	}
	space, offset, form := e.Space(m.Estimator)
	sign, classes := fault.Set("encoding", "sign"), len(m.Coder.Classes)
	switch {
	case m.Coder.Task != target.Classification:
		return nil, fault.New(fault.Usage, "the bound is for two classes, this model is a regression").
			WithHint("train on a target of two classes with %s", sign)
	case classes != 2:
		return nil, fault.New(fault.Usage, "the bound is for two classes, this model has %d", classes).
			WithHint("train on a target of two classes with %s", sign)
	case m.Coder.Outputs() != 1:
		return nil, fault.New(fault.Usage, "the bound is for one output, this model has one a class").
			WithHint("train it with %s", sign)
	case offset[0] != 0:
		return nil, fault.New(fault.Usage, "the bound is for f(x) = %s, this model has an offset beside", form)
	}
	return space, nil
}
