package repro

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
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
	kind       pipeline.Kind
	sameAs     string // the method whose trials these are
	pool       *pool  // loaded when the first trial begins
}

func (j *job) key() Key {
	return Key{j.protocol.Name, j.dataset.Name, j.method.Name, j.method.Kernel, j.method.Activation}
}

// notes tells how a cell is run, where not as all others of asked trials.
func (j *job) notes(asked int) []string {
	var notes []string
	if n := j.trials(asked); n < asked {
		notes = append(notes, fmt.Sprintf("%d of %d trials", n, asked))
	}
	switch trials := j.trials(asked); {
	case j.experiment.Sweep != nil || !j.once() || trials < 2 && !j.few():
	case j.few():
		notes = append(notes, fmt.Sprintf("settings chosen once, on %d training rows of the first trial", j.mostTuned())+j.gammaWord())
	default:
		notes = append(notes, "settings chosen once, in the first trial")
	}
	if j.method.ChosenWith != "" {
		notes = append(notes, "settings chosen with solver "+j.method.ChosenWith+", which solves the same problem")
	}
	if j.sameAs != "" {
		notes = append(notes, "the trials of "+j.sameAs+": under one-hot coding both corrections predict the same classes")
	}
	return notes
}

// base returns what is not chosen.
func (j *job) base(seed uint64) pipeline.Config {
	c := j.method.Config
	c.Scale, c.Seed, c.NoCenter = j.protocol.Scale, seed, j.protocol.NoCenter
	c.AllowMissingPriv = true // of rows of choice and test, which need none
	c.Task = string(target.Regression)
	if j.experiment.Metric == "accuracy" {
		c.Task, c.NoCenter = string(target.Classification), false
	}
	if j.gammaHeld() {
		c.Gamma = j.protocol.Gamma
	}
	return c
}

func (j *job) gammaHeld() bool { return j.protocol.Gamma > 0 && j.method.Config.Kind == "krvfl+" }

// fixed names the hyper-parameters that are not drawn.
func (j *job) fixed() []string {
	if j.gammaHeld() {
		return append(slices.Clone(j.method.Fixed), "gamma")
	}
	return j.method.Fixed
}

// random reports whether trials differ on the same rows.
func (j *job) random() bool { return !j.kind.Kernel }

// trials returns how many there are of asked ones.
func (j *job) trials(asked int) int {
	switch {
	case j.dataset.Fixed && !j.random():
		return 1
	case j.dataset.KernelTrials != nil && squares(j.kind):
		return min(asked, j.dataset.KernelTrials[j.protocol.Name])
	case j.dataset.Once && j.method.OnceTrials > 0:
		return min(asked, j.method.OnceTrials)
	}
	return asked
}

// worth reports whether so many trials that take long are worth it: a method that the
// paper does not have stands beside one that it has, and one trial is no comparison.
func (m *Method) worth(trials int) bool {
	return !m.Ours || m.SameAs != "" || !m.AllColumns && trials > 1
}

// squares reports whether training solves an N×N system whatever the solution.
func squares(k pipeline.Kind) bool { return k.Kernel && !k.Margin }

// better reports whether a is a better value of the metric than b; NaN is worse than
// everything else.
func (j *job) better(a, b float64) bool {
	if j.experiment.Metric == "rmse" {
		return a < b || a == a && b != b
	}
	return a > b || a == a && b != b
}

// percent turns a share into the metric.
func (j *job) percent(v float64) float64 {
	if j.experiment.Metric == "accuracy" {
		return 100 * v
	}
	return v
}

// score trains a model with settings and returns the metric on other rows.
func (j *job) score(ctx context.Context, prepared *pipeline.Prepared, held *pipeline.Held, c pipeline.Config) (float64, error) {
	trainer, err := prepared.Trainer(c)
	if err != nil {
		return nan, err
	}
	model, _, err := trainer.Train(ctx, prepared.Problem())
	if err != nil {
		return nan, err
	}
	return j.measure(ctx, model, held)
}

// measure returns the metric of a model on held-out rows.
func (j *job) measure(ctx context.Context, m learn.Model, held *pipeline.Held) (float64, error) {
	outputs, err := predict(ctx, m, held.X)
	if err != nil {
		return nan, err
	}
	metrics, err := held.Score(outputs)
	if err != nil {
		return nan, err
	}
	_, value := metrics.Main()
	return j.percent(value), nil
}

// predict works block by block, so that it can be cancelled.
func predict(ctx context.Context, m learn.Model, x *mat.Dense) (*mat.Dense, error) {
	rows, columns := x.Dims()
	_, outputs := m.Dims()
	out := mat.NewDense(rows, outputs, nil)
	const block = 4 * learn.PredictBlock
	for lo := 0; lo < rows; lo += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+block, rows)
		m.PredictTo(out.Slice(lo, hi, 0, outputs).(*mat.Dense), x.Slice(lo, hi, 0, columns).(*mat.Dense))
	}
	return out, nil
}

// mended reports whether other settings may succeed where these failed.
func mended(err error) bool {
	return errors.Is(err, fault.NotSolved) || errors.Is(err, fault.Data)
}

// trial trains with chosen settings, alone, and measures on the test rows.
func (j *job) trial(ctx context.Context, p parts, best choice, limit time.Duration) (Trial, error) {
	prepared, err := pipeline.Prepare(p.train, best.config)
	if err != nil {
		return Trial{}, err
	}
	held, err := prepared.Apply(p.test)
	if err != nil {
		return Trial{}, err
	}
	t := Trial{TuneSeconds: best.seconds, Score: best.score, Config: best.config}
	trained := best.config
	model, report, seconds, err := j.train(ctx, prepared, &trained, limit)
	if err != nil {
		return t, err
	}
	if t.Settings, err = prepared.Settings(trained); err != nil {
		return t, err
	}
	t.Seconds, t.Solver = seconds, report.Solver
	t.Value, err = j.measure(ctx, model, held)
	return t, err
}

// A training shorter than short is repeated, at most repeats times, and the median
// counts: a clock and a garbage collection do not.
const (
	short   = 20 * time.Millisecond
	repeats = 15
)

// train trains the estimator on prepared rows and tells how long that takes. It sets the
// tolerance of c to the one that was reached.
func (j *job) train(ctx context.Context, p *pipeline.Prepared, c *pipeline.Config, limit time.Duration) (learn.Model, learn.Report, float64, error) {
	if j.method.Limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for {
		model, report, seconds, err := timed(ctx, p, *c)
		if c.Kind != "svm+" || !errors.Is(err, fault.NotSolved) || c.Tol > loosest {
			return model, report, seconds, err
		}
		c.Tol = 10 * max(c.Tol, tightest)
	}
}

// Relative duality gaps of SVM+: where rounding errors forbid the tightest, up to ten
// times the loosest will do.
const (
	tightest = 1e-6
	loosest  = 1e-3
)

// timed trains, as often as it takes to tell how long that takes.
func timed(ctx context.Context, p *pipeline.Prepared, c pipeline.Config) (learn.Model, learn.Report, float64, error) {
	trainer, err := p.Trainer(c)
	if err != nil {
		return nil, learn.Report{}, 0, err
	}
	problem := p.Problem()
	var times []float64
	for begin := time.Now(); ; {
		start := time.Now()
		model, report, err := trainer.Train(ctx, problem)
		if times = append(times, time.Since(start).Seconds()); err != nil {
			return nil, report, 0, err
		}
		if time.Since(begin) > short || len(times) == repeats {
			slices.Sort(times)
			return model, report, times[len(times)/2], nil
		}
	}
}
