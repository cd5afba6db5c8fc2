package krvfl

import (
	"context"
	"fmt"
	"time"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/learn"
)

// Train fits KRVFL+ when p has privileged features, else KRVFL. Cost N²(n+d) for
// the kernels and N³/3 operations for the solution, memory 8N² bytes (40N² with
// leave-one-out).
func (c Config) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	if err := c.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	if err := p.Check(); err != nil {
		return nil, learn.Report{}, err
	}
	if c.learnsWidths(p) {
		own, how, err := c.chooseWidths(ctx, p)
		if err != nil {
			return nil, learn.Report{}, err
		}
		m, report, err := own.Train(ctx, p)
		report.Notes = append([]fault.Text{how}, report.Notes...)
		return m, report, err
	}
	a := p.CompleteFirst()
	if err := checkMemory(a.X.Rows, p.LeaveOneOut); err != nil {
		return nil, learn.Report{}, err
	}
	announce(p, a.X.Rows)
	a.X, a.Priv = blas.Clone(a.X), blas.Clone(a.Priv) // the model keeps them
	k, err := c.Kernel.ResolveWith(c.Linear, a.X, c.Seed)
	if err != nil {
		return nil, learn.Report{}, fmt.Errorf("normal features: %w", err)
	}
	params := ridge.Params{C: c.C, Gamma: c.Gamma, Correction: c.Correction, Center: c.Center}
	omega := &gramian{k: k, x: a.X, again: p.LeaveOneOut != learn.Never}
	defer omega.release()
	d := ridge.DualProblem{Omega: omega, Y: a.Y, Weight: a.Weight, Params: params}
	model := &Model{support: a.X, terms: []Term{{Kernel: k}}}
	if p.Priv != nil && a.Complete > 0 {
		model.privSupport = blas.View(a.Priv, 0, a.Complete, 0, a.Priv.Cols)
		spec := c.PrivKernel.Or(c.Kernel)
		if model.privKernel, err = spec.ResolveWith(c.Linear, model.privSupport, c.Seed); err != nil {
			return nil, learn.Report{}, fmt.Errorf("privileged features: %w", err)
		}
		if c.Correction == learn.Projected {
			return c.project(ctx, p, a, model)
		}
		priv := &gramian{k: model.privKernel, x: model.privSupport, again: true}
		defer priv.release()
		d.Priv = priv
	}
	return c.solve(ctx, d, p, a, model)
}

func checkMemory(rows int, loo learn.LeaveOneOut) error {
	return memory.Check(ridge.DualBytes(rows, loo == learn.Always), fmt.Sprintf("a kernel model of %d rows", rows),
		"use %s or %s, whose memory does not grow with the rows, or fewer rows",
		fault.Set("kind", "rvfl+"), fault.Set("kind", "rvfl"))
}

// long is the time from which on a fit is announced.
const long = 10 * time.Second

// announce says how long a fit of many rows will take: the factorisation, and
// up to ten times that for leave-one-out when it must be computed.
func announce(p learn.Problem, rows int) {
	n := float64(rows)
	operations := n * n * n / 3
	if p.Announce == nil || operations < blas.LeastRate*long.Seconds() {
		return
	}
	expected := time.Duration(operations / blas.Rate() * float64(time.Second))
	if p.LeaveOneOut == learn.Always {
		expected *= 11
	}
	if expected >= long {
		p.Announce(fmt.Sprintf("a kernel model of %d rows takes about %v and %s", rows, expected.Round(time.Second),
			memory.Text(ridge.DualBytes(rows, p.LeaveOneOut == learn.Always))))
	}
}

func (c Config) solve(ctx context.Context, d ridge.DualProblem, p learn.Problem, a learn.Ordered,
	model *Model) (learn.Model, learn.Report, error) {
	solution, notes, err := ridge.FitDualFor(ctx, p, d)
	if err != nil {
		return nil, learn.Report{}, err
	}
	term := &model.terms[0]
	term.Alpha, model.offset = solution.Alpha, solution.Offset
	model.setPriv(solution.PrivAlpha, c.Gamma)
	if err := learn.CheckWeights(term.Alpha); err != nil {
		return nil, learn.Report{}, err
	}
	report := learn.Report{Solver: "dual", Size: a.X.Rows, Notes: notes}
	if solution.LeaveOneOut.Data != nil {
		report.LeaveOneOut = a.Restore(solution.LeaveOneOut, model.PredictTo, p.X)
	}
	if l := solution.LeftOut; l != nil {
		l = l.InProblemOrder(a, term.Alpha, model.offset)
		report.LeftOut = &Model{support: model.support, terms: []Term{{Kernel: term.Kernel, Alpha: l.Weight}},
			offset: l.Offset}
	}
	if s := solution.Posterior; s != nil {
		term.Factor, term.Scale = s.Factor, s.Scale
	}
	return model, report, nil
}

// setPriv keeps the correcting function of weights alpha, which are divided by γ.
func (m *Model) setPriv(alpha blas.Matrix, gamma float64) {
	for i := range alpha.Data {
		alpha.Data[i] /= gamma
	}
	m.privAlpha = alpha
}
