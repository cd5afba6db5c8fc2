package repro

import (
	"context"
	"maps"
	"math"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
)

// sweep returns the points of a figure: the mean over the trials, on the validation rows.
func (j *job) sweep(ctx context.Context, trials int, seed uint64) ([]Point, error) {
	s := j.experiment.Sweep
	ys := s.YValues
	if s.Y == "" {
		ys = []float64{0}
	}
	var points []Point
	for _, x := range s.XValues {
		for _, y := range ys {
			points = append(points, Point{Protocol: j.protocol.Name, X: x, Y: y})
		}
	}
	for t := range trials {
		values, err := j.sweepOnce(ctx, points, t, seed+uint64(t))
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			points[i].Value += v / float64(trials)
		}
	}
	return points, nil
}

// sweepOnce returns the best value at each point in one trial.
func (j *job) sweepOnce(ctx context.Context, points []Point, trial int, seed uint64) ([]float64, error) {
	rows, err := j.pool.split(trial, seed)
	if err != nil {
		return nil, err
	}
	var settings []param.Config
	for _, p := range points {
		settings = append(settings, j.experiment.Sweep.at(p, j.base(seed))...)
	}
	prepared, err := pipeline.Prepare(ctx, rows.train, j.base(seed))
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
		best[i] = nan
		for _, score := range scores[i*each : (i+1)*each] {
			if j.experiment.better(score, best[i]) {
				best[i] = score
			}
		}
		if math.IsNaN(best[i]) {
			return nil, fault.New(fault.NotSolved,
				"no settings at %s %g could be solved", j.experiment.Sweep.X, points[i].X)
		}
	}
	return best, nil
}

// at returns the settings whose best is shown at a point.
func (s *Sweep) at(p Point, base param.Config) []param.Config {
	out := []param.Config{with(base, s.X, p.X)}
	if s.Y != "" {
		out[0] = with(out[0], s.Y, p.Y)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Over)) {
		var next []param.Config
		for _, c := range out {
			for _, v := range s.Over[name] {
				next = append(next, with(c, name, v))
			}
		}
		out = next
	}
	return out
}

// with sets a numeric hyper-parameter; the width is that of the kernels of both spaces.
func with(c param.Config, name string, v float64) param.Config {
	p := param.ByName(name)
	if err := p.SetText(&c, param.FormatNumber(v)); err != nil {
		panic("repro: a figure: " + err.Error())
	}
	if p == param.Param(param.Width) {
		c.PrivKernel = c.Kernel
	}
	return c
}
