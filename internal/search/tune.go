package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/kind"
	"rvflplus/internal/parallel"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// Options say how hyper-parameters are searched.
type Options struct {
	Scheme Scheme
	Score  string // see Scores; default accuracy or rmse
	// Candidates are the settings to try; when there are none, Strategy finds Trials.
	Candidates []param.Config
	Strategy   string        // see Strategies; default "random"
	Trials     int           // default 100
	Fixed      []param.Param // hyper-parameters that Strategy does not change, see Candidates
	// Kinds, when not empty, are the kinds to search, each with an equal share of Trials. The config that is searched
	// from gives the rest. Corrections that Fixed does not hold are searched too.
	Kinds []string
	Rule  Rule   // chooses among the trials; default Best
	Seed  uint64 // of candidates and folds
	// Validation, when not nil, holds the rows that candidates are scored on, instead of
	// rows left out by the scheme.
	Validation *Validation
	// RefitPreparation says whether rows that are left out take part in the preparation; default RefitNever.
	RefitPreparation Refit
	// Budget, when > 0, is the time after which only the first setting of those that share a preparation is tried.
	Budget   time.Duration
	Progress learn.Progress // told of trials
}

// Validation is a table with the normal columns, by name, and its target columns.
type Validation struct {
	Table   *dataset.Table
	Targets []*dataset.Column
}

// Trial is one setting and its score.
type Trial struct {
	Config  param.Config
	Score   float64 // NaN when the setting could not be evaluated
	SE      float64 // standard error of Score, NaN where it is not known
	Err     error   // why not
	Rows    int     // rows that took part: all but in the first rounds of halving
	Seconds float64 // of computing, on as many cores as it used
}

// Result is the outcome of a search.
type Result struct {
	Trials []Trial // in the order of the candidates
	Best   int     // the trial that Options.Rule chose among those on all rows
	Score  Score
	Scheme string // how the rows were left out, for people
	// Constant is the score, on the same rows, of the predictor that does not look at the features: always the class of
	// most of the rows, or their mean.
	Constant Constant
	Notes    []fault.Text
	Warnings []fault.Text // the chosen setting does not beat the constant
}

// Constant is a constant predictor and its score.
type Constant struct {
	Name  string // what it says, in words
	Score float64
}

// Tune tries settings of a pipeline on the rows of d and scores the predictions of rows
// left out. For a seed the result does not depend on the number of threads. Settings
// that cannot be solved are part of the result; if none can, the error is
// fault.NotSolved.
func Tune(ctx context.Context, d *roles.Data, base param.Config, o Options) (*Result, error) {
	r, err := tuneOnce(ctx, d, base, o)
	var unprepared *unpreparedError
	if o.RefitPreparation != RefitFewRows || !errors.As(err, &unprepared) {
		return r, err
	}
	o.RefitPreparation = RefitNever
	if r, err = tuneOnce(ctx, d, base, o); err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, fault.Textf("the preparation was fitted once on all rows, because it cannot be fitted "+
		"without some of them: %s", unprepared.cause))
	return r, nil
}

func tuneOnce(ctx context.Context, d *roles.Data, base param.Config, o Options) (*Result, error) {
	t := &tuning{Options: o, data: d, prepared: map[preparation]*pipeline.Prepared{}}
	if o.Budget > 0 {
		t.deadline = time.Now().Add(o.Budget)
	}
	p, err := t.prepare(ctx, base)
	if err != nil {
		return nil, err
	}
	if err := t.setUp(ctx, p, base); err != nil {
		return nil, err
	}
	if t.Strategy == "halving" {
		err = t.halve(ctx)
	} else {
		t.expect(len(t.trials))
		err = t.evaluate(ctx, numbers(0, len(t.trials)), 0)
	}
	if err != nil {
		return nil, err
	}
	return t.finish(ctx)
}

// tuning is one search.
type tuning struct {
	Options
	data     *roles.Data
	folds    heldout.Folds
	leaves   []leave // what leaves together; nil where one problem serves all folds
	refits   bool    // the preparation is fitted without what leaves
	score    Score
	prepared map[preparation]*pipeline.Prepared
	scales   []fault.Text // tells which scalings were chosen
	trials   []Trial
	lock     sync.Mutex
	done     int
	total    int
	deadline time.Time // zero for none
}

// errNotTried is the error of a setting that there was no time for.
var errNotTried = fault.New(fault.NotSolved, "not tried: the budget was used up")

// late reports whether the budget is used up.
func (t *tuning) late() bool { return !t.deadline.IsZero() && time.Now().After(t.deadline) }

// preparation holds the settings that what is prepared depends on.
type preparation struct {
	scale, privScale, impute, dates, task, encoding string
	indicator                                       bool
	minCategory                                     int
	classWeight                                     string
	priv, unlabelled, missing, weighsClasses        bool
}

// preparationOf returns the settings of c for a kind.
func preparationOf(c param.Config, k kind.Kind) preparation {
	scale, privScale := c.Scales()
	return preparation{scale, privScale, c.Impute, c.Dates, c.Task, c.Encoding, c.MissingIndicator, c.MinCategory,
		c.ClassWeight, k.Privileged, k.Unlabelled, c.AllowMissingPriv, c.ClassWeight != "" && k.WeighsClasses}
}

// prepare prepares the rows for c, once for all settings that need the same.
func (t *tuning) prepare(ctx context.Context, c param.Config) (*pipeline.Prepared, error) {
	k := kind.Kind{Privileged: true}
	if c.Kind != "" {
		var err error
		if k, err = kind.ByName(c.Kind); err != nil {
			return nil, err
		}
	}
	key := preparationOf(c, k)
	if p := t.prepared[key]; p != nil {
		return p, nil
	}
	p, err := pipeline.Prepare(ctx, t.data, c)
	if err != nil {
		return nil, err
	}
	t.prepared[key], t.prepared[preparationOf(p.Settle(c), k)] = p, p
	for _, scaling := range p.Scalings() {
		note := scaling.Text()
		told := func(other fault.Text) bool { return other.String() == note.String() }
		if !slices.ContainsFunc(t.scales, told) {
			t.scales = append(t.scales, note)
		}
	}
	return p, nil
}

// setUp fills in defaults, candidates, score and folds.
func (t *tuning) setUp(ctx context.Context, p *pipeline.Prepared, base param.Config) (err error) {
	t.Strategy, t.Trials = cmp.Or(t.Strategy, "random"), cmp.Or(t.Trials, 100)
	if t.Rule == nil {
		t.Rule = Best{}
	}
	if t.score, err = ScoreByName(t.Score, p.Coder().Task); err != nil {
		return err
	}
	base.Kind = p.Config().Kind
	switch {
	case len(t.Candidates) == 0 && len(t.Kinds) > 0:
		if t.Candidates, err = t.ofKinds(ctx, base); err != nil {
			return err
		}
	case len(t.Candidates) == 0:
		if t.Candidates, err = Candidates(p, base, t.Strategy, t.Trials, t.Fixed, t.Seed); err != nil {
			return err
		}
	case t.Strategy == "random":
		t.Strategy = "candidates"
	}
	for _, c := range t.Candidates {
		if c, err = t.settle(ctx, c); err != nil {
			return err
		}
		t.trials = append(t.trials, Trial{Config: c, Score: math.NaN(), SE: math.NaN()})
	}
	if t.Validation != nil {
		return nil
	}
	t.Scheme.Seed = t.Seed
	if t.Scheme, err = t.Scheme.Of(p.Data()); err != nil {
		return err
	}
	var later [][]int
	if t.folds, later, err = t.Scheme.Deal(p.Data().Rows, p.Truth().Labels()); err != nil {
		return err
	}
	t.setLeaves(p.Data().Rows, later)
	return nil
}

// settle returns c with the scalings that training chooses: once on all rows, so that what is scored in every fold is
// the setting that the answer tells.
func (t *tuning) settle(ctx context.Context, c param.Config) (param.Config, error) {
	if normal, priv := c.Scales(); normal != param.AutoScale && priv != param.AutoScale {
		return c, nil
	}
	p, err := t.prepare(ctx, c)
	if err != nil {
		return c, err
	}
	return p.Settle(c), nil
}

// ofKinds returns the settings of every kind that is searched. A kind that chooses its hyper-parameters itself is one
// setting.
func (t *tuning) ofKinds(ctx context.Context, base param.Config) (all []param.Config, err error) {
	share := max(1, t.Trials/len(t.Kinds))
	for _, name := range t.Kinds {
		k, err := kind.ByName(name)
		if err != nil {
			return nil, err
		}
		own := base
		own.Kind = name
		if len(k.Chosen) > 0 {
			own.Free = k.FreeOf(t.Fixed, own)
			all = append(all, k.Complete(own))
			continue
		}
		p, err := t.prepare(ctx, own)
		if err != nil {
			return nil, err
		}
		settings, err := Candidates(p, own, t.Strategy, share, t.Fixed, t.Seed)
		if err != nil {
			return nil, err
		}
		if k.Has(param.Correction) && !slices.Contains(t.Fixed, param.Param(param.Correction)) {
			corrections := learn.Corrections()
			for i := range settings {
				settings[i].Correction = corrections[i%len(corrections)]
			}
		}
		all = append(all, settings...)
	}
	return all, nil
}

// part is a problem, what is left out of it, and the truth of its rows.
type part struct {
	problem learn.Problem
	leave
	truth pipeline.Truth
	rows  []int // number in truth of each row of the problem
}

// each calls use for the problems that the candidates of one preparation are evaluated
// on: one, or one for each of t.leaves. subset lists the rows that take part, nil for all.
func (t *tuning) each(p *pipeline.Prepared, subset []int, use func(part) error) error {
	whole := part{problem: p.Problem(), leave: leave{folds: t.folds}, truth: p.Truth()}
	if t.Validation != nil {
		n := p.Data().Rows
		var err error
		if whole.problem, whole.truth, err = p.WithValidation(t.Validation.Table, t.Validation.Targets); err != nil {
			return fmt.Errorf("the validation rows: %w", err)
		}
		whole.folds = heldout.Folds{numbers(n, n+t.Validation.Table.Rows)}
		if subset != nil {
			subset = slices.Concat(subset, whole.folds[0])
		}
	}
	whole.rows = numbers(0, whole.problem.X.RawMatrix().Rows)
	if t.leaves == nil {
		return use(whole.only(subset))
	}
	for _, l := range t.leaves {
		q := whole.problem
		if t.refits {
			var err error
			if q, err = p.Without(l.left()); err != nil {
				return &unpreparedError{err}
			}
		}
		one := part{problem: q, leave: l, truth: whole.truth, rows: whole.rows}.
			only(l.present(subset, len(whole.rows)))
		if one.folds == nil && one.alone == nil {
			continue // all of them are outside the subset
		}
		if err := use(one); err != nil {
			return err
		}
	}
	return nil
}

// only returns the part with the given rows.
func (q part) only(rows []int) part {
	if rows == nil {
		return q
	}
	at := map[int]int{}
	for k, i := range rows {
		at[i] = k
	}
	there := func(from []int) (left []int) {
		for _, i := range from {
			if k, is := at[i]; is {
				left = append(left, k)
			}
		}
		return left
	}
	out := part{problem: q.problem.Only(rows), truth: q.truth, rows: learn.Gather(q.rows, rows)}
	out.alone = there(q.alone)
	for _, fold := range q.folds {
		if left := there(fold); len(left) > 0 {
			out.folds = append(out.folds, left)
		}
	}
	return out
}

// leftOut returns the folds, or a fold for each row that is left out alone; nil if all rows are.
func (q part) leftOut() (folds heldout.Folds) {
	for _, i := range q.alone {
		folds = append(folds, []int{i})
	}
	return slices.Concat(folds, q.folds)
}

// evaluator returns the evaluator of the part.
func (q part) evaluator() (*heldout.Evaluator, error) {
	if q.alone != nil {
		return heldout.NewAlone(q.problem, q.alone)
	}
	return heldout.New(q.problem, q.folds)
}

// expect tells of the work there is: so many evaluations of a candidate.
func (t *tuning) expect(candidates int) {
	t.total = candidates * t.parts()
	t.Progress.Tell("trials", 0, t.total)
}

// parts returns how often a candidate is evaluated, each time on other rows.
func (t *tuning) parts() int { return max(1, len(t.leaves)) }

func numbers(from, to int) []int {
	out := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

func (t *tuning) tell() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.done++
	t.Progress.Tell("trials", min(t.done, t.total), t.total)
}

// evaluate scores the trials of the given numbers on the first rows of a random order,
// 0 for all rows; those with a preparation in common together.
func (t *tuning) evaluate(ctx context.Context, which []int, rows int) error {
	groups := map[*pipeline.Prepared][]int{}
	var order []*pipeline.Prepared
	for _, i := range which {
		p, err := t.prepare(ctx, t.trials[i].Config)
		if err != nil {
			return err
		}
		if p.Coder().Task != t.score.task {
			return fault.New(fault.Usage, "candidate %d is a %s, the score %s is not of one", i+1, p.Coder().
				Task, t.score.Name)
		}
		if groups[p] == nil {
			order = append(order, p)
		}
		groups[p] = append(groups[p], i)
	}
	for _, p := range order {
		if err := t.together(ctx, p, groups[p], rows); err != nil {
			return err
		}
	}
	return nil
}

// outcome collects what was predicted under one trial.
type outcome struct {
	outputs mat.Dense
	rows    []int
	known   []bool // whether the models know the classes of rows; nil of a regression
	folds   heldout.Folds
	err     error
	seconds float64
}

// together evaluates trials of one preparation, those that share a kernel matrix or a
// random layer after each other.
func (t *tuning) together(ctx context.Context, p *pipeline.Prepared, which []int, rows int) error {
	subset, n := t.subset(p.Data().Rows, rows), p.Data().Rows
	if subset != nil {
		n = len(subset)
	}
	slices.SortStableFunc(which, func(a, b int) int {
		return cmp.Compare(sharing(t.trials[a].Config), sharing(t.trials[b].Config))
	})
	outcomes := make([]outcome, len(which))
	var truth pipeline.Truth
	err := t.each(p, subset, func(q part) error {
		truth = q.truth
		e, err := q.evaluator()
		if err != nil {
			return err
		}
		e.KeepLittle()
		return loopOver(n)(ctx, len(which), func(k int) {
			if k > 0 && t.late() {
				outcomes[k].err = errNotTried
			} else {
				outcomes[k].add(ctx, p, e, q, t.trials[which[k]].Config)
			}
			t.tell()
		})
	})
	if err != nil {
		return err
	}
	for k, i := range which {
		trial := &t.trials[i]
		trial.Rows, trial.Seconds = n, trial.Seconds+outcomes[k].seconds
		if err := t.judge(trial, &outcomes[k], truth); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sharing sorts settings so that those with a kernel or layer in common follow each
// other.
func sharing(c param.Config) string {
	return fmt.Sprintf("%s %s %s %d %d %v %s %s %d", c.Kind, c.Kernel, c.PrivKernel, c.Hidden, c.PrivHidden, c.U,
		c.Activation, c.Init, c.Seed)
}

// manyRows is the number of rows from which on the work inside an evaluation is spread
// over the cores, instead of the evaluations.
const manyRows = 2000

func loopOver(rows int) func(context.Context, int, func(int)) error {
	if rows < manyRows {
		return parallel.For
	}
	return parallel.Serial
}

// add evaluates one trial on one part.
func (o *outcome) add(ctx context.Context, p *pipeline.Prepared, e *heldout.Evaluator, q part, c param.Config) {
	if o.err != nil {
		return
	}
	start := time.Now()
	out, err := p.HeldOut(ctx, e, c)
	o.seconds += time.Since(start).Seconds()
	if o.err = err; err != nil {
		return
	}
	o.append(out[0])
	o.known = append(o.known, q.truth.Known(q.rows, q.leftOut())...)
	at := len(o.rows)
	o.rows = append(o.rows, learn.Gather(q.rows, e.Held())...)
	for _, fold := range q.folds {
		o.folds = append(o.folds, o.rows[at:at+len(fold):at+len(fold)])
		at += len(fold)
	}
}

func (o *outcome) append(out *mat.Dense) {
	if o.outputs.IsEmpty() {
		o.outputs.CloneFrom(out)
		return
	}
	var both mat.Dense
	both.Stack(&o.outputs, out)
	o.outputs = both
}

// judge scores a trial. Only what another setting may mend is the trial's own failure.
func (t *tuning) judge(trial *Trial, o *outcome, truth pipeline.Truth) error {
	trial.Err = o.err
	if o.err == nil {
		held := truth.Of(o.rows, o.known)
		trial.Score, trial.SE, trial.Err = t.score.Of(held, &o.outputs, numbers(0, len(o.rows)), o.folds)
	}
	if trial.Err == nil {
		return nil
	}
	trial.Score, trial.SE = math.NaN(), math.NaN()
	if errors.Is(trial.Err, fault.NotSolved) || errors.Is(trial.Err, fault.Data) {
		return nil
	}
	return trial.Err
}

// finish picks the best of the trials that all rows took part in.
func (t *tuning) finish(ctx context.Context) (*Result, error) {
	r := &Result{Trials: t.trials, Best: -1, Score: t.score, Scheme: t.Scheme.String(),
		Notes: slices.Concat(t.scales, t.notes())}
	if t.Validation != nil {
		r.Scheme = fmt.Sprintf("%d validation rows", t.Validation.Table.Rows)
	}
	most := 0
	for _, trial := range t.trials {
		most = max(most, trial.Rows)
	}
	var whole []int // trials that all rows took part in
	s := Scored{Greater: t.score.Greater}
	for i, trial := range t.trials {
		if trial.Rows == most {
			whole = append(whole, i)
			s.Score, s.SE = append(s.Score, trial.Score), append(s.SE, trial.SE)
		}
	}
	s.Place = func(i int) ([]float64, error) {
		c := t.trials[whole[i]].Config
		p, err := t.prepare(ctx, c)
		if err != nil {
			return nil, err
		}
		return Place(p, c)
	}
	best, err := t.Rule.Choose(s)
	if err != nil {
		return nil, err
	}
	if best < 0 {
		first := t.trials[whole[0]].Err
		return nil, fault.New(fault.NotSolved, "none of %d settings could be evaluated; the first: %w", len(t.trials),
			first).
			WithHint("%s", fault.HintText(first))
	}
	r.Best = whole[best]
	return r, t.compareWithConstant(ctx, r)
}

// compareWithConstant scores the constant predictor on the rows that the chosen setting was scored on.
func (t *tuning) compareWithConstant(ctx context.Context, r *Result) error {
	p, err := t.prepare(ctx, t.trials[r.Best].Config)
	if err != nil {
		return err
	}
	truth, folds, rows := p.Truth(), t.folds, numbers(0, p.Data().Rows)
	switch n := len(rows); {
	case t.Validation != nil:
		if _, truth, err = p.WithValidation(t.Validation.Table, t.Validation.Targets); err != nil {
			return err
		}
		rows = numbers(n, n+t.Validation.Table.Rows)
	case folds != nil:
		rows = slices.Concat(folds...)
	}
	if r.Constant.Name, r.Constant.Score, err = t.score.ofConstant(truth, rows, folds); err != nil {
		return err
	}
	if score := r.Trials[r.Best].Score; !t.score.Better(score, r.Constant.Score) {
		r.Warnings = append(r.Warnings, fault.Textf("the best setting does not beat the constant predictor, %s: %s "+
			"%.4g, that of the constant %.4g", r.Constant.Name, t.score.Name, score, r.Constant.Score))
	}
	return nil
}
