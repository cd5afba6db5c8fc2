// Package learn holds what every estimator shares: the training problem, the
// interfaces of a trainer and a model, and the report of a fit. Errors that a
// user can cause are of package fault.
package learn

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
)

// Problem is what a model is trained on. Rows are aligned.
type Problem struct {
	X    *mat.Dense // N×n normal features
	Priv *mat.Dense // N×d privileged features, nil without any
	Y    *mat.Dense // N×m targets
	// Columns and PrivColumns hold, for each feature of X and of Priv, the number ≥ 0 of the table's column that it
	// comes from; nil means a column of its own for each. The features of a column of categories share its number, and
	// learned widths are theirs together. Trainers that learn no widths have no use for it.
	Columns, PrivColumns []int
	// Weight holds a weight ≥ 0 for each row; nil means 1. A row of weight 2
	// counts as two equal rows, one of weight 0 as none.
	Weight []float64
	// Group is the group of each row; nil means a group of its own for each. Methods that choose
	// hyper-parameters leave out whole groups. Other trainers have no use for it.
	Group []int
	// HasPriv tells which rows have privileged values; nil means all. The
	// privileged features of the other rows are not read.
	HasPriv []bool
	// Unlabelled holds further rows, which have both kinds of features and no target; nil
	// means none. They have weight 1 and are never left out. Projected uses them; other
	// corrections and estimators do not look at them.
	Unlabelled *Unlabelled
	// LeaveOneOut says whether to compute exact leave-one-out predictions.
	LeaveOneOut LeaveOneOut
	// LeftOut asks for Report.LeftOut, and Posterior for a model that implements
	// Posterior, where there is a formula and leave-one-out is computed.
	LeftOut, Posterior bool
	// Progress, when not nil, is told how far the stage has come. It is called
	// from one goroutine at a time.
	Progress Progress
	// Announce, when not nil, is told before a long computation how long it will take
	// and what memory it holds, as a sentence.
	Announce func(text string)
}

// Unlabelled is rows without a target, U ≥ 1 of them.
type Unlabelled struct {
	X    *mat.Dense // U×n normal features, the columns of Problem.X
	Priv *mat.Dense // U×d privileged features, the columns of Problem.Priv
}

// Progress receives done out of total units of the named stage.
type Progress func(stage string, done, total int)

// Tell calls p unless it is nil.
func (p Progress) Tell(stage string, done, total int) {
	if p != nil {
		p(stage, done, total)
	}
}

// LeaveOneOut says when leave-one-out predictions are computed.
type LeaveOneOut int

const (
	// Never leaves them out.
	Never LeaveOneOut = iota
	// WhenCheap computes them when they cost less than ten times the fit, fit
	// into memory, and are defined. The closed forms' cost is about 2 fits in the
	// primal form, 2 (additive) to 8 in the dual, and less than one by
	// pseudo-inverse unless rows have to be refitted: at most 8 are.
	WhenCheap
	// Always computes them or fails.
	Always
)

// Trainer makes a model from a problem. A plain config struct implements it, which
// starts from its package's DefaultConfig; a value out of its range is an error. Training is deterministic: the same
// config and problem give the same bits whatever the number of threads. The
// problem is not modified. A cancelled context ends training with its error.
type Trainer interface {
	Train(ctx context.Context, p Problem) (Model, Report, error)
}

// Model predicts from normal features alone. It is immutable and safe for
// concurrent use.
type Model interface {
	// Dims returns n and m.
	Dims() (features, outputs int)
	// PredictTo sets row i of dst (rows×m) to the outputs for row i of x
	// (rows×n). The bits of a row do not depend on the other rows. It panics on
	// other shapes.
	PredictTo(dst, x *mat.Dense)
}

// Posterior is a model that knows how uncertain its outputs are.
type Posterior interface {
	Model
	// HasPosterior reports whether this model was fitted with Problem.Posterior.
	HasPosterior() bool
	// StdTo sets row i of dst (rows×m) to the standard deviations of the outputs
	// for row i of x (rows×n). It panics on other shapes and without HasPosterior.
	StdTo(dst, x *mat.Dense)
}

// Report tells how a model came about.
type Report struct {
	Solver string // "primal", "dual", "pinv" or, of margin models, the solver's name
	Size   int    // rows of the system that was solved: D+D̃, N or the rank; of margin models, support vectors
	// LeaveOneOut holds the exact leave-one-out outputs, N×m, or nil. A row of
	// weight 0 has the model's prediction.
	LeaveOneOut *mat.Dense
	// LeftOut, when not nil, is the models fitted without one row each as one model
	// of N·m outputs: number i·m+j is output j without row i. It holds as many
	// numbers as that a feature or a training row.
	LeftOut Model
	Notes   []fault.Text // what the user should know
	// Outcome tells what a method that chooses its hyper-parameters tried; nil for others.
	Outcome *Outcome
	// Optimum tells how the solver of a margin model ended, summed over its
	// machines (KKT: the largest); its objective is the dual's, maximised. Nil for
	// closed forms.
	Optimum *Optimum
}

// Optimum tells how the solver of a margin model ended, summed over its machines.
type Optimum struct {
	Objective  float64 // of the dual, maximised
	Gap        float64 // upper bound on the distance to the optimum, absolute
	KKT        float64 // largest violation of the optimality conditions
	Iterations int
}

// Check returns a fault.Usage error when the problem's shapes do not agree or
// there is nothing to learn from, and a fault.Data error for a value that is not
// finite or a weight that is negative. Rows without a target need privileged features,
// else they are a fault.Usage error.
func (p Problem) Check() error {
	if err := errors.Join(p.checkShapes(), p.checkColumns()); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		m    *mat.Dense
	}{{"normal features", p.X}, {"targets", p.Y}} {
		if err := checkFinite(part.name, part.m, nil); err != nil {
			return err
		}
	}
	if p.Priv != nil {
		if err := checkFinite("privileged features", p.Priv, p.HasPriv); err != nil {
			return err
		}
	}
	if err := p.checkUnlabelled(); err != nil {
		return err
	}
	return p.checkWeights()
}

func (p Problem) checkUnlabelled() error {
	u := p.Unlabelled
	if u == nil {
		return nil
	}
	if p.Priv == nil || u.Priv == nil || u.X == nil || u.Priv.IsEmpty() || u.X.IsEmpty() {
		return fault.New(fault.Usage, "rows without a target need normal and privileged features, as other rows have")
	}
	for _, part := range []struct {
		name        string
		have, other *mat.Dense
	}{{"normal features", u.X, p.X}, {"privileged features", u.Priv, p.Priv}} {
		if have, want := part.have.RawMatrix().Cols, part.other.RawMatrix().Cols; have != want {
			return fault.New(fault.Usage, "rows without a target have %d %s, rows with one have %d", have, part.name,
				want)
		}
		if err := checkFinite(part.name+" of rows without a target", part.have, nil); err != nil {
			return err
		}
	}
	if x, priv := u.X.RawMatrix().Rows, u.Priv.RawMatrix().Rows; x != priv {
		return fault.New(fault.Usage, "rows without a target: %d have normal features, %d privileged ones", x, priv)
	}
	return nil
}

func (p Problem) checkShapes() error {
	if p.X == nil || p.Y == nil || p.X.IsEmpty() || p.Y.IsEmpty() {
		return fault.New(fault.Usage, "a problem needs at least one row, one normal feature and one target")
	}
	n := p.X.RawMatrix().Rows
	for _, part := range []struct {
		name string
		rows int
	}{
		{"targets", p.Y.RawMatrix().Rows}, {"privileged features", privRows(p.Priv, n)},
		{"weights", lenOr(len(p.Weight), p.Weight == nil, n)}, {"HasPriv", lenOr(len(p.HasPriv), p.HasPriv == nil, n)},
		{"groups", lenOr(len(p.Group), p.Group == nil, n)},
	} {
		if part.rows != n {
			return fault.New(fault.Usage, "%s have %d rows, normal features have %d", part.name, part.rows, n)
		}
	}
	return nil
}

func privRows(m *mat.Dense, n int) int {
	if m == nil {
		return n
	}
	return m.RawMatrix().Rows
}

func lenOr(have int, isNil bool, n int) int {
	if isNil {
		return n
	}
	return have
}

func checkFinite(name string, m *mat.Dense, only []bool) error {
	raw := m.RawMatrix()
	if only == nil && raw.Stride == raw.Cols && surelyFinite(raw.Data) {
		return nil
	}
	for i := range raw.Rows {
		if only != nil && !only[i] || surelyFinite(blas.Row(raw, i)) {
			continue
		}
		for j, v := range blas.Row(raw, i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.New(fault.Data, "%s must be finite, got %v in row %d, column %d", name, v, i+1, j+1)
			}
		}
	}
	return nil
}

// surelyFinite is false where a number is not finite, or the sum of squares overflows.
func surelyFinite(v []float64) bool {
	square := blas.Dot(v, v)
	return square-square == 0
}

func (p Problem) checkWeights() error {
	if p.Weight == nil {
		return nil
	}
	var total float64
	for i, v := range p.Weight {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fault.New(fault.Data, "weights must be finite and >= 0, got %v in row %d", v, i+1)
		}
		total += v
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return fault.New(fault.Data, "the weights must have a finite sum > 0, got %v", total)
	}
	return nil
}

// Tolerate judges the error of a leave-one-out computation: under WhenCheap, a
// problem for which it is not defined gives a note instead of an error.
func (l LeaveOneOut) Tolerate(err error) (notes []fault.Text, left error) {
	if l == WhenCheap && errors.Is(err, fault.NotSolved) {
		return []fault.Text{fault.Textf("%w", err)}, nil
	}
	return nil, err
}
