package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// leavesOf returns what leaves the preparation under the options.
func leavesOf(rows int, folds heldout.Folds, o Options) []leave {
	t := tuning{Options: o, folds: folds}
	t.setLeaves(rows, nil)
	return t.leaves
}

// With the preparation fitted anew, rows left out alone score as by training without each, on a preparation that none
// of its fifth of the rows took part in.
func TestLeaveOneOutWithRefittedPreparation(t *testing.T) {
	const n = 30
	sel := dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class,g", Weight: "w"}
	d := synthetic(t, n, sel)
	d.Find("x1").Numbers[4], d.Find("lab_1").Numbers[7] = 50, -40
	o := Options{Trials: 3, Seed: 4, RefitPreparation: RefitFewRows}
	projected := param.With(func(c *param.Config) {
		c.Kind, c.ProjectC, c.ProjectKernel = "krvfl+", 3, kernel.Must("rbf:width=5")
	})
	for _, c := range append(slices.Clone(kinds), projected) {
		r := tune(t, d, c, o)
		if len(r.Notes) > 0 {
			t.Errorf("%s: notes %v", c.Kind, r.Notes)
		}
		p, err := pipeline.Prepare(ctx, d, c)
		if err != nil {
			t.Fatal(err)
		}
		for i, trial := range r.Trials {
			trainer, err := p.Trainer(trial.Config)
			if err != nil {
				t.Fatal(err)
			}
			var sum, total float64
			for _, l := range leavesOf(n, nil, o) {
				q, err := p.Without(l.alone)
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range l.alone {
					m, _, err := trainer.Train(ctx, q.Only(others(n, []int{row})))
					if err != nil {
						t.Fatal(err)
					}
					out := mat.NewDense(1, 1, nil)
					m.PredictTo(out, learn.GatherRows(q.X, []int{row}))
					sum += q.Weight[row] * math.Pow(out.At(0, 0)-q.Y.At(row, 0), 2)
					total += q.Weight[row]
				}
			}
			if want := math.Sqrt(sum / total); !(math.Abs(trial.Score-want) < 1e-6*want) {
				t.Errorf("%s %d: %v, want %v", c.Kind, i, trial.Score, want)
			}
		}
		never := tune(t, d, c, Options{Trials: 3, Seed: 4})
		if math.Abs(never.Trials[0].Score/r.Trials[0].Score-1) < 1e-3 {
			t.Errorf("%s: a preparation without the outliers makes no difference", c.Kind)
		}
	}
}

// Every fold, and every row that is left out alone, leaves one preparation of each dealing.
func TestLeaves(t *testing.T) {
	dealt := func(k, size int) (folds heldout.Folds) {
		for f := range k {
			folds = append(folds, numbers(f*size, (f+1)*size))
		}
		return folds
	}
	for _, c := range []struct {
		rows    int
		folds   heldout.Folds
		repeats int
		refit   Refit
		want    int
	}{
		{100, nil, 0, RefitNever, 0}, {999, nil, 0, RefitFewRows, 5}, {1000, nil, 0, RefitFewRows, 0},
		{1000, nil, 0, RefitAlways, 5}, {3, nil, 0, RefitFewRows, 3}, {30, dealt(10, 3), 1, RefitFewRows, 10},
		{30, dealt(3, 10), 0, RefitAlways, 3}, {33, dealt(11, 3), 0, RefitAlways, 5},
		{20, slices.Concat(dealt(4, 5), dealt(4, 5)), 2, RefitFewRows, 8},
		{60, slices.Concat(dealt(20, 3), dealt(20, 3)), 2, RefitFewRows, 10},
	} {
		what := fmt.Sprintf("%d rows, %d folds, refit %d", c.rows, len(c.folds), c.refit)
		leaves := leavesOf(c.rows, c.folds, Options{RefitPreparation: c.refit, Scheme: Scheme{Repeats: c.repeats}})
		if len(leaves) != c.want {
			t.Errorf("%s: %d preparations, want %d", what, len(leaves), c.want)
		}
		times := make([]int, c.rows)
		for _, l := range leaves {
			for _, i := range l.left() {
				times[i]++
			}
		}
		want := 0
		if c.want > 0 {
			want = max(1, c.repeats)
		}
		for i, n := range times {
			if n != want {
				t.Errorf("%s: row %d leaves %d preparations, want %d", what, i, n, want)
				break
			}
		}
	}
}

// Many rows, validation rows and a preparation that needs a row.
func TestPreparationFittedOnce(t *testing.T) {
	c := param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Impute = "rvfl", 3, "mean" })
	o := Options{Trials: 2, RefitPreparation: RefitFewRows}
	many := tune(t, synthetic(t, fewRows, numbersOf), c, o)
	if len(many.Notes) != 1 || !strings.Contains(many.Notes[0].String(), "refit-preparation=true") {
		t.Errorf("many rows: %q", many.Notes)
	}
	d := synthetic(t, 40, numbersOf)
	rare := dataset.Column{Name: "rare", Numbers: slices.Repeat([]float64{math.NaN()}, 40)}
	rare.Numbers[11] = 1
	d.Columns = append(d.Columns, rare)
	d.Roles.Normal = append(d.Roles.Normal, len(d.Columns)-1)
	got := tune(t, d, c, o)
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0].String(), `"rare"`) {
		t.Errorf("a column with one cell: %q", got.Notes)
	}
	want := tune(t, d, c, Options{Trials: 2})
	if len(want.Notes) > 0 || got.Trials[1].Score != want.Trials[1].Score {
		t.Errorf("%v, prepared once %v %q", got.Trials[1].Score, want.Trials[1].Score, want.Notes)
	}
	if _, err := Tune(ctx, d, c, Options{Trials: 2, RefitPreparation: RefitAlways}); err == nil ||
		!strings.Contains(err.Error(), `rare`) {
		t.Errorf("asked for: %v", err)
	}
	d = synthetic(t, 30, numbersOf)
	o.Validation = &Validation{Table: d.Table, Targets: d.Pick(d.Roles.Target)}
	if r := tune(t, d, c, o); len(r.Notes) > 0 {
		t.Errorf("validation rows: %q", r.Notes)
	}
}

// Every strategy and scheme runs with the preparation fitted anew, to the same bits for any order of the trials.
func TestRefittedPreparationOfEverySearch(t *testing.T) {
	d := synthetic(t, 240, dataset.Selection{Target: "class", Priv: "lab_*", Group: "g", Drop: "y,w"})
	c := param.With(func(c *param.Config) { c.Kind = "krvfl" })
	for name, o := range map[string]Options{
		"halving":            {Trials: 9, Strategy: "halving"},
		"folds":              {Trials: 4, Scheme: Scheme{Folds: 4, Repeats: 2}},
		"groups":             {Trials: 4},
		"halving and groups": {Trials: 9, Strategy: "halving", Scheme: Scheme{Folds: 3}},
	} {
		o.RefitPreparation, o.Score = RefitFewRows, "log-loss"
		rows := d
		if name == "halving" {
			rows = synthetic(t, 240, dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,w,g"})
		}
		a, b := tune(t, rows, c, o), tune(t, rows, c, o)
		for i := range a.Trials {
			if a.Trials[i].Err != nil || !(a.Trials[i].Score < 1) || a.Trials[i].Score != b.Trials[i].Score {
				t.Errorf("%s %d: %v and %v, %v", name, i, a.Trials[i].Score, b.Trials[i].Score, a.Trials[i].Err)
			}
		}
	}
}

// A class that only rows left out together have is not known to the model that predicts them: it counts as wrong and as
// probability 2⁻⁵².
func TestClassesThatOnlyRowsLeftOutHave(t *testing.T) {
	d := synthetic(t, 40, dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,w,g"})
	d.Find("class").Numbers[9] = 2 // the only row of its class
	for _, kind := range []string{"krvfl", "svm"} {
		c := param.With(func(c *param.Config) { c.Kind, c.C = kind, 10 })
		for _, refit := range []Refit{RefitNever, RefitAlways} {
			o := Options{Candidates: []param.Config{c}, RefitPreparation: refit, Score: "softmax-log-loss"}
			with := tune(t, d, c, o).Trials[0].Score
			o.Score = "log-loss"
			calibrated := tune(t, d, c, o).Trials[0].Score
			for name, loss := range map[string]float64{"softmax": with, "calibrated": calibrated} {
				if rest := 40*loss - 52*math.Ln2; !(rest > 0 && rest < 40*1.2) {
					t.Errorf("%s, refit %d: %s loss %v, of the other rows %v", kind, refit, name, loss, rest)
				}
			}
		}
	}
	m, err := pipeline.Train(ctx, d, param.With(func(c *param.Config) { c.Kind, c.Proba = "krvfl", "platt" }),
		pipeline.Options{LeaveOneOut: learn.Always})
	if err != nil {
		t.Fatal(err)
	}
	if loss := *m.Report.LeaveOneOut.Metrics.Class.LogLoss; !(40*loss > 52*math.Ln2) {
		t.Errorf("the report's leave-one-out loss is %v", loss)
	}
}

// Validation rows of classes that the model does not know take no part in Platt scaling: the loss of the others is the
// same without them.
func TestUnknownClassesAreNotScaledTo(t *testing.T) {
	sel := dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,w,g"}
	loss := func(validation *roles.Data) float64 {
		o := Options{Trials: 1, Score: "log-loss",
			Validation: &Validation{Table: validation.Table, Targets: validation.Pick(validation.Roles.Target)}}
		return tune(t, synthetic(t, 40, sel), param.With(func(c *param.Config) { c.Kind = "krvfl" }), o).Trials[0].Score
	}
	some := synthetic(t, 60, sel)
	for i := range 10 {
		some.Find("class").Numbers[6*i] = 7
	}
	var known []int
	for i, v := range some.Find("class").Numbers {
		if v < 7 {
			known = append(known, i)
		}
	}
	near(t, "loss", 60*loss(some), 50*loss(some.Only(known))+10*52*math.Ln2)
}
