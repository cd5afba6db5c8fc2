package repro

import (
	"math"
	"slices"

	"rvflplus/pipeline"
	"rvflplus/search"
)

// neighbours is how many other settings count for one. On a few hundred rows the best
// score of many settings is as much luck as merit: a setting is chosen by the mean of
// its score and those of the nearest settings drawn, as one reads a plateau off a
// figure.
const neighbours = 5

// settle returns the number of the setting that is chosen, -1 if all scores are NaN. A
// setting that could not be solved counts as the worst score for its neighbours.
func (j *job) settle(at [][]float64, scores []float64) int {
	worst := nan
	for _, s := range scores {
		if s == s && !j.better(s, worst) {
			worst = s
		}
		if worst != worst {
			worst = s
		}
	}
	best, score := -1, nan
	for i := range scores {
		if scores[i] != scores[i] {
			continue
		}
		if s := around(at, scores, i, worst); j.better(s, score) {
			best, score = i, s
		}
	}
	return best
}

// around returns the mean score of a setting and its neighbours.
func around(at [][]float64, scores []float64, i int, worst float64) float64 {
	order := numbers(0, len(at))
	away := make([]float64, len(at))
	for k := range at {
		for d := range at[k] {
			away[k] += (at[k][d] - at[i][d]) * (at[k][d] - at[i][d])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case a == i || b != i && away[a] < away[b]:
			return -1
		case b == i || away[a] > away[b]:
			return 1
		}
		return 0
	})
	sum, near := 0.0, order[:min(len(order), neighbours+1)]
	for _, k := range near {
		if scores[k] == scores[k] {
			sum += scores[k]
		} else {
			sum += worst
		}
	}
	return sum / float64(len(near))
}

// place returns where a setting stands in the ranges that settings are drawn from,
// which are 0 to 1 each.
func place(p *pipeline.Prepared, c pipeline.Config) ([]float64, error) {
	s, err := p.Settings(c)
	if err != nil {
		return nil, err
	}
	var at []float64
	for _, v := range []struct {
		value *float64
		search.Range
	}{{s.C, search.RangeC}, {s.Gamma, search.RangeGamma}, {&s.U, search.RangeU}, {s.Width, search.RangeWidth}, {s.PrivWidth, search.RangeWidth}} {
		if v.value != nil && *v.value > 0 {
			at = append(at, math.Log(*v.value)/math.Log(v.High/v.Low))
		}
	}
	return at, nil
}
