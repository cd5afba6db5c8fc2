package roles

import (
	"errors"
	"math"
	"slices"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/noise"
)

func noiseData(t *testing.T, sel dataset.Selection) *Data {
	t.Helper()
	table, _ := dataset.Synthetic{Rows: 50, Strength: 1, Seed: 3}.Table()
	table.Columns[1].Numbers[4] = math.NaN()
	table.Columns = append(table.Columns, dataset.Column{Name: "sex", Codes: make([]int, 50), Levels: []string{"F"}})
	d, err := Assign(table, sel)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestWithNoise(t *testing.T) {
	sel := dataset.Selection{Target: "y", Priv: "lab_*"}
	d, before := noiseData(t, sel), noiseData(t, sel)
	got, err := d.WithNoise(noise.White{DBW: 10, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Check(); err != nil {
		t.Error(err)
	}
	want := []string{"x1", "x2", "x3", "lab_1", "lab_2", "y", "sex", "x1_clean", "x2_clean", "x3_clean", "sex_clean"}
	if !slices.Equal(got.Names(), want) {
		t.Errorf("columns %v, want %v", got.Names(), want)
	}
	if !slices.Equal(got.Roles.Normal, []int{0, 1, 2, 6}) || !slices.Equal(got.Roles.Priv, []int{3, 4, 7, 8, 9, 10}) ||
		!slices.Equal(got.Roles.Target, []int{5}) {
		t.Errorf("roles %+v", got.Roles)
	}
	for i, name := range before.Names() {
		same := slices.EqualFunc(got.Columns[i].Numbers, before.Columns[i].Numbers, sameBits)
		if wantSame := i >= 3; same != wantSame {
			t.Errorf("column %s: unchanged is %v", name, same)
		}
		if !slices.EqualFunc(d.Columns[i].Numbers, before.Columns[i].Numbers, sameBits) {
			t.Errorf("column %s of the input changed", name)
		}
		if clean := got.Find(name + CleanSuffix); i < 3 &&
			!slices.EqualFunc(clean.Numbers, before.Columns[i].Numbers, sameBits) {
			t.Errorf("column %s_clean is not clean", name)
		}
	}
	if !math.IsNaN(got.Columns[1].Numbers[4]) {
		t.Error("noise filled a missing cell")
	}
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// A column's noise does not depend on the columns beside it.
func TestNoiseOfAColumnIsItsOwn(t *testing.T) {
	w := noise.White{DBW: 3, Seed: 9}
	a, errA := noiseData(t, dataset.Selection{Target: "y"}).WithNoise(w)
	b, errB := noiseData(t, dataset.Selection{Target: "y", Normal: "x3"}).WithNoise(w)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if !slices.Equal(a.Find("x3").Numbers, b.Find("x3").Numbers) ||
		slices.Equal(a.Find("x3").Numbers, a.Find("x3_clean").Numbers) {
		t.Error("the noise of x3 depends on other columns")
	}
}

func TestNoiseErrors(t *testing.T) {
	taken := noiseData(t, dataset.Selection{Target: "y"})
	taken.Columns[6].Name = "x1_clean"
	for name, c := range map[string]struct {
		d *Data
		w noise.White
	}{
		"power": {noiseData(t, dataset.Selection{Target: "y"}), noise.White{DBW: math.Inf(1)}},
		"none":  {noiseData(t, dataset.Selection{Target: "y", Normal: "sex"}), noise.White{}},
		"taken": {taken, noise.White{}},
	} {
		if _, err := c.d.WithNoise(c.w); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
