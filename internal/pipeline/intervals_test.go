package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
	"rvflplus/kernel"
)

// uncertain is the generated table with two targets and some rows without
// privileged values.
func uncertainData(t *testing.T, rows int) *roles.Data {
	t.Helper()
	table, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.2, Seed: 4}.Table()
	d, err := roles.Assign(table, dataset.Selection{Target: "y,x3", Priv: "lab_*"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fit(t *testing.T, d *roles.Data, c param.Config) *Model {
	t.Helper()
	m, err := Train(context.Background(), d, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Intervals by their definition, from models trained anew without each row. An
// unscaled table has nothing else that depends on the rows.
func TestJackknifePlusEqualsRefits(t *testing.T) {
	d, fresh := uncertainData(t, 24), uncertainData(t, 40)
	for _, c := range []param.Config{
		param.With(func(c *param.Config) {
			c.Kind, c.Kernel, c.Gamma, c.C = "krvfl+", kernel.Must("rbf:width=3"), 2, 3
			c.ProjectC, c.ProjectKernel = 5, kernel.Must("rbf:width=2") // chosen ones differ among refits
		}),
		param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.PrivHidden, c.Gamma, c.Correction = "rvfl+", 5, 3, 2, "derived"
		}),
		param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.PrivHidden, c.Gamma, c.ProjectC = "rvfl+", 5, 3, 2, 0.5
		}),
		param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Correction = "rvfl", 60, "additive" }),
	} {
		c.Scale, c.Intervals = "none", true
		p, err := fit(t, d, c).PredictAt(context.Background(), fresh.Table, 0.8, nil)
		if err != nil {
			t.Fatal(err)
		}
		lower, upper := refitted(t, d, fresh, c)
		for i := range fresh.Rows {
			for j := range 2 {
				low, high := lower[i][j], upper[i][j]
				slices.Sort(low)
				slices.Sort(high)
				// N = 24: the 5th and the 20th of 25.
				if a, b := p.Lower.At(i, j), p.Upper.At(i, j); math.Abs(a-low[4]) > 1e-8 ||
					math.Abs(b-high[19]) > 1e-8 {
					t.Fatalf("%s, row %d: [%g, %g], refitted [%g, %g]", c.Kind, i, a, b, low[4], high[19])
				}
			}
		}
	}
}

// refitted returns f⁻ⁱ(x) ∓ rᵢ for every fresh row, target and i.
func refitted(t *testing.T, d, fresh *roles.Data, c param.Config) (lower, upper [][2][]float64) {
	t.Helper()
	lower, upper = make([][2][]float64, fresh.Rows), make([][2][]float64, fresh.Rows)
	c.Intervals = false
	for i := range d.Rows {
		var keep []int
		for k := range d.Rows {
			if k != i {
				keep = append(keep, k)
			}
		}
		m := fit(t, d.Only(keep), c)
		own, err := m.Predict(context.Background(), d.Only([]int{i}).Table, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Predict(context.Background(), fresh.Table, nil)
		if err != nil {
			t.Fatal(err)
		}
		for j, column := range d.Pick(d.Roles.Target) {
			r := math.Abs(column.Numbers[i] - own.Outputs.At(0, j))
			for k := range fresh.Rows {
				lower[k][j] = append(lower[k][j], p.Outputs.At(k, j)-r)
				upper[k][j] = append(upper[k][j], p.Outputs.At(k, j)+r)
			}
		}
	}
	return lower, upper
}

// Above the limit only residuals are kept, and the model says so.
func TestManyRowsGetThePlainJackknife(t *testing.T) {
	d := uncertainData(t, maxLeftOutRows+1)
	m := fit(t, d, param.With(func(c *param.Config) {
		c.Kind, c.Hidden, c.Intervals, c.Correction = "rvfl+", 3, true,
			"additive"
	}))
	if m.Intervals.LeftOut != nil || !strings.Contains(fmt.Sprint(m.Report.Notes), "plain jackknife") {
		t.Errorf("notes %q", m.Report.Notes)
	}
	p, err := m.PredictAt(context.Background(), d.Table, 0.9, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(p.Notes, "\n"), "without a guarantee") {
		t.Errorf("notes %q", p.Notes)
	}
	inside := 0
	for i, y := range d.Find("y").Numbers {
		if p.Lower.At(i, 0) <= y && y <= p.Upper.At(i, 0) {
			inside++
		}
		if w := p.Upper.At(i, 0) - p.Lower.At(i, 0); math.Abs(w-(p.Upper.At(0, 0)-p.Lower.At(0, 0))) > 1e-9 {
			t.Fatalf("row %d: width %g", i, w)
		}
	}
	if share := float64(inside) / float64(d.Rows); share < 0.89 || share > 0.91 {
		t.Errorf("90 %% intervals hold %.3f of the rows they were made from", share)
	}
}

func TestUpperRank(t *testing.T) {
	for _, c := range []struct {
		level float64
		n     int
		want  int
	}{{0.9, 9, 9}, {0.9, 99, 90}, {0.9, 8, 9}, {0.7, 9, 7}, {0.95, 19, 19}, {1e-9, 5, 1}} {
		if got := upperRank(c.level, c.n); got != c.want {
			t.Errorf("level %g of %d rows: %d, want %d", c.level, c.n, got, c.want)
		}
	}
}

func TestLevels(t *testing.T) {
	d := uncertainData(t, 30)
	with, without := fit(t, d, param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Intervals = "rvfl", 3, true })),
		fit(t, d, param.With(func(c *param.Config) { c.Kind, c.Hidden = "rvfl", 3 }))
	for level, m := range map[float64]*Model{-0.1: with, 1: with, 0.99: with, math.NaN(): with, 0.5: without} {
		if _, err := m.PredictAt(context.Background(), d.Table, level, nil); !errors.Is(err, fault.Usage) {
			t.Errorf("level %g: %v", level, err)
		}
	}
}

// Probabilities come from leave-one-out scores: those fitted to the training
// scores would be surer than they are right.
func TestProbabilitiesAreFittedToLeaveOneOut(t *testing.T) {
	table, _ := dataset.Synthetic{Rows: 60, Strength: 1, Noise: 0.2, Seed: 4}.Table()
	class := dataset.Column{Name: "class", Levels: []string{"low", "high"}, Codes: make([]int, 60)}
	for i, y := range table.Find("y").Numbers {
		if y > 0 {
			class.Codes[i] = 1
		}
	}
	table.Columns = append(table.Columns, class)
	d, err := roles.Assign(table, dataset.Selection{Target: "class", Drop: "y,lab_*"})
	if err != nil {
		t.Fatal(err)
	}
	m := fit(t, d, param.With(func(c *param.Config) { c.Kind, c.C, c.Proba = "krvfl", 1e4, "platt" }))
	e, err := m.Evaluate(context.Background(), d.Table, d.Pick(d.Roles.Target), EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(context.Background(), d.Table, nil)
	if err != nil {
		t.Fatal(err)
	}
	labels, _, err := m.Coder.Labels(&d.Columns[len(d.Columns)-1], d.Rows)
	if err != nil {
		t.Fatal(err)
	}
	if want := metric.LogLoss(labels, p.Probabilities, nil); *e.Metrics.Class.LogLoss != want {
		t.Errorf("log-loss %g, of the probabilities %g", *e.Metrics.Class.LogLoss, want)
	}
	// On its own training rows this model is right everywhere, yet it must not say so.
	if e.Metrics.Class.Accuracy < 0.95 || *e.Metrics.Class.LogLoss < 0.1 {
		t.Errorf("accuracy %g, log-loss %g on training rows", e.Metrics.Class.Accuracy, *e.Metrics.Class.LogLoss)
	}
}
