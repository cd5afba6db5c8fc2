package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/learn"
)

var ctx = context.Background()

// synthetic is a regression with privileged columns, a weight and a group.
func synthetic(t *testing.T, rows int, sel dataset.Selection) *roles.Data {
	t.Helper()
	table, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.3, Seed: 5}.Table()
	weight, group := make([]float64, rows), make([]string, rows)
	class := make([]float64, rows)
	for i := range rows {
		weight[i] = 1 + float64(i%3)
		group[i] = fmt.Sprint("g", i/4)
		if table.Find("y").Numbers[i] > 0.3 {
			class[i] = 1
		}
	}
	table.Columns = append(table.Columns, dataset.Column{Name: "w", Numbers: weight},
		dataset.Column{Name: "g", Texts: group}, dataset.Column{Name: "class", Numbers: class})
	d, err := roles.Assign(table, sel)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var numbersOf = dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class,w,g"}

var kinds = []param.Config{
	param.With(func(c *param.Config) { c.Kind = "krvfl" }),
	param.With(func(c *param.Config) { c.Kind, c.Correction = "krvfl+", "additive" }),
	param.With(func(c *param.Config) { c.Kind, c.Hidden = "rvfl", 20 }),
	param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Correction = "rvfl+", 15, "derived" }),
}

func tune(t *testing.T, d *roles.Data, c param.Config, o Options) *Result {
	t.Helper()
	r, err := Tune(ctx, d, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

// Scores by leave-one-out are those that training reports.
func TestScoresEqualTraining(t *testing.T) {
	for _, sel := range []dataset.Selection{numbersOf, {Target: "class", Priv: "lab_*", Weight: "w", Drop: "y,g"}} {
		d := synthetic(t, 50, sel)
		for _, c := range kinds {
			for _, name := range []string{"", "r2", "mae", "f1", "balanced-accuracy", "auc"} {
				if ofNumbers := name == "r2" || name == "mae"; name != "" && ofNumbers != (sel.Target == "y") {
					continue
				}
				r := tune(t, d, c, Options{Trials: 6, Score: name, Seed: 2})
				for i, trial := range r.Trials {
					m, err := pipeline.Train(ctx, d, trial.Config, pipeline.Options{LeaveOneOut: learn.Always})
					if err != nil {
						t.Fatal(err)
					}
					near(t, fmt.Sprint(c.Kind, " ", r.Score.Name, " ", i), trial.Score,
						scoreIn(m.Report.LeaveOneOut.Metrics, r.Score.Name))
				}
			}
		}
	}
}

// scoreIn returns a score of metrics by its name.
func scoreIn(m pipeline.Metrics, name string) float64 {
	switch name {
	case "accuracy":
		return m.Class.Accuracy
	case "balanced-accuracy":
		return m.Class.BalancedAccuracy
	case "f1":
		return m.Class.F1
	case "auc":
		return *m.Class.ROCAUC
	case "rmse":
		return m.Number.RMSE
	case "mae":
		return m.Number.MAE
	}
	return m.Number.R2
}

// Log-loss by leave-one-out is that of a model with Platt probabilities, whose scaling is
// fitted to the same scores.
func TestLogLossIsCalibrated(t *testing.T) {
	d := synthetic(t, 60, dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,w,g"})
	for _, c := range kinds {
		r := tune(t, d, c, Options{Trials: 5, Score: "log-loss"})
		for i, trial := range r.Trials {
			p, err := pipeline.Prepare(ctx, d, trial.Config)
			if err != nil {
				t.Fatal(err)
			}
			e, err := heldout.New(p.Problem(), nil)
			if err != nil {
				t.Fatal(err)
			}
			out, err := p.HeldOut(ctx, e, trial.Config)
			if err != nil {
				t.Fatal(err)
			}
			uncalibrated := p.Truth().SoftmaxLogLoss(out[0], numbers(0, 60))
			if !(trial.Score > 0 && trial.Score < uncalibrated) {
				t.Errorf("%s %d: %g, uncalibrated %g", c.Kind, i, trial.Score, uncalibrated)
			}
			scores := p.Coder().Scores(out[0])
			proba := calibrate.Fit(calibrate.Platt, scores, p.Truth().Labels(), nil).Probabilities(scores)
			var sum float64
			for i, k := range p.Truth().Labels() {
				sum -= math.Log(proba.Data[i*proba.Stride+k]) / 60
			}
			near(t, fmt.Sprint(c.Kind, " ", i), trial.Score, sum)
		}
	}
}

// With the preparation fitted anew, folds score as training without them and evaluating.
func TestRefittedPreparationEqualsTraining(t *testing.T) {
	d := synthetic(t, 40, dataset.Selection{Target: "y", Priv: "lab_*", Group: "g", Drop: "class,w"})
	for _, c := range kinds {
		r := tune(t, d, c, Options{Trials: 4, Scheme: Scheme{Folds: 3}, RefitPreparation: RefitAlways})
		scheme := Scheme{Folds: 3}
		var err error
		if scheme.Groups, err = d.Groups(); err != nil {
			t.Fatal(err)
		}
		folds, err := scheme.Make(40, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, trial := range r.Trials {
			var sum float64
			for _, fold := range folds {
				sum += rmse(t, d.Only(others(40, fold)), d.Only(fold), trial.Config) / 3
			}
			near(t, fmt.Sprint(c.Kind, " ", i), trial.Score, sum)
		}
	}
}

func others(n int, fold []int) []int {
	return slices.DeleteFunc(numbers(0, n), func(i int) bool { return slices.Contains(fold, i) })
}

func rmse(t *testing.T, train, test *roles.Data, c param.Config) float64 {
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

func TestValidationRowsEqualEvaluation(t *testing.T) {
	all := synthetic(t, 60, numbersOf)
	d, v := all.Only(numbers(0, 45)), all.Only(numbers(45, 60))
	for _, c := range kinds {
		for _, strategy := range []string{"grid", "halving"} {
			r := tune(t, d, c, Options{Trials: 9, Strategy: strategy,
				Validation: &Validation{v.Table, v.Pick(v.Roles.Target)}})
			for i, trial := range r.Trials {
				near(t, fmt.Sprint(c.Kind, " ", i), trial.Score, rmse(t, d, v, trial.Config))
			}
		}
	}
}

// scikit-learn's GridSearchCV over KernelRidge, see testdata/generate.py.
func TestScoresEqualScikitLearn(t *testing.T) {
	text, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		X, Y       [][]float64
		Candidates []struct{ C, Width float64 }
		R2         []float64
		Best       int
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	table := &dataset.Table{Rows: len(want.X)}
	for _, part := range [][][]float64{want.X, want.Y} {
		for j := range part[0] {
			column := dataset.Column{Name: fmt.Sprint("c", len(table.Columns))}
			for i := range part {
				column.Numbers = append(column.Numbers, part[i][j])
			}
			table.Columns = append(table.Columns, column)
		}
	}
	d, err := roles.Assign(table, dataset.Selection{Target: "c4,c5"})
	if err != nil {
		t.Fatal(err)
	}
	base := param.With(func(c *param.Config) { c.Kind, c.Linear, c.Center, c.Scale = "krvfl", false, false, "none" })
	o := Options{Scheme: Scheme{Folds: 5, Layout: "contiguous"}, Score: "r2"}
	for _, c := range want.Candidates {
		base.C, base.Kernel = c.C, kernel.Must(fmt.Sprintf("rbf:width=%v", c.Width))
		o.Candidates = append(o.Candidates, base)
	}
	r := tune(t, d, base, o)
	if r.Best != want.Best {
		t.Errorf("the best is %d, want %d", r.Best, want.Best)
	}
	for i, trial := range r.Trials {
		near(t, fmt.Sprint("candidate ", i), trial.Score, want.R2[i])
	}
}

// The same seed gives the same result with any number of threads.
func TestTuneIsDeterministic(t *testing.T) {
	d := synthetic(t, 200, dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,w,g"})
	for _, strategy := range Strategies() {
		for _, c := range kinds {
			var first *Result
			for _, threads := range []int{1, 3} {
				before := runtime.GOMAXPROCS(threads)
				r := tune(t, d, c, Options{Trials: 20, Strategy: strategy, Seed: 9,
					Scheme: Scheme{Folds: 4, Repeats: 2}})
				runtime.GOMAXPROCS(before)
				for i := range r.Trials {
					r.Trials[i].Seconds = 0
				}
				if first != nil && fmt.Sprint(*first) != fmt.Sprint(*r) {
					t.Errorf("%s %s: other results with %d threads", strategy, c.Kind, threads)
				}
				first = r
			}
		}
	}
}

func TestHalvingKeepsTheBest(t *testing.T) {
	d := synthetic(t, 600, numbersOf)
	var told []int
	r := tune(t, d, param.With(func(c *param.Config) { c.Kind = "krvfl" }), Options{
		Trials: 20, Strategy: "halving", Scheme: Scheme{Folds: 5},
		Progress: func(_ string, done, total int) { told = append(told, done, total) },
	})
	byRows := map[int]int{}
	for _, trial := range r.Trials {
		byRows[trial.Rows]++
	}
	if byRows[66] != 14 || byRows[200] != 4 || byRows[600] != 2 || r.Trials[r.Best].Rows != 600 {
		t.Errorf("trials by rows: %v, the best has %d", byRows, r.Trials[r.Best].Rows)
	}
	if last := told[len(told)-2:]; last[0] != 28 || last[1] != 28 {
		t.Errorf("the last progress is %v", last)
	}
}

// Progress comes as settings are evaluated, so that time left can be told, and a search
// ends when its context does.
func TestProgressComesDuringTheSearch(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for refit, parts := range map[Refit]int{RefitNever: 1, RefitAlways: 4} {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		var told []int
		_, err := Tune(ctx, synthetic(t, 60, numbersOf), param.With(func(c *param.Config) { c.Kind = "krvfl" }),
			Options{
				Trials: 20, Scheme: Scheme{Folds: 4}, RefitPreparation: refit,
				Progress: func(_ string, done, total int) {
					if told = append(told, done); done == 3 {
						stop()
					}
					if want := 20 * parts; total != want {
						t.Errorf("%d evaluations, want %d", total, want)
					}
				},
			})
		if !errors.Is(err, context.Canceled) || len(told) > 5 || told[0] != 0 {
			t.Errorf("refit %v: told of %v, %v", refit, told, err)
		}
	}
}

func TestCandidates(t *testing.T) {
	base := param.With(func(c *param.Config) { c.Kind = "krvfl+" })
	p, err := pipeline.Prepare(ctx, synthetic(t, 30, numbersOf), base)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := Candidates(p, base, "grid", 100, nil, 0)
	if err != nil || len(grid) != 81 || grid[0].C != 1e-5 || math.Abs(grid[80].Gamma/1e5-1) > 1e-12 {
		t.Errorf("%d points, %v", len(grid), err)
	}
	free, err1 := Candidates(p, base, "random", 50, nil, 3)
	held, err2 := Candidates(p, base, "random", 50, []param.Param{param.Gamma, param.Width}, 3)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for i := range held {
		if held[i].C != free[i].C || held[i].PrivKernel.String() != free[i].PrivKernel.String() ||
			held[i].Gamma != 10000 || held[i].Kernel.String() != held[0].Kernel.String() {
			t.Fatalf("trial %d: %+v", i, held[i])
		}
		if c := free[i]; c.C < 1e-5 || c.C > 1e5 || c.Gamma < 1e-5 || c.Gamma > 1e5 ||
			c.Kernel.String() == free[(i+1)%50].Kernel.String() {
			t.Fatalf("trial %d: %+v", i, c)
		}
	}
	sum, err := Candidates(p, param.With(func(c *param.Config) {
		c.Kind, c.Kernel = "krvfl",
			kernel.Must("rbf:width=2+laplacian+poly")
	}), "random", 2, nil, 0)
	if err != nil || sum[0].Kernel.String()[:11] != "rbf:width=2" || sum[0].Kernel.String() == sum[1].Kernel.String() {
		t.Errorf("%v, %v", sum, err)
	}
	pinv, err := Candidates(p, param.With(func(c *param.Config) { c.Kind, c.Solver = "rvfl", "pinv" }), "grid", 5, nil,
		0)
	if err != nil || len(pinv) != 5 || pinv[0].U != 1.0/32 || pinv[4].C != 1 {
		t.Errorf("%v, %v", pinv, err)
	}
}

func TestSchemes(t *testing.T) {
	groups := []int{0, 0, 1, 1, 1, 2, 3, 3, 4, 4}
	classes := []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	for name, c := range map[string]struct {
		s     Scheme
		sizes []int
	}{
		"rows":       {Scheme{}, nil},
		"contiguous": {Scheme{Folds: 3, Layout: "contiguous"}, []int{4, 3, 3}},
		"stratified": {Scheme{Folds: 5}, []int{2, 2, 2, 2, 2}},
		"repeated":   {Scheme{Folds: 2, Repeats: 2, Layout: "random"}, []int{5, 5, 5, 5}},
		"groups":     {Scheme{Groups: groups}, []int{2, 3, 1, 2, 2}},
		"grouped":    {Scheme{Groups: groups, Folds: 2}, []int{5, 5}},
	} {
		folds, err := c.s.Make(10, classes)
		if err != nil {
			t.Fatal(name, err)
		}
		var sizes []int
		in := map[int]int{}
		for k, fold := range folds {
			sizes = append(sizes, len(fold))
			for _, i := range fold {
				if g, seen := in[groups[i]]; seen && g != k && c.s.Groups != nil {
					t.Errorf("%s: group %d is in two folds", name, groups[i])
				}
				in[groups[i]] = k
			}
			if name == "stratified" && classes[fold[0]] == classes[fold[1]] {
				t.Errorf("fold %v has one class", fold)
			}
		}
		if !slices.Equal(sizes, c.sizes) {
			t.Errorf("%s: sizes %v, want %v", name, sizes, c.sizes)
		}
		if err := folds.Check(10); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if folds, _ := (Scheme{Folds: 3, Layout: "contiguous"}).Make(10, nil); !slices.Equal(folds[1], []int{4, 5, 6}) {
		t.Errorf("contiguous folds %v", folds)
	}
}

func TestBadSchemesAndScores(t *testing.T) {
	for name, s := range map[string]Scheme{
		"layout": {Folds: 2, Layout: "x"}, "no folds": {Layout: "random"}, "repeats": {Repeats: 2},
		"too many": {Folds: 11},
		"one":      {Folds: 1}, "stratified": {Folds: 2, Layout: "stratified"},
		"contiguous repeats": {Folds: 2, Layout: "contiguous", Repeats: 2},
		"contiguous many":    {Folds: 11, Layout: "contiguous"},
		"contiguous groups":  {Folds: 2, Layout: "contiguous", Groups: make([]int, 10)},
		"one group":          {Groups: make([]int, 10)}, "few groups": {Folds: 2, Groups: make([]int, 10)},
	} {
		if _, err := s.Make(10, nil); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ScoreByName("r2", target.Classification); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
	for _, name := range []string{"log-loss", "softmax-log-loss", "loss"} {
		if _, err := MeasureByName(name, target.Classification); !errors.Is(err, fault.Usage) ||
			errors.Is(CheckMeasure(name), nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := MeasureByName("rmse", target.Classification); !errors.Is(err, fault.Usage) ||
		!strings.Contains(err.Error(), "accuracy, balanced-accuracy, f1, auc for") {
		t.Error(err)
	}
	for name, want := range map[string]float64{"r2": 0.75, "rmse": 0.25, "": 0.25} {
		if s, err := MeasureByName(name, target.Regression); err != nil || s.Loss(0.25) != want {
			t.Errorf("%q: loss %v, %v", name, s.Loss(0.25), err)
		}
	}
	up, down := Score{Greater: true}, Score{}
	nan := math.NaN()
	if !up.Better(2, 1) || up.Better(1, 2) || down.Better(2, 1) || up.Better(nan, 1) || !down.Better(1, nan) ||
		down.Better(nan, nan) {
		t.Error("the order of scores is wrong")
	}
}

// A setting that cannot be solved is a trial without a score; if none can, tuning fails.
func TestUnsolvableSettings(t *testing.T) {
	d := synthetic(t, 30, numbersOf)
	good, bad := param.With(func(c *param.Config) { c.Kind = "krvfl" }),
		param.With(func(c *param.Config) {
			c.Kind, c.C, c.Kernel, c.Linear = "krvfl", 1e300, kernel.Must("linear"),
				false
		})
	r := tune(t, d, good, Options{Candidates: []param.Config{bad, good}})
	if r.Best != 1 || !math.IsNaN(r.Trials[0].Score) || !errors.Is(r.Trials[0].Err, fault.NotSolved) {
		t.Errorf("%+v", r)
	}
	if _, err := Tune(ctx, d, good, Options{Candidates: []param.Config{bad}}); !errors.Is(err, fault.NotSolved) {
		t.Error(err)
	}
	if _, err := Tune(ctx, d, good,
		Options{Candidates: []param.Config{param.With(func(c *param.Config) {
			c.Kind, c.C = "krvfl",
				-1
		})}}); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
	if _, err := Tune(ctx, d, good, Options{Strategy: "x"}); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
}

// A budget that is used up at once leaves one setting, and the others say why they were not tried.
func TestABudgetEndsTheSearch(t *testing.T) {
	r := tune(t, synthetic(t, 30, numbersOf), kinds[0], Options{Trials: 20, Budget: time.Nanosecond})
	if n := r.notTried(); n != 19 || r.Trials[r.Best].Err != nil {
		t.Errorf("%d of 20 settings not tried, the best: %v", n, r.Trials[r.Best].Err)
	}
}

// The constant predictor is scored on the rows that settings are scored on, and a search that does not beat it says so.
func TestConstantBesideASearch(t *testing.T) {
	d := synthetic(t, 60, dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,w,g"})
	ones := 0.0
	for _, k := range d.Find("class").Numbers {
		ones += k / 60
	}
	larger := math.Max(ones, 1-ones)
	entropy := -(ones*math.Log(ones) + (1-ones)*math.Log(1-ones))
	krvfl := param.With(func(c *param.Config) { c.Kind = "krvfl" })
	for score, want := range map[string]float64{
		"": larger, "balanced-accuracy": 0.5, "auc": 0.5, "log-loss": entropy, "f1": larger / (1 + larger),
	} {
		r := tune(t, d, krvfl, Options{Trials: 5, Score: score})
		near(t, "constant "+score, r.Constant.Score, want)
		if len(r.Warnings) > 0 {
			t.Errorf("%s: warnings %v", score, r.Warnings)
		}
	}
	for i := range d.Find("class").Numbers { // nothing to learn
		d.Find("class").Numbers[i] = 0
		if i%20 == 0 {
			d.Find("class").Numbers[i] = 1
		}
	}
	r := tune(t, d, krvfl, Options{Trials: 5, Scheme: Scheme{Folds: 3}})
	const want = `does not beat the constant predictor, always "0"`
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].String(), want) {
		t.Errorf("best %v, constant %v: warnings %v", r.Trials[r.Best].Score, r.Constant, r.Warnings)
	}
	numbers := synthetic(t, 60, numbersOf)
	r = tune(t, numbers, krvfl, Options{Trials: 5, Score: "r2"})
	near(t, "R² of the mean", r.Constant.Score, 0)
}

// Folds without a row of one of the classes have no area under the ROC curve, and none at all is an error.
func TestAreaOfFoldsOfOneClass(t *testing.T) {
	d := synthetic(t, 60, dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,w,g"})
	for i := range d.Find("class").Numbers {
		d.Find("class").Numbers[i] = 0
		if i < 20 {
			d.Find("class").Numbers[i] = max(float64(i%2), float64(i/10))
		}
	}
	krvfl := param.With(func(c *param.Config) { c.Kind = "krvfl" })
	contiguous := Scheme{Folds: 6, Layout: "contiguous"} // only the first has both classes
	r := tune(t, d, krvfl, Options{Trials: 2, Score: "auc", Scheme: contiguous})
	if s := r.Trials[0].Score; !(s >= 0 && s <= 1) {
		t.Errorf("area %v", s)
	}
	for i := range d.Find("class").Numbers {
		d.Find("class").Numbers[i] = 0
		if i < 10 {
			d.Find("class").Numbers[i] = 1
		}
	}
	if _, err := Tune(ctx, d, krvfl, Options{Trials: 2, Score: "auc", Scheme: contiguous}); !errors.Is(err,
		fault.NotSolved) || !strings.Contains(err.Error(), "auc is not defined") {
		t.Errorf("folds of one class: %v", err)
	}
}

// Settings of one search may have different weights of classes: each is scored as training with them is.
func TestCandidatesWithClassWeights(t *testing.T) {
	d := synthetic(t, 60, dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,w,g"})
	var candidates []param.Config
	for _, kind := range []string{"krvfl", "svm"} {
		for _, weight := range []string{"", "balanced", "0=5"} {
			candidates = append(candidates, param.With(func(c *param.Config) {
				c.Kind, c.ClassWeight, c.Kernel = kind, weight, kernel.Must("rbf:width=3")
			}))
		}
	}
	r := tune(t, d, candidates[0], Options{Candidates: candidates, Score: "balanced-accuracy"})
	for i, c := range candidates {
		alone := tune(t, d, c, Options{Candidates: []param.Config{c}, Score: "balanced-accuracy"})
		if r.Trials[i].Score != alone.Trials[0].Score {
			t.Errorf("%s %q: %v among others, %v alone", c.Kind, c.ClassWeight, r.Trials[i].Score,
				alone.Trials[0].Score)
		}
	}
	if r.Trials[0].Score == r.Trials[2].Score {
		t.Error("weights of classes make no difference")
	}
}

// Settings that differ in what dates become share no preparation: each scores as when it is tried alone.
func TestCandidatesWithDates(t *testing.T) {
	d := synthetic(t, 60, numbersOf)
	day := &d.Table.Columns[d.Roles.Normal[0]]
	day.Reading = &dataset.Reading{Date: dataset.ISO}
	for i := range day.Numbers {
		day.Numbers[i] = float64(17 * i)
	}
	var candidates []param.Config
	for _, dates := range []string{"", "cyclic", "drop"} {
		candidates = append(candidates, param.With(func(c *param.Config) { c.Kind, c.Dates = "krvfl", dates }))
	}
	r := tune(t, d, candidates[0], Options{Candidates: candidates})
	for i, c := range candidates {
		alone := tune(t, d, c, Options{Candidates: []param.Config{c}})
		if r.Trials[i].Score != alone.Trials[0].Score {
			t.Errorf("dates %q: %v among others, %v alone", c.Dates, r.Trials[i].Score, alone.Trials[0].Score)
		}
	}
	if a, b, c := r.Trials[0].Score, r.Trials[1].Score, r.Trials[2].Score; a == b || b == c || a == c {
		t.Error("what dates become makes no difference")
	}
}
