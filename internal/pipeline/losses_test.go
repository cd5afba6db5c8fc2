package pipeline

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
)

// lossesOf trains on a table with the columns x and y, and returns the model, its predictions and losses of test rows.
func lossesOf(t *testing.T, train, test []dataset.Column) (*Model, *Predictions, []float64) {
	t.Helper()
	ctx := context.Background()
	d, err := roles.Assign(&dataset.Table{Rows: 6, Columns: train}, dataset.Selection{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Train(ctx, d, param.With(func(c *param.Config) { c.Kind, c.C = "krvfl", 1e3 }), Options{})
	if err != nil {
		t.Fatal(err)
	}
	fresh := &dataset.Table{Rows: 3, Columns: test}
	p, err := m.Predict(ctx, fresh, nil)
	if err != nil {
		t.Fatal(err)
	}
	losses, err := m.Losses(fresh, []*dataset.Column{&test[1]}, p)
	if err != nil {
		t.Fatal(err)
	}
	return m, p, losses
}

func TestLossesOfRows(t *testing.T) {
	x := dataset.Column{Name: "x", Numbers: []float64{0, 0.1, 0.2, 2, 2.1, 2.2}}
	class := dataset.Column{Name: "y", Codes: []int{0, 0, 0, 1, 1, 1}, Levels: []string{"low", "high"}}
	fresh := dataset.Column{Name: "x", Numbers: []float64{0.05, 2.05, 2.15}}
	known := dataset.Column{Name: "y", Codes: []int{0, 1, 2}, Levels: []string{"low", "low again", "never seen"}}
	if _, _, got := lossesOf(t, []dataset.Column{x, class}, []dataset.Column{fresh, known}); !slices.Equal(got,
		[]float64{0, 1, 1}) {
		t.Errorf("classes: %v", got)
	}
	number := dataset.Column{Name: "y", Numbers: []float64{1.5, 1.7, 1.9, 5.5, 5.7, 5.9}}
	truth := dataset.Column{Name: "y", Numbers: []float64{1.6, 5.6, 9}}
	m, p, got := lossesOf(t, []dataset.Column{x, number}, []dataset.Column{fresh, truth})
	variance := (3.8*3.8 + 0.2*0.2 + 3.6*3.6) / 3
	for i, y := range truth.Numbers {
		d := p.Outputs.At(i, 0) - y
		if want := d * d / variance; math.Abs(got[i]-want) > 1e-12*want {
			t.Errorf("row %d: %v, want %v", i, got[i], want)
		}
	}
	if m.Coder.Task != target.Regression {
		t.Error("the numbers are taken as classes")
	}
	if _, err := m.Losses(&dataset.Table{Rows: 3}, nil, p); !errors.Is(err, fault.Usage) {
		t.Errorf("no targets: %v", err)
	}
	truth.Numbers[1] = math.NaN()
	if _, err := m.Losses(&dataset.Table{Rows: 3}, []*dataset.Column{&truth}, p); !errors.Is(err, fault.Data) {
		t.Errorf("a missing target: %v", err)
	}
}
