package search

import (
	"math"
	"slices"
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
)

var nan = math.NaN()

func choose(t *testing.T, r Rule, s Scored) int {
	t.Helper()
	i, err := r.Choose(s)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestBestIsTheFirstOfEquals(t *testing.T) {
	for _, c := range []struct {
		scores  []float64
		greater bool
		want    int
	}{
		{[]float64{nan, 2, 3, 3}, true, 2},
		{[]float64{nan, 2, 2, 3}, false, 1},
		{[]float64{nan, nan}, true, -1},
	} {
		if i := choose(t, Best{}, Scored{Score: c.scores, Greater: c.greater}); i != c.want {
			t.Errorf("%v: %d, want %d", c.scores, i, c.want)
		}
	}
}

// A peak that stands alone loses against a plateau; what failed is never chosen and
// drags its neighbours down.
func TestNeighboursFindThePlateau(t *testing.T) {
	at := make([]float64, 40)
	scores := make([]float64, 40)
	for i := range at {
		at[i], scores[i] = float64(i)/60, 60
		if i >= 20 && i < 30 {
			scores[i] = 80
		}
	}
	scores[5], scores[29] = 85, nan
	rule := Neighbours{Within: 0.05}
	along := func(at []float64) func(int) ([]float64, error) {
		return func(i int) ([]float64, error) { return []float64{at[i]}, nil }
	}
	if i := choose(t, rule, Scored{Score: scores, Greater: true, Place: along(at)}); i < 20 || i > 28 {
		t.Errorf("chose setting %d with score %g", i, scores[i])
	}
	if i := choose(t, rule, Scored{Score: []float64{60, 85, 60}, Greater: true,
		Place: along([]float64{0, 0.2, 0.4})}); i != 1 {
		t.Errorf("chose %d of settings that stand apart, not the best", i)
	}
	if i := choose(t, rule, Scored{Score: []float64{nan, nan}, Place: along(at)}); i != -1 {
		t.Errorf("chose %d of settings that all failed", i)
	}
	if i := choose(t, rule, Scored{Score: []float64{nan, 2, nan}, Place: along(at)}); i != 1 {
		t.Errorf("chose %d, only 1 was solved", i)
	}
}

func TestOneStandardErrorPrefersTheFirst(t *testing.T) {
	s := Scored{Score: []float64{nan, 5, 3.4, 3.1, 3}, SE: []float64{nan, 0.1, 0.1, 0.1, 0.2}}
	if i := choose(t, OneStandardError{}, s); i != 3 {
		t.Errorf("chose %d, the first within one standard error of the best is 3", i)
	}
	s.SE[4] = nan
	if i := choose(t, OneStandardError{}, s); i != 4 {
		t.Errorf("chose %d without a standard error, not the best", i)
	}
}

// Settings that differ in ε alone are no neighbours.
func TestPlaceTellsEverythingDrawn(t *testing.T) {
	table, _ := dataset.Synthetic{Rows: 30}.Table()
	d, err := roles.Assign(table, dataset.Selection{Target: "y", Priv: "lab_*"})
	if err != nil {
		t.Fatal(err)
	}
	place := func(p *pipeline.Prepared, c param.Config) []float64 {
		at, err := Place(p, c)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for name, want := range map[string]int{"krvfl+": 4, "rvfl+": 3, "svr": 3} {
		c := param.Default()
		c.Kind = name
		p, err := pipeline.Prepare(ctx, d, c)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := Candidates(p, c, "random", 2, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		a, b := place(p, drawn[0]), place(p, drawn[1])
		if len(a) != want {
			t.Fatalf("%s: %d hyper-parameters, want %d", name, len(a), want)
		}
		for i := range a {
			if a[i] == b[i] {
				t.Errorf("%s: hyper-parameter %d does not differ", name, i)
			}
		}
		if name != "svr" {
			continue
		}
		other := drawn[0]
		other.Epsilon *= 2
		if b := place(p, other); (Neighbours{Within: 0.05}).near(a, b) || !slices.Equal(a, place(p, drawn[0])) {
			t.Errorf("%v and %v", a, b)
		}
	}
}

// A hyper-parameter that one setting has and another lacks keeps them apart.
func TestSettingsThatLackAHyperParameterStandApart(t *testing.T) {
	places := [][]float64{{0, nan}, {0, 0.5}, {0, nan}, {0}}
	s := Scored{Score: []float64{1, 5, 3, 0}, Greater: true}
	s.Place = func(i int) ([]float64, error) { return places[i], nil }
	if i := choose(t, Neighbours{Within: 0.05}, s); i != 1 {
		t.Errorf("chose %d, 1 has no neighbours and the best score", i)
	}
}
