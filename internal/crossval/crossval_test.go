package crossval

import (
	"context"
	"errors"
	"flag"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/learn"
)

var ctx = context.Background()

var samples = flag.Int("samples", 40, "samples on which standard errors are compared with the truth")

// rows returns generated rows with a column of classes, of groups, of times and of weights.
func rows(t *testing.T, n int, seed uint64, sel dataset.Selection) *roles.Data {
	t.Helper()
	table, _ := dataset.Synthetic{Rows: n, Strength: 1, Noise: 0.3, Seed: seed}.Table()
	class := dataset.Column{Name: "class", Levels: []string{"no", "yes"}, Codes: make([]int, n)}
	group, time := make([]float64, n), make([]float64, n)
	weight := make([]float64, n)
	for i, y := range table.Find("y").Numbers {
		if y > 0.5 {
			class.Codes[i] = 1
		}
		group[i], time[i], weight[i] = float64(i%7), float64(i*37%n), float64(1+i%3)
	}
	table.Columns = append(table.Columns, class, dataset.Column{Name: "group", Numbers: group},
		dataset.Column{Name: "time", Numbers: time}, dataset.Column{Name: "weight", Numbers: weight})
	d, err := roles.Assign(table, sel)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var fixed = param.With(func(c *param.Config) {
	c.Kind, c.C, c.Gamma, c.Kernel = "krvfl+", 10, 1, kernel.Must("rbf:width=2")
	c.ProjectC, c.ProjectKernel = 10, kernel.Must("rbf:width=2")
})

func run(t *testing.T, d *roles.Data, c param.Config, o Options) *Result {
	t.Helper()
	r, err := Run(ctx, d, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every fold is scored by a model that was trained, with all that it chooses, on the other rows of the table.
func TestFoldsEqualTrainingOnTheOthers(t *testing.T) {
	chosen := param.With(func(c *param.Config) {
		c.Kind, c.Free = "krvfl", []param.Param{param.C, param.Width, param.Scale}
	})
	for name, c := range map[string]param.Config{"fixed": fixed, "chosen": chosen} {
		for _, sel := range []dataset.Selection{
			{Target: "y", Priv: "lab_*", Drop: "class,group,time", Weight: "weight"},
			{Target: "class", Priv: "lab_*", Drop: "y,time,weight", Group: "group"},
			{Target: "y", Priv: "lab_*", Drop: "class,group,weight", Time: "time"},
		} {
			const n, k = 63, 3
			d := rows(t, n, 3, sel)
			r := run(t, d, c, Options{Scheme: search.Scheme{Folds: k}})
			scheme, err := search.Scheme{Folds: k, Seed: c.Seed}.Of(d)
			if err != nil {
				t.Fatal(err)
			}
			var classes []int
			if sel.Target == "class" {
				classes = d.Columns[d.Roles.Target[0]].Codes
			}
			folds, later, err := scheme.Deal(n, classes)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range r.Folds {
				left := folds[i]
				if later != nil {
					left = slices.Concat(left, later[i])
				}
				train := split.Others(n, left)
				m, err := search.Train(ctx, d.Only(train), c, pipeline.Options{})
				if err != nil {
					t.Fatal(err)
				}
				test := d.Only(folds[i])
				weight, err := test.Weights()
				if err != nil {
					t.Fatal(err)
				}
				o := pipeline.EvaluateOptions{Weight: weight}
				e, err := m.Evaluate(ctx, test.Table, test.Pick(test.Roles.Target), o)
				if err != nil {
					t.Fatal(err)
				}
				_, want := e.Metrics.Main()
				if _, got := f.Metrics.Main(); got != want || f.Train != len(train) || f.Test != len(folds[i]) {
					t.Errorf("%s, %s: fold %d: %v of %d and %d rows, want %v", name, r.Scheme, i, got, f.Train, f.Test,
						want)
				}
			}
			if s := r.Scores[0]; s.Mean != stat.Mean(s.Values, nil) || len(s.Values) != k || !(s.SE > 0) {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// A fold of one row has no R².
func TestFoldsOfOneRow(t *testing.T) {
	d := rows(t, 9, 5, dataset.Selection{Target: "y", Drop: "lab_*,class,group,time,weight"})
	c := param.With(func(c *param.Config) { c.Kind = "krvfl" })
	var names []string
	for _, s := range run(t, d, c, Options{Scheme: search.Scheme{Folds: 8}}).Scores {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"rmse", "mae"}) {
		t.Errorf("scores %v", names)
	}
}

// Leave-one-out is that of training, to the last row.
func TestLeaveOneOutEqualsTraining(t *testing.T) {
	d := rows(t, 40, 5, dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class,group,time", Weight: "weight"})
	r := run(t, d, fixed, Options{})
	m, err := pipeline.Train(ctx, d, fixed, pipeline.Options{LeaveOneOut: learn.Always})
	if err != nil {
		t.Fatal(err)
	}
	want := m.Report.LeaveOneOut.Metrics.Number
	for i, v := range []float64{want.RMSE, want.MAE, want.R2} {
		if s := r.Scores[i]; math.Abs(s.Mean-v) > 1e-9 || (i == 0) != (s.SE > 0) {
			t.Errorf("%+v, want %v", s, v)
		}
	}
	if r.Folds != nil || r.Scheme != "leave-one-out" {
		t.Errorf("%d folds, %s", len(r.Folds), r.Scheme)
	}
}

// The constant is the mean of the training rows, with their weights, or their most frequent class.
func TestConstants(t *testing.T) {
	d := rows(t, 30, 8, dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class,group,time", Weight: "weight"})
	p, err := pipeline.Prepare(ctx, d, fixed)
	if err != nil {
		t.Fatal(err)
	}
	train, test := []int{0, 1, 2, 5}, []int{3, 9}
	y, w := d.Columns[d.Roles.Target[0]].Numbers, d.Columns[d.Roles.Weight].Numbers
	var mean, total float64
	for _, i := range train {
		mean, total = mean+w[i]*y[i], total+w[i]
	}
	mean /= total
	want := math.Sqrt(((y[3]-mean)*(y[3]-mean) + (y[9]-mean)*(y[9]-mean)) / 2)
	if m, err := constant(p, train, test); err != nil || math.Abs(m.Number.RMSE-want) > 1e-12 {
		t.Errorf("%v, want %v (%v)", m.Number, want, err)
	}
	d = rows(t, 60, 8, dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,group,time,weight"})
	r := run(t, d, fixed, Options{Scheme: search.Scheme{Folds: 3}})
	codes := d.Columns[d.Roles.Target[0]].Codes
	no := 0
	for _, k := range codes {
		no += 1 - k
	}
	if got, want := r.Scores[0].Constant, float64(max(no, 60-no))/60; math.Abs(got-want) > 1e-12 {
		t.Errorf("accuracy of the most frequent class %v, want %v", got, want)
	}
	for _, c := range []struct {
		s    Score
		want bool
	}{
		{Score{Mean: 1, Constant: 2}, true}, {Score{Mean: 2, Constant: 2}, false},
		{Score{Mean: 0.7, Constant: 0.6, Greater: true}, true}, {Score{Mean: 0.6, Constant: 0.6, Greater: true}, false},
		{Score{Mean: 0.6, Constant: math.NaN()}, true},
	} {
		if (&Result{Scores: []Score{c.s}}).Beats() != c.want {
			t.Errorf("%+v", c.s)
		}
	}
}

func TestStandardError(t *testing.T) {
	scores := []float64{1, 2, 4, 5}
	if got, want := StandardError(scores, 75, 25), math.Sqrt((0.25+1.0/3)*10.0/3); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if !math.IsNaN(StandardError([]float64{1}, 1, 1)) {
		t.Error("one score has no standard error")
	}
}

// How much cross-validated errors vary from sample to sample, beside what their standard errors say: that of Nadeau and
// Bengio, and the one that takes folds for independent. docs/tuning.md has the numbers of
// go test ./internal/crossval -run HowFar -v -samples 1000
func TestHowFarStandardErrorsAreRight(t *testing.T) {
	for _, scheme := range []search.Scheme{{Folds: 5}, {Folds: 10}, {Folds: 5, Repeats: 4}} {
		var means, corrected, plain []float64
		for seed := range uint64(*samples) {
			d := rows(t, 60, 100+seed, dataset.Selection{Target: "y", Drop: "lab_*,class,group,time,weight"})
			c := param.With(func(c *param.Config) { c.Kind, c.Kernel = "krvfl", kernel.Must("rbf:width=2") })
			c.Seed = seed
			s := run(t, d, c, Options{Scheme: scheme}).Scores[0]
			k := float64(len(s.Values))
			means, corrected = append(means, s.Mean), append(corrected, s.SE*s.SE)
			plain = append(plain, stat.Variance(s.Values, nil)/k)
		}
		truth := stat.Variance(means, nil)
		ratio := func(v []float64) float64 { return math.Sqrt(stat.Mean(v, nil) / truth) }
		t.Logf("%s: of the true standard error, corrected %.2f, plain %.2f", scheme, ratio(corrected), ratio(plain))
		if ratio(corrected) < 0.9 || ratio(plain) > ratio(corrected) {
			t.Errorf("%s: too small", scheme)
		}
	}
}

func TestWhatCannotBeCrossValidated(t *testing.T) {
	sel := dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,group,time,weight"}
	d := rows(t, 30, 1, sel)
	free := fixed
	free.Free = []param.Param{param.C}
	auto := fixed
	auto.PrivScale = param.AutoScale
	machine := param.With(func(c *param.Config) { c.Kind = "svm" })
	for name, c := range map[string]param.Config{"free": free, "scaling": auto, "svm": machine} {
		if _, err := Run(ctx, d, c, Options{}); !errors.Is(err, fault.Usage) || fault.HintOf(err) == "" {
			t.Errorf("%s by leave-one-out: %v", name, err)
		}
	}
	if _, err := Run(ctx, d, fixed, Options{Scheme: search.Scheme{Folds: 31}}); !errors.Is(err, fault.Usage) {
		t.Errorf("more folds than rows: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Run(cancelled, d, fixed, Options{Scheme: search.Scheme{Folds: 3}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// A fold whose training rows have one class is named.
	sel.Time, sel.Drop = "time", "y,group,weight"
	d = rows(t, 30, 1, sel)
	for i, at := range d.Columns[d.Roles.Time].Numbers {
		d.Columns[d.Roles.Target[0]].Codes[i] = 0
		if at > 15 {
			d.Columns[d.Roles.Target[0]].Codes[i] = 1
		}
	}
	_, err := Run(ctx, d, machine, Options{Scheme: search.Scheme{Folds: 4}})
	var known *fault.Error
	if !errors.As(err, &known) || known.Error()[:12] != "fold 1 of 4:" {
		t.Errorf("one class: %v", err)
	}
}

// Models whose classes have weights give up accuracy for balanced accuracy.
func TestWeighedClassesBeatAConstant(t *testing.T) {
	r := &Result{Scores: []Score{
		{Name: "accuracy", Greater: true, Mean: 0.89, Constant: 0.95},
		{Name: "balanced_accuracy", Greater: true, Mean: 0.86, Constant: 0.5},
	}}
	if r.Beats() {
		t.Error("without weights the accuracy counts")
	}
	if r.Config.ClassWeight = "balanced"; !r.Beats() {
		t.Error("with weights the balanced accuracy counts")
	}
}
