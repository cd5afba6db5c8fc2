package learntest

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/learn"
)

// checkLeftOut compares the models without one row each, at every row, with
// refits; one row has weight 0. An estimator may have none.
func checkLeftOut(t *testing.T, e Estimator) {
	if e.NoLeaveOneOut || e.NoLeftOut {
		return
	}
	const n = 12
	p := e.problem(n)
	p.LeaveOneOut, p.LeftOut = learn.Always, true
	p.Weight = make([]float64, n)
	for i := range p.Weight {
		p.Weight[i] = float64((i + 1) % 4)
	}
	full, report := e.train(t, p)
	if report.LeftOut == nil {
		if report.Solver != "pinv" {
			t.Error("no models without one row each")
		}
		return
	}
	q := p
	q.LeaveOneOut, q.LeftOut = learn.Never, false
	got := predict(report.LeftOut, p.X)
	for i := range n {
		m := full
		if p.Weight[i] > 0 {
			m, _ = e.train(t, shuffled(q, slices.Delete([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, i, i+1)))
		}
		near(t, "a model without a row", mat.DenseCopyOf(got.Slice(0, n, i*targets, i*targets+targets)),
			predict(m, p.X), e.Tolerance)
	}
	if !e.NoPriv {
		checkLeftOutOrder(t, e, p)
	}
}

// checkLeftOutOrder leaves rows without privileged values, which the closed forms
// put last, in between: model i at row i must be the leave-one-out prediction.
func checkLeftOutOrder(t *testing.T, e Estimator, p learn.Problem) {
	n := len(p.Weight)
	p.HasPriv = make([]bool, n)
	for i := range p.HasPriv {
		p.HasPriv[i] = i%3 > 0
	}
	_, report := e.train(t, p)
	got, own := predict(report.LeftOut, p.X), mat.NewDense(n, targets, nil)
	for i := range n {
		own.SetRow(i, got.RawRowView(i)[i*targets:i*targets+targets])
	}
	near(t, "models in another order", own, report.LeaveOneOut, e.Tolerance)
}

// std returns the standard deviations of a model fitted with a spread, else nil.
func std(m learn.Model, x *mat.Dense) *mat.Dense {
	s, ok := m.(learn.Posterior)
	if !ok || !s.HasPosterior() {
		return nil
	}
	_, outputs := m.Dims()
	out := mat.NewDense(x.RawMatrix().Rows, outputs, nil)
	s.StdTo(out, x)
	return out
}

// checkPosterior asks for deviations that do not depend on the other rows and that
// grow away from the training rows.
func checkPosterior(t *testing.T, e Estimator) {
	if e.NoLeaveOneOut || e.NoLeftOut {
		return
	}
	p := e.problem(40)
	p.LeaveOneOut, p.Posterior = learn.Always, true
	m, _ := e.train(t, p)
	if _, ok := m.(learn.Posterior); !ok {
		return
	}
	all := std(m, p.X)
	if all == nil {
		t.Fatal("asked for a spread, got none")
	}
	part := mat.DenseCopyOf(p.X.Slice(7, 19, 0, features))
	bits(t, "deviations of some rows", std(m, part), mat.DenseCopyOf(all.Slice(7, 19, 0, targets)))
	part.Scale(5, part)
	far := std(m, part)
	for i := range 12 {
		if !(far.At(i, 0) > all.At(i+7, 0)) {
			t.Errorf("row %d: deviation %g far away, %g near", i, far.At(i, 0), all.At(i+7, 0))
		}
	}
	p.Posterior = false
	if m, _ = e.train(t, p); std(m, p.X) != nil {
		t.Error("a spread that was not asked for")
	}
}
