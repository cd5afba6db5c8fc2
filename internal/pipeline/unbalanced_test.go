package pipeline

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// unbalanced is a table of rows of which one in six is of class yes, with weights w.
func unbalanced(t *testing.T, rows int, sel dataset.Selection) *roles.Data {
	t.Helper()
	table, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.3, Seed: 9}.Table()
	class := dataset.Column{Name: "class", Levels: []string{"no", "yes"}}
	weight := dataset.Column{Name: "w"}
	y := slices.Clone(table.Find("y").Numbers)
	slices.Sort(y)
	bar := y[rows-rows/6]
	for i, v := range table.Find("y").Numbers {
		code := 0
		if v >= bar {
			code = 1
		}
		class.Codes, weight.Numbers = append(class.Codes, code), append(weight.Numbers, 0.5+float64(i%3))
	}
	table.Columns = append(table.Columns, class, weight)
	d, err := roles.Assign(table, sel)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var (
	weighted   = dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y", Weight: "w"}
	unweighted = dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y,w"}
)

// With weights of classes, and of rows beside them, leave-one-out in closed form is what training without each row
// gives, all weights held; and the report counts its decisions.
func TestLeaveOneOutWithClassWeightsEqualsRefits(t *testing.T) {
	const n = 30
	d := unbalanced(t, n, weighted)
	for _, name := range []string{"rvfl", "rvfl+", "krvfl", "krvfl+", "rvfl-ensemble", "edrvfl+"} {
		for _, encoding := range []string{"onehot", "sign"} {
			c := param.With(func(c *param.Config) {
				c.Kind, c.Hidden, c.ClassWeight, c.C, c.Encoding = name, 12, param.Balanced, 10, encoding
				c.Correction, c.Kernel = learn.Additive, kernel.Must("rbf:width=3")
				c.PrivKernel = kernel.Must("rbf:width=2")
			})
			p, err := Prepare(ctx, d, c)
			if err != nil {
				t.Fatal(err)
			}
			trainer, err := p.Trainer(c)
			if err != nil {
				t.Fatal(err)
			}
			e, err := heldout.New(p.Problem(), nil)
			if err != nil {
				t.Fatal(err)
			}
			out, err := p.HeldOut(ctx, e, c)
			if err != nil {
				t.Fatal(err)
			}
			var confusion [2][2]float64
			for i := range n {
				m, _, err := trainer.Train(ctx, p.Problem().Only(without(numbered(n), i)))
				if err != nil {
					t.Fatal(err)
				}
				refit := mat.NewDense(1, p.Coder().Outputs(), nil)
				m.PredictTo(refit, learn.GatherRows(p.Problem().X, []int{i}))
				for j, v := range refit.RawRowView(0) {
					if math.Abs(v-out[0].At(i, j)) > 1e-8 {
						t.Errorf("%s %s, row %d: %v, refitted %v", name, encoding, i, out[0].At(i, j), v)
					}
				}
				decided := p.Truth().decide(refit)[0]
				confusion[p.Truth().Labels()[i]][decided] += d.Find("w").Numbers[i]
			}
			m, err := Train(ctx, d, c, Options{LeaveOneOut: learn.Always})
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Report.LeaveOneOut.Metrics.Class.Confusion; !slices.Equal(got[0], confusion[0][:]) ||
				!slices.Equal(got[1], confusion[1][:]) {
				t.Errorf("%s %s: the report counts %v, refits %v", name, encoding, got, confusion)
			}
		}
	}
}

// In every kind in closed form weights of classes are weights of rows: the model is that of a weight column with the
// products, to the bit. Balanced weights of two classes give each the same total.
func TestClassWeightsAreWeightsOfRows(t *testing.T) {
	const n = 42
	d := unbalanced(t, n, weighted)
	own := slices.Clone(d.Find("w").Numbers)
	var of [2]float64
	for i, k := range d.Find("class").Codes {
		of[k] += own[i]
	}
	products := unbalanced(t, n, weighted)
	for i, k := range d.Find("class").Codes {
		products.Find("w").Numbers[i] *= (of[0] + of[1]) / (2 * of[k])
	}
	further := unbalanced(t, n+20, weighted).Subset(seq(n + 20)[n:])
	for _, k := range kind.All() {
		if !k.ClosedForm {
			continue
		}
		if d.Unlabelled, products.Unlabelled = nil, nil; k.Name == "label" { // which has to have some
			d.Unlabelled, products.Unlabelled = further, further
		}
		c := param.With(func(c *param.Config) { c.Kind, c.Hidden = k.Name, 12 })
		plain, err := Train(ctx, products, c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.ClassWeight = param.Balanced
		balanced, err := Train(ctx, d, c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, errA := plain.Predict(ctx, d.Table, nil)
		b, errB := balanced.Predict(ctx, d.Table, nil)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Outputs.RawMatrix().Data, b.Outputs.RawMatrix().Data) {
			t.Errorf("%s: other outputs than with a column of weights", k.Name)
		}
		if notes := fmt.Sprint(balanced.Report.Notes); !strings.Contains(notes, "balanced class weights: no 0.6") {
			t.Errorf("%s: notes %s", k.Name, notes)
		}
	}
}

// Weights of classes beside kinds and tasks that have no use for them, and weights out of range.
func TestClassWeightsThatDoNotApply(t *testing.T) {
	d := unbalanced(t, 30, dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class,w"})
	m, err := Train(ctx, d, param.With(func(c *param.Config) { c.Kind, c.ClassWeight = "krvfl", "yes=2" }), Options{})
	if err != nil || !strings.Contains(fmt.Sprint(m.Report.Notes), "class-weight applies to a classification only") {
		t.Errorf("a regression: notes %v (%v)", m.Report.Notes, err)
	}
	d = unbalanced(t, 30, weighted)
	for i := range d.Find("w").Numbers {
		d.Find("w").Numbers[i] = 1e300
	}
	_, err = Train(ctx, d, param.With(func(c *param.Config) { c.Kind, c.ClassWeight = "krvfl", "yes=1e300" }),
		Options{})
	if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), `its class "yes"`) {
		t.Errorf("weights that overflow: %v", err)
	}
}

// A threshold decides by the second class's probability, or by its score; a row at the threshold is of the second
// class.
func TestThreshold(t *testing.T) {
	d := unbalanced(t, 60, unweighted)
	for _, proba := range []string{"", "platt"} {
		m := fit(t, d, param.With(func(c *param.Config) { c.Kind, c.Proba = "krvfl", proba }))
		p, err := m.Predict(ctx, d.Table, nil)
		if err != nil {
			t.Fatal(err)
		}
		values := p.Scores
		if proba != "" {
			values = p.Probabilities
		}
		at := blas.Row(values, 7)[1]
		if err := p.Threshold(at); err != nil {
			t.Fatal(err)
		}
		for i, label := range p.Labels {
			if above := blas.Row(values, i)[1] >= at; above != (label == 1) {
				t.Errorf("proba %q: row %d has %v, the threshold is %v, predicted %d", proba, i,
					blas.Row(values, i)[1], at, label)
			}
		}
		e, err := m.Evaluate(ctx, d.Table, d.Pick(d.Roles.Target), EvaluateOptions{Threshold: &at})
		if err != nil {
			t.Fatal(err)
		}
		right := 0.0
		for i, label := range p.Labels {
			if label == d.Find("class").Codes[i] {
				right++
			}
		}
		if got := e.Metrics.Class.Accuracy; math.Abs(got-right/60) > 1e-14 {
			t.Errorf("proba %q: accuracy %v with the threshold, want %v", proba, got, right/60)
		}
	}
	two := &target.Coder{Task: target.Classification, Classes: []string{"a", "b"}}
	three := &target.Coder{Task: target.Classification, Classes: []string{"a", "b", "c"}}
	for name, err := range map[string]error{
		"NaN":           CheckThreshold(two, false, math.NaN()),
		"above 1":       CheckThreshold(two, true, 1.5),
		"three classes": CheckThreshold(three, false, 0),
		"a regression":  CheckThreshold(&target.Coder{Task: target.Regression}, false, 0),
	} {
		if !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The constant predictor beside a model: the largest class with the shares as probabilities, or the mean.
func TestConstant(t *testing.T) {
	d := unbalanced(t, 60, unweighted)
	m := fit(t, d, param.With(func(c *param.Config) { c.Kind = "krvfl" }))
	e, err := m.Evaluate(ctx, d.Table, d.Pick(d.Roles.Target), EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := e.Constant.Metrics.Class
	entropy := -(5*math.Log(5.0/6) + math.Log(1.0/6)) / 6
	if e.Constant.Name() != `always "no"` || math.Abs(c.Accuracy-5.0/6) > 1e-14 || c.BalancedAccuracy != 0.5 ||
		math.Abs(*c.LogLoss-entropy) > 1e-12 || *c.ROCAUC != 0.5 || len(e.Warnings) > 0 {
		t.Errorf("%s: %+v, log loss %v, warnings %v", e.Constant.Name(), c, *c.LogLoss, e.Warnings)
	}
	never := 1e300
	e, err = m.Evaluate(ctx, d.Table, d.Pick(d.Roles.Target), EvaluateOptions{Threshold: &never})
	if err != nil || len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0].String(), "does not beat the constant") {
		t.Errorf("a model that never says yes: %v (%v)", e.Warnings, err)
	}
	var no []int
	for i, k := range d.Find("class").Codes {
		if k == 0 {
			no = append(no, i)
		}
	}
	same := d.Only(no)
	e, err = m.Evaluate(ctx, same.Table, same.Pick(same.Roles.Target), EvaluateOptions{})
	if err != nil || e.Constant.Metrics.Class.Accuracy != 1 || len(e.Warnings) > 0 {
		t.Errorf("rows of one class: warnings %v (%v)", e.Warnings, err)
	}
	for name, weight := range map[string][]float64{
		"short": {1}, "negative": append(make([]float64, 59), -1), "zeros": make([]float64, 60),
	} {
		if _, err := m.Evaluate(ctx, d.Table, d.Pick(d.Roles.Target), EvaluateOptions{Weight: weight}); err == nil {
			t.Errorf("%s weights are taken", name)
		}
	}
	numbers := unbalanced(t, 60, dataset.Selection{Target: "y", Drop: "class,w,lab_*"})
	r := fit(t, numbers, param.With(func(c *param.Config) { c.Kind = "krvfl" }))
	y := numbers.Find("y").Numbers
	for i := range y {
		y[i] = -y[i] // the model is worse than nothing
	}
	e, err = r.Evaluate(ctx, numbers.Table, numbers.Pick(numbers.Roles.Target), EvaluateOptions{})
	if err != nil || e.Constant.Metrics.Number.R2 != 0 || len(e.Warnings) != 1 ||
		!strings.Contains(e.Warnings[0].String(), "always their mean") {
		t.Errorf("a bad regression: constant %+v, warnings %v (%v)", e.Constant.Metrics.Number, e.Warnings, err)
	}
}
