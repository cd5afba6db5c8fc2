package search

import (
	"errors"
	"math"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/split"
)

// Scores of folds in time are those of models that are trained, preparation included, on the earlier rows alone: the
// later ones might as well not exist.
func TestFoldsInTimeEqualTrainingOnEarlierRows(t *testing.T) {
	const n, folds = 60, 4
	d := synthetic(t, n, dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class,g,w", Time: "x3"})
	times := d.Columns[d.Roles.Time].Numbers
	earlier := func(i, j int) bool { return times[i] < times[j] }
	for _, c := range kinds {
		r := tune(t, d, c, Options{Trials: 2, Scheme: Scheme{Folds: folds}, RefitPreparation: RefitFewRows})
		if r.Scheme != "4 folds in time, each predicted from earlier rows" || len(r.Notes) > 0 {
			t.Errorf("scheme %q, notes %v", r.Scheme, r.Notes)
		}
		scheme, err := Scheme{Folds: folds}.Of(d)
		if err != nil {
			t.Fatal(err)
		}
		sets, later, err := scheme.Deal(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range r.Trials {
			var sum float64
			for k, fold := range sets {
				train := split.Others(n, append(append([]int{}, fold...), later[k]...))
				for _, i := range train {
					if !earlier(i, fold[0]) {
						t.Fatalf("row %d is no earlier than fold %d", i, k)
					}
				}
				sum += trainedRMSE(t, d.Only(train), d.Only(fold), trial.Config)
			}
			near(t, c.Kind, trial.Score, sum/folds)
		}
	}
}

// trainedRMSE trains on some rows and predicts others.
func trainedRMSE(t *testing.T, train, test *roles.Data, c param.Config) float64 {
	t.Helper()
	m, err := pipeline.Train(ctx, train, c, pipeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Evaluate(ctx, test.Table, test.Pick(test.Roles.Target), pipeline.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Metrics.Number.RMSE
}

// Halving ends with the scores of a plain search.
func TestHalvingInTime(t *testing.T) {
	d := synthetic(t, 240, dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class,g,w", Time: "x3"})
	c := param.With(func(c *param.Config) { c.Kind = "krvfl" })
	o := Options{Trials: 9, Scheme: Scheme{Folds: 3}, Seed: 2}
	plain := tune(t, d, c, o)
	o.Strategy = "halving"
	halved := tune(t, d, c, o)
	best := halved.Trials[halved.Best]
	if best.Rows != 240 {
		t.Fatalf("the best was scored on %d rows", best.Rows)
	}
	for _, trial := range plain.Trials {
		if trial.Config.C == best.Config.C {
			near(t, "score after halving", best.Score, trial.Score)
			return
		}
	}
	t.Error("no setting of the plain search is the best of halving")
}

func TestBadSchemesInTime(t *testing.T) {
	compare := func(a, b int) int { return a - b }
	for name, s := range map[string]Scheme{
		"rows alone": {Time: compare}, "groups": {Time: compare, Folds: 2, Groups: make([]int, 10)},
		"layout": {Time: compare, Folds: 2, Layout: "random"}, "repeats": {Time: compare, Folds: 2, Repeats: 2},
	} {
		if _, _, err := s.Deal(10, nil); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := (Scheme{Time: compare, Folds: 10}).Deal(10, nil); !errors.Is(err, fault.Data) {
		t.Errorf("as many folds as rows: %v", err)
	}
	d := synthetic(t, 20, dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class,g,w", Time: "x3"})
	d.Columns[d.Roles.Time].Numbers[7] = math.NaN()
	if _, err := (Scheme{Folds: 2}).Of(d); !errors.Is(err, fault.Data) {
		t.Errorf("a missing time: %v", err)
	}
}
