package lupi

import (
	"math"
	"testing"
)

// The losses are those that the tuned method is chosen by, and their mean is the one that it reports.
func TestTunedLosses(t *testing.T) {
	for name, o := range map[string]made{
		"rows": {n: 40, seed: 1}, "weights": {n: 40, seed: 2, weights: true, outputs: 2}, "many": {n: 1100, seed: 3},
	} {
		p := o.problem()
		p.Priv = nil
		for i := range o.n {
			if name == "weights" {
				p.Group = append(p.Group, i/4)
			}
		}
		c := small("tuned")
		losses, err := c.TunedLosses(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		_, outcome, err := c.Choose(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		mean, se := losses.Mean()
		for _, candidate := range outcome.Candidates {
			if candidate.Name == "tuned" && (candidate.Loss != mean || candidate.SE != se) {
				t.Errorf("%s: %v ± %v, the method says %v ± %v", name, mean, se, candidate.Loss, candidate.SE)
			}
		}
		if rows := min(o.n, mostChosenOn); len(losses.Loss) != rows || len(losses.Weight) != rows {
			t.Errorf("%s: %d losses, %d weights", name, len(losses.Loss), len(losses.Weight))
		}
	}
}

// A gain is positive where losses are less than others, each row against itself.
func TestGainOfPairedLosses(t *testing.T) {
	a := RowLosses{Loss: []float64{1, 2, 3, 10}, Weight: []float64{1, 1, 1, 2}}
	b := RowLosses{Loss: []float64{2, 3, 4, 11}, Weight: a.Weight}
	if gain, se := a.Gain(b); gain != 1 || se != 0 {
		t.Errorf("gain %v ± %v, want exactly 1", gain, se)
	}
	b.Loss[3] = 10
	if gain, se := a.Gain(b); math.Abs(gain-0.6) > 1e-15 || !(se > 0) {
		t.Errorf("gain %v ± %v, want 0.6", gain, se)
	}
}
