package compare

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/metric"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
)

// weighted is generated data whose rows weigh 1, 2 or 3.
func weighted(t *testing.T, rows int, sel dataset.Selection) *roles.Data {
	t.Helper()
	table := *synthetic(t, rows, numbers).Table
	w := make([]float64, rows)
	for i := range w {
		w[i] = float64(1 + i%3)
	}
	table.Columns = append(slices.Clone(table.Columns), dataset.Column{Name: "w", Numbers: w})
	sel.Weight = "w"
	d, err := roles.Assign(&table, sel)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// valueOf reads a score from what eval --json tells.
func valueOf(t *testing.T, m pipeline.Metrics, score string) float64 {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"balanced-accuracy": "balanced_accuracy", "auc": "roc_auc"}
	v, is := values[cmp.Or(names[score], score)].(float64)
	if !is {
		t.Fatalf("eval does not tell %s: %s", score, text)
	}
	return v
}

// Held-out rows are measured as eval measures them, by every score: rows count by their weights, which classes do not
// change. Training counts both.
func TestHeldOutRowsAreMeasuredAsEvalDoes(t *testing.T) {
	for _, score := range search.Measures() {
		data, c := weighted(t, 40, classes), param.Default()
		c.ClassWeight = "low=4"
		if slices.Contains([]string{"rmse", "mae", "r2"}, score) {
			data, c.ClassWeight = weighted(t, 40, numbers), ""
		}
		o, err := Options{Splits: 2, Score: score, Methods: quick.Methods}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		r := &run{Options: o, config: c, data: data}
		if err := r.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		p, err := r.newPart(t.Context(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.standBeside(t.Context(), p, 0); err != nil {
			t.Fatal(err)
		}
		s, err := r.draw(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		e := evaluated(t, r.data.Only(s.Train), r.data.Only(s.Test), c)
		if want := valueOf(t, e.Metrics, score); math.Abs(p.auto.value-want) > 1e-12 {
			t.Errorf("%s: %v, eval %v", score, p.auto.value, want)
		}
		if own := p.auto.classes; own != nil && (*own.metrics.ROCAUC != *e.Metrics.Class.ROCAUC ||
			*own.metrics.PRAUC != *e.Metrics.Class.PRAUC || own.metrics.F1 != e.Metrics.Class.F1) {
			t.Errorf("%s: %+v, eval %+v", score, own.metrics, *e.Metrics.Class)
		}
		if score == "auc" && p.constant.value != 0.5 || score == "balanced-accuracy" && p.constant.value != 0.5 {
			t.Errorf("%s of the constant predictor is %v", score, p.constant.value)
		}
	}
}

// evaluated is what train without flags, on the normal columns, and eval say.
func evaluated(t *testing.T, train, test *roles.Data, c param.Config) *pipeline.Evaluation {
	t.Helper()
	averaged, err := kind.ByName("averaged")
	if err != nil {
		t.Fatal(err)
	}
	c.Kind = averaged.Name
	c.Free = averaged.FreeOf([]param.Param{param.Param(param.Scale)}, averaged.Complete(c))
	m, err := search.Train(t.Context(), train, c, pipeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	weight, err := test.Weights()
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Evaluate(t.Context(), test.Table, test.Pick(test.Roles.Target),
		pipeline.EvaluateOptions{Weight: weight})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The scores of the classes stand beside the metric; the two methods that the answer names tell how the rows of all
// splits were classified, which agrees with the means.
func TestClassesAreTold(t *testing.T) {
	o := quick
	o.Score = "balanced-accuracy"
	c := compared(t, 60, classes, o, func(c *param.Config) { c.ClassWeight = param.Balanced })
	if c.Metric != "balanced-accuracy" || !c.Greater || c.MetricName() != "balanced accuracy" {
		t.Errorf("metric %s, %s", c.Metric, c.MetricName())
	}
	told := 0
	for _, s := range c.Methods {
		if s.Values == nil {
			continue
		}
		if math.Abs(s.Class.BalancedAccuracy-s.Mean) > 1e-12 {
			t.Errorf("%s: %v, mean %v", s.Name, s.Class.BalancedAccuracy, s.Mean)
		}
		if named := s.Name == c.Baseline || s.Name == c.Best; named != (s.Class.Confusion != nil) {
			t.Errorf("%s, named %v: %v", s.Name, named, s.Class.Confusion)
		}
		if s.Class.Confusion == nil {
			continue
		}
		told++
		right, rows := 0.0, 0.0
		for i, row := range s.Class.Confusion {
			right += row[i]
			for _, n := range row {
				rows += n
			}
		}
		if rows != float64(c.Splits*c.TestRows) || math.Abs(right/rows-s.Class.Accuracy) > 1e-12 {
			t.Errorf("%s: %v of %v right, accuracy %v", s.Name, right, rows, s.Class.Accuracy)
		}
	}
	if told != 2 {
		t.Errorf("confusion matrices of %d methods", told)
	}
	columns, rows := c.ClassTable()
	if want := []string{"accuracy", "F1", "ROC AUC", "PR AUC"}; !slices.Equal(columns, want) {
		t.Errorf("columns %v", columns)
	}
	if rows[0].Name != Constant || rows[0].Cells[2] != "50.0 %" {
		t.Errorf("%+v", rows[0])
	}
	if !slices.ContainsFunc(c.Notes, func(n fault.Text) bool { return strings.Contains(n.String(), "squared error") }) {
		t.Errorf("notes %v", c.Notes)
	}
}

// The control variate is of squared errors: in another metric there is none.
func TestOtherMetricsOfNumbers(t *testing.T) {
	for score, greater := range map[string]bool{"mae": false, "r2": true} {
		o := quick
		o.Score = score
		c := compared(t, 40, numbers, o, nil)
		if c.ControlVariate != c.Difference || strings.Contains(answer(t, c), "noise_removed") {
			t.Errorf("%s: %+v beside %+v", score, c.ControlVariate, c.Difference)
		}
		best, base := c.Methods[0], c.Methods[0]
		for _, s := range c.Methods {
			if s.Role == UpperBound && (s.Mean > best.Mean) == greater {
				best = s
			}
		}
		if best.Difference.Mean <= base.Difference.Mean {
			t.Errorf("%s: the gain of %s, %v, is not above that of %s", score, best.Name, best.Difference, base.Name)
		}
		sign := 1.0
		if greater {
			sign = -1
		}
		if want := base.Mean + sign*base.Difference.Mean; math.Abs(c.lossAsMetric()-want) > 1e-9 {
			t.Errorf("%s: the loss %v does not stand for %v", score, c.Loss, want)
		}
		if columns, rows := c.ClassTable(); columns != nil || rows != nil {
			t.Errorf("%s has scores of classes: %v", score, columns)
		}
	}
}

func TestScoresThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		score string
		sel   dataset.Selection
		says  string
	}{
		{"log-loss", classes, "no probabilities"}, {"softmax-log-loss", classes, "no probabilities"},
		{"rmse", classes, "one of accuracy, balanced-accuracy, f1, auc for a classification"},
		{"auc", numbers, "one of rmse, mae, r2 for a regression"}, {"gini", numbers, `"gini"`},
	} {
		o := quick
		o.Score = c.score
		_, err := Compare(t.Context(), synthetic(t, 40, c.sel), param.Default(), o)
		if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.score, err)
		}
	}
}

// A class without rows in a split has no weight there, and no place in its means.
func TestClassesOfOtherSplits(t *testing.T) {
	all := []metric.Classification{{Accuracy: 1}, {Accuracy: 0.5}}
	parts := []*part{{constant: outcome{classes: &classOutcome{metrics: all[0]}}},
		{constant: outcome{classes: &classOutcome{metrics: all[1]}}}}
	got := classMeans(parts, func(p *part) outcome { return p.constant })
	if got.Accuracy != 0.75 || got.ROCAUC != nil {
		t.Errorf("%+v", got)
	}
	d := synthetic(t, 40, classes)
	prepared, err := pipeline.Prepare(t.Context(), d, param.With(func(c *param.Config) {
		c.Kind, c.ClassWeight = Kind, "high=3,low=2"
	}))
	if err != nil {
		t.Fatal(err)
	}
	var low []int
	for i, code := range d.Columns[d.Roles.Target[0]].Codes {
		if code == 0 {
			low = append(low, i)
		}
	}
	if got := prepared.ClassWeightOf(low); got != "low=2" {
		t.Errorf("weights %q", got)
	}
	if got := prepared.ClassWeightOf(from(0, 40)); got != "high=3,low=2" {
		t.Errorf("weights %q", got)
	}
}
