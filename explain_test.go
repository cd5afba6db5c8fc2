package rvflplus_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"rvflplus"
	"rvflplus/fault"
	"rvflplus/kernel"
)

func TestCrossValidate(t *testing.T) {
	ctx := context.Background()
	table := patients(50)
	c := configured(func(c *rvflplus.Config) { c.Kind, c.Kernel = "krvfl+", kernel.Must("rbf:width=4") })
	var told int
	r, err := rvflplus.CrossValidate(ctx, table, patientColumns, c, rvflplus.CrossValidateOptions{
		Folds: 5, Repeats: 2, Progress: func(string, int, int) { told++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Scheme != "5 folds, 2 times" || len(r.Folds) != 10 || r.Folds[9].Repeat != 2 || r.Folds[9].Fold != 5 ||
		r.Folds[0].TrainRows != 40 || told != 11 || r.Task != "regression" {
		t.Errorf("%+v, told %d times", r, told)
	}
	var sum float64
	for _, f := range r.Folds {
		sum += f.Metrics.Regression.RMSE / 10
	}
	if s := r.Scores[0]; s.Name != "rmse" || math.Abs(s.Mean-sum) > 1e-12 || !(s.StandardError > 0) || s.Greater ||
		!(s.Constant > s.Mean) {
		t.Errorf("%+v, the mean of the folds is %v", s, sum)
	}
	left, err := rvflplus.CrossValidate(ctx, table, patientColumns, c,
		rvflplus.CrossValidateOptions{LeaveOneOut: true, RefitPreparation: rvflplus.RefitPreparationNever})
	if err != nil {
		t.Fatal(err)
	}
	always := rvflplus.TrainOptions{LeaveOneOut: rvflplus.LeaveOneOutAlways}
	m, err := rvflplus.Train(ctx, table, patientColumns, c, always)
	if err != nil {
		t.Fatal(err)
	}
	if want := m.Report().LeaveOneOut.Regression.RMSE; math.Abs(left.Scores[0].Mean-want) > 1e-9 || left.Folds != nil {
		t.Errorf("leave-one-out %+v, training's is %v", left.Scores[0], want)
	}
	tuned := rvflplus.TrainOptions{Tune: true}
	r, err = rvflplus.CrossValidate(ctx, patients(12), patientColumns, c, rvflplus.CrossValidateOptions{Train: tuned})
	if err != nil || len(r.Folds) != 10 {
		t.Errorf("%+v, %v", r, err)
	}
	for name, o := range map[string]rvflplus.CrossValidateOptions{
		"one fold": {Folds: 1}, "both": {Folds: 3, LeaveOneOut: true}, "free": {LeaveOneOut: true, Train: tuned},
		"layout": {FoldLayout: "x"}, "refit": {RefitPreparation: 9},
	} {
		if _, err := rvflplus.CrossValidate(ctx, table, patientColumns, c, o); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExplain(t *testing.T) {
	ctx := context.Background()
	c := configured(func(c *rvflplus.Config) { c.Kind, c.C, c.Gamma = "krvfl+", 10, 1 })
	table := patients(80)
	always := rvflplus.TrainOptions{LeaveOneOut: rvflplus.LeaveOneOutAlways}
	m, err := rvflplus.Train(ctx, table, patientColumns, c, always)
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Explain(ctx, table, rvflplus.ExplainOptions{Repeats: 3, Training: table})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Normal.Columns) != len(m.Columns()) || len(e.Notes) != 1 || e.Normal.Rows != 80 {
		t.Errorf("%+v", e)
	}
	p := e.Privileged
	if want := 1 - m.Report().LeaveOneOut.Regression.R2; math.Abs(p.Loss-want) > 1e-9 {
		t.Errorf("loss of rows left out %v, in training %v", p.Loss, want)
	}
	if len(p.Columns) != len(m.PrivilegedColumns()) || !(p.Columns[0].Change > 0) || p.Together == nil {
		t.Errorf("%+v", p)
	}
	plain, err := m.Explain(ctx, patients(20), rvflplus.ExplainOptions{})
	if err != nil || plain.Privileged != nil {
		t.Errorf("%+v, %v", plain, err)
	}
	if _, err := m.Explain(ctx, nil, rvflplus.ExplainOptions{}); !errors.Is(err, fault.Usage) {
		t.Errorf("no table: %v", err)
	}
	if _, err := m.Explain(ctx, table, rvflplus.ExplainOptions{Repeats: -1}); !errors.Is(err, fault.Usage) {
		t.Errorf("repeats: %v", err)
	}
}
