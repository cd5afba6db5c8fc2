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

// The spread of few trials tells little: 95 % of Student's distribution lie within 4.3
// standard errors of three trials, of five trials two have to do.
func TestFewTrialsNeedMoreStandardErrors(t *testing.T) {
	three := Cell{Trials: trials(89, 90, 91)} // standard error 0.577
	for paper, want := range map[float64]bool{92.4: false, 92.6: true} {
		three.Paper = &Published{Value: paper}
		if three.Differs() != want {
			t.Errorf("three trials, mean 90, paper %g: differs %v", paper, !want)
		}
	}
	five := Cell{Trials: trials(88, 89, 90, 91, 92)} // 0.707
	for paper, want := range map[float64]bool{91.4: false, 91.5: true} {
		five.Paper = &Published{Value: paper}
		if five.Differs() != want {
			t.Errorf("five trials, mean 90, paper %g: differs %v", paper, !want)
		}
	}
}
