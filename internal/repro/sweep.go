package repro

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"rvflplus/fault"
	"rvflplus/internal/pipeline"
)

// sweep returns the points of a figure: the mean over the trials, on the rows of choice.
func (r *runner) sweep(ctx context.Context, j *job) ([]Point, error) {
	s := j.experiment.Sweep
	var points []Point
	for _, x := range s.XValues {
		for _, y := range s.ys() {
			points = append(points, Point{Protocol: j.protocol.Name, X: x, Y: y})
		}
	}
	trials := j.trials(r.Trials)
	for t := range trials {
		values, err := r.sweepOnce(ctx, j, points, t)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			points[i].Value += v / float64(trials)
		}
	}
	return points, nil
}

func (s *Sweep) ys() []float64 {
	if s.Y == "" {
		return []float64{0}
	}
	return s.YValues
}

// sweepOnce returns the best value at each point in one trial.
func (r *runner) sweepOnce(ctx context.Context, j *job, points []Point, trial int) ([]float64, error) {
	seed := r.Seed + uint64(trial)
	rows, err := j.pool.split(trial, seed)
	if err != nil {
		return nil, err
	}
	var settings []pipeline.Config
	for _, p := range points {
		settings = append(settings, j.experiment.Sweep.at(p, j.base(seed))...)
	}
	prepared, err := pipeline.Prepare(rows.train, j.base(seed))
	if err != nil {
		return nil, err
	}
	scores, err := j.validate(ctx, rows, prepared, settings)
	if err != nil {
		return nil, err
	}
	best := make([]float64, len(points))
	each := len(settings) / len(points)
	for i := range best {
		best[i] = slices.MaxFunc(scores[i*each:(i+1)*each], func(a, b float64) int {
			if j.better(b, a) {
				return -1
			}
			return 1
		})
		if best[i] != best[i] {
			return nil, fault.New(fault.NotSolved, "no settings at %s %g could be solved", j.experiment.Sweep.X, points[i].X)
		}
	}
	return best, nil
}

// at returns the settings whose best is shown at a point.
func (s *Sweep) at(p Point, base pipeline.Config) []pipeline.Config {
	out := []pipeline.Config{with(base, s.X, p.X)}
	if s.Y != "" {
		out[0] = with(out[0], s.Y, p.Y)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Over)) {
		var next []pipeline.Config
		for _, c := range out {
			for _, v := range s.Over[name] {
				next = append(next, with(c, name, v))
			}
		}
		out = next
	}
	return out
}

// with sets a hyper-parameter; the width is that of both Gaussian kernels.
func with(c pipeline.Config, name string, v float64) pipeline.Config {
	switch name {
	case "C":
		c.C = v
	case "gamma":
		c.Gamma = v
	case "width":
		c.Kernel = "rbf:width=" + strconv.FormatFloat(v, 'g', -1, 64)
		c.PrivKernel = c.Kernel
	default:
		panic("repro: a figure varies " + name)
	}
	return c
}
