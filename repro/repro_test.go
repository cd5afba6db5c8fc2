package repro

import (
	"math"
	"testing"
)

func TestStandardErrorOfOneTrialIsThatOfAShare(t *testing.T) {
	c := Cell{Trials: []Trial{{Value: 90}}, Paper: &Published{Value: 92}}
	if e := c.StandardError(); !math.IsNaN(e) || c.Differs() {
		t.Errorf("without test rows: %g, differs %v", e, c.Differs())
	}
	c.TestRows = 880 // √(0.9·0.1/880) > 0.01
	if e := c.StandardError(); e < 1 || e > 1.02 || c.Differs() {
		t.Errorf("880 rows: %g, differs %v", e, c.Differs())
	}
	c.TestRows = 1000
	if !c.Differs() {
		t.Error("1000 rows: two points are within two standard errors")
	}
	c.Trials = append(c.Trials, Trial{Value: 94})
	if e := c.StandardError(); math.Abs(e-2) > 1e-12 {
		t.Errorf("two trials: %g", e)
	}
}
