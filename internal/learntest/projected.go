package learntest

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/learn"
)

// RunProjected checks an estimator of learn.Projected whose second stage is fixed, on rows of which some have no
// targets. lacking says that some rows lack privileged values too: leave-one-out holds the weight of those fixed, so
// refits agree only where that weight is the same for all rows.
func RunProjected(t *testing.T, trainer learn.Trainer, lacking bool) {
	e := Estimator{Trainer: trainer, Tolerance: 1e-8}
	t.Run("leave-one-out and left-out models are refits", func(t *testing.T) { checkUnlabelled(t, e, lacking) })
	t.Run("threads do not matter to unlabelled rows", func(t *testing.T) { checkUnlabelledThreads(t, e, lacking) })
	t.Run("unlabelled rows count", func(t *testing.T) {
		p := e.partlyLabelled(30, 20, lacking)
		with, _ := e.train(t, p)
		p.Unlabelled = nil
		without, _ := e.train(t, p)
		if slices.Equal(predict(with, p.X).RawMatrix().Data, predict(without, p.X).RawMatrix().Data) {
			t.Error("unlabelled rows change nothing")
		}
	})
}

// partlyLabelled returns a problem of n rows with weights, after them u unlabelled ones.
func (e Estimator) partlyLabelled(n, u int, lacking bool) learn.Problem {
	p := e.problem(n)
	r := rand.New(rand.NewPCG(uint64(u), 98))
	draw := func(_, _ int, _ float64) float64 { return r.Float64() }
	p.Unlabelled = &learn.Unlabelled{X: mat.NewDense(u, features, nil), Priv: mat.NewDense(u, priv, nil)}
	p.Unlabelled.X.Apply(draw, p.Unlabelled.X)
	p.Unlabelled.Priv.Apply(draw, p.Unlabelled.Priv)
	p.Weight = make([]float64, n)
	for i := range p.Weight {
		p.Weight[i] = 0.5 + float64(i%4)
	}
	if lacking {
		p.HasPriv = make([]bool, n)
		for i := range p.HasPriv {
			p.HasPriv[i] = i%3 > 0
		}
	}
	return p
}

func checkUnlabelled(t *testing.T, e Estimator, lacking bool) {
	const n = 14
	p := e.partlyLabelled(n, 9, lacking)
	p.LeaveOneOut, p.LeftOut = learn.Always, true
	_, report := e.train(t, p)
	got := predict(report.LeftOut, p.X)
	q := p
	q.LeaveOneOut, q.LeftOut = learn.Never, false
	want := mat.NewDense(n, targets, nil)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	for i := range n {
		m, _ := e.train(t, shuffled(q, slices.Delete(slices.Clone(all), i, i+1)))
		refitted := predict(m, p.X)
		near(t, "a model without a row", mat.DenseCopyOf(got.Slice(0, n, i*targets, i*targets+targets)), refitted,
			e.Tolerance)
		want.SetRow(i, refitted.RawRowView(i))
	}
	near(t, "leave-one-out", report.LeaveOneOut, want, e.Tolerance)
}

func checkUnlabelledThreads(t *testing.T, e Estimator, lacking bool) {
	run := func(threads int) *mat.Dense {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		p := e.partlyLabelled(150, 400, lacking)
		p.LeaveOneOut = learn.Always
		m, report := e.train(t, p)
		var both mat.Dense
		both.Stack(predict(m, p.X), report.LeaveOneOut)
		return &both
	}
	want := run(1)
	for _, threads := range []int{2, 7} {
		bits(t, "more threads", run(threads), want)
	}
}
