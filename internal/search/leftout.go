package search

import (
	"context"
	"errors"

	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
)

// LeftOut tells how well rows that were left out were predicted under one setting.
type LeftOut struct {
	Metrics pipeline.Metrics
	Main    string  // the score that SE is of: "accuracy" or "rmse"
	SE      float64 // its standard error over the rows
	Notes   []fault.Text
}

// LeaveOneOut predicts every row by the model of all others, under a setting that leaves nothing free. Of the options,
// RefitPreparation, Seed and Progress count.
func LeaveOneOut(ctx context.Context, d *roles.Data, c param.Config, o Options) (*LeftOut, error) {
	out, err := leaveOneOut(ctx, d, c, o)
	var unprepared *unpreparedError
	if o.RefitPreparation == RefitFewRows && errors.As(err, &unprepared) {
		o.RefitPreparation = RefitNever
		return leaveOneOut(ctx, d, c, o)
	}
	return out, err
}

func leaveOneOut(ctx context.Context, d *roles.Data, c param.Config, o Options) (*LeftOut, error) {
	o.Candidates, o.Scheme = []param.Config{c}, Scheme{}
	t := &tuning{Options: o, data: d, prepared: map[preparation]*pipeline.Prepared{}}
	p, err := t.prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := t.setUp(ctx, p, c); err != nil {
		return nil, err
	}
	t.expect(1)
	var held outcome
	truth := p.Truth()
	err = t.each(p, nil, func(q part) error {
		e, err := q.evaluator()
		if err != nil {
			return err
		}
		held.add(ctx, p, e, q, c)
		t.tell()
		return held.err
	})
	if err != nil {
		return nil, err
	}
	rows := numbers(0, len(held.rows))
	truth = truth.Of(held.rows, held.known)
	out := &LeftOut{Main: t.score.Name, Notes: t.notes()}
	if out.Metrics, err = truth.Score(&held.outputs, rows); err != nil {
		return nil, err
	}
	_, main := out.Metrics.Main()
	out.SE = t.score.standardError(truth, &held.outputs, rows, main)
	return out, nil
}
