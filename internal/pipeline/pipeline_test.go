package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/learn"
)

var ctx = context.Background()

// mixed is a table with every kind of column.
func mixed(rows int) *dataset.Table {
	t, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.1, Seed: 1}.Table()
	colour := dataset.Column{Name: "colour", Levels: []string{"red", "blue"}, Codes: make([]int, rows)}
	label := dataset.Column{Name: "label", Levels: []string{"low", "high"}, Codes: make([]int, rows)}
	weight := dataset.Column{Name: "w", Numbers: make([]float64, rows)}
	for i, y := range t.Find("y").Numbers {
		colour.Codes[i] = i % 2
		if y > 0 {
			label.Codes[i] = 1
		}
		weight.Numbers[i] = float64(1 + i%3)
	}
	t.Columns = append(t.Columns, colour, label, weight)
	return t
}

func train(t *testing.T, table *dataset.Table, s dataset.Selection, c param.Config) *Model {
	t.Helper()
	data, err := roles.Assign(table, s)
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind == "label" { // learns from rows without a target
		var others []int // rows that the table does not have
		for i := range 20 {
			others = append(others, table.Rows+i)
		}
		more := mixed(table.Rows + len(others)).Subset(others)
		if err := data.ReadUnlabelled(ctx, more.Source(), "more.csv"); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{LeaveOneOut: learn.Always}
	if k, err := kind.ByName(c.Kind); err == nil && !k.ClosedForm {
		o.LeaveOneOut = learn.WhenCheap
	}
	m, err := Train(ctx, data, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func selections() map[string]dataset.Selection {
	return map[string]dataset.Selection{
		"regression":     {Target: "y", Priv: "lab_*", Drop: "label", Weight: "w"},
		"targets":        {Target: "y,x3", Priv: "lab_*", Drop: "label,w"},
		"classification": {Target: "label", Priv: "lab_*,colour", Drop: "y,w"},
	}
}

func TestEveryKindTrainsPredictsAndEvaluates(t *testing.T) {
	table := mixed(60)
	for name, s := range selections() {
		for _, kind := range kind.All() {
			if kind.Task != "" && (kind.Task == target.Classification) != (name == "classification") {
				continue
			}
			m := train(t, table, s, param.With(func(c *param.Config) { c.Kind, c.Hidden = kind.Name, 20 }))
			p, err := m.Predict(ctx, table, nil)
			if err != nil {
				t.Fatal(err)
			}
			var weight []float64
			if s.Weight != "" {
				weight = table.Find(s.Weight).Numbers
			}
			e, err := m.Evaluate(ctx, table, table.Pick(targetsOf(m, table)), EvaluateOptions{Weight: weight})
			if err != nil {
				t.Fatal(err)
			}
			if a, b := e.Metrics, m.Report.Train.Metrics; mainScore(a) != mainScore(b) {
				t.Errorf("%s %s: evaluation on the training rows gives %v, the report says %v", name, kind.Name,
					mainScore(a), mainScore(b))
			}
			if rows, outputs := p.Outputs.Dims(); rows != 60 || outputs != m.Coder.Outputs() ||
				(m.Report.LeaveOneOut == nil) != !kind.ClosedForm ||
				(m.Report.Train.Optimum != nil) != strings.HasPrefix(kind.Name, "sv") {
				t.Errorf("%s %s: %d×%d outputs, leave-one-out %v", name, kind.Name, rows, outputs, m.Report.LeaveOneOut)
			}
			if kind.Privileged != (len(m.Schema.Privileged) > 0) {
				t.Errorf("%s %s: privileged columns %v", name, kind.Name, m.Schema.Privileged)
			}
		}
	}
}

func targetsOf(m *Model, t *dataset.Table) []int {
	var columns []int
	for _, name := range m.Coder.Names {
		columns = append(columns, slices.Index(t.Names(), name))
	}
	return columns
}

func mainScore(m Metrics) float64 {
	_, v := m.Main()
	return v
}

func TestPredictionNeedsOnlyNormalColumnsInAnyOrder(t *testing.T) {
	table := mixed(40)
	m := train(t, table, selections()["regression"], param.With(func(c *param.Config) { c.Hidden = 15 }))
	want, err := m.Predict(ctx, table, nil)
	if err != nil {
		t.Fatal(err)
	}
	few := &dataset.Table{Rows: 40, Columns: []dataset.Column{*table.Find("colour"), *table.Find("x3"),
		*table.Find("x1"), *table.Find("x2")}}
	got, err := m.Predict(ctx, few, nil)
	if err != nil || !slices.Equal(got.Outputs.RawMatrix().Data, want.Outputs.RawMatrix().Data) {
		t.Errorf("other predictions without privileged columns (%v)", err)
	}
	few.Columns = few.Columns[:3]
	if _, err = m.Predict(ctx, few, nil); !errors.Is(err, fault.Data) || !strings.Contains(err.Error(), `"x2"`) {
		t.Errorf("a missing column: %v", err)
	}
}

func TestRowsOfWeightZeroAreLeftOut(t *testing.T) {
	table := mixed(40)
	w := table.Find("w").Numbers
	var keep []int
	for i := range w {
		if i%4 == 0 {
			w[i] = 0
			for _, name := range []string{"x1", "lab_1"} {
				table.Find(name).Numbers[i] = 1e6
			}
		} else {
			keep = append(keep, i)
		}
	}
	a := train(t, table, selections()["regression"], param.With(func(c *param.Config) { c.Kind = "krvfl+" }))
	b := train(t, table.Subset(keep), selections()["regression"],
		param.With(func(c *param.Config) { c.Kind = "krvfl+" }))
	if mainScore(a.Report.Train.Metrics) != mainScore(b.Report.Train.Metrics) || a.Report.Rows != 30 {
		t.Errorf("%v over %d rows, %v without them", mainScore(a.Report.Train.Metrics), a.Report.Rows,
			mainScore(b.Report.Train.Metrics))
	}
}

func TestUserMistakes(t *testing.T) {
	table := mixed(20)
	for name, c := range map[string]struct {
		s    dataset.Selection
		c    param.Config
		kind fault.Kind
	}{
		"no target": {dataset.Selection{Priv: "lab_*"}, param.Default(), fault.Usage},
		"no privileged": {dataset.Selection{Target: "y"}, param.With(func(c *param.Config) { c.Kind = "rvfl+" }),
			fault.Usage},
		"no normal": {dataset.Selection{Target: "y", Priv: "1:5", Drop: "*"},
			param.With(func(c *param.Config) { c.Kind = "rvfl" }), fault.Usage},
		"kind": {dataset.Selection{Target: "y"}, param.With(func(c *param.Config) { c.Kind = "elm" }),
			fault.Usage},
		"numbers": {dataset.Selection{Target: "y"}, param.With(func(c *param.Config) { c.Kind = "svm" }),
			fault.Data},
		"task": {dataset.Selection{Target: "label"},
			param.With(func(c *param.Config) { c.Kind, c.Task = "svr", "classify" }), fault.Usage},
		"tolerance": {dataset.Selection{Target: "y"},
			param.With(func(c *param.Config) { c.Kind, c.Tol = "svr", 1e-20 }), fault.Usage},
		"epsilon": {dataset.Selection{Target: "y"},
			param.With(func(c *param.Config) { c.Kind, c.Epsilon = "svr", -1.0 }), fault.Usage},
		"iterations": {dataset.Selection{Target: "y"},
			param.With(func(c *param.Config) { c.Kind, c.MaxIter = "svr", 1 }), fault.NotSolved},
		"config": {dataset.Selection{Target: "y"},
			param.With(func(c *param.Config) { c.Kind, c.C = "rvfl", -1 }), fault.Usage},
		"chi2": {dataset.Selection{Target: "y"},
			param.With(func(c *param.Config) { c.Kind, c.Kernel = "krvfl", kernel.Must("chi2") }), fault.Usage},
		"scale": {dataset.Selection{Target: "y"},
			param.With(func(c *param.Config) { c.Kind, c.Scale = "krvfl", "x" }), fault.Usage},
	} {
		data, err := roles.Assign(table, c.s)
		if err == nil {
			_, err = Train(ctx, data, c.c, Options{})
		}
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	data, _ := roles.Assign(table, dataset.Selection{Target: "y"})
	if _, err := Train(done, data, param.With(func(c *param.Config) { c.Kind = "rvfl" }), Options{}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLeaksAreWarnedOf(t *testing.T) {
	table := mixed(40)
	y := table.Find("y").Numbers
	add := func(name string, f func(i int) float64) {
		c := dataset.Column{Name: name, Numbers: make([]float64, 40)}
		for i := range c.Numbers {
			c.Numbers[i] = f(i)
		}
		table.Columns = append(table.Columns, c)
	}
	add("copy", func(i int) float64 { return y[i] })
	add("celsius", func(i int) float64 { return 1.8*y[i] + 32 })
	add("code", func(i int) float64 { return float64(7 * table.Find("label").Codes[i]) })
	warned := func(s dataset.Selection) string {
		return fmt.Sprint(train(t, table, s, param.With(func(c *param.Config) { c.Kind = "krvfl+" })).Report.Warnings)
	}
	got := warned(dataset.Selection{Target: "y", Priv: "celsius", Normal: "x1,copy"})
	if !strings.Contains(got, `normal column "copy" equals`) ||
		!strings.Contains(got, `privileged column "celsius" determines`) {
		t.Errorf("warnings: %s", got)
	}
	if got = warned(dataset.Selection{Target: "label", Priv: "lab_1", Normal: "x1,code"}); !strings.Contains(got,
		`"code" determines`) {
		t.Errorf("warnings: %s", got)
	}
	if got = warned(dataset.Selection{Target: "y", Priv: "lab_*", Normal: "x1,x2,colour"}); strings.Contains(got,
		"drop it") {
		t.Errorf("no leak, but: %s", got)
	}
}

func TestUselessModelsAreWarnedOf(t *testing.T) {
	table := mixed(200)
	warnings := func(c param.Config) string {
		m := train(t, table, dataset.Selection{Target: "y", Priv: "lab_*", Drop: "label,w,colour"}, c)
		return fmt.Sprint(m.Report.Warnings)
	}
	for _, correction := range []learn.Correction{learn.Projected, learn.Additive} {
		c := param.With(func(c *param.Config) { c.Hidden, c.Correction = 100, correction })
		if got := warnings(c); got != "[]" {
			t.Errorf("%s: %q", correction, got)
		}
	}
	got := warnings(param.With(func(c *param.Config) { c.Hidden, c.Correction = 100, learn.Paper }))
	if !strings.Contains(got, "worse than the target's mean") {
		t.Fatalf("the paper's form on a regression: %q", got)
	}
	remedied(t, got, "correction=projected has R² ", func(c *param.Config) { c.Hidden = 100 }, table)
	noise := table.Find("y").Numbers
	for i := range noise {
		noise[i] = math.Sin(float64(i * i))
	}
	got = warnings(param.With(func(c *param.Config) { c.Kind, c.C = "krvfl+", 1000 }))
	if !strings.Contains(got, "worse than the target's mean") || strings.Contains(got, "correction=projected") {
		t.Errorf("noise, by the form that must not be advised: %q", got)
	}
	table = mixed(200)
	m := train(t, table, dataset.Selection{Target: "label", Priv: "lab_*", Normal: "colour"},
		param.With(func(c *param.Config) { c.Encoding, c.Hidden = "sign", 100 }))
	if got := fmt.Sprint(m.Report.Warnings); !strings.Contains(got, "most frequent class (accuracy") ||
		!strings.Contains(got, "no setting that was tried on the same rows beats the most frequent class") {
		t.Errorf("a useless classification: %q", got)
	}
}

// remedied trains with the advice of a warning, which must give the number that the warning promises.
func remedied(t *testing.T, warning, advice string, follow func(*param.Config), table *dataset.Table) {
	t.Helper()
	_, number, found := strings.Cut(warning, advice)
	number, _, same := strings.Cut(number, " on the same rows")
	if !found || !same {
		t.Fatalf("%q lacks %q", warning, advice)
	}
	m := train(t, table, dataset.Selection{Target: "y", Priv: "lab_*", Drop: "label,w,colour"}, param.With(follow))
	if got := fmt.Sprintf("%.3g", m.Report.LeaveOneOut.Metrics.Number.R2); got != number {
		t.Errorf("the remedy has R² %s, promised was %s", got, number)
	}
}

// Of many rows a sample is tried.
func TestRemediesOfManyRowsAreTriedOnASample(t *testing.T) {
	table, _ := dataset.Synthetic{Rows: 1500, Strength: 1, Noise: 0.1, Seed: 4}.Table()
	m := train(t, table, dataset.Selection{Target: "y", Priv: "lab_*"}, param.With(func(c *param.Config) {
		c.Hidden, c.Correction = 20, learn.Paper
	}))
	if got := fmt.Sprint(m.Report.Warnings); !strings.Contains(got, "correction=projected has R² 0.") ||
		!strings.Contains(got, "on 1000 of the same rows") {
		t.Errorf("warnings: %q", got)
	}
}

// Kinds without a closed form try their remedies in folds; noise has none.
func TestRemediesOfIterativeKinds(t *testing.T) {
	table := mixed(60)
	s := dataset.Selection{Target: "y", Normal: "x1,x2,x3"}
	m := train(t, table, s, param.With(func(c *param.Config) { c.Kind, c.Epsilon = "svr", 100 }))
	if got := fmt.Sprint(m.Report.Warnings); strings.Contains(got, " has R²") ||
		!strings.Contains(got, "no setting that was tried on the same rows beats the mean") {
		t.Errorf("an ε beyond every target: %q", got)
	}
}

func TestNoRemedyIsTriedAfterCancellation(t *testing.T) {
	d, err := roles.Assign(mixed(60), dataset.Selection{Target: "y", Priv: "lab_*", Drop: "label,w,colour"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(ctx, d, param.With(func(c *param.Config) { c.Hidden, c.Correction = 50, learn.Paper }))
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.t.remedy(done); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestTheDefaultKindFollowsTheColumns(t *testing.T) {
	m := train(t, mixed(20), dataset.Selection{Target: "y", Normal: "x1,x2"},
		param.With(func(c *param.Config) { c.Hidden = 3 }))
	if m.Kind.Name != "rvfl" {
		t.Errorf("kind %s without privileged columns", m.Kind.Name)
	}
}

func TestUnknownClassesCountAsWrong(t *testing.T) {
	table := mixed(30)
	m := train(t, table, selections()["classification"], param.With(func(c *param.Config) { c.Kind = "krvfl+" }))
	other := dataset.Column{Name: "label", Levels: []string{"neither"}, Codes: make([]int, 30)}
	e, err := m.Evaluate(ctx, table, []*dataset.Column{&other}, EvaluateOptions{})
	if err != nil || e.Metrics.Class.Accuracy != 0 || !strings.Contains(strings.Join(e.Notes, " "), "neither") {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestSettingsSpellTheFit(t *testing.T) {
	table := mixed(30)
	s := selections()["regression"]
	for name, c := range map[string]struct {
		config param.Config
		want   string
	}{
		"rbf": {param.With(func(c *param.Config) {
			c.Kind, c.Kernel, c.PrivKernel = "krvfl+", kernel.Must("rbf:width=2"), kernel.Must("rbf:width=3")
		}), `"kernel":"rbf","width":2,"priv_kernel":"rbf","priv_width":3`},
		"poly": {param.With(func(c *param.Config) {
			c.Kind, c.Kernel, c.PrivKernel = "krvfl+", kernel.Must("poly:degree=2"), kernel.Must("poly:degree=2")
		}), `"kernel":"poly","degree":2,"offset":1,"priv_kernel":"poly"`},
		"other poly": {param.With(func(c *param.Config) {
			c.Kind, c.Kernel, c.PrivKernel = "krvfl+", kernel.Must("poly:degree=2"), kernel.Must("poly")
		}), `"priv_kernel":"poly:degree=3,offset=1"`},
		"sum": {param.With(func(c *param.Config) { c.Kind, c.Kernel = "krvfl", kernel.Must("rbf:width=2+linear") }),
			`"kernel":"rbf:width=2+linear"`},
		"slope": {param.With(func(c *param.Config) { c.Kind, c.Kernel = "krvfl", kernel.Must("affine:slope=0.1") }),
			`"kernel":"affine:slope=0.1","offset":1`},
		"relevance": {param.With(func(c *param.Config) {
			c.Kind, c.Kernel = "krvfl+", kernel.Must("rbf:width=2,relevance=1/0.1/0/1e+50/1")
			c.PrivKernel = kernel.Must("rbf:width=3,relevance=1/0")
		}), `"kernel":"rbf:relevance=1/0.1/0/1e+50/1","width":2,"priv_kernel":"rbf:relevance=1/0","priv_width":3`},
		"rvfl": {param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Correction = "rvfl+", 9, "paper" }),
			`"gamma":10000,"correction":"paper","hidden":9,"priv_hidden":9,"u":1,"activation":"sigmoid"`},
		"projected": {param.With(func(c *param.Config) {
			c.Kind, c.Kernel = "krvfl+", kernel.Must("rbf:width=2")
			c.ProjectC, c.ProjectKernel = 3, kernel.Must("rbf:width=5")
		}), `"correction":"projected","project_C":3,"project_kernel":"rbf:width=5","kernel":"rbf","width":2`},
		"svr": {param.With(func(c *param.Config) {
			c.Kind, c.Tol, c.Kernel, c.MaxIter = "svr", 1e-3, kernel.Must("rbf:width=2"),
				1e6
		}), `"kernel":"rbf","width":2,"epsilon":0.1,"tol":0.001,"max_iter":1000000,"linear":false,"task":"regression"`},
		"pinv": {param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Solver = "rvfl", 5, "pinv" }),
			`{"kind":"rvfl","hidden":5`},
	} {
		m := train(t, table, s, c.config)
		text, err := json.Marshal(kind.Settings(m.Config))
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %s (%v)", name, text, err)
		}
		var read kind.Settings
		if err := json.Unmarshal(text, &read); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again, err := json.Marshal(read); err != nil || !bytes.Equal(again, text) {
			t.Errorf("%s: %s is read as %s (%v)", name, text, again, err)
		}
	}
}

func TestMetricsRoundTrip(t *testing.T) {
	for name, s := range selections() {
		want := train(t, mixed(30), s, param.With(func(c *param.Config) { c.Kind, c.Hidden = "rvfl+", 5 })).Report
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Report
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if mainScore(got.LeaveOneOut.Metrics) != mainScore(want.LeaveOneOut.Metrics) ||
			len(got.Train.Metrics.PerTarget) != len(want.Train.Metrics.PerTarget) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestTargetsWhoseSquaresOverflowAreRefused(t *testing.T) {
	table := mixed(20)
	for i := range table.Find("y").Numbers {
		table.Find("y").Numbers[i] *= 1e200
	}
	data, err := roles.Assign(table, dataset.Selection{Target: "y", Normal: "x1,x2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"rvfl", "krvfl"} {
		if _, err := Train(ctx, data,
			param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Task = kind, 3, "regress" }),
			Options{}); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestPredictionsThatOverflowAreErrors(t *testing.T) {
	table := mixed(20)
	m := train(t, table, dataset.Selection{Target: "y", Normal: "x1"},
		param.With(func(c *param.Config) { c.Kind, c.Kernel, c.Scale = "krvfl", kernel.Must("poly"), "none" }))
	far := &dataset.Table{Rows: 1, Columns: []dataset.Column{{Name: "x1", Numbers: []float64{math.MaxFloat64}}}}
	if _, err := m.Predict(ctx, far, nil); !errors.Is(err, fault.Data) {
		t.Errorf("error %v", err)
	}
}

// A column takes no part where the rows that count are constant in it: rows of weight 0 and rows left out do not count,
// filled cells do, and of privileged columns the rows that have their values.
func TestColumnsConstantInTheRowsThatCount(t *testing.T) {
	table := mixed(40)
	odd := dataset.Column{Name: "odd", Numbers: make([]float64, 40)}
	gap := dataset.Column{Name: "gap", Numbers: make([]float64, 40)}
	lab := table.Find("lab_1")
	for i := range 40 {
		odd.Numbers[i], gap.Numbers[i] = 2, 5
		if lab.Numbers[i] = 7; i >= 30 {
			table.Find("w").Numbers[i], odd.Numbers[i] = 0, float64(i)
		} else if i >= 20 {
			lab.Numbers[i], gap.Numbers[i] = math.NaN(), math.NaN()
		}
	}
	table.Columns = append(table.Columns, odd, gap)
	s := dataset.Selection{Target: "y", Priv: "lab_1", Weight: "w", Drop: "label,lab_2"}
	c := param.With(func(c *param.Config) { c.Kind, c.AllowMissingPriv, c.Impute = "krvfl+", true, "mean" })
	m := train(t, table, s, c)
	if p := m.Priv.Columns[0]; !p.Constant || p.Min != 7 {
		t.Errorf("the privileged column is %+v", p)
	}
	var notes string
	for _, n := range m.Report.Notes {
		notes += n.String() + "\n"
	}
	if !strings.Contains(notes, "no use: normal odd, gap") || !strings.Contains(notes, "no use: privileged lab_1") {
		t.Errorf("notes: %s", notes)
	}
	before := predict(t, m, table)
	for i := range 40 {
		table.Find("odd").Numbers[i], table.Find("gap").Numbers[i] = float64(100*i), math.NaN()
	}
	if !slices.Equal(predict(t, m, table), before) {
		t.Error("constant columns move predictions")
	}
}

func predict(t *testing.T, m *Model, table *dataset.Table) []float64 {
	t.Helper()
	p, err := m.Predict(ctx, table, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Outputs.RawMatrix().Data
}

// A preparation that is fitted without a fold knows nothing of what varies in the fold alone.
func TestConstantOutsideAFold(t *testing.T) {
	table := mixed(12)
	odd := dataset.Column{Name: "odd", Numbers: make([]float64, 12)}
	kind := dataset.Column{Name: "kind", Levels: []string{"a", "b"}, Codes: make([]int, 12)}
	odd.Numbers[3], odd.Numbers[4], kind.Codes[3] = 1, 9, 1
	table.Columns = append(table.Columns, odd, kind)
	data, err := roles.Assign(table, dataset.Selection{Target: "y", Normal: "x1,odd,kind", Drop: "label,w"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(ctx, data, param.With(func(c *param.Config) { c.Kind = "krvfl" }))
	if err != nil {
		t.Fatal(err)
	}
	q, err := p.Without([]int{3, 4})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if row := q.X.RawRowView(i); len(row) != 3 || row[1] != 0 || row[2] != 1 {
			t.Errorf("row %d is %v", i, row)
		}
	}
}

// With C and ε in the targets' unit, svr gives the same model in every unit; the tolerance that it took is kept.
func TestRegressionByAMachineHasNoUnit(t *testing.T) {
	fit := func(factor float64) ([]float64, float64) {
		table := mixed(60)
		y := table.Find("y").Numbers
		for i := range y {
			y[i] *= factor
		}
		m := train(t, table, dataset.Selection{Target: "y", Drop: "label,lab_*", Weight: "w"},
			param.With(func(c *param.Config) { c.Kind, c.C, c.Epsilon = "svr", 5*factor, 0.05*factor }))
		out := predict(t, m, table)
		for i := range out {
			out[i] /= factor
		}
		return out, m.Config.Tol / factor
	}
	want, tolerance := fit(1)
	for _, factor := range []float64{0.002, 1000} {
		got, tol := fit(factor)
		if !(math.Abs(tol/tolerance-1) < 1e-9) || tolerance < 1e-5 {
			t.Errorf("times %g the tolerance is %v, not %v", factor, tol, tolerance)
		}
		for i, v := range got {
			if !(math.Abs(v-want[i]) < 3*tolerance) {
				t.Errorf("times %g prediction %d is %v, not %v", factor, i, v, want[i])
				break
			}
		}
	}
}
