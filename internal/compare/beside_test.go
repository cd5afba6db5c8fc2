package compare

import (
	"math"
	"slices"
	"testing"

	"rvflplus/internal/param"
	"rvflplus/internal/roles"
)

// Auto predicts as the command does that trains the kind averaged on the normal columns, and the constant predictor is
// the mean or the largest class.
func TestAutoIsWhatTrainingChooses(t *testing.T) {
	for _, sel := range []struct {
		name string
		data *roles.Data
	}{{"numbers", synthetic(t, 40, numbers)}, {"classes", synthetic(t, 40, classes)}} {
		r, splits := drawn(t, sel.data, Options{Splits: 2, Permutations: 19, Methods: quick.Methods})
		if r.autos != 2 {
			t.Fatalf("auto is measured on %d splits", r.autos)
		}
		p, err := r.newPart(t.Context(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.standBeside(t.Context(), p, 0); err != nil {
			t.Fatal(err)
		}
		train, test := r.data.Only(splits[0].Train), r.data.Only(splits[0].Test)
		evaluation := evaluated(t, train, test, r.config)
		if _, want := evaluation.Metrics.Main(); math.Abs(p.auto.value-want) > 1e-12 {
			t.Errorf("%s: auto %v, the command %v", sel.name, p.auto.value, want)
		}
		if want := constantScore(train, test); math.Abs(p.constant.value-want) > 1e-12 {
			t.Errorf("%s: constant %v, want %v", sel.name, p.constant.value, want)
		}
	}
}

// constantScore is the accuracy of the largest class of the training rows, or the RMSE of their mean.
func constantScore(train, test *roles.Data) float64 {
	a, b := train.Pick(train.Roles.Target)[0], test.Pick(test.Roles.Target)[0]
	if a.Codes != nil {
		ones, right := 0, 0
		for _, code := range a.Codes {
			ones += code
		}
		largest := 0
		if 2*ones > len(a.Codes) {
			largest = 1
		}
		for _, code := range b.Codes {
			if code == largest {
				right++
			}
		}
		return float64(right) / float64(len(b.Codes))
	}
	var mean, sum float64
	for _, v := range a.Numbers {
		mean += v / float64(len(a.Numbers))
	}
	for _, v := range b.Numbers {
		sum += (v - mean) * (v - mean) / float64(len(b.Numbers))
	}
	return math.Sqrt(sum)
}

// Auto stands in the table behind the baselines, and its gain beside those over the baselines.
func TestAutoAndConstantAreTold(t *testing.T) {
	o := quick
	o.NoAuto, o.Methods, o.Splits = false, []string{"krvfl", "krvfl+:additive"}, 2
	c, err := Compare(t.Context(), synthetic(t, 40, numbers), param.Default(), o)
	if err != nil {
		t.Fatal(err)
	}
	var names, over []string
	_, rows := c.Table()
	for _, row := range rows[:5] {
		names = append(names, row.Name)
	}
	if want := []string{Constant, "krvfl", "averaged", Auto, "krvfl+:additive"}; !slices.Equal(names, want) {
		t.Errorf("rows %v", names)
	}
	for _, g := range rows[4].Gains {
		over = append(over, g.Over)
	}
	if want := []string{"krvfl", "averaged", Constant, Auto}; !slices.Equal(over, want) || len(c.Auto.Values) != 2 {
		t.Errorf("gains over %v, auto %v", over, c.Auto.Values)
	}
}
