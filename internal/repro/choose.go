package repro

import (
	"context"
	"slices"
	"time"

	"rvflplus/fault"
	"rvflplus/internal/parallel"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
	"rvflplus/learn"
)

// choice is the outcome of choosing settings.
type choice struct {
	config  param.Config
	score   float64
	seconds float64
}

// maxIterations bounds what a solver that takes many cheap steps may spend on a setting while settings are chosen: a
// setting that needs more is not chosen.
const maxIterations = 100_000

// choose draws settings for the training rows and returns the chosen one.
func (j *job) choose(ctx context.Context, p parts, seed uint64) (choice, error) {
	start := time.Now()
	base := j.base(seed)
	if j.method.Own != "" {
		return choice{config: base}, nil
	}
	if j.method.ChosenWith != "" {
		base.SVMSolver = j.method.ChosenWith
	}
	if !j.kind.ClosedForm && base.SVMSolver != "ipm" && base.SVMSolver != "fast" {
		base.MaxIter = maxIterations
	}
	train := p.train
	if j.protocol.Choice != "validation" && j.tunesOnSubset() {
		rows, err := draw(train, j.pool.classes != nil, j.tuningRows(), seed)
		if err != nil {
			return choice{}, err
		}
		train = train.Only(rows)
	}
	prepared, drawn, err := j.candidates(ctx, train, base, seed)
	if err != nil {
		return choice{}, err
	}
	var best choice
	if j.protocol.Choice == "validation" {
		best, err = j.byValidation(ctx, p, prepared, drawn)
	} else {
		best, err = j.byRowsLeftOut(ctx, train, base, drawn)
	}
	if err != nil {
		return choice{}, err
	}
	best.config.SVMSolver, best.config.MaxIter = j.method.Config.SVMSolver, 0
	best.config.Gamma *= j.gammaFactor()
	best.seconds = time.Since(start).Seconds()
	return best, nil
}

// candidates draws settings for rows.
func (j *job) candidates(
	ctx context.Context, rows *roles.Data, base param.Config, seed uint64,
) (*pipeline.Prepared, []param.Config, error) {
	prepared, err := pipeline.Prepare(ctx, rows, base)
	if err != nil {
		return nil, nil, err
	}
	var fixed []param.Param
	if j.gammaHeld() {
		fixed = []param.Param{param.Gamma}
	}
	drawn, err := search.Candidates(prepared, base, "random", j.draws(), fixed, seed)
	for i := range drawn {
		if j.protocol.OneWidth && j.privilegedKernels() {
			drawn[i].PrivKernel = drawn[i].Kernel
		}
	}
	return prepared, drawn, err
}

// rule chooses among the settings. Neighbours are within a factor of 3 of C and γ, of 1.4 of u, widths and ε.
var rule = search.Neighbours{Within: 0.05}

// byRowsLeftOut scores settings on training rows: each row left out alone where a closed form and the protocol allow
// it, else in folds.
func (j *job) byRowsLeftOut(
	ctx context.Context, train *roles.Data, base param.Config, drawn []param.Config,
) (choice, error) {
	o := search.Options{Candidates: drawn, Seed: base.Seed, Rule: scaled{rule, j.experiment.scale()}}
	if j.protocol.Choice == "folds" || !j.kind.ClosedForm {
		o.Scheme.Folds = j.dataset.Folds
	}
	r, err := search.Tune(ctx, train, base, o)
	if err != nil {
		return choice{}, err
	}
	return choice{config: r.Trials[r.Best].Config, score: r.Trials[r.Best].Score * j.experiment.scale()}, nil
}

// scaled chooses by scores times a factor. Means over neighbours that are equal in percent may differ in their last
// bit as shares, and the first of equal ones is chosen.
type scaled struct {
	search.Rule
	factor float64
}

// Choose implements search.Rule.
func (r scaled) Choose(s search.Scored) (int, error) {
	s.Score = slices.Clone(s.Score)
	for i := range s.Score {
		s.Score[i] *= r.factor
	}
	return r.Rule.Choose(s)
}

// byValidation scores settings on the validation rows.
func (j *job) byValidation(
	ctx context.Context, p parts, prepared *pipeline.Prepared, drawn []param.Config,
) (choice, error) {
	scores, err := j.validate(ctx, p, prepared, drawn)
	if err != nil {
		return choice{}, err
	}
	best, err := rule.Choose(search.Scored{
		Score: scores, Greater: j.experiment.greater(),
		Place: func(i int) ([]float64, error) { return search.Place(prepared, drawn[i]) },
	})
	switch {
	case err != nil:
		return choice{}, err
	case best < 0:
		return choice{}, fault.New(fault.NotSolved, "none of %d settings could be solved", len(drawn))
	}
	return choice{config: drawn[best], score: scores[best]}, nil
}

// validate returns the metric on the validation rows of models with the given settings, NaN of settings that have no
// solution.
func (j *job) validate(
	ctx context.Context, p parts, prepared *pipeline.Prepared, settings []param.Config,
) ([]float64, error) {
	held, err := prepared.Apply(p.validation)
	if err != nil {
		return nil, err
	}
	scores, errs := make([]float64, len(settings)), make([]error, len(settings))
	err = parallel.For(ctx, len(settings), func(i int) {
		scores[i], errs[i] = j.score(ctx, prepared, held, settings[i])
	})
	for i := range errs {
		if errs[i] != nil && err == nil && !otherSettingsMaySolve(errs[i]) {
			err = errs[i]
		}
	}
	return scores, err
}

// score trains a model with settings and returns the metric on other rows.
func (j *job) score(
	ctx context.Context, prepared *pipeline.Prepared, held *pipeline.Held, c param.Config,
) (float64, error) {
	trainer, err := j.trainer(prepared, c)
	if err != nil {
		return nan, err
	}
	model, _, err := trainer.Train(ctx, prepared.Problem())
	if err != nil {
		return nan, err
	}
	outputs, err := learn.Predict(ctx, model, held.X, nil)
	if err != nil {
		return nan, err
	}
	return j.measure(held, outputs)
}

// draws returns how many settings are drawn.
func (j *job) draws() int {
	switch d := j.protocol.Draws; {
	case !j.kind.ClosedForm:
		return d.Margin
	case j.kind.Kernels && j.tunesOnSubset() && d.ManyRows > 0:
		return d.ManyRows
	case j.kind.Kernels:
		return d.Kernel
	default:
		return d.Layer
	}
}

// exactTuneRows bounds the rows that the exact solvers of SVM+ choose settings on.
const exactTuneRows = 200

// tuningRows returns on how many rows settings are chosen, 0 for all.
func (j *job) tuningRows() int {
	switch {
	case j.method.ChosenWith != "" && j.dataset.MarginTuneRows > 0:
		return min(exactTuneRows, j.dataset.MarginTuneRows)
	case !j.kind.ClosedForm:
		return j.dataset.MarginTuneRows
	}
	return j.dataset.TuneRows
}

// tunesOnSubset reports whether settings are chosen on a part of the training rows.
func (j *job) tunesOnSubset() bool { return j.tuningRows() > 0 && j.tuningRows() < j.dataset.Train }

// choosesOnce reports whether settings are chosen in the first trial only.
func (j *job) choosesOnce() bool { return j.dataset.Once || j.method.ChosenWith != "" }

// gammaFactor returns by what a chosen γ is multiplied: how many times as many rows a model is trained on as its
// settings were chosen on. C adds up over rows what the normal and the correcting function leave unexplained. With the
// same γ, more rows let the correcting function explain more, which is lost on test rows; with γ times as large its
// penalty a row stays. In SVM+ the correcting function costs C a row already. A γ that is held is left as it is.
func (j *job) gammaFactor() float64 {
	if !j.tunesOnSubset() || j.gammaHeld() || !j.kind.Privileged || !j.kind.ClosedForm {
		return 1
	}
	return float64(j.dataset.Train) / float64(j.tuningRows())
}
