package pipeline

import (
	"errors"
	"slices"
	"testing"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/target"
)

func TestClassWeights(t *testing.T) {
	known := truth{coder: &target.Coder{Task: target.Classification, Classes: []string{"-1", "2", "a,b", "c=d"}},
		labels: []int{0, 1, 1, 2, 3}}
	for text, want := range map[string][]float64{
		"":                   nil,
		"2=3":                {1, 3, 1, 1},
		"-1.0=2,2e0=3":       {2, 3, 1, 1},
		`c=d=5,"a,b=0.5"`:    {1, 1, 0.5, 5},
		"balanced":           {1.25, 0.625, 1.25, 1.25},
		"c=d=1e-300,2=1e300": {1, 1e300, 1, 1e-300},
	} {
		if got, err := classWeights(text, known, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v (%v)", text, got, want, err)
		}
	}
	if got := balance(2, []int{0, 1, 1}, []float64{4, 1, 1}); !slices.Equal(got, []float64{0.75, 1.5}) {
		t.Errorf("balanced with weights: %v", got)
	}
	for _, text := range []string{"x=1", "2=1,2.0=1", "2", "2=", "=2", "2=-1", "2=0", "2=inf", "2=1,,", `"2=1`,
		"2=1\n-1=1", "Balanced"} {
		if got, err := classWeights(text, known, nil); !errors.Is(err, fault.Usage) {
			t.Errorf("%q: %v (%v)", text, got, err)
		}
	}
	for _, k := range kind.All() {
		if k.Has(param.ClassWeights) != (k.Task != target.Regression) {
			t.Errorf("kind %s has weights of classes: %v", k.Name, k.Has(param.ClassWeights))
		}
	}
}
