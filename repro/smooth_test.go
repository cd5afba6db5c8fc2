package repro

import "testing"

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
