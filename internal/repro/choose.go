package repro

import (
	"context"
	"fmt"
	"time"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/parallel"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/search"
)

// choice is the outcome of choosing settings.
type choice struct {
	config  pipeline.Config
	score   float64
	seconds float64
}

// maxIterations bounds what a solver that takes many cheap steps may spend on a setting
// while settings are chosen: one that needs more is not chosen.
const maxIterations = 100_000

// choose draws settings for the training rows and returns the best.
func (j *job) choose(ctx context.Context, p parts, seed uint64) (choice, error) {
	start := time.Now()
	base := j.base(seed)
	if j.method.ChosenWith != "" {
		base.SVMSolver = j.method.ChosenWith
	}
	if j.kind.Margin && base.SVMSolver != "ipm" && base.SVMSolver != "fast" {
		base.MaxIter = maxIterations
	}
	how := j.byRowsLeftOut
	if j.protocol.Choice == "validation" {
		how = j.byValidation
	}
	best, err := how(ctx, p, base, seed)
	best.config.SVMSolver, best.config.MaxIter = j.base(seed).SVMSolver, 0
	best.config.Gamma *= j.moreRows()
	best.seconds = time.Since(start).Seconds()
	return best, err
}

// byRowsLeftOut scores settings on training rows: in closed form each left out alone,
// if the protocol says so, else in folds.
func (j *job) byRowsLeftOut(ctx context.Context, p parts, base pipeline.Config, seed uint64) (choice, error) {
	train, err := j.tuneRows(p.train, seed)
	if err != nil {
		return choice{}, err
	}
	prepared, drawn, err := j.candidates(train, base, seed)
	if err != nil {
		return choice{}, err
	}
	o := search.Options{Candidates: drawn, Seed: seed}
	if j.protocol.Choice == "folds" || j.kind.Margin {
		o.Scheme.Folds = j.dataset.Folds
	}
	r, err := search.Tune(ctx, train, base, o)
	if err != nil {
		return choice{}, err
	}
	scores := make([]float64, len(r.Trials))
	for i, t := range r.Trials {
		scores[i] = j.percent(t.Score)
	}
	return j.pick(prepared, drawn, scores)
}

// candidates draws settings for rows.
func (j *job) candidates(rows *dataset.Data, base pipeline.Config, seed uint64) (*pipeline.Prepared, []pipeline.Config, error) {
	prepared, err := pipeline.Prepare(rows, base)
	if err != nil {
		return nil, nil, err
	}
	drawn, err := search.Candidates(prepared, base, "random", j.draws(), j.fixed(), seed)
	for i := range drawn {
		if j.protocol.OneWidth && base.Kind == "krvfl+" {
			drawn[i].PrivKernel = drawn[i].Kernel
		}
	}
	return prepared, drawn, err
}

// pick returns the setting that is chosen.
func (j *job) pick(p *pipeline.Prepared, drawn []pipeline.Config, scores []float64) (choice, error) {
	at := make([][]float64, len(drawn))
	for i, c := range drawn {
		var err error
		if at[i], err = place(p, c); err != nil {
			return choice{}, err
		}
	}
	i := j.settle(at, scores)
	if i < 0 {
		return choice{}, fault.New(fault.NotSolved, "none of %d settings could be solved", len(drawn))
	}
	return choice{config: drawn[i], score: scores[i]}, nil
}

// tuneRows returns the training rows that settings are chosen on.
func (j *job) tuneRows(train *dataset.Data, seed uint64) (*dataset.Data, error) {
	if !j.few() {
		return train, nil
	}
	s, err := draw(train, j.pool.classes != nil, j.mostTuned(), seed)
	if err != nil {
		return nil, err
	}
	return train.Only(s), nil
}

// draws returns how many settings are drawn.
func (j *job) draws() int {
	switch d := j.protocol.Draws; {
	case j.kind.Margin:
		return d.Margin
	case j.kind.Kernel && j.few() && d.ManyRows > 0:
		return d.ManyRows
	case j.kind.Kernel:
		return d.Kernel
	default:
		return d.Layer
	}
}

// exactTuneRows bounds the rows that the exact solvers of SVM+ choose settings on.
const exactTuneRows = 200

// mostTuned returns how many rows settings are chosen on, 0 for all.
func (j *job) mostTuned() int {
	switch {
	case j.method.ChosenWith != "" && j.dataset.MarginTuneRows > 0:
		return min(exactTuneRows, j.dataset.MarginTuneRows)
	case j.kind.Margin:
		return j.dataset.MarginTuneRows
	}
	return j.dataset.TuneRows
}

// few reports whether settings are chosen on some of the training rows.
func (j *job) few() bool { return j.mostTuned() > 0 && j.mostTuned() < j.dataset.Train }

// once reports whether settings are chosen in the first trial only.
func (j *job) once() bool { return j.dataset.Once || j.method.ChosenWith != "" }

// moreRows returns by what a chosen γ is multiplied: how many times as many rows a model
// is trained on as its settings were chosen on. C adds up over rows what the normal and
// the correcting function leave unexplained. With the same γ, more rows let the
// correcting function explain more, which is lost on test rows; with γ times as large its
// penalty a row stays. In SVM+ the correcting function costs C a row already. A γ that is
// held is left as it is.
func (j *job) moreRows() float64 {
	if !j.few() || j.gammaHeld() || !j.kind.Priv || j.kind.Margin {
		return 1
	}
	return float64(j.dataset.Train) / float64(j.mostTuned())
}

// gammaWord tells of moreRows.
func (j *job) gammaWord() string {
	if by := j.moreRows(); by != 1 {
		return fmt.Sprintf("; γ then times %.3g, as the rows", by)
	}
	return ""
}

// byValidation scores settings on rows of their own.
func (j *job) byValidation(ctx context.Context, p parts, base pipeline.Config, seed uint64) (choice, error) {
	prepared, drawn, err := j.candidates(p.train, base, seed)
	if err != nil {
		return choice{}, err
	}
	scores, err := j.validate(ctx, p, prepared, drawn)
	if err != nil {
		return choice{}, err
	}
	return j.pick(prepared, drawn, scores)
}

// validate returns the metric on the validation rows of models with the given
// settings, NaN of those that have no solution.
func (j *job) validate(ctx context.Context, p parts, prepared *pipeline.Prepared, settings []pipeline.Config) ([]float64, error) {
	held, err := prepared.Apply(p.validation)
	if err != nil {
		return nil, err
	}
	scores, errs := make([]float64, len(settings)), make([]error, len(settings))
	err = parallel.For(ctx, len(settings), func(i int) {
		scores[i], errs[i] = j.score(ctx, prepared, held, settings[i])
	})
	for i := range errs {
		if errs[i] != nil && err == nil && !mended(errs[i]) {
			err = errs[i]
		}
	}
	return scores, err
}
