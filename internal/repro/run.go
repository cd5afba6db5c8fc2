package repro

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/registry"
	"rvflplus/learn"
)

var nan = math.NaN()

// Loader loads data sets. registry.Loader loads the published ones.
type Loader interface {
	// Load returns the part of a data set, registry.All for all rows. The error for a data set that is not there is
	// an fs.ErrNotExist, with the remedy as its hint.
	Load(ctx context.Context, e registry.Entry, part string) (*registry.Set, error)
}

// Options say how experiments are run. The zero value of a field means its default.
type Options struct {
	Loader   Loader
	Protocol string // PublishedName, OursName or "both" (default)
	// Datasets and Methods are the only ones to run, by the paper's word or, of data sets, the registry's. One text may
	// name several with commas between; nil means all.
	Datasets, Methods []string

	Trials int // default 10, of gains 20
	Draws  int // settings drawn for a method; default: the protocol's
	Seed   uint64
	Quick  bool // few rows, settings and trials: to see that everything runs
	// Limit is how long choosing settings and then training may take in a cell of a method that is limited; default
	// 10 minutes.
	Limit time.Duration
	// Cells is the folder in which finished trials are kept and found again; "" for none. Fresh does not look for
	// trials there.
	Cells   string
	Fresh   bool
	Version string // of the program, kept with the cells
	// Shard is the share of the cells that is filled; the others are shown as they are kept. The default is all.
	Shard    Shard
	Progress learn.Progress

	// substitute, when not nil, returns the estimator that a test puts in the place of another.
	substitute func(param.Config, learn.Trainer) learn.Trainer
}

// Defaults.
const (
	defaultTrials = 10
	quickTrials   = 2
	defaultLimit  = 10 * time.Minute
	quickLimit    = time.Minute
)

// Run runs experiments and returns their results, in order. A data set that is not there stops its rows; when no data
// set is there, the error is that of the first, fault.Data. A limit of time or memory stops its cell. When ctx is
// cancelled, finished trials are kept. Results depend on the seed and not on the number of threads; times, and what a
// time limit cuts off, depend on the machine too.
func (o Options) Run(ctx context.Context, experiments []*Experiment) ([]*Result, error) {
	limit := defaultLimit
	if o.Quick {
		limit = quickLimit
	}
	o.Limit, o.Protocol = cmp.Or(o.Limit, limit), cmp.Or(o.Protocol, "both")
	plans, err := o.plan(experiments)
	if err != nil {
		return nil, err
	}
	if o.Cells != "" {
		if err := checkFolder(o.Cells, "cells"); err != nil {
			return nil, err
		}
	}
	r := newRunner(o)
	if o.Shard.Of > 0 {
		r.owner = r.divide(plans)
	}
	jobs := 0
	for _, p := range plans {
		for _, j := range p.jobs {
			r.total += j.trials(r.asked(p.experiment))
			jobs++
		}
	}
	var results []*Result
	for _, p := range plans {
		result, err := r.run(ctx, p)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	if len(r.absent) > 0 && len(r.absent) == jobs-r.left {
		return nil, r.absent[0]
	}
	return results, nil
}

// runner is one call of Run.
type runner struct {
	Options
	sets         map[string]*registry.Set // loaded, by name
	cells        map[string]*kept         // by the names of their files
	fingerprints map[string]string        // by computation, as JSON
	owner        map[string]int           // the shards of cells, by shardKey; nil where all are filled
	absent       []error                  // of the jobs whose data set is not there
	left         int                      // jobs that are other machines'
	done, total  int                      // trials
}

func newRunner(o Options) *runner {
	return &runner{
		Options: o, sets: map[string]*registry.Set{}, cells: map[string]*kept{}, fingerprints: map[string]string{},
	}
}

// asked returns the number of trials of a cell of an experiment.
func (o *Options) asked(e *Experiment) int { return cmp.Or(o.Trials, e.Trials, defaultTrials) }

func (r *runner) tell(trials int) {
	r.done += trials
	r.Progress.Tell("trials", r.done, r.total)
}

// run fills the cells of a table, or the points of a figure.
func (r *runner) run(ctx context.Context, p *plan) (*Result, error) {
	result := &Result{
		Experiment: p.experiment, Protocol: r.Protocol, Statistics: p.statistics, Run: r.about(p.experiment),
	}
	for _, j := range p.jobs {
		k, err := r.fillOrElse(ctx, j)
		if err != nil {
			return nil, fmt.Errorf("%s, %s, %s: %w", p.experiment.Name, j.dataset.Name, j.method.Name, err)
		}
		for _, maker := range append(k.Earlier, k.Version) {
			result.Run.noteMaker(maker)
		}
		result.Run.Seconds += k.Spent
		if k.absent != nil {
			r.absent = append(r.absent, k.absent)
		}
		if k.left {
			result.Run.Left++
			r.left++
		}
		if j.experiment.Sweep != nil {
			result.Points = append(result.Points, k.Points...)
			continue
		}
		c := &Cell{
			Key:  j.method.key(j.protocol.Name, j.dataset.Name),
			Ours: j.method.Ours, Notes: j.notes(result.Run.Trials), SameAs: j.sameAs, Spent: k.Spent,
		}
		c.Otherwise, _ = j.otherwise()
		if j.experiment.Metric == accuracy {
			c.TestRows = j.dataset.Test
		}
		if trials := j.trials(result.Run.Trials); len(k.Trials) >= trials {
			c.Trials = k.Trials[:trials] // an earlier run may have asked for more
		} else {
			c.Trials, c.Stopped, c.Limit = k.Trials, k.Stopped, k.Limit
		}
		result.Cells = append(result.Cells, c)
	}
	result.Conclude()
	return result, nil
}

// fillOrElse fills the cell of a job. Where its data set is not at hand and another one stands in for it, the job is
// one on that other data set from then on.
func (r *runner) fillOrElse(ctx context.Context, j *job) (*kept, error) {
	name, err := r.name(ctx, j)
	if err != nil {
		return nil, err
	}
	owner := r.owner[r.shardKey(j)]
	k, err := r.fill(ctx, j, name, owner)
	if err != nil || k.absent == nil || j.dataset.Else == nil {
		return k, err
	}
	j.dataset, j.pool = *j.dataset.Else, nil
	if name, err = r.name(ctx, j); err != nil {
		return nil, err
	}
	r.total += j.trials(r.asked(j.experiment))
	other, err := r.fill(ctx, j, name, owner)
	if err == nil && other.absent != nil {
		return k, nil // which names the data set that is meant
	}
	return other, err
}

// fill returns the cell of a job with as many trials as there have to be, or stopped. name is the cell's file, owner
// the shard that it belongs to.
func (r *runner) fill(ctx context.Context, j *job, name string, owner int) (*kept, error) {
	k := r.recall(name)
	trials := j.trials(r.asked(j.experiment))
	r.tell(min(trials, len(k.Trials)))
	if owner != r.Shard.Part {
		r.tell(max(0, trials-len(k.Trials)))
		return r.leave(k, owner, trials), nil
	}
	for len(k.Trials) < trials && k.Stopped == "" && k.Points == nil {
		start := time.Now()
		err := r.next(ctx, j, k)
		k.Spent += time.Since(start).Seconds()
		if err != nil {
			if err := r.stop(ctx, k, err); err != nil {
				return nil, err
			}
		}
		if err := r.keep(ctx, j, name, k); err != nil {
			return nil, err
		}
		if k.Stopped == "" && k.Points == nil {
			r.tell(1)
		}
	}
	r.tell(max(0, trials-len(k.Trials)))
	return k, nil
}

// stop notes in k that err leaves the cell without further trials. It returns errors that stop the whole run.
func (r *runner) stop(ctx context.Context, k *kept, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		k.Limit = r.Limit.Seconds()
		k.Stopped = fmt.Sprintf("the time limit of %s", r.Limit)
	case errors.Is(err, fault.NotSolved), errors.Is(err, fault.Resource):
		k.Stopped = err.Error()
	case errors.Is(err, fs.ErrNotExist):
		k.Stopped, k.absent = "the data set is not here; "+fault.HintOf(err), err
	default:
		return err
	}
	k.mayPass = errors.Is(err, fault.Resource) || errors.Is(err, fault.Data)
	return nil
}

// next makes the next trial of a cell, or all points of a figure.
func (r *runner) next(ctx context.Context, j *job, k *kept) error {
	if err := r.load(ctx, j); err != nil {
		return err
	}
	if j.experiment.Sweep != nil {
		points, err := j.sweep(ctx, j.trials(r.asked(j.experiment)), r.Seed)
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
	var best choice
	if n > 0 && j.choosesOnce() {
		best = choice{config: k.Trials[0].Config, score: k.Trials[0].Score}
		best.config.Seed = seed
	} else {
		choosing := ctx
		if j.method.Limited {
			spent := total(k.Trials, func(t Trial) float64 { return t.TuneSeconds })
			var cancel context.CancelFunc
			choosing, cancel = context.WithTimeout(ctx, r.Limit-duration(spent))
			defer cancel()
		}
		if best, err = j.choose(choosing, rows, seed); err != nil {
			return err
		}
	}
	spent := total(k.Trials, func(t Trial) float64 { return t.Seconds })
	t, _, err := j.trial(ctx, rows, best, r.Limit-duration(spent))
	if err == nil {
		k.Trials = append(k.Trials, t)
	}
	return err
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// load loads the data set of a job, unless it is loaded.
func (r *runner) load(ctx context.Context, j *job) error {
	if j.pool != nil {
		return nil
	}
	part := cmp.Or(j.dataset.Part, registry.All)
	name := j.dataset.Entry + ":" + part
	set := r.sets[name]
	if set == nil {
		var err error
		if set, err = r.Loader.Load(ctx, entry(j.dataset.Entry), part); err != nil {
			return err
		}
		r.sets[name] = set
	}
	var err error
	if j.pool, err = newPool(set, j.dataset, j.experiment.Noise); err == nil {
		j.pool.read(j.protocol.Reading)
	}
	return err
}
