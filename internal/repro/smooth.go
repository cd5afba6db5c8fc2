package repro

import (
	"math"

	"rvflplus/internal/pipeline"
	"rvflplus/internal/search"
)

// near is how far apart neighbours are at most in every hyper-parameter, as a share of
// its range: a factor of 3 of C and γ, of 1.4 of u, widths and ε. Of many settings the best
// score is also luck. A setting is chosen by the mean of its score and those of its
// neighbours, as one reads a plateau off a figure; where settings stand apart, by its own.
const near = 0.05

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
	sum, count := 0.0, 0.0
	for k := range at {
		switch {
		case !isNear(at[i], at[k]):
			continue
		case scores[k] == scores[k]:
			sum += scores[k]
		default:
			sum += worst
		}
		count++
	}
	return sum / count
}

func isNear(a, b []float64) bool {
	for d := range a {
		if math.Abs(a[d]-b[d]) > near {
			return false
		}
	}
	return true
}

// place returns where a setting stands, each range that closed forms are drawn from, and
// that of ε, being 1 long.
func place(p *pipeline.Prepared, c pipeline.Config) ([]float64, error) {
	s, err := p.Settings(c)
	if err != nil {
		return nil, err
	}
	var at []float64
	for _, v := range []struct {
		value *float64
		search.Range
	}{{s.C, search.RangeC}, {s.Gamma, search.RangeGamma}, {&s.U, search.RangeU}, {s.Width, search.RangeWidth}, {s.PrivWidth, search.RangeWidth}, {s.Epsilon, search.RangeEpsilon}} {
		if v.value != nil && *v.value > 0 {
			at = append(at, math.Log(*v.value)/math.Log(v.High/v.Low))
		}
	}
	return at, nil
}
