package search

import (
	"math"

	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
)

// Scored are settings with their scores, which a Rule chooses from.
type Scored struct {
	Score   []float64 // of each setting, NaN where it could not be evaluated
	SE      []float64 // standard errors of the scores, NaN where not known
	Greater bool      // greater scores are better
	// Place returns where setting i stands: each tuned hyper-parameter as a share of its
	// range, in the logarithm. Rules that look at no neighbours do not call it.
	Place func(i int) ([]float64, error)
}

// better reports whether a is a better score than b; NaN is worse than everything else.
func (s Scored) better(a, b float64) bool {
	switch {
	case math.IsNaN(a):
		return false
	case math.IsNaN(b):
		return true
	case s.Greater:
		return a > b
	}
	return a < b
}

// first returns the setting of the best score, of equals the first; -1 if all are NaN.
func (s Scored) first(scores []float64) int {
	best := -1
	for i, v := range scores {
		if !math.IsNaN(v) && (best < 0 || s.better(v, scores[best])) {
			best = i
		}
	}
	return best
}

// Rule chooses one of some settings.
type Rule interface {
	// Choose returns the number of the setting that is chosen, -1 if none could be evaluated.
	Choose(s Scored) (int, error)
}

// Best chooses the setting with the best score, of equals the first.
type Best struct{}

// Choose implements Rule.
func (Best) Choose(s Scored) (int, error) { return s.first(s.Score), nil }

// Neighbours chooses by the mean of a setting's score and those of its neighbours, as one
// reads a plateau off a figure: of many settings the best score is also luck. Where
// settings stand apart it is their own score that counts. A setting that could not be
// evaluated counts as the worst score for its neighbours.
type Neighbours struct {
	// Within is how far apart neighbours are at most in every hyper-parameter, as a share
	// of its range.
	Within float64
}

// Choose implements Rule.
func (n Neighbours) Choose(s Scored) (int, error) {
	places := make([][]float64, len(s.Score))
	worst := math.NaN()
	for i, v := range s.Score {
		if !math.IsNaN(v) && (math.IsNaN(worst) || s.better(worst, v)) {
			worst = v
		}
		var err error
		if places[i], err = s.Place(i); err != nil {
			return -1, err
		}
	}
	means := make([]float64, len(s.Score))
	for i := range means {
		if means[i] = math.NaN(); !math.IsNaN(s.Score[i]) {
			means[i] = n.mean(places, s.Score, i, worst)
		}
	}
	return s.first(means), nil
}

// mean returns the mean score of setting i and its neighbours.
func (n Neighbours) mean(places [][]float64, scores []float64, i int, worst float64) float64 {
	sum, count := 0.0, 0.0
	for k := range places {
		if !n.near(places[i], places[k]) {
			continue
		}
		if v := scores[k]; math.IsNaN(v) {
			sum += worst
		} else {
			sum += v
		}
		count++
	}
	return sum / count
}

// near reports whether two places are neighbours; a hyper-parameter that is not there is
// near to nothing but another that is not there.
func (n Neighbours) near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for d := range a {
		if lacks := math.IsNaN(a[d]); lacks != math.IsNaN(b[d]) || !lacks && math.Abs(a[d]-b[d]) > n.Within {
			return false
		}
	}
	return true
}

// OneStandardError chooses, of the settings whose score is within one standard error of
// the best one, the first: settings are given from the simplest on (Breiman et al.,
// Classification and Regression Trees, 1984, section 3.4.3). Where the standard error of
// the best score is not known, it is Best.
type OneStandardError struct{}

// Choose implements Rule.
func (OneStandardError) Choose(s Scored) (int, error) {
	best := s.first(s.Score)
	if best < 0 || math.IsNaN(s.SE[best]) {
		return best, nil
	}
	for i, v := range s.Score[:best] {
		if math.Abs(v-s.Score[best]) <= s.SE[best] {
			return i, nil
		}
	}
	return best, nil
}

// Place returns where a setting stands for the rows of p: the logarithm of every
// hyper-parameter of its kind that has a range, the range of its description being 1 long;
// NaN for one that is not there or is 0.
func Place(p *pipeline.Prepared, c param.Config) ([]float64, error) {
	c, err := p.Resolve(c)
	if err != nil {
		return nil, err
	}
	k, err := kind.ByName(c.Kind)
	if err != nil {
		return nil, err
	}
	var at []float64
	for _, q := range k.Params {
		r := q.About().Tuned
		if r.High == 0 {
			continue
		}
		v := q.Number(&c)
		if !(v > 0) {
			v = math.NaN()
		}
		at = append(at, math.Log(v)/math.Log(r.High/r.Low))
	}
	return at, nil
}
