package rvflplus_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"rvflplus"
	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/kernel"
)

// configured returns the default config after a change.
func configured(change func(*rvflplus.Config)) rvflplus.Config {
	c := rvflplus.DefaultConfig()
	change(&c)
	return c
}

func train(
	t testing.TB, table *rvflplus.Table, columns rvflplus.Columns, change func(*rvflplus.Config),
) *rvflplus.Model {
	t.Helper()
	m, err := rvflplus.Train(context.Background(), table, columns, configured(change), rvflplus.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mixed returns a table of numbers, categories and missing cells; y is a number, kind one of three classes.
func mixed(t testing.TB, rows int) *rvflplus.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	a, b, lab, y := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
	colour, kind := make([]string, rows), make([]string, rows)
	for i := range rows {
		a[i], b[i], lab[i] = r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		colour[i] = []string{"red", "green", "blue"}[r.IntN(3)]
		y[i] = a[i] + lab[i] + 0.1*r.NormFloat64()
		kind[i] = []string{"low", "middle", "high"}[min(2, max(0, int(y[i]+1.5)))]
	}
	a[3], colour[5] = math.NaN(), ""
	table, err := rvflplus.NewTable(
		rvflplus.Column{Name: "a", Numbers: a}, rvflplus.Column{Name: "b", Numbers: b},
		rvflplus.Column{Name: "colour", Texts: colour}, rvflplus.Column{Name: "lab", Numbers: lab},
		rvflplus.Column{Name: "y", Numbers: y}, rvflplus.Column{Name: "kind", Texts: kind})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// same compares all answers for one row.
func same(
	t *testing.T, what string, m *rvflplus.Model, p *rvflplus.Predictions, i int, q *rvflplus.Predictions, k int,
) {
	t.Helper()
	equal := func(name string, a, b *mat.Dense) {
		if (a == nil) != (b == nil) || a != nil && !slices.Equal(a.RawRowView(i), b.RawRowView(k)) {
			t.Errorf("%s: %s of row %d has other bits", what, name, i)
		}
	}
	equal("the matrix", p.Matrix(), q.Matrix())
	equal("the probability", p.Probabilities(), q.Probabilities())
	equal("the standard deviation", p.Stds(), q.Stds())
	lower, upper := p.Intervals()
	lower2, upper2 := q.Intervals()
	equal("the lower end", lower, lower2)
	equal("the upper end", upper, upper2)
	if m.Task() == "classification" && p.Label(i) != q.Label(k) {
		t.Errorf("%s: row %d is %s and %s", what, i, p.Label(i), q.Label(k))
	}
}

// One row by names has the bits of the same row in a table, for all kinds, with categories and missing cells, from
// several goroutines at once; and so has a model that went through a stream.
func TestRowsHaveTheBitsOfTables(t *testing.T) {
	ctx := context.Background()
	table := mixed(t, 40)
	classes := rvflplus.Columns{Target: "kind", Privileged: "lab", Drop: "y"}
	numbers := rvflplus.Columns{Target: "y", Privileged: "lab", Drop: "kind"}
	for what, c := range map[string]struct {
		columns rvflplus.Columns
		change  func(*rvflplus.Config)
		level   float64
	}{
		"rvfl+":  {numbers, func(c *rvflplus.Config) { c.Kind, c.Hidden = "rvfl+", 20 }, 0},
		"krvfl":  {classes, func(c *rvflplus.Config) { c.Kind, c.Proba = "krvfl", "platt" }, 0},
		"krvfl+": {numbers, func(c *rvflplus.Config) { c.Kind, c.Intervals, c.Std = "krvfl+", true, true }, 0.8},
		"l2":     {classes, func(c *rvflplus.Config) { c.Kind, c.Scale = "krvfl+", "l2" }, 0},
		"svm":    {classes, func(c *rvflplus.Config) { c.Kind, c.Proba = "svm", "platt" }, 0},
		"svr":    {numbers, func(c *rvflplus.Config) { c.Kind = "svr" }, 0},
		"svm+":   {classes, func(c *rvflplus.Config) { c.Kind = "svm+" }, 0},
		"kernels": {numbers, func(c *rvflplus.Config) {
			c.Kind, c.Kernel = "krvfl+", kernel.Must("laplacian+poly:degree=2")
		}, 0},
	} {
		t.Run(what, func(t *testing.T) {
			m := train(t, table, c.columns, func(d *rvflplus.Config) { d.Impute = "median"; c.change(d) })
			o := rvflplus.PredictOptions{Level: c.level}
			all, err := m.Predict(ctx, table, o)
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := m.Encode(&file, rvflplus.SaveOptions{}); err != nil {
				t.Fatal(err)
			}
			loaded, err := rvflplus.Decode(iotest.OneByteReader(&file))
			if err != nil {
				t.Fatal(err)
			}
			var running sync.WaitGroup
			for i := range 12 {
				running.Go(func() {
					row := rvflplus.Row{"unused": "x"}
					for _, name := range []string{"a", "b", "colour"} {
						if column, _ := table.Column(name); column.Numbers != nil {
							row[name] = column.Numbers[i]
						} else {
							row[name] = column.Texts[i]
						}
					}
					for _, model := range []*rvflplus.Model{m, loaded} {
						one, err := model.PredictRow(ctx, row, o)
						if err != nil {
							t.Error(err)
							return
						}
						same(t, what, m, all, i, one, 0)
					}
				})
			}
			running.Wait()
		})
	}
}

// Rows of a matrix, one or many, have the bits of tables.
func TestMatricesHaveTheBitsOfTables(t *testing.T) {
	ctx := context.Background()
	table := patients(50)
	m := train(t, table, patientColumns, func(c *rvflplus.Config) { c.Kind, c.Std = "krvfl+", true })
	all, err := m.Predict(ctx, table, rvflplus.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(50, 3, nil)
	for j, c := range m.Columns() {
		column, _ := table.Column(c.Name)
		x.SetCol(j, column.Numbers)
	}
	many, err := m.PredictMatrix(ctx, x, rvflplus.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		same(t, "matrix", m, all, i, many, i)
		one, err := m.PredictMatrix(ctx, x.Slice(i, i+1, 0, 3), rvflplus.PredictOptions{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "row", m, all, i, one, 0)
	}
	var transposed mat.Dense
	transposed.CloneFrom(x.T())
	if again, err := m.PredictMatrix(ctx, transposed.T(), rvflplus.PredictOptions{}); err != nil {
		t.Error(err)
	} else {
		same(t, "transposed", m, all, 7, again, 7)
	}
}

// What a program passes wrongly is an error that names it.
func TestMistakes(t *testing.T) {
	ctx := context.Background()
	table := patients(30)
	plain := train(t, table, patientColumns, func(c *rvflplus.Config) { c.Kind = "krvfl+" })
	categories := train(t, mixed(t, 40), rvflplus.Columns{Target: "y", Normal: "b,colour"},
		func(c *rvflplus.Config) { c.Kind, c.Impute = "krvfl", "mean" })
	row := func(m *rvflplus.Model, r rvflplus.Row) error {
		_, err := m.PredictRow(ctx, r, rvflplus.PredictOptions{})
		return err
	}
	matrix := func(m *rvflplus.Model, x mat.Matrix, o rvflplus.PredictOptions) error {
		_, err := m.PredictMatrix(ctx, x, o)
		return err
	}
	tune := func(o rvflplus.TuneOptions) error {
		c := configured(func(c *rvflplus.Config) { c.Kind = "krvfl+" })
		_, err := rvflplus.Tune(ctx, table, patientColumns, c, o)
		return err
	}
	one := rvflplus.Column{Name: "a", Numbers: []float64{1}}
	newTable := func(columns ...rvflplus.Column) error {
		_, err := rvflplus.NewTable(columns...)
		return err
	}
	csv := func(text string, o rvflplus.CSVOptions) error {
		_, err := rvflplus.ReadCSV(ctx, strings.NewReader(text), o)
		return err
	}
	for _, c := range []struct {
		err  error
		kind fault.Kind
		text string
	}{
		{row(plain, rvflplus.Row{"x1": 1.0, "x2": 2}), fault.Data, `no cell "x3"`},
		{row(plain, rvflplus.Row{"x1": 1.0, "x2": 2, "x3": "high"}), fault.Data, `"high" is text`},
		{row(plain, rvflplus.Row{"x1": 1.0, "x2": 2, "x3": nil}), fault.Data, `column "x3": the cell is missing`},
		{row(plain, rvflplus.Row{"x1": 1.0, "x2": 2, "x3": true}), fault.Usage, `"x3" is a bool`},
		{row(plain, rvflplus.Row{"x1": 1.0, "x2": 2, "x3": math.Inf(1)}), fault.Data, `not a finite number`},
		{matrix(plain, mat.NewDense(1, 2, nil), rvflplus.PredictOptions{}), fault.Usage, "2 columns, the model 3"},
		{
			matrix(plain, mat.NewDense(2, 3, []float64{0, 0, 0, 0, 0, math.NaN()}), rvflplus.PredictOptions{}),
			fault.Data, "missing",
		},
		{
			matrix(plain, mat.NewDense(2, 3, []float64{0, 0, 0, 0, 0, math.Inf(1)}), rvflplus.PredictOptions{}),
			fault.Data, "not a finite",
		},
		{matrix(plain, mat.NewDense(1, 3, nil), rvflplus.PredictOptions{Level: 0.9}), fault.Usage, "without intervals"},
		{
			matrix(categories, mat.NewDense(1, 2, nil), rvflplus.PredictOptions{}),
			fault.Usage, `"colour" is categorical`,
		},
		{
			tune(rvflplus.TuneOptions{Rule: "luck"}),
			fault.Usage, `rule must be best, neighbours or one-standard-error, got "luck"`,
		},
		{tune(rvflplus.TuneOptions{Folds: -1}), fault.Usage, "folds"},
		{tune(rvflplus.TuneOptions{Fixed: []string{"u"}}), fault.Usage, "one of C, gamma, width, priv-width"},
		{tune(rvflplus.TuneOptions{Candidates: []rvflplus.Config{{}}}), fault.Usage, "candidate 1: C must be"},
		{tune(rvflplus.TuneOptions{Validation: table.Subset(nil)}), fault.Data, "no rows"},
		{tune(rvflplus.TuneOptions{Validation: table, Folds: 3}), fault.Usage, "take the place of folds"},
		{tune(rvflplus.TuneOptions{LeaveOneOut: 9}), fault.Usage, "LeaveOneOut must be"},
		{newTable(rvflplus.Column{Name: "a"}), fault.Usage, "either numbers or texts"},
		{
			newTable(one, rvflplus.Column{Name: "a", Texts: []string{"x"}}),
			fault.Usage, "occurs twice",
		},
		{
			newTable(one, rvflplus.Column{Name: "b", Texts: []string{"x", "y"}}),
			fault.Usage, "1 cells",
		},
		{newTable(rvflplus.Column{Name: "a", Numbers: []float64{math.Inf(-1)}}), fault.Data, "not a finite number"},
		{csv("a,b\n1,2\nx,3\n", rvflplus.CSVOptions{Name: "t.csv"}), fault.Data, "t.csv:3"},
		{csv("a,b\n1,2\n", rvflplus.CSVOptions{Drop: "c"}), fault.Usage, `no column is named "c"`},
	} {
		if !errors.Is(c.err, c.kind) || !strings.Contains(fmt.Sprint(c.err), c.text) {
			t.Errorf("%v, want %q", c.err, c.text)
		}
	}
	if err := csv("id,b\n1,2\nx,3\n", rvflplus.CSVOptions{Categorical: "id"}); err != nil {
		t.Error(err)
	}
	target := rvflplus.Columns{Target: "y"}
	_, err := rvflplus.Compare(ctx, table, target, rvflplus.DefaultConfig(), rvflplus.CompareOptions{})
	if !errors.Is(err, fault.Usage) {
		t.Errorf("a comparison without privileged columns: %v", err)
	}
	_, err = rvflplus.Train(ctx, nil, patientColumns, rvflplus.DefaultConfig(), rvflplus.TrainOptions{})
	if !errors.Is(err, fault.Usage) {
		t.Errorf("no table: %v", err)
	}
}

// A cancelled context ends everything that takes one.
func TestCancellation(t *testing.T) {
	table := patients(30)
	m := train(t, table, patientColumns, func(c *rvflplus.Config) { c.Kind = "krvfl+" })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := rvflplus.DefaultConfig()
	_, trained := rvflplus.Train(ctx, table, patientColumns, c, rvflplus.TrainOptions{})
	_, tuned := rvflplus.Tune(ctx, table, patientColumns, c, rvflplus.TuneOptions{Trials: 3})
	_, compared := rvflplus.Compare(ctx, table, patientColumns, c, rvflplus.CompareOptions{})
	_, predicted := m.Predict(ctx, table, rvflplus.PredictOptions{})
	_, row := m.PredictRow(ctx, rvflplus.Row{"x1": 1, "x2": 1, "x3": 1}, rvflplus.PredictOptions{})
	for what, err := range map[string]error{
		"train": trained, "tune": tuned, "compare": compared, "predict": predicted, "row": row,
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The config a model reports trains the same model, and belongs to the caller.
func TestConfigComesBack(t *testing.T) {
	table := patients(30)
	m := train(t, table, patientColumns, func(c *rvflplus.Config) { c.Kind, c.C, c.Seed = "krvfl+", 3, 5 })
	var first, second bytes.Buffer
	if err := m.Encode(&first, rvflplus.SaveOptions{KeepPrivileged: true}); err != nil {
		t.Fatal(err)
	}
	c := m.Config()
	m.Config().Kernel[0].Params["width"] = 99
	if got := m.Config(); !reflect.DeepEqual(got, c) {
		t.Errorf("the model's config can be changed: %v", got)
	}
	again := train(t, table, patientColumns, func(d *rvflplus.Config) { *d = c })
	if err := again.Encode(&second, rvflplus.SaveOptions{KeepPrivileged: true}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the config of a model trains another one")
	}
}

// Tuning returns the best of its trials, trained on all rows; validation rows take the place of rows left out.
func TestTune(t *testing.T) {
	ctx := context.Background()
	table := patients(60)
	for _, o := range []rvflplus.TuneOptions{
		{Trials: 10},
		{Trials: 10, Folds: 5, Rule: "one-standard-error"},
		{Trials: 10, Rule: "neighbours", Strategy: "grid"},
		{Candidates: []rvflplus.Config{
			configured(func(c *rvflplus.Config) { c.C = 0.1 }), configured(func(c *rvflplus.Config) { c.C = 10 }),
		}},
		{Trials: 10, Validation: patients(80).Subset([]int{60, 61, 62, 63, 64, 65, 66, 67})},
	} {
		c := configured(func(c *rvflplus.Config) { c.Kind = "krvfl+" })
		r, err := rvflplus.Tune(ctx, table, patientColumns, c, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Greater || r.Score != "rmse" || r.Model.Report().Rows != 60 || r.Model.Config().C != r.Config().C {
			t.Errorf("%+v: %+v", o, r)
		}
		for i, trial := range r.Trials {
			if o.Rule == "" && trial.Score < r.Trials[r.Best].Score {
				t.Errorf("trial %d is better than the best", i)
			}
		}
	}
	var scores []float64
	for _, refit := range []rvflplus.RefitPreparation{
		rvflplus.RefitPreparationAuto, rvflplus.RefitPreparationAlways, rvflplus.RefitPreparationNever,
	} {
		r, err := rvflplus.Tune(ctx, table, patientColumns, configured(func(c *rvflplus.Config) { c.Kind = "krvfl" }),
			rvflplus.TuneOptions{Trials: 2, RefitPreparation: refit})
		if err != nil || len(r.Notes) > 0 {
			t.Fatal(r, err)
		}
		scores = append(scores, r.Trials[0].Score)
	}
	if scores[0] != scores[1] || scores[1] == scores[2] {
		t.Errorf("60 rows: scores %v by default, with and without a preparation for the rows left out", scores)
	}
	large, err := rvflplus.Tune(ctx, patients(1000), patientColumns, configured(func(c *rvflplus.Config) {
		c.Kind, c.Hidden = "rvfl", 3
	}), rvflplus.TuneOptions{Trials: 1})
	if err != nil || len(large.Notes) != 1 {
		t.Errorf("1,000 rows: %v, %v", large, err)
	}
	svm := configured(func(c *rvflplus.Config) { c.Kind = "svr" })
	r, err := rvflplus.Tune(ctx, patients(12), rvflplus.Columns{Target: "y"}, svm, rvflplus.TuneOptions{Trials: 2})
	if err != nil || r.Scheme != "10 folds" {
		t.Errorf("svr: %v, %v", r, err)
	}
}

// The comparison has the JSON of the command, and its own fields say the same.
func TestComparison(t *testing.T) {
	ctx := context.Background()
	c, err := rvflplus.Compare(ctx, patients(40), patientColumns, rvflplus.DefaultConfig(), rvflplus.CompareOptions{
		Methods: []string{"krvfl", "krvfl+:derived"}, Splits: 2, Permutations: 19,
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var j struct {
		Verdict, Best, Advice string
		Methods               []struct{ Name string }
		Difference            struct{ Mean float64 }
	}
	if err := json.Unmarshal(text, &j); err != nil {
		t.Fatal(err)
	}
	if j.Verdict != string(c.Verdict) || j.Best != c.Best || j.Advice != c.Advice ||
		j.Difference.Mean != c.Difference.Mean {
		t.Errorf("JSON says %+v, the fields %+v", j, c)
	}
	tested := 0
	for i, m := range c.Methods {
		if m.Name != j.Methods[i].Name || m.Tested == math.IsNaN(m.P) {
			t.Errorf("method %d: %+v", i, m)
		}
		if m.Tested {
			tested++
		}
	}
	if tested != 1 || len(c.Controls) != 2 {
		t.Errorf("%d methods tested, %d controls", tested, len(c.Controls))
	}
}

// flowerModel returns a model of two classes, and the rows it was trained on.
func flowerModel(t *testing.T) (*rvflplus.Model, *rvflplus.Table) {
	t.Helper()
	table, err := rvflplus.ReadCSV(context.Background(), strings.NewReader(flowers), rvflplus.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := train(t, table, rvflplus.Columns{Target: "kind", Privileged: "petal"}, func(c *rvflplus.Config) {
		c.Kind, c.Encoding, c.Scale = "krvfl+", "sign", "l2"
	})
	return m, table
}

func TestBound(t *testing.T) {
	ctx := context.Background()
	m, table := flowerModel(t)
	b, err := m.Bound(ctx, table, rvflplus.BoundOptions{Draws: 10})
	if err != nil {
		t.Fatal(err)
	}
	if b.Rows != 6 || b.Loss != "ramp" || b.Delta != 0.05 || b.Posteriori == nil || !(b.Theorem4 > b.EmpiricalRisk) {
		t.Errorf("%+v", b)
	}
	if _, err := m.Bound(ctx, table, rvflplus.BoundOptions{Loss: "hinge"}); !errors.Is(err, fault.Usage) {
		t.Errorf("loss: %v", err)
	}
}

// What a classification model tells of itself, and of rows whose classes are known.
func TestModelTells(t *testing.T) {
	m, table := flowerModel(t)
	e, err := m.Evaluate(context.Background(), table, rvflplus.EvaluateOptions{})
	if err != nil || e.Rows != 6 || e.Metrics.Regression != nil {
		t.Fatalf("%+v, %v", e, err)
	}
	if text, err := json.Marshal(e.Metrics); err != nil || !strings.Contains(string(text), `"balanced_accuracy":`) {
		t.Errorf("%s, %v", text, err)
	}
	r := m.Report()
	name, v := r.LeaveOneOut.Main()
	if name != "accuracy" || v != r.LeaveOneOut.Classification.Accuracy || r.Rows != 6 {
		t.Errorf("%+v", r)
	}
	colours := m.Columns()[1]
	if colours.Name != "colour" || !slices.Equal(colours.Categories, []string{"blue", "white"}) ||
		m.Columns()[0].Max != 6.4 {
		t.Errorf("%+v", m.Columns())
	}
	if !slices.Equal(m.PrivilegedColumns(), []string{"petal"}) || !slices.Equal(m.Targets(), []string{"kind"}) {
		t.Errorf("%v, %v", m.PrivilegedColumns(), m.Targets())
	}
}

// A threshold decides alike for a table, a row and an evaluation, which tells what the constant predictor has.
func TestThreshold(t *testing.T) {
	ctx := context.Background()
	m, table := flowerModel(t)
	row := rvflplus.Row{m.Columns()[0].Name: 6.0, "colour": "blue"}
	for class, threshold := range []float64{1e9, -1e9} {
		o := rvflplus.PredictOptions{Threshold: &threshold}
		all, errAll := m.Predict(ctx, table, o)
		one, errOne := m.PredictRow(ctx, row, o)
		e, errE := m.Evaluate(ctx, table, rvflplus.EvaluateOptions{Threshold: &threshold})
		if err := errors.Join(errAll, errOne, errE); err != nil {
			t.Fatal(err)
		}
		want := m.Classes()[class]
		if all.Label(0) != want || all.Label(5) != want || one.Label(0) != want {
			t.Errorf("threshold %v: %q, %q, %q, want %q", threshold, all.Label(0), all.Label(5), one.Label(0), want)
		}
		c := e.Metrics.Classification
		if c.PerClass[want].Predicted != 6 || c.LogLoss != nil || c.LogLossReason == "" || len(e.Warnings) != 1 ||
			e.Constant.Classification.BalancedAccuracy != 0.5 {
			t.Errorf("threshold %v: %+v, warnings %q", threshold, c, e.Warnings)
		}
	}
	none := math.NaN()
	if _, err := m.PredictRow(ctx, row, rvflplus.PredictOptions{Threshold: &none}); !errors.Is(err, fault.Usage) {
		t.Errorf("NaN: %v", err)
	}
}

// The report tells how much each column counts where widths of columns can be learned.
func TestReportNamesColumnsThatCount(t *testing.T) {
	relevant := func(c *rvflplus.Config) {
		c.Kind, c.Kernel = "krvfl", kernel.Must("rbf:width=2,relevance=1/0.5/1")
	}
	plain := train(t, patients(30), patientColumns, func(c *rvflplus.Config) { c.Kind = "krvfl" })
	columns := train(t, patients(30), patientColumns, relevant).Report().Columns
	sum := 0.0
	for _, c := range columns {
		sum += c.Share
	}
	if len(columns) != len(plain.Columns()) || columns[0].Share < columns[1].Share || math.Abs(sum-1) > 1e-12 {
		t.Errorf("shares %+v", columns)
	}
	if columns := plain.Report().Columns; columns != nil {
		t.Errorf("shares %+v without widths of columns", columns)
	}
}

func TestEvaluateRegression(t *testing.T) {
	numbers := train(t, patients(30), patientColumns, func(c *rvflplus.Config) { c.Hidden = 5 })
	e, err := numbers.Evaluate(context.Background(), patients(30), rvflplus.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(e.Metrics); err != nil || !strings.Contains(string(text), `"per_target":{"y":`) {
		t.Errorf("%s, %v", text, err)
	}
}

// A table gives back what it was made of.
func TestTable(t *testing.T) {
	table := mixed(t, 10)
	colour, ok := table.Column("colour")
	a, _ := table.Column("a")
	if !ok || colour.Texts[5] != "" || !math.IsNaN(a.Numbers[3]) || table.Rows() != 10 {
		t.Errorf("%v, %v", colour, a)
	}
	if _, ok := table.Column("nothing"); ok {
		t.Error("there is no such column")
	}
	some := table.Subset([]int{7, 0})
	if b, _ := some.Column("colour"); b.Texts[0] != colour.Texts[7] || some.Rows() != 2 {
		t.Errorf("%v", b)
	}
	selection := dataset.Selection{
		Target: "t", Priv: "p", Normal: "n", Drop: "d", Weight: "w", ID: "i", Group: "g", Categorical: "c",
	}
	want := rvflplus.Columns{
		Target: "t", Privileged: "p", Normal: "n", Drop: "d", Weight: "w", ID: "i", Group: "g", Categorical: "c",
	}
	if got := rvflplus.ColumnsOf(selection); got != want {
		t.Errorf("%+v", got)
	}
}

// A stream is trusted no more than a file: cut off, longer, or damaged in any byte it is a fault.Data error, and a
// header that claims gigabytes takes no memory for them.
func TestDecodeTrustsNothing(t *testing.T) {
	m := train(t, patients(20), patientColumns, func(c *rvflplus.Config) { c.Hidden = 3 })
	var file bytes.Buffer
	if err := m.Encode(&file, rvflplus.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	good := file.Bytes()
	for n := 0; n < len(good); n += 7 {
		if _, err := rvflplus.Decode(bytes.NewReader(good[:n])); !errors.Is(err, fault.Data) {
			t.Fatalf("cut off after %d of %d bytes: %v", n, len(good), err)
		}
		damaged := slices.Clone(good)
		damaged[n] ^= 1
		_, err := rvflplus.Decode(bytes.NewReader(damaged))
		if !errors.Is(err, fault.Data) && !errors.Is(err, fault.Resource) {
			t.Fatalf("byte %d damaged: %v", n, err)
		}
	}
	if _, err := rvflplus.Decode(io.MultiReader(bytes.NewReader(good), endless{})); !errors.Is(err, fault.Data) {
		t.Errorf("something follows: %v", err)
	}
	broken := errors.New("broken")
	if _, err := rvflplus.Decode(io.MultiReader(bytes.NewReader(good[:100]), iotest.ErrReader(broken))); err == nil {
		t.Error("an error of the reader is lost")
	}
	header := func(text string) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	}
	const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	begin := `{"__metadata__":{"metadata_sha256":"` + sum + `"},"a":{"dtype":"F64",`
	for what, hostile := range map[string][]byte{
		"length":  binary.LittleEndian.AppendUint64(nil, 200<<20),
		"tensor":  header(begin + `"shape":[100000000],"data_offsets":[0,800000000]}}`),
		"matrix":  header(begin + `"shape":[10000,10000],"data_offsets":[0,800000000]}}`),
		"endless": header(begin + `"shape":[10],"data_offsets":[0,80]}}`),
		"libsvm":  []byte("svm_type c_svc\n"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var in io.Reader = bytes.NewReader(hostile)
		switch what {
		case "endless":
			in = io.MultiReader(in, endless{})
		case "libsvm":
			in = io.MultiReader(in, &manyLines{})
		}
		if _, err := rvflplus.Decode(in); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", what, err)
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 4<<20 {
			t.Errorf("%s: %d bytes were taken", what, taken)
		}
	}
}

// endless is a stream of zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// manyLines is a stream of lines that differ.
type manyLines struct{ n int }

func (m *manyLines) Read(p []byte) (int, error) {
	m.n++
	return copy(p, fmt.Sprintf("key%d 1\n", m.n)), nil
}

// hundred returns a loaded KRVFL+ of 100 rows and 100 columns, and its rows.
func hundred(t testing.TB, scale string) (*rvflplus.Model, *mat.Dense) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(100, 100, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, x)
	columns := []rvflplus.Column{{Name: "lab", Numbers: mat.Col(nil, 1, x)}, {Name: "y", Numbers: mat.Col(nil, 0, x)}}
	for j := range 100 {
		columns = append(columns, rvflplus.Column{Name: fmt.Sprint("x", j), Numbers: mat.Col(nil, j, x)})
	}
	table, err := rvflplus.NewTable(columns...)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	named := rvflplus.Columns{Target: "y", Privileged: "lab"}
	m := train(t, table, named, func(c *rvflplus.Config) { c.Kind, c.Scale = "krvfl+", scale })
	if err := m.Encode(&file, rvflplus.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if m, err = rvflplus.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return m, x
}

// rowOf returns a row by the names of its columns.
func rowOf(x *mat.Dense, i int) rvflplus.Row {
	row := rvflplus.Row{}
	for j, v := range x.RawRowView(i) {
		row[fmt.Sprint("x", j)] = v
	}
	return row
}

func BenchmarkPredictRow(b *testing.B) {
	ctx := context.Background()
	m, x := hundred(b, "standard")
	row := rowOf(x, 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.PredictRow(ctx, row, rvflplus.PredictOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPredictMatrix(b *testing.B) {
	ctx := context.Background()
	m, x := hundred(b, "standard")
	for _, rows := range []int{1, 100} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			some := x.Slice(0, rows, 0, 100)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.PredictMatrix(ctx, some, rvflplus.PredictOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Without a kind training chooses the scaling, unless the config has another one than the default or holds it.
func TestTrainChoosesTheScaling(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	x, y := make([]float64, 80), make([]float64, 80)
	for i := range x {
		z := r.NormFloat64()
		x[i], y[i] = math.Exp(2*z), z+0.1*r.NormFloat64()
	}
	table, err := rvflplus.NewTable(rvflplus.Column{Name: "x", Numbers: x}, rvflplus.Column{Name: "y", Numbers: y})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		given func(*rvflplus.Config)
		fixed []string
		want  []string
	}{
		"chosen":  {func(*rvflplus.Config) {}, nil, []string{"log", "quantile"}},
		"held":    {func(*rvflplus.Config) {}, []string{"scale"}, []string{"standard"}},
		"given":   {func(c *rvflplus.Config) { c.Scale = "minmax" }, nil, []string{"minmax"}},
		"a kind":  {func(c *rvflplus.Config) { c.Kind = "krvfl" }, nil, []string{"standard"}},
		"asked":   {func(c *rvflplus.Config) { c.Kind, c.Scale = "rvfl", "auto" }, nil, []string{"log", "quantile"}},
		"unasked": {func(c *rvflplus.Config) { c.Kind, c.Scale = "rvfl", "quantile" }, nil, []string{"quantile"}},
	} {
		config := rvflplus.DefaultConfig()
		c.given(&config)
		m, err := rvflplus.Train(t.Context(), table, rvflplus.Columns{Target: "y"}, config,
			rvflplus.TrainOptions{Fixed: c.fixed})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Config().Scale; !slices.Contains(c.want, got) {
			t.Errorf("%s: %s, want one of %q", name, got, c.want)
		}
	}
}
