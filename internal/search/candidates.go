package search

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/rng"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/svm"
)

// Strategies lists how candidates are found: drawn at random, on a grid, or drawn at
// random and sifted by successive halving.
func Strategies() []string { return []string{"random", "grid", "halving"} }

// dimension is one hyper-parameter that is searched.
type dimension struct {
	param param.Param
	param.Range
	set func(c *param.Config, v float64)
}

// Candidates returns the settings to try: base with the hyper-parameters that its kind
// tunes, and that fixed does not hold, set to other values. "grid" takes as many points in
// every dimension, ends included, as make at most trials settings. The result depends on
// the seed, not on the order of evaluation.
func Candidates(p *pipeline.Prepared, base param.Config, strategy string, trials int, fixed []param.Param,
	seed uint64) ([]param.Config, error) {
	if !slices.Contains(Strategies(), strategy) {
		return nil, fault.Param("strategy", "one of "+strings.Join(Strategies(), ", "), strategy)
	}
	if trials < 1 {
		return nil, fault.Param("trials", "a whole number >= 1", trials)
	}
	base, all, _, err := searched(p, base)
	if err != nil {
		return nil, err
	}
	free := slices.DeleteFunc(slices.Clone(all), func(d dimension) bool { return slices.Contains(fixed, d.param) })
	if strategy == "grid" {
		return grid(base, free, trials), nil
	}
	return draw(base, all, free, trials, seed), nil
}

// searched returns base as its kind completes it for these rows, what the kind tunes, and the kind.
func searched(p *pipeline.Prepared, base param.Config) (param.Config, []dimension, kind.Kind, error) {
	k, err := kind.ByName(base.Kind)
	if err != nil {
		return base, nil, k, err
	}
	base = k.Complete(WithTargetTolerance(p.Problem().Y, k, base))
	all, err := dimensions(p, k, &base)
	return base, all, k, err
}

// dimensions returns what the kind k tunes, and makes the automatic widths of base
// explicit. The width of a kernel is varied where the data decide it: ranges of widths are
// of multiples of the automatic ones.
func dimensions(p *pipeline.Prepared, k kind.Kind, base *param.Config) (all []dimension, err error) {
	given := *base
	if *base, err = p.Resolve(*base); err != nil {
		return nil, err
	}
	base.Task = given.Task
	resolved := *base
	for _, t := range k.Tuned {
		d := dimension{param: t.Param, Range: t.Range}
		switch q := t.Param.(type) {
		case *param.Of[float64]:
			unit := 1.0
			if t.OfTarget {
				unit = TargetStd(p.Problem().Y)
			}
			if q == param.C && base.Solver == "pinv" {
				continue
			}
			d.set = func(c *param.Config, v float64) { q.Set(c, v*unit) }
		default:
			var of func(c *param.Config) *kernel.Spec
			switch t.Param {
			case param.Width:
				of = func(c *param.Config) *kernel.Spec { return &c.Kernel }
			case param.PrivWidth:
				of = func(c *param.Config) *kernel.Spec { return &c.PrivKernel }
			default:
				panic("search: no way to vary " + t.About().Name)
			}
			own, automatic := *of(&given), *of(&resolved)
			if !own.HasAutomaticWidth() {
				continue
			}
			d.set = func(c *param.Config, v float64) { *of(c) = own.ScaleWidths(automatic, v) }
		}
		all = append(all, d)
	}
	return all, nil
}

// WithTargetTolerance returns the config with the tolerance that a regression by a support
// vector machine has for the targets y, unless it is given. Left to the machine, every
// fold would have the tolerance of its own rows.
func WithTargetTolerance(y *mat.Dense, k kind.Kind, c param.Config) param.Config {
	if k.Task == target.Regression && !k.ClosedForm && c.Tol == 0 {
		c.Tol = svm.DefaultTolerance(y.RawMatrix(), nil)
	}
	return c
}

// TargetStd returns the standard deviation of targets, over several the root mean square of
// theirs; 1 if they are constant.
func TargetStd(y *mat.Dense) float64 {
	rows, m := y.Dims()
	var sum float64
	for j := range m {
		_, sd := stat.PopMeanStdDev(mat.Col(nil, j, y), nil)
		sum += sd * sd
	}
	if sum == 0 || rows == 0 {
		return 1
	}
	return math.Sqrt(sum / float64(m))
}

// draw draws every dimension for every trial, so that fixing one leaves the values of
// the others.
func draw(base param.Config, all, free []dimension, trials int, seed uint64) []param.Config {
	r := rng.New(seed, "search")
	out := make([]param.Config, trials)
	for i := range out {
		out[i] = base
		for _, d := range all {
			v := d.At(r.Float64())
			if slices.ContainsFunc(free, func(f dimension) bool { return f.param == d.param }) {
				d.set(&out[i], v)
			}
		}
	}
	return out
}

func grid(base param.Config, free []dimension, trials int) []param.Config {
	out := []param.Config{base}
	points := 1
	for math.Pow(float64(points+1), float64(len(free))) <= float64(trials) && len(free) > 0 {
		points++
	}
	for _, d := range free {
		var next []param.Config
		for _, c := range out {
			for k := range points {
				t := 0.5
				if points > 1 {
					t = float64(k) / float64(points-1)
				}
				d.set(&c, d.At(t))
				next = append(next, c)
			}
		}
		out = next
	}
	return out
}
