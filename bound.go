package rvflplus

import (
	"context"

	"rvflplus/internal/bound"
)

// BoundOptions say which bound is computed. The zero value of each field stands for its default.
type BoundOptions struct {
	// Loss is the loss of an output f for a class y = ±1: "ramp" (default) is min(1, max(0, 1 − y·f)), "absolute" is
	// |y − f|.
	Loss string
	// Delta is the probability with which the bound may fail, within (0, 1); default 0.05.
	Delta float64
	// Draws is the number of draws of signs for the Monte-Carlo estimate, at least 2; default 1000.
	Draws int
	// Seed draws the signs.
	Seed uint64
	// Progress, when not nil, is told that done of total rows are done. It is called from one goroutine at a time.
	Progress func(stage string, done, total int)
}

// Bound holds Theorem 4 of the paper, Theorem4 = EmpiricalRisk + 2ZB/√N + ZB·√(ln(1/δ)/2N), with its parts.
type Bound struct {
	Theorem4      float64 // with probability 1 − Delta at least the expected loss
	EmpiricalRisk float64 // the mean loss of the rows
	Z             float64 // the largest norm ‖h(x)‖ of a row
	B             float64 // the norm ‖w‖ of the weights
	Delta         float64
	Rows          int    // N
	Loss          string // "ramp" or "absolute"
	// Posteriori is a bound that stays valid although B is read off the model; nil for the absolute loss, which is
	// not bounded.
	Posteriori *float64
	// Rademacher holds three values of the empirical Rademacher complexity that the theorem bounds.
	Rademacher Rademacher
}

// Rademacher holds three values of the empirical Rademacher complexity of the functions h(x)w with ‖w‖ ≤ B.
type Rademacher struct {
	Paper         float64 // ZB/√N, an upper bound
	Trace         float64 // a smaller upper bound, from the trace of the rows' inner products
	MonteCarlo    float64 // an estimate
	StandardError float64 // of the estimate
}

// Bound bounds the expected loss of the model by Theorem 4 of the paper, from the rows it was trained on, which must
// have the target column. The theorem speaks of two classes as one ±1 output of the form h(x)w: kinds rvfl, rvfl+,
// krvfl and krvfl+ trained with Config.Encoding = "sign". Other models are a fault.Usage error. docs/bound.md tells
// what the theorem assumes and how loose it is. Cost: for kernels proportional to N²·(columns + Draws).
func (m *Model) Bound(ctx context.Context, t *Table, o BoundOptions) (*Bound, error) {
	targets, err := m.targets(t)
	if err != nil {
		return nil, err
	}
	r, err := m.p.Bound(ctx, t.t, targets, bound.Options{
		Loss: bound.Loss(o.Loss), Delta: o.Delta, Draws: o.Draws, Seed: o.Seed, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	return &Bound{
		Theorem4: r.Bound, EmpiricalRisk: r.EmpiricalRisk, Z: r.Z, B: r.B, Delta: r.Delta, Rows: r.Rows,
		Loss: string(r.Loss), Posteriori: r.Posteriori,
		Rademacher: Rademacher{r.Rademacher.Paper, r.Rademacher.Trace, r.Rademacher.MonteCarlo, r.Rademacher.SE},
	}, nil
}
