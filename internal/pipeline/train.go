package pipeline

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/namelist"
	"rvflplus/internal/param"
	"rvflplus/internal/prep"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// Options of a training run, beside what shapes the model.
type Options struct {
	LeaveOneOut learn.LeaveOneOut
	Progress    learn.Progress
	Announce    func(text string) // see learn.Problem
}

// Report tells how a model came about. It holds nothing that differs between two
// runs on the same input, so that it can stand in a model file.
type Report struct {
	Rows        int     `json:"rows"`                              // those with a target
	Unlabelled  int     `json:"rows_unlabelled,omitempty"`         // further rows, without a target
	WithoutPriv int     `json:"rows_without_privileged,omitempty"` // of Rows, those without privileged values
	Solver      string  `json:"solver"`
	SystemSize  int     `json:"system_size"`
	Train       Scored  `json:"train"`
	LeaveOneOut *Scored `json:"loo,omitempty"`
	// Outcome tells what a kind that chooses its hyper-parameters tried.
	Outcome *learn.Outcome `json:"chosen,omitempty"`
	// Columns tells how much each normal column counts, the largest share first; nil where it was not measured.
	Columns  []ColumnShare `json:"relevance,omitempty"`
	Scalings []Scaling     `json:"-"`                  // those that training chose
	Notes    []fault.Text  `json:"-"`                  // what was decided or left out
	Warnings []fault.Text  `json:"warnings,omitempty"` // the data may not be what it seems
}

// Scored wraps the metrics of one set of predictions and, on the training rows
// of a support vector machine, how its solver ended.
type Scored struct {
	Metrics Metrics `json:"metrics"`
	*Optimum
}

// Optimum tells how the solver of a support vector machine ended, summed over its
// machines.
type Optimum struct {
	Objective  float64 `json:"objective"` // of the dual, maximised
	Gap        float64 `json:"gap"`       // between primal and dual objective
	KKT        float64 `json:"kkt"`       // largest violation of the optimality conditions
	Iterations int     `json:"iterations"`
}

// Train fits a model to a table with roles. Preparation is fitted on these rows,
// each space by itself, the privileged one on those that have its values. Rows of
// weight 0 are left out first. Rows whose target cells are all missing, and those of
// d.Unlabelled, are fitted to by kinds that learn from such rows: preparation uses
// them too, their weights are not looked at, and those without privileged values are
// left out. For other kinds they are an error.
func Train(ctx context.Context, d *roles.Data, c param.Config, o Options) (*Model, error) {
	t, err := begin(ctx, d, c, o)
	if err != nil {
		return nil, err
	}
	return t.train(ctx)
}

// train fits the model and judges it.
func (t *training) train(ctx context.Context) (*Model, error) {
	if err := t.fit(ctx); err != nil {
		return nil, err
	}
	if err := t.tellColumns(ctx); err != nil {
		return nil, err
	}
	shifts, err := t.shifted(ctx)
	if err != nil {
		return nil, err
	}
	worse, err := t.worseThanConstant(ctx)
	if err != nil {
		return nil, err
	}
	r := &t.model.Report
	r.Warnings = slices.Concat(r.Warnings, shifts, worse, t.decreasingCurves())
	return t.model, nil
}

// begin makes ready what Train fits to.
func begin(ctx context.Context, d *roles.Data, c param.Config, o Options) (*training, error) {
	if c.Kind == "" {
		c.Kind = kind.DefaultName(len(d.Roles.Priv)+d.PrivSkipped > 0)
	}
	if err := Validate(c); err != nil {
		return nil, err
	}
	c, k, err := kind.Complete(c)
	if err != nil {
		return nil, err
	}
	t := &training{Config: c, kind: k, options: o}
	return t, t.load(ctx, d)
}

// training is one run of Train.
type training struct {
	param.Config
	kind    kind.Kind
	options Options
	data    *roles.Data    // rows with a target
	all     *dataset.Table // the rows of data, followed by those without a target that are learned from
	weights []float64      // of the rows, nil for 1 each
	// classWeights are those of the classes, nil for 1 each; counts is what the rows count as when the estimator is
	// fitted: their weights, times those of their classes unless the kind weighs classes itself.
	classWeights, counts []float64
	truth                truth
	model                *Model
	x, priv              *mat.Dense
	hasPriv              []bool // nil when all rows have privileged values
	// unlabelled holds the prepared rows without a target; nil when there are none. The last ones, further of them,
	// come from a table of their own.
	unlabelled *learn.Unlabelled
	further    int
}

// load checks the roles, sets rows without a target apart, codes the targets, chooses scalings where training chooses
// them, and prepares both spaces.
func (t *training) load(ctx context.Context, d *roles.Data) error {
	t.model = &Model{}
	for _, text := range d.Notes {
		t.note("%s", text)
	}
	if text := Assumed(d.Table); text != "" {
		t.note("%s", text)
	}
	t.data = t.withoutDates(d)
	if err := t.checkRoles(); err != nil {
		return err
	}
	for _, text := range oddities(d) {
		t.note("%s", text)
	}
	if err := t.dropWeightless(); err != nil {
		return err
	}
	if err := t.separate(); err != nil {
		return err
	}
	if err := t.codeTarget(); err != nil {
		return err
	}
	t.model.Report.Warnings = append(constantTargets(t.data), leaks(t.data, t.kind.Privileged)...)
	if name := OrderedInTime(t.data.Table); name != "" && t.data.Roles.Time < 0 {
		t.warnOfOrder(name)
	}
	if err := t.settleScales(ctx); err != nil {
		return err
	}
	var x *mat.Dense
	var err error
	normal := t.all.Pick(t.data.Roles.Normal)
	if t.model.Normal, x, err = t.prepare(normal, t.all.Rows, "normal", t.normalOptions()); err != nil {
		return err
	}
	t.x, x = t.divide(x)
	if x != nil {
		t.unlabelled = &learn.Unlabelled{X: x}
	}
	if t.kind.Privileged && len(t.data.Roles.Priv) > 0 {
		err = t.preparePriv()
	}
	t.model.Schema = schemaOf(t.data, t.model)
	return err
}

func (t *training) checkRoles() error {
	columns := t.data.Roles
	switch {
	case t.data.Rows == 0:
		return roles.NoRows(t.data.Table)
	case len(columns.Target) == 0:
		return fault.New(fault.Usage, "no target column").WithHint("name it with %s", fault.Name("target"))
	case len(columns.Normal) == 0:
		return fault.New(fault.Usage, "no normal column is left: prediction needs at least one").
			WithHint("every column is target, privileged, dropped, id or weight")
	case t.kind.Privileged && !t.kind.PrivOptional && len(columns.Priv) == 0:
		return fault.New(fault.Usage, "kind %s learns from privileged columns, but none is named", t.kind.Name).
			WithHint("name them with %s or %s, or use %s", fault.Name("privileged"), fault.Name("priv-data"),
				fault.Set("kind", t.kind.Plain))
	case !t.kind.Privileged && len(columns.Priv)+t.data.PrivSkipped > 0:
		t.note("kind %s does not learn from privileged columns: %d left out", t.kind.Name,
			len(columns.Priv)+t.data.PrivSkipped)
	}
	return nil
}

func (t *training) note(format string, args ...any) {
	t.model.Report.Notes = append(t.model.Report.Notes, fault.Textf(format, args...))
}

func (t *training) dropWeightless() error {
	weights, err := t.data.Weights()
	if err != nil || weights == nil {
		return err
	}
	var keep []int
	for i, v := range weights {
		if v > 0 {
			keep = append(keep, i)
		}
	}
	if len(keep) == 0 {
		return fault.New(fault.Data, "column %q: every row has weight 0", t.data.Columns[t.data.Roles.Weight].Name)
	}
	if dropped := len(weights) - len(keep); dropped > 0 {
		t.note("%d rows of weight 0 left out", dropped)
		t.data = t.data.Only(keep)
	}
	t.weights = t.data.Columns[t.data.Roles.Weight].Numbers
	return nil
}

func (t *training) codeTarget() error {
	columns := t.data.Pick(t.data.Roles.Target)
	o := target.Options{Task: t.Task, Encoding: t.Encoding}
	if o.Task == "" && t.kind.Task != "" {
		o.Task, o.OtherKind = string(t.kind.Task), t.kind.OtherTask
	}
	coder, notes, err := target.Fit(columns, o)
	if err != nil {
		return err
	}
	t.model.Report.Notes = append(t.model.Report.Notes, notes...)
	t.model.Coder = coder
	if err := t.checkUncertainty(coder); err != nil {
		return err
	}
	if t.truth, _, err = truthOf(coder, columns, t.data.Rows); err != nil {
		return err
	}
	t.model.Report.Notes = append(t.model.Report.Notes, oddClasses(coder, t.truth.labels)...)
	t.truth.weight = t.weights
	return t.weighClasses()
}

// truthOf reads the true classes or numbers; unknown lists labels the model does
// not know.
func truthOf(coder *target.Coder, columns []*dataset.Column, rows int) (t truth, unknown []string, err error) {
	t.coder = coder
	if coder.Task == target.Classification {
		t.labels, t.unknown, err = coder.Labels(columns[0], rows)
		return t, t.unknown, err
	}
	t.y, err = coder.Numbers(columns, rows)
	return t, nil, err
}

// manyLevels is the number of one-hot columns above which a note asks whether a
// column really holds categories.
const manyLevels = 50

// mostLevels is the number of categories above which a column is refused: it names cases, or its texts are free.
const mostLevels = 1000

func tooManyLevels(c prep.Column) error {
	return fault.New(fault.Data, "column %q holds text with %d categories, more than %d", c.Name, len(c.Levels),
		mostLevels).
		WithHint("use %s if it names the rows, %s to leave it out, or %s to group the rare categories",
			fault.Set("id", c.Name), fault.Set("drop", c.Name), fault.Name("min-category"))
}

// prepare fits a space to columns of the given number of rows, and applies it.
func (t *training) prepare(columns []*dataset.Column, rows int, space string, o prep.Options) (
	*prep.Space, *mat.Dense, error) {
	fitted, err := prep.Fit(columns, o)
	if err != nil {
		return nil, nil, err
	}
	var constant, grouped []string
	for _, c := range fitted.Columns {
		if !c.Varies() {
			constant = append(constant, c.Name)
		}
		if len(c.Levels) > mostLevels {
			return nil, nil, tooManyLevels(c)
		}
		if c.Rare != nil {
			of := len(c.Levels) + len(c.Rare)
			grouped = append(grouped, fmt.Sprintf("%s (%d of %d)", c.Name, len(c.Rare), of))
		}
		if len(c.Levels) > manyLevels {
			t.note("%s column %q has %d categories, each a feature of its own; if it names cases, use %s or %s, and "+
				"if many are rare, %s", space, c.Name, len(c.Levels), fault.Name("id"), fault.Name("drop"),
				fault.Name("min-category"))
		}
	}
	if len(grouped) > 0 {
		t.note("%s categories of fewer than %d rows count as one: %s", space, o.MinCategory,
			namelist.Abbreviate(grouped))
	}
	if len(constant) > 0 {
		t.note("constant on all training rows, so of no use: %s %s", space, namelist.Abbreviate(constant))
	}
	m, _, err := fitted.Apply(columns, rows)
	return fitted, m, err
}

// targets returns what an estimator needs to know of the targets beside the problem.
func (t *training) targets() kind.Targets {
	out := kind.Targets{Classification: t.model.Coder.Task == target.Classification}
	if t.kind.WeighsClasses {
		out.ClassWeight = t.classWeights
	}
	return out
}

func (t *training) fit(ctx context.Context) error {
	m := t.model
	p := learn.Problem{
		X: t.x, Priv: t.priv, HasPriv: t.hasPriv, Y: m.Coder.Code(t.truth.labels, t.truth.y), Weight: t.counts,
		Columns: t.model.Normal.Sources(), PrivColumns: t.model.Priv.Sources(),
		Unlabelled: t.unlabelled, LeaveOneOut: t.options.LeaveOneOut, Progress: t.options.Progress,
		Announce: t.options.Announce,
	}
	var err error
	if p.Group, err = t.data.Groups(); err != nil {
		return err
	}
	if err := t.ask(&p); err != nil {
		return err
	}
	targets := t.targets()
	if err := t.choose(ctx, p, targets); err != nil {
		return err
	}
	estimator, report, err := t.kind.Trainer(t.Config, targets).Train(ctx, p)
	if err != nil {
		return err
	}
	m.Estimator = estimator
	m.Kind, m.Config = t.kind, t.kind.Resolved(t.Config, estimator)
	m.Config.Task = string(m.Coder.Task)
	m.Report.Rows, m.Report.Solver, m.Report.SystemSize = t.data.Rows, report.Solver, report.Size
	m.Report.Notes = append(m.Report.Notes, report.Notes...)
	if report.Outcome != nil {
		m.Report.Outcome = report.Outcome
	}
	m.Report.Train.Optimum = (*Optimum)(report.Optimum)
	outputs, err := m.outputs(ctx, t.x, t.options.Progress)
	if err != nil {
		return err
	}
	if err := t.answered(report); err != nil {
		return err
	}
	if err := t.fitProba(ctx, p, report.LeaveOneOut); err != nil {
		return err
	}
	if err := t.tellScores(ctx, outputs, report.LeaveOneOut); err != nil {
		return err
	}
	t.keepIntervals(report)
	return nil
}

// tellScores compares the outputs for the training rows, and those of leave-one-out, which may be nil, with the truth.
func (t *training) tellScores(ctx context.Context, outputs, leaveOneOut *mat.Dense) (err error) {
	m := t.model
	probabilities, err := m.probabilitiesOf(ctx, m.scores(outputs), t.x, t.options.Progress)
	if err != nil {
		return err
	}
	if m.Report.Train.Metrics, err = t.truth.describe(outputs, m.decide, probabilities); err != nil {
		return err
	}
	if leaveOneOut == nil {
		return nil
	}
	probabilities = blas.Matrix{}
	if m.Proba != nil {
		probabilities = m.Proba.Probabilities(m.scores(leaveOneOut))
		for _, i := range t.onlyRows() {
			blas.Row(probabilities, i)[t.truth.labels[i]] = 0
		}
	}
	m.Report.LeaveOneOut = &Scored{}
	m.Report.LeaveOneOut.Metrics, err = t.truth.describe(leaveOneOut, t.decideLeftOut, probabilities)
	return err
}

// decideLeftOut returns the classes that are predicted for rows left out one by one. The model that predicts the only
// row of a class does not know the class, whatever the outputs in closed form are.
func (t *training) decideLeftOut(outputs *mat.Dense) []int {
	predicted := t.model.decide(outputs)
	scores := t.model.scores(outputs)
	for _, i := range t.onlyRows() {
		own, best := t.truth.labels[i], -1
		for k, s := range blas.Row(scores, i) {
			if k != own && (best < 0 || s > scores.Data[i*scores.Stride+best]) {
				best = k
			}
		}
		predicted[i] = best
	}
	return predicted
}

// onlyRows returns the rows of a classification that are the only ones of their classes.
func (t *training) onlyRows() (rows []int) {
	for i, known := range (Truth{t.truth}).Known(numbered(t.data.Rows), nil) {
		if !known {
			rows = append(rows, i)
		}
	}
	return rows
}

// numbered returns 0 … n-1.
func numbered(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// choose sets the free hyper-parameters where the kind chooses them before it is trained.
func (t *training) choose(ctx context.Context, p learn.Problem, targets kind.Targets) (err error) {
	chooser, is := t.kind.Estimator.(kind.Chooser)
	if !is || len(t.Free) == 0 || !chooser.Chooses(t.Config, p.Priv != nil) {
		return nil
	}
	t.Config, t.model.Report.Outcome, err = chooser.Choose(ctx, t.Config, p, targets)
	return err
}

// outputs returns the model's outputs for prepared rows.
func (m *Model) outputs(ctx context.Context, x *mat.Dense, progress learn.Progress) (*mat.Dense, error) {
	out, err := learn.Predict(ctx, m.Estimator, x, progress)
	if err != nil {
		return nil, err
	}
	return out, finite(out.RawMatrix())
}

// finite refuses outputs that overflowed.
func finite(out blas.Matrix) error {
	for i := range out.Rows {
		if slices.ContainsFunc(blas.Row(out, i), func(v float64) bool { return v-v != 0 }) {
			return fault.New(fault.Data, "the prediction of row %d overflows", i+1).
				WithHint("its values are far from what the model was trained on")
		}
	}
	return nil
}
