package pipeline

import (
	"rvflplus/dataset"
	"rvflplus/internal/metric"
	"rvflplus/internal/target"
)

// Losses returns the loss of every row of t, which p predicts. Of a classification it is 1 where the class is wrong,
// as it is where the model does not know the row's class, else 0. Of a regression see metric.RowErrors. A missing
// target is a fault.Data error, another number of targets than the model's a fault.Usage error.
func (m *Model) Losses(t *dataset.Table, targets []*dataset.Column, p *Predictions) ([]float64, error) {
	if len(targets) != len(m.Coder.Names) {
		return nil, m.otherTargets(targets)
	}
	known, _, err := truthOf(m.Coder, targets, t.Rows)
	if err != nil {
		return nil, err
	}
	if m.Coder.Task != target.Classification {
		return metric.RowErrors(known.y, p.Outputs.RawMatrix()), nil
	}
	losses := make([]float64, t.Rows)
	for i, class := range known.labels {
		if p.Labels[i] != class {
			losses[i] = 1
		}
	}
	return losses, nil
}
