package repro

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/lupi"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// job is a cell to fill.
type job struct {
	experiment *Experiment
	protocol   Protocol
	dataset    Dataset
	method     Method
	kind       kind.Kind
	sameAs     string // the method whose trials are shown
	pool       *pool  // loaded when the first trial begins
	repeats    int    // a training too short to be timed is repeated, at most so many times
	substitute func(param.Config, learn.Trainer) learn.Trainer
}

// notes tells how a cell is run, where it is run otherwise than most: asked is the number of trials of most.
func (j *job) notes(asked int) []string {
	var notes []string
	trials := j.trials(asked)
	if trials < asked {
		notes = append(notes, fmt.Sprintf("%d of %d trials", trials, asked))
	}
	switch {
	case j.experiment.Sweep != nil || !j.choosesOnce() || trials < 2 && !j.tunesOnSubset():
	case j.tunesOnSubset():
		text := fmt.Sprintf("settings chosen once, on %d training rows of the first trial", j.tuningRows())
		if factor := j.gammaFactor(); factor != 1 {
			text += fmt.Sprintf("; γ then times %.3g, as the rows", factor)
		}
		notes = append(notes, text)
	default:
		notes = append(notes, "settings chosen once, in the first trial")
	}
	if j.method.ChosenWith != "" {
		notes = append(notes, "settings chosen with solver "+j.method.ChosenWith+", which solves the same problem")
	}
	if _, how := j.otherwise(); how != "" {
		notes = append(notes, how)
	}
	if j.sameAs != "" {
		notes = append(notes,
			"the trials of "+j.sameAs+": under one-hot coding both corrections predict the same classes")
	}
	return notes
}

// base returns the settings that are not chosen.
func (j *job) base(seed uint64) param.Config {
	c := j.method.Config
	c.Scale, c.Seed, c.Center = j.protocol.Scale, seed, j.protocol.Center
	c.AllowMissingPriv = true // validation and test rows need no privileged values
	c.Task = string(target.Regression)
	if j.classification() {
		c.Task = string(target.Classification)
	}
	if j.method.Parity {
		c.Hidden, c.PrivHidden = parityNodes, parityNodes
	}
	if j.gammaHeld() {
		c.Gamma = j.protocol.Gamma
	}
	return c
}

// privilegedKernels reports whether the method is the paper's kernel network with privileged columns. The published
// protocol prescribes its γ and one width for both spaces.
func (j *job) privilegedKernels() bool {
	return j.kind.ClosedForm && j.kind.Kernels && j.kind.Privileged
}

func (j *job) gammaHeld() bool { return j.protocol.Gamma > 0 && j.privilegedKernels() }

// trials returns how many trials there are of asked ones.
func (j *job) trials(asked int) int {
	switch {
	case j.dataset.Fixed && j.kind.Kernels: // on the same rows only random layers differ
		return 1
	case j.dataset.KernelTrials != nil && solvesAllRows(j.kind):
		return min(asked, j.dataset.KernelTrials[j.protocol.Name])
	case j.dataset.Once && j.method.OnceTrials > 0:
		return min(asked, j.method.OnceTrials)
	}
	return asked
}

// solvesAllRows reports whether training solves an N×N system, however few rows its solution needs.
func solvesAllRows(k kind.Kind) bool { return k.Kernels && k.ClosedForm }

// otherSettingsMaySolve reports whether other settings may succeed where these failed with err.
func otherSettingsMaySolve(err error) bool {
	return errors.Is(err, fault.NotSolved) || errors.Is(err, fault.Data)
}

// measure returns the metric of outputs for held-out rows.
func (j *job) measure(held *pipeline.Held, outputs *mat.Dense) (float64, error) {
	metrics, err := held.Score(outputs)
	if err != nil {
		return nan, err
	}
	_, value := metrics.Main()
	if j.experiment.Metric == points && metrics.Number != nil {
		value = metrics.Number.R2
	}
	return value * j.experiment.scale(), nil
}

// classification reports whether the targets are classes.
func (j *job) classification() bool {
	switch j.experiment.Metric {
	case accuracy:
		return true
	case points:
		return cmp.Or(j.dataset.Task, entry(j.dataset.Entry).Task) == string(target.Classification)
	}
	return false
}

// trainer returns the estimator of a config.
func (j *job) trainer(p *pipeline.Prepared, c param.Config) (learn.Trainer, error) {
	t, err := p.Trainer(c)
	if err == nil && j.method.Own != "" {
		own := t.(lupi.Config)
		own.Method = j.method.Own
		t = own
	}
	if err == nil && j.substitute != nil {
		t = j.substitute(c, t)
	}
	return t, err
}

// trial trains with the chosen settings, alone, so that its time can be told, and measures on the test rows. It also
// returns the outputs for the test rows. limit bounds the training of methods that are limited.
func (j *job) trial(ctx context.Context, p parts, best choice, limit time.Duration) (Trial, *mat.Dense, error) {
	prepared, err := pipeline.Prepare(ctx, p.train, best.config)
	if err != nil {
		return Trial{}, nil, err
	}
	held, err := prepared.Apply(p.test)
	if err != nil {
		return Trial{}, nil, err
	}
	training := ctx
	if j.method.Limited {
		var cancel context.CancelFunc
		training, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	t := Trial{TuneSeconds: best.seconds, Score: best.score, Config: best.config}
	trained := best.config
	model, report, err := j.train(training, prepared, &trained, &t.Seconds)
	if err != nil {
		return t, nil, err
	}
	resolved, err := prepared.Resolve(trained)
	if err != nil {
		return t, nil, err
	}
	t.Settings, t.Solver = kind.Settings(resolved), report.Solver
	if j.method.Own != "" {
		if err := j.keepOwn(ctx, prepared, &t, report); err != nil {
			return t, nil, err
		}
	}
	outputs, err := learn.Predict(ctx, model, held.X, nil)
	if err != nil {
		return t, nil, err
	}
	t.Value, err = j.measure(held, outputs)
	return t, outputs, err
}

// Relative duality gaps of SVM+: where rounding errors forbid the tightest, up to ten times the loosest will do.
const (
	tightest = 1e-6
	loosest  = 1e-3
)

// train trains on prepared rows, sets the tolerance of c to the one that was reached and seconds to the time.
func (j *job) train(
	ctx context.Context, p *pipeline.Prepared, c *param.Config, seconds *float64,
) (learn.Model, learn.Report, error) {
	gap := j.kind.Privileged && !j.kind.ClosedForm // the tolerance is a relative duality gap
	for {
		model, report, err := j.timed(ctx, p, *c, seconds)
		if !gap || !errors.Is(err, fault.NotSolved) || c.Tol > loosest {
			return model, report, err
		}
		c.Tol = 10 * max(c.Tol, tightest)
	}
}

// A training shorter than short is repeated and the median of the times counts: a clock's resolution and a garbage
// collection then do not.
const (
	short   = 20 * time.Millisecond
	repeats = 15
)

// timed trains and sets seconds to the time of one training.
func (j *job) timed(
	ctx context.Context, p *pipeline.Prepared, c param.Config, seconds *float64,
) (learn.Model, learn.Report, error) {
	trainer, err := j.trainer(p, c)
	if err != nil {
		return nil, learn.Report{}, err
	}
	problem := j.problem(p)
	var times []float64
	for begin := time.Now(); ; {
		start := time.Now()
		model, report, err := trainer.Train(ctx, problem)
		if times = append(times, time.Since(start).Seconds()); err != nil {
			return nil, report, err
		}
		if time.Since(begin) > short || len(times) >= j.repeats {
			slices.Sort(times)
			*seconds = times[len(times)/2]
			return model, report, nil
		}
	}
}
