package pipeline

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/internal/metric"
	"rvflplus/internal/target"
)

// Losses returns the loss of every row of t, which p predicts. Of a classification it is 1 where the class is wrong,
// as it is where the model does not know the row's class, else 0. Of a regression see metric.RowErrors. A missing
// target is a fault.Data error, another number of targets than the model's a fault.Usage error.
func (m *Model) Losses(t *dataset.Table, targets []*dataset.Column, p *Predictions) ([]float64, error) {
	known, err := m.known(t, targets)
	if err != nil {
		return nil, err
	}
	return known.losses(p.Outputs, p.Labels), nil
}

// known reads the true classes or numbers of the rows of t.
func (m *Model) known(t *dataset.Table, targets []*dataset.Column) (truth, error) {
	if len(targets) != len(m.Coder.Names) {
		return truth{}, m.otherTargets(targets)
	}
	known, _, err := truthOf(m.Coder, targets, t.Rows)
	return known, err
}

// losses returns the loss of every row for outputs and, of a classification, the classes that they mean.
func (t truth) losses(outputs *mat.Dense, labels []int) []float64 {
	if t.coder.Task != target.Classification {
		return metric.RowErrors(t.y, outputs.RawMatrix())
	}
	losses := make([]float64, len(t.labels))
	for i, class := range t.labels {
		if labels[i] != class {
			losses[i] = 1
		}
	}
	return losses
}

// Judge knows the targets of some rows, and tells the losses of a model's predictions from their normal columns, also
// from columns that were changed. It is immutable.
type Judge struct {
	model   *Model
	columns []*dataset.Column
	known   truth
}

// Judge returns the judge of the rows of t, at least one, with their targets. Errors are those of Losses and Predict.
func (m *Model) Judge(t *dataset.Table, targets []*dataset.Column) (*Judge, error) {
	columns, err := m.normalColumns(t)
	if err != nil {
		return nil, err
	}
	known, err := m.known(t, targets)
	return &Judge{m, columns, known}, err
}

// Columns returns the normal columns in the order of the schema. They must not be changed.
func (j *Judge) Columns() []*dataset.Column { return j.columns }

// Losses returns the loss of every row, as Model.Losses does, when its normal cells are those of the given columns, in
// the order of the schema.
func (j *Judge) Losses(ctx context.Context, columns []*dataset.Column) ([]float64, error) {
	x, _, err := j.model.Normal.Apply(columns, j.rows())
	if err != nil {
		return nil, err
	}
	outputs, err := j.model.outputs(ctx, x, nil)
	if err != nil {
		return nil, err
	}
	var labels []int
	if j.known.labels != nil {
		labels = j.model.decide(outputs)
	}
	return j.known.losses(outputs, labels), nil
}

func (j *Judge) rows() int { return max(len(j.known.labels), j.known.y.Rows) }
