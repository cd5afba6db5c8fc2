package report

import (
	"math"
	"slices"
)

// Setting is one choice of hyper-parameters: a positive value for each of their names, and its score. A setting whose
// score is NaN leaves no mark.
type Setting struct {
	Values []float64
	Score  float64
}

// scoreScale returns the scores at the ends of a scale on which settings are compared. The worst fifth of the settings
// is beyond its end. So is every score that lies four times as far from the best as the first quarter of the settings
// reaches.
func scoreScale(settings []Setting, greater bool) (worst, best float64) {
	var all []float64
	for _, s := range settings {
		if !math.IsNaN(s.Score) {
			all = append(all, s.Score)
		}
	}
	if len(all) == 0 {
		return 0, 1
	}
	slices.Sort(all)
	if greater {
		slices.Reverse(all)
	}
	best, worst = all[0], all[len(all)-1-len(all)/5]
	if reach := 4 * (all[len(all)/4] - best); reach != 0 && math.Abs(worst-best) > math.Abs(reach) {
		worst = best + reach
	}
	return worst, best
}
