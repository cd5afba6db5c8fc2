package pipeline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/heldout"
	"rvflplus/internal/kind"
	"rvflplus/internal/metric"
	"rvflplus/internal/param"
	"rvflplus/internal/prep"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// Prepared is a table ready for estimators: targets coded, both spaces prepared. It is
// what hyper-parameters are searched on. It is immutable.
type Prepared struct{ t *training }

// Prepare does what Train does before it fits: rows of weight 0 are left out, the
// preparation is fitted on all others. Scalings that training chooses are chosen.
func Prepare(ctx context.Context, d *roles.Data, c param.Config) (*Prepared, error) {
	t, err := begin(ctx, d, c, Options{})
	if err != nil {
		return nil, err
	}
	return &Prepared{t}, nil
}

// Config returns the config with its defaults and its kind.
func (p *Prepared) Config() param.Config { return p.t.Config }

// Data returns the rows with a target that are trained on; its Unlabelled holds those without.
func (p *Prepared) Data() *roles.Data { return p.t.data }

// Schema names the columns.
func (p *Prepared) Schema() Schema { return p.t.model.Schema }

// Coder returns the coding of the targets.
func (p *Prepared) Coder() *target.Coder { return p.t.model.Coder }

// Truth returns the true classes or numbers of the rows.
func (p *Prepared) Truth() Truth { return Truth{p.t.truth} }

// Problem returns the problem that an estimator is trained on. Folds are of its rows with a target; rows without one
// stay in the problem of every fold.
func (p *Prepared) Problem() learn.Problem {
	return learn.Problem{
		X: p.t.x, Priv: p.t.priv, HasPriv: p.t.hasPriv, Y: p.t.code(p.t.truth), Weight: p.t.counts,
		Columns: p.t.model.Normal.Sources(), PrivColumns: p.t.model.Priv.Sources(), Unlabelled: p.t.unlabelled,
	}
}

// Kind returns the kind of the config.
func (p *Prepared) Kind() kind.Kind { return p.t.kind }

// complete returns c, which must be of a kind that learns from the same columns and have the same weights of classes,
// as its kind takes it for these targets. What a model keeps to tell of its uncertainty is left
// out: searches have no use for it.
func (p *Prepared) complete(c param.Config) (param.Config, kind.Kind, kind.Targets, error) {
	c.Proba = ""
	if err := Validate(c); err != nil {
		return c, kind.Kind{}, kind.Targets{}, err
	}
	c, k, err := kind.Complete(c)
	return c, k, p.t.targets(), err
}

// Trainer returns the estimator of c for these targets.
func (p *Prepared) Trainer(c param.Config) (learn.Trainer, error) {
	c, k, targets, err := p.complete(c)
	if err != nil {
		return nil, err
	}
	return k.Trainer(c, targets), nil
}

// HeldOut returns the outputs for the rows that e, of these targets, leaves out: a matrix
// for each config. The configs differ in the correction alone.
func (p *Prepared) HeldOut(ctx context.Context, e *heldout.Evaluator, configs ...param.Config) ([]*mat.Dense, error) {
	var k kind.Kind
	var targets kind.Targets
	complete := make([]param.Config, len(configs))
	for i, c := range configs {
		var err error
		if complete[i], k, targets, err = p.complete(c); err != nil {
			return nil, err
		}
	}
	return k.HeldOut(ctx, e, complete, targets)
}

// Resolve returns c for these rows: with the task that the targets decided, what the kind
// decides, chosen scalings, and automatic widths as numbers. Widths that are learned with a model stay to be learned.
func (p *Prepared) Resolve(c param.Config) (param.Config, error) {
	c, k, err := kind.Complete(c)
	if err != nil {
		return c, err
	}
	c = p.Settle(c)
	c.Task = string(p.Coder().Task)
	if !k.Kernels {
		return c, nil
	}
	if !c.Kernel.LearnsRelevance() {
		normal, err := c.Kernel.Resolve(p.t.x.RawMatrix(), c.Seed)
		if err != nil {
			return c, fmt.Errorf("normal features: %w", err)
		}
		c.Kernel = normal.Spec()
	}
	if c.PrivKernel == nil || c.PrivKernel.LearnsRelevance() {
		return c, nil
	}
	priv, err := c.PrivKernel.Resolve(p.Complete(), c.Seed)
	if err != nil {
		return c, fmt.Errorf("privileged features: %w", err)
	}
	c.PrivKernel = priv.Spec()
	return c, nil
}

// Complete returns the prepared privileged features of the rows that have them; it has
// no rows for kinds without.
func (p *Prepared) Complete() blas.Matrix {
	if p.t.priv == nil {
		return blas.Matrix{}
	}
	if p.t.hasPriv == nil {
		return p.t.priv.RawMatrix()
	}
	a := p.Problem().CompleteFirst()
	return blas.View(a.Priv, 0, a.Complete, 0, a.Priv.Cols)
}

// code returns the targets; classes that the coding does not know are rows of zeros.
func (t *training) code(known truth) *mat.Dense {
	labels := slices.Clone(known.labels)
	var strange []int
	for i, k := range labels {
		if k >= len(t.model.Coder.Classes) {
			labels[i] = 0
			strange = append(strange, i)
		}
	}
	y := t.model.Coder.Code(labels, known.y)
	for _, i := range strange {
		clear(y.RawRowView(i))
	}
	return y
}

// Without returns the problem with a preparation that is fitted on the rows outside a
// fold, ascending or not, and on the rows without a target.
func (p *Prepared) Without(fold []int) (learn.Problem, error) {
	q := p.Problem()
	left := make([]bool, p.t.data.Rows)
	for _, i := range fold {
		left[i] = true
	}
	var rest, complete []int
	for i, out := range left {
		if out {
			continue
		}
		rest = append(rest, i)
		if q.HasPriv == nil || q.HasPriv[i] {
			complete = append(complete, i)
		}
	}
	var x *mat.Dense
	var err error
	if x, q.Columns, err = p.refitNormal(p.t.data.Roles.Normal, p.t.withUnlabelled(rest)); err != nil {
		return q, err
	}
	if q.X, x = p.t.divide(x); q.Priv == nil {
		return q, nil
	}
	// What the fold's own privileged values are makes no difference.
	q.HasPriv = make([]bool, len(left))
	for _, i := range complete {
		q.HasPriv[i] = true
	}
	var priv *mat.Dense
	if priv, q.PrivColumns, err = p.refitPrivileged(p.t.withUnlabelled(complete)); err != nil {
		return q, err
	}
	if q.Priv, priv = p.t.divide(priv); q.Unlabelled != nil {
		q.Unlabelled = &learn.Unlabelled{X: x, Priv: priv}
	}
	return q, nil
}

// refitNormal prepares columns of all rows with a preparation fitted on some of them. It also returns the column of
// each feature, as refitPrivileged does.
func (p *Prepared) refitNormal(columns, rows []int) (x *mat.Dense, sources []int, err error) {
	all := p.t.all.Pick(columns)
	space, err := prep.Fit(rowsOf(all, rows, p.t.all.Rows), p.t.normalOptions())
	if err != nil {
		return nil, nil, err
	}
	x, _, err = space.Apply(all, p.t.all.Rows)
	return x, space.Sources(), err
}

// refitPrivileged prepares the privileged columns of the given rows; others are zeros.
func (p *Prepared) refitPrivileged(rows []int) (priv *mat.Dense, sources []int, err error) {
	part := rowsOf(p.t.all.Pick(p.t.data.Roles.Priv), rows, p.t.all.Rows)
	space, err := prep.Fit(part, p.t.privOptions())
	if err != nil {
		return nil, nil, err
	}
	prepared, _, err := space.Apply(part, len(rows))
	if err != nil {
		return nil, nil, err
	}
	out := mat.NewDense(p.t.all.Rows, space.Width(), nil)
	for k, i := range rows {
		out.SetRow(i, prepared.RawRowView(k))
	}
	return out, space.Sources(), nil
}

// WithValidation returns the problem and the truth of these rows followed by those of a
// validation table, which has the normal columns by name, and its targets. They are
// prepared like these rows and have no privileged values.
func (p *Prepared) WithValidation(validation *dataset.Table, targets []*dataset.Column) (learn.Problem, Truth, error) {
	q, m := p.Problem(), p.t.model
	columns, err := m.normalColumns(validation)
	if err != nil {
		return q, Truth{}, err
	}
	x, _, err := m.Normal.Apply(columns, validation.Rows)
	if err != nil {
		return q, Truth{}, err
	}
	known, _, err := truthOf(m.Coder, targets, validation.Rows)
	if err != nil {
		return q, Truth{}, err
	}
	n := p.t.data.Rows
	if q.Priv != nil {
		if q.HasPriv == nil {
			q.HasPriv = slices.Repeat([]bool{true}, n)
		}
		q.HasPriv = append(slices.Clone(q.HasPriv), make([]bool, validation.Rows)...)
		q.Priv = stack(q.Priv, mat.NewDense(validation.Rows, q.Priv.RawMatrix().Cols, nil))
	}
	if q.Weight != nil {
		q.Weight = append(slices.Clone(q.Weight), slices.Repeat([]float64{1}, validation.Rows)...)
	}
	q.X, q.Y = stack(q.X, x), stack(q.Y, p.t.code(known))
	return q, Truth{p.t.truth.and(known)}, nil
}

func stack(a, b *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Stack(a, b)
	return &out
}

// and returns the truth of both sets of rows, of which the first has no unknown classes.
func (t truth) and(other truth) truth {
	if t.weight != nil {
		t.weight = append(slices.Clone(t.weight), slices.Repeat([]float64{1}, other.rows())...)
	}
	t.labels, t.unknown = slices.Concat(t.labels, other.labels), slices.Concat(t.unknown, other.unknown)
	if t.y.Rows > 0 {
		both := blas.New(t.y.Rows+other.y.Rows, t.y.Cols)
		for i := range both.Rows {
			from, at := t.y, i
			if i >= t.y.Rows {
				from, at = other.y, i-t.y.Rows
			}
			copy(blas.Row(both, i), blas.Row(from, at))
		}
		t.y = both
	}
	return t
}

// Truth holds the true classes or numbers of some rows.
type Truth struct{ truth }

// Labels returns the class number of each row of a classification, else nil.
func (t Truth) Labels() []int { return t.labels }

// Score compares a model's outputs, rows × m, with the truth of the given rows. Numbers
// whose squares overflow are a fault.Data error.
func (t Truth) Score(outputs *mat.Dense, rows []int) (Metrics, error) {
	return t.only(rows).score(outputs, t.decide)
}

// MeanSquareSE is the standard error of the mean squared error of the outputs for the given rows of a regression.
func (t Truth) MeanSquareSE(outputs *mat.Dense, rows []int) float64 {
	own := t.only(rows)
	squares := metric.SquaredErrors(own.y, outputs.RawMatrix(), slices.Repeat([]float64{1}, own.y.Cols))
	if own.weight == nil {
		return stat.StdDev(squares, nil) / math.Sqrt(float64(len(squares)))
	}
	_, se := metric.WeightedMean(squares, own.weight)
	return se
}

// Effective is the number of the given rows; where they have weights, of as many rows of equal weight as have the same
// variance of the mean.
func (t Truth) Effective(rows []int) float64 {
	if t.weight == nil {
		return float64(len(rows))
	}
	var sum, square float64
	for _, i := range rows {
		sum += t.weight[i]
		square += t.weight[i] * t.weight[i]
	}
	return sum * sum / square
}

// decide takes the class of the largest score.
func (t Truth) decide(outputs *mat.Dense) []int { return t.coder.Decide(t.coder.Scores(outputs)) }

// SoftmaxLogLoss is the log-loss of the softmax of the outputs for the given rows, of a classification.
func (t Truth) SoftmaxLogLoss(outputs *mat.Dense, rows []int) float64 {
	own := t.only(rows)
	return metric.SoftmaxLogLoss(own.labels, t.coder.Scores(outputs), own.weight)
}

// ROCAUC is the area under the ROC curve of the scores for the given rows, of a classification: see
// metric.Classification. NaN where it is not defined.
func (t Truth) ROCAUC(outputs *mat.Dense, rows []int) float64 {
	return t.only(rows).classified(outputs, nil, blas.Matrix{}).ROCAUC()
}

// CalibratedLogLoss is the log-loss of probabilities by Platt scaling of the outputs for
// the given rows, of a classification. The scaling is fitted to those of these rows whose class
// is known; the outputs must be those of models that were not trained on them.
func (t Truth) CalibratedLogLoss(outputs *mat.Dense, rows []int) float64 {
	own := t.only(rows)
	labels, scores := own.labels, t.coder.Scores(outputs)
	var known []int
	for i, k := range labels {
		if k < len(t.coder.Classes) {
			known = append(known, i)
		}
	}
	curves := calibrate.Fit(calibrate.Platt, blas.Gather(scores, known), learn.Gather(labels, known),
		learn.Gather(own.weight, known))
	return metric.LogLoss(labels, curves.Probabilities(scores), own.weight)
}

// Known reports for each row of the folds, one fold after the other, whether models that are trained on the other rows
// know its class: whether one of the given rows outside the fold has it. Folds hold numbers of elements of rows; nil
// leaves each out alone. Of a regression the answer is nil.
func (t Truth) Known(rows []int, folds [][]int) (known []bool) {
	if t.labels == nil {
		return nil
	}
	all := map[int]int{}
	for _, i := range rows {
		all[t.labels[i]]++
	}
	if folds == nil {
		for _, i := range rows {
			known = append(known, all[t.labels[i]] > 1)
		}
	}
	for _, fold := range folds {
		own := map[int]int{}
		for _, k := range fold {
			own[t.labels[rows[k]]]++
		}
		for _, k := range fold {
			class := t.labels[rows[k]]
			known = append(known, all[class] > own[class])
		}
	}
	return known
}

// Of returns the truth of the given rows. Where known, which may be nil, is false, the class counts as one that the
// coding does not know.
func (t Truth) Of(rows []int, known []bool) Truth {
	out := Truth{t.only(rows)}
	for i, is := range known {
		if !is && out.labels[i] < len(t.coder.Classes) {
			out.labels[i] += len(t.coder.Classes)
		}
	}
	return out
}

// only returns the truth of the given rows.
func (t truth) only(rows []int) truth {
	out := truth{coder: t.coder, labels: learn.Gather(t.labels, rows), unknown: t.unknown,
		weight: learn.Gather(t.weight, rows)}
	if t.labels == nil {
		out.y = blas.Gather(t.y, rows)
	}
	return out
}

// Targets returns what estimators need to know of the targets beside the problem.
func (p *Prepared) Targets() kind.Targets { return p.t.targets() }
