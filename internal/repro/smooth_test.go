package repro

import (
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/pipeline"
)

// A peak that stands alone loses against a plateau; what failed is never chosen and
// drags its neighbours down.
func TestSettleFindsThePlateau(t *testing.T) {
	var at [][]float64
	var scores []float64
	for i := range 40 {
		at = append(at, []float64{float64(i) / 60})
		scores = append(scores, 60)
		if i >= 20 && i < 30 {
			scores[i] = 80
		}
	}
	scores[5], scores[29] = 85, nan
	j := &job{experiment: &Experiment{Metric: "accuracy"}}
	if i := j.settle(at, scores); i < 20 || i > 28 {
		t.Errorf("chose setting %d with score %g", i, scores[i])
	}
	apart := [][]float64{{0}, {0.2}, {0.4}}
	if i := j.settle(apart, []float64{60, 85, 60}); i != 1 {
		t.Errorf("chose %d of settings that stand apart, not the best", i)
	}
	if i := j.settle(at[:2], []float64{nan, nan}); i != -1 {
		t.Errorf("chose %d of settings that all failed", i)
	}
	j.experiment.Metric = "rmse"
	if i := j.settle(at[:3], []float64{nan, 2, nan}); i != 1 {
		t.Errorf("chose %d, only 1 was solved", i)
	}
}

// Settings that differ in ε alone are no neighbours.
func TestPlaceTellsEverythingDrawn(t *testing.T) {
	table, _ := dataset.Synthetic{Rows: 30}.Table()
	d, err := dataset.WithRoles(table, dataset.Selection{Target: "y", Priv: "lab_*"})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"krvfl+", "rvfl+", "svr"} {
		j := &job{protocol: Protocol{Draws: Draws{Kernel: 2, Layer: 2, Margin: 2}}, kind: kindOf(t, kind)}
		p, drawn, err := j.candidates(d, pipeline.Config{Kind: kind, Kernel: "rbf"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		a, err1 := place(p, drawn[0])
		b, err2 := place(p, drawn[1])
		if want := map[string]int{"krvfl+": 4, "rvfl+": 3, "svr": 3}[kind]; err1 != nil || err2 != nil || len(a) != want {
			t.Fatalf("%s: %d hyper-parameters, want %d; %v, %v", kind, len(a), want, err1, err2)
		}
		for i := range a {
			if a[i] == b[i] {
				t.Errorf("%s: hyper-parameter %d does not differ", kind, i)
			}
		}
	}
	_, drawn, err := (&job{protocol: Protocol{Draws: Draws{Margin: 1}}, kind: kindOf(t, "svr")}).candidates(d, pipeline.Config{Kind: "svr", Kernel: "rbf"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.Prepare(d, drawn[0])
	if err != nil {
		t.Fatal(err)
	}
	other := drawn[0]
	other.Epsilon = new(2 * *other.Epsilon)
	a, _ := place(p, drawn[0])
	b, _ := place(p, other)
	if isNear(a, b) || !isNear(a, a) {
		t.Errorf("%v and %v", a, b)
	}
}

func kindOf(t *testing.T, name string) pipeline.Kind {
	t.Helper()
	kind, err := pipeline.KindByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return kind
}
