// Package bound computes generalisation bounds of trained models: Theorem 4 of the RVFL+ paper with its parts, the
// Rademacher complexity it bounds, and a form that stays valid when the norm is read off the trained model. A model
// comes as its Space and its outputs.
package bound

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/rng"
	"rvflplus/learn"
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

// Rademacher holds three values for the empirical Rademacher complexity of the ball of functions h·w, ‖w‖ ≤ B, on the
// rows: E_ε (B/N)‖Hᵀε‖ over random signs ε.
type Rademacher struct {
	Paper      float64 `json:"paper"`       // ZB/√N, an upper bound
	Trace      float64 `json:"trace"`       // B√tr(HHᵀ)/N, a smaller upper bound
	MonteCarlo float64 `json:"monte_carlo"` // an estimate
	SE         float64 `json:"se"`          // the estimate's standard error
}

// Report holds Theorem 4, Bound = EmpiricalRisk + 2KZB/√N + KZB√(ln(1/δ)/2N), with its parts.
type Report struct {
	Z             float64    `json:"Z"` // maxᵢ‖h(xᵢ)‖
	B             float64    `json:"B"` // ‖w‖
	K             float64    `json:"K"` // Lipschitz constant of the loss: 1
	Delta         float64    `json:"delta"`
	Rademacher    Rademacher `json:"rademacher"`
	EmpiricalRisk float64    `json:"empirical_risk"` // mean loss on the rows
	Bound         float64    `json:"bound"`
	// Posteriori is valid although B is read off the model (see docs/bound.md); nil for the absolute loss, which is not
	// bounded.
	Posteriori *float64 `json:"bound_posteriori"`
	Rows       int      `json:"rows"`
	Loss       Loss     `json:"loss"`
}

// Compute computes the bound of a model from its N training rows: their features x (N×n), the model's outputs for them
// and their classes ±1 (each N). Errors are those of Options.Validate and of numbers that overflow.
func Compute(ctx context.Context, s Space, x blas.Matrix, outputs, classes []float64, o Options) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	squares, err := s.SquaredNorms(ctx, x)
	if err != nil {
		return nil, err
	}
	weight, err := s.SquaredWeight(ctx)
	if err != nil {
		return nil, err
	}
	var trace, largest float64
	for _, v := range squares {
		trace += v
		largest = max(largest, v)
	}
	r := &Report{K: 1, Delta: o.Delta, Rows: x.Rows, Loss: o.Loss}
	n, root := float64(len(squares)), math.Sqrt(trace)
	r.B, r.Z = math.Sqrt(max(0, weight)), math.Sqrt(largest)
	r.Rademacher.Paper = r.Z * r.B / math.Sqrt(n)
	r.Rademacher.Trace = r.B * root / n
	mean, se, err := monteCarlo(ctx, s, x, o)
	if err != nil {
		return nil, err
	}
	r.Rademacher.MonteCarlo, r.Rademacher.SE = r.B/n*mean, r.B/n*se
	r.EmpiricalRisk = o.Loss.Risk(outputs, classes)
	r.Bound = r.EmpiricalRisk + 2*r.K*r.Rademacher.Paper + r.K*r.Z*r.B*math.Sqrt(math.Log(1/r.Delta)/(2*n))
	if r.Loss == Ramp {
		j := 1 + max(0, math.Ceil(math.Log2(r.B)))
		v := r.EmpiricalRisk + 2*r.K*math.Exp2(j-1)*root/n + 3*math.Sqrt(math.Log(2*j*(j+1)/r.Delta)/(2*n))
		r.Posteriori = &v
	}
	for name, v := range map[string]float64{
		"Z": r.Z, "B": r.B, "the bound": r.Bound, "the empirical risk": r.EmpiricalRisk,
	} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return r, fault.New(fault.Data, "%s is too large for a number", name).WithHint("scale the features")
		}
	}
	return r, nil
}

// monteCarlo estimates E_ε‖Σᵢ εᵢh(xᵢ)‖ over random signs.
func monteCarlo(ctx context.Context, s Space, x blas.Matrix, o Options) (mean, se float64, err error) {
	need := 8 * float64(x.Rows) * float64(o.Draws+block)
	what := fmt.Sprintf("%d draws of %d signs", o.Draws, x.Rows)
	if err := memory.Check(need, what, "use fewer %s", fault.Name("draws")); err != nil {
		return 0, 0, err
	}
	signs, r := blas.New(x.Rows, o.Draws), rng.New(o.Seed, "bound")
	for i := range signs.Data {
		signs.Data[i] = 1 - 2*float64(r.Uint64()>>63)
	}
	lengths, err := s.SquaredSums(ctx, x, signs, func(done int) { o.Progress.Tell("Monte-Carlo", done, x.Rows) })
	if err != nil {
		return 0, 0, err
	}
	for i, v := range lengths {
		lengths[i] = math.Sqrt(max(0, v))
		mean += lengths[i] / float64(o.Draws)
	}
	for _, v := range lengths {
		se += (v - mean) * (v - mean)
	}
	draws := float64(o.Draws)
	return mean, math.Sqrt(se / (draws - 1) / draws), nil
}
