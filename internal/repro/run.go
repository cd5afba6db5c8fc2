package repro

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"rvflplus/fault"
	"rvflplus/internal/registry"
	"rvflplus/learn"
)

var nan = math.NaN()

// Options say how experiments are run. The zero value of a field means its default.
type Options struct {
	Loader   registry.Loader
	Protocol string   // PublishedName, OursName or "both" (default)
	Datasets []string // only these, by the paper's word or the registry's, or several with commas between; nil: all
	Methods  []string // only these, by the paper's word, or several; nil: all
	Trials   int      // default 10
	Draws    int      // settings drawn for a method; default: the protocol's
	Seed     uint64
	Quick    bool // few rows, settings and trials: to see that everything runs
	// Limit is how long choosing settings and then training may take in a cell of a
	// method that is limited; default 10 minutes.
	Limit time.Duration
	// Cells is the folder in which finished trials are kept and found again; "" for
	// none. Fresh does not look for them.
	Cells    string
	Fresh    bool
	Version  string // of the program, kept with the cells
	Progress learn.Progress
}

// Defaults.
const (
	defaultTrials = 10
	quickTrials   = 2
	defaultLimit  = 10 * time.Minute
	quickLimit    = time.Minute
)

func (o Options) withDefaults() Options {
	trials, limit := defaultTrials, defaultLimit
	if o.Quick {
		trials, limit = quickTrials, quickLimit
	}
	o.Trials, o.Limit, o.Protocol = learn.Or(o.Trials, trials), learn.Or(o.Limit, limit), learn.Or(o.Protocol, "both")
	return o
}

// Run runs experiments and returns their results, in order. A data set that is not here
// stops its rows, unless none is: then the error is that of the first, fault.Data. What
// is limited by time or memory stops its cell. When ctx is cancelled, trials that were
// finished are kept. But for times and what a time limit cut off, results depend on the
// seed, not on the number of threads.
func (o Options) Run(ctx context.Context, experiments []*Experiment) ([]*Result, error) {
	o = o.withDefaults()
	r := &runner{Options: o, source: source{Loader: o.Loader, sets: map[string]*registry.Set{}}, cells: map[string]*kept{}}
	plans, err := o.plan(experiments)
	if err != nil {
		return nil, err
	}
	if o.Cells != "" {
		if err := checkFolder(o.Cells, "cells"); err != nil {
			return nil, err
		}
	}
	if err := r.someData(ctx, plans); err != nil {
		return nil, err
	}
	for _, p := range plans {
		r.count(p)
	}
	var results []*Result
	for _, p := range plans {
		result, err := r.run(ctx, p)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// runner is one call of Run.
type runner struct {
	Options
	source      source
	cells       map[string]*kept // by the names of their files
	done, total int              // trials
}

// someData returns an error if no data set of the plans is here.
func (r *runner) someData(ctx context.Context, plans []*plan) error {
	var first string
	for _, p := range plans {
		for _, j := range p.jobs {
			if entry(j.dataset.Entry).Available(r.source.Folders) {
				return nil
			}
			first = learn.Or(first, j.dataset.Entry)
		}
	}
	if first == "" {
		return nil
	}
	_, err := r.source.load(ctx, first)
	return err
}

// count adds the trials of a plan to those that progress tells of.
func (r *runner) count(p *plan) {
	for _, j := range p.jobs {
		r.total += j.trials(r.Trials)
	}
}

func (r *runner) tell(trials int) {
	r.done += trials
	r.Progress.Tell("trials", r.done, r.total)
}

func (r *runner) run(ctx context.Context, p *plan) (*Result, error) {
	result := &Result{Experiment: p.experiment, Protocol: r.Protocol, Statistics: p.statistics, Run: r.about()}
	for _, j := range p.jobs {
		if err := r.into(ctx, result, j); err != nil {
			return nil, fmt.Errorf("%s, %s, %s: %w", p.experiment.Name, j.dataset.Name, j.method.Name, err)
		}
	}
	result.Conclude()
	return result, nil
}

// into fills a cell, or the points of a figure.
func (r *runner) into(ctx context.Context, result *Result, j *job) error {
	k, err := r.fill(ctx, j)
	if err != nil {
		return err
	}
	for _, by := range append(k.Earlier, k.Version) {
		result.Run.from(by)
	}
	if result.Run.Seconds += k.Spent; j.experiment.Sweep != nil {
		result.Points = append(result.Points, k.Points...)
		return nil
	}
	result.Cells = append(result.Cells, r.cell(j, k))
	return nil
}

// cell returns what is shown of a kept cell, which may have more trials than are asked
// for.
func (r *runner) cell(j *job, k *kept) *Cell {
	trials := j.trials(r.Trials)
	c := &Cell{Key: j.key(), Ours: j.method.Ours, Notes: j.notes(r.Trials), SameAs: j.sameAs, Spent: k.Spent}
	if j.experiment.Metric == "accuracy" {
		c.TestRows = j.dataset.Test
	}
	if c.Trials = k.Trials; len(c.Trials) >= trials {
		c.Trials = c.Trials[:trials]
	} else {
		c.Stopped, c.Limit = k.Stopped, k.Limit
	}
	return c
}

// fill returns the cell of a job with as many trials as there have to be, or stopped.
func (r *runner) fill(ctx context.Context, j *job) (*kept, error) {
	k := r.recall(j)
	trials := j.trials(r.Trials)
	r.tell(min(trials, len(k.Trials)))
	for len(k.Trials) < trials && k.Stopped == "" && k.Points == nil {
		start := time.Now()
		err := r.next(ctx, j, k)
		k.Spent += time.Since(start).Seconds()
		if err != nil {
			if err = r.stop(ctx, j, k, err); err != nil {
				return nil, err
			}
		}
		if err := r.keep(ctx, j, k); err != nil {
			return nil, err
		}
		if k.Stopped == "" && k.Points == nil {
			r.tell(1)
		}
	}
	r.tell(max(0, trials-len(k.Trials)))
	return k, nil
}

// stop notes why a cell has no more trials; an error that is no such reason is
// returned.
func (r *runner) stop(ctx context.Context, j *job, k *kept, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		k.Limit = r.Limit.Seconds()
		k.Stopped = fmt.Sprintf("the time limit of %s", r.Limit)
	case errors.Is(err, fault.NotSolved), errors.Is(err, fault.Resource):
		k.Stopped = err.Error()
	case !entry(j.dataset.Entry).Available(r.source.Folders):
		k.Stopped = "the data set is not here; " + fault.HintOf(err)
	default:
		return err
	}
	k.passing = errors.Is(err, fault.Resource) || errors.Is(err, fault.Data)
	return nil
}

// next makes the next trial of a cell, or all points of a figure.
func (r *runner) next(ctx context.Context, j *job, k *kept) error {
	if err := r.load(ctx, j); err != nil {
		return err
	}
	if j.experiment.Sweep != nil {
		points, err := r.sweep(ctx, j)
		k.Points = points
		return err
	}
	n := len(k.Trials)
	seed := r.Seed + uint64(n)
	rows, err := j.pool.split(n, seed)
	if err != nil {
		return err
	}
	if j.method.AllColumns {
		rows = rows.withAll()
	}
	best, err := r.choice(ctx, j, k, rows, seed)
	if err != nil {
		return err
	}
	t, err := j.trial(ctx, rows, best, r.Limit-spent(k.Trials, func(t Trial) float64 { return t.Seconds }))
	if err != nil {
		return err
	}
	k.Trials = append(k.Trials, t)
	return nil
}

// choice returns the settings of the next trial.
func (r *runner) choice(ctx context.Context, j *job, k *kept, rows parts, seed uint64) (choice, error) {
	if j.once() && len(k.Trials) > 0 {
		first := k.Trials[0]
		best := choice{config: first.Config, score: first.Score}
		best.config.Seed = seed
		return best, nil
	}
	if j.method.Limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Limit-spent(k.Trials, func(t Trial) float64 { return t.TuneSeconds }))
		defer cancel()
	}
	return j.choose(ctx, rows, seed)
}

func spent(trials []Trial, on func(Trial) float64) time.Duration {
	return time.Duration(total(trials, on) * float64(time.Second))
}

func (r *runner) load(ctx context.Context, j *job) error {
	if j.pool != nil {
		return nil
	}
	set, err := r.source.load(ctx, j.dataset.Entry)
	if err != nil {
		return err
	}
	j.pool, err = newPool(set, j.dataset, j.experiment.Noise)
	return err
}

// recall returns what is kept of a cell: of this run, or in the folder.
func (r *runner) recall(j *job) *kept {
	name := j.name(r.Seed, r.Trials)
	if k := r.cells[name]; k != nil {
		return k
	}
	k := &kept{}
	if r.Cells != "" && !r.Fresh {
		k.read(filepath.Join(r.Cells, name))
	}
	if k.Limit > 0 && k.Limit < r.Limit.Seconds() {
		k.Stopped, k.Limit = "", 0
	}
	r.cells[name] = k
	return k
}

// keep writes a cell, unless it stopped for a reason that may pass.
func (r *runner) keep(ctx context.Context, j *job, k *kept) error {
	if r.Cells == "" || k.passing {
		return nil
	}
	run := r.about()
	k.by(run.by())
	k.Cell = j.words()
	return k.write(ctx, filepath.Join(r.Cells, j.name(r.Seed, r.Trials)))
}
