// Package bound computes generalisation bounds of trained models: Theorem 4 of the
// RVFL+ paper with its parts, the Rademacher complexity it bounds, and a form
// that stays valid when the norm is read off the trained model.
package bound

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/target"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// Options say which bound is computed. The zero value of a field means its default.
type Options struct {
	Loss     Loss           // default Ramp
	Delta    float64        // the bound fails with at most this probability; in (0, 1), default 0.05
	Draws    int            // of signs for the Monte-Carlo estimate; ≥ 2, default 1000
	Seed     uint64         // of the signs
	Progress learn.Progress // may be nil
}

func (o Options) withDefaults() Options {
	o.Loss, o.Delta, o.Draws = cmp.Or(o.Loss, Ramp), cmp.Or(o.Delta, 0.05), cmp.Or(o.Draws, 1000)
	return o
}

// Validate returns a fault.Usage error that names a value out of its range.
func (o Options) Validate() error {
	o = o.withDefaults()
	if !(o.Delta > 0 && o.Delta < 1) {
		return fault.Param("delta", "a number > 0 and < 1", o.Delta)
	}
	if o.Draws < 2 {
		return fault.Param("draws", "a whole number >= 2", o.Draws)
	}
	return o.Loss.validate()
}

// Rademacher holds three values for the empirical Rademacher complexity of the
// ball of functions h·w, ‖w‖ ≤ B, on the rows: E_ε (B/N)‖Hᵀε‖ over random signs ε.
type Rademacher struct {
	Paper      float64 `json:"paper"`       // ZB/√N, an upper bound
	Trace      float64 `json:"trace"`       // B√tr(HHᵀ)/N, a smaller upper bound
	MonteCarlo float64 `json:"monte_carlo"` // an estimate
	SE         float64 `json:"se"`          // the estimate's standard error
}

// Report holds Theorem 4, Bound = EmpiricalRisk + 2KZB/√N + KZB√(ln(1/δ)/2N), with
// its parts.
type Report struct {
	Z             float64    `json:"Z"` // maxᵢ‖h(xᵢ)‖
	B             float64    `json:"B"` // ‖w‖
	K             float64    `json:"K"` // Lipschitz constant of the loss: 1
	Delta         float64    `json:"delta"`
	Rademacher    Rademacher `json:"rademacher"`
	EmpiricalRisk float64    `json:"empirical_risk"` // mean loss on the rows
	Bound         float64    `json:"bound"`
	// Posteriori is valid although B is read off the model (see docs/bound.md);
	// nil for the absolute loss, which is not bounded.
	Posteriori *float64 `json:"bound_posteriori"`
	Rows       int      `json:"rows"`
	Loss       Loss     `json:"loss"`

	root float64 // √tr(HHᵀ)
}

// Qualify returns a fault.Usage error, which says what would, unless m is a model
// that the theorem speaks of: two classes as one ±1 output of the form h(x)w.
func Qualify(m *pipeline.Model) error {
	switch m.Estimator.(type) {
	case *rvfl.Model, *krvfl.Model:
	default: // no other way to train would help
		return errKind
	}
	switch {
	case m.Coder.Task != target.Classification:
		return fault.New(fault.Usage, "the bound is for two classes, this model is a regression").WithHint("train on a target of two classes with --encoding sign")
	case len(m.Coder.Classes) != 2:
		return fault.New(fault.Usage, "the bound is for two classes, this model has %d", len(m.Coder.Classes)).WithHint("train on a target of two classes with --encoding sign")
	case m.Coder.Outputs() != 1:
		return fault.New(fault.Usage, "the bound is for one output, this model has one a class").WithHint("train it with --encoding sign")
	}
	_, err := spaceOf(m.Estimator)
	return err
}

// Compute computes the bound of m from its training rows: a table with the normal
// columns, and the target. Errors are those of Qualify, of Options.Validate and of
// reading the table.
func Compute(ctx context.Context, m *pipeline.Model, t *dataset.Table, targets []*dataset.Column, o Options) (*Report, error) {
	if err := Qualify(m); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	x, y, err := m.Coded(t, targets)
	if err != nil {
		return nil, err
	}
	s, err := spaceOf(m.Estimator)
	if err != nil {
		return nil, err
	}
	r := &Report{K: 1, Delta: o.Delta, Rows: t.Rows, Loss: o.Loss}
	if err := r.measure(ctx, s, x, o); err != nil {
		return nil, err
	}
	r.EmpiricalRisk = o.Loss.risk(m.Estimator, x, y)
	r.combine()
	return r, r.finite()
}

// Risk returns the mean loss of m on a table with the normal columns and the
// target.
func Risk(m *pipeline.Model, t *dataset.Table, targets []*dataset.Column, l Loss) (float64, error) {
	x, y, err := m.Coded(t, targets)
	if err != nil {
		return 0, err
	}
	return l.risk(m.Estimator, x, y), nil
}

// measure sets Z, B and the Rademacher complexities.
func (r *Report) measure(ctx context.Context, s space, x *mat.Dense, o Options) error {
	squares, err := s.squares(ctx, x.RawMatrix())
	if err != nil {
		return err
	}
	radius, err := s.radius(ctx)
	if err != nil {
		return err
	}
	var trace, largest float64
	for _, v := range squares {
		trace += v
		largest = max(largest, v)
	}
	n := float64(len(squares))
	r.B, r.Z = math.Sqrt(max(0, radius)), math.Sqrt(largest)
	r.Rademacher.Paper = r.Z * r.B / math.Sqrt(n)
	r.root = math.Sqrt(trace)
	r.Rademacher.Trace = r.B * r.root / n
	mean, se, err := monteCarlo(ctx, s, x.RawMatrix(), o)
	r.Rademacher.MonteCarlo, r.Rademacher.SE = r.B/n*mean, r.B/n*se
	return err
}

// combine sets both bounds from their parts.
func (r *Report) combine() {
	n := float64(r.Rows)
	r.Bound = r.EmpiricalRisk + 2*r.K*r.Rademacher.Paper + r.K*r.Z*r.B*math.Sqrt(math.Log(1/r.Delta)/(2*n))
	if r.Loss != Ramp {
		return
	}
	j := 1 + max(0, math.Ceil(math.Log2(r.B)))
	v := r.EmpiricalRisk + 2*r.K*math.Exp2(j-1)*r.root/n + 3*math.Sqrt(math.Log(2*j*(j+1)/r.Delta)/(2*n))
	r.Posteriori = &v
}

func (r *Report) finite() error {
	for name, v := range map[string]float64{"Z": r.Z, "B": r.B, "the bound": r.Bound, "the empirical risk": r.EmpiricalRisk} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.New(fault.Data, "%s is too large for a number", name).WithHint("scale the features")
		}
	}
	return nil
}
