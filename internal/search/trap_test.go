package search

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
	"rvflplus/kernel"
)

// A setting whose leave-one-out says nothing is a failed trial and is not chosen, however few its errors: as many
// standardised features as rows, balanced classes at random, and next to no regularisation.
func TestSettingsWhoseLeaveOneOutSaysNothingAreNotChosen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	table := &dataset.Table{Rows: 20, Columns: []dataset.Column{
		{Name: "y", Levels: []string{"a", "b"}, Codes: make([]int, 20), Number: 1}}}
	for i, at := range r.Perm(20) {
		table.Columns[0].Codes[at] = i % 2
	}
	for j := range 30 {
		c := dataset.Column{Name: fmt.Sprintf("x%d", j), Numbers: make([]float64, 20), Number: j + 2}
		for i := range c.Numbers {
			c.Numbers[i] = r.NormFloat64()
		}
		table.Columns = append(table.Columns, c)
	}
	data, err := roles.Assign(table, dataset.Selection{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	for _, encoding := range []string{"sign", "onehot"} {
		with := func(c float64) param.Config {
			return param.With(func(p *param.Config) {
				p.Kind, p.Kernel, p.Linear, p.Encoding, p.C = "krvfl", kernel.Must("linear"), false, encoding, c
			})
		}
		result, err := Tune(ctx, data, with(1), Options{Candidates: []param.Config{with(1e6), with(1e-3), with(1e4)}})
		if err != nil {
			t.Fatal(err)
		}
		for i, trial := range result.Trials {
			trapped := errors.Is(trial.Err, fault.NotSolved) && math.IsNaN(trial.Score)
			if trapped != (trial.Config.C > 1) {
				t.Errorf("%s, trial %d: score %g, error %v", encoding, i, trial.Score, trial.Err)
			}
		}
		if result.Best != 1 {
			t.Errorf("%s: trial %d is chosen", encoding, result.Best)
		}
		_, err = Tune(ctx, data, with(1), Options{Candidates: []param.Config{with(1e6)}})
		if !errors.Is(err, fault.NotSolved) {
			t.Errorf("%s: nothing else to choose: %v", encoding, err)
		}
	}
}
