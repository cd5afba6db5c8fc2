// Package learntest checks what every estimator promises.
package learntest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/learn"
)

// Estimator is one configuration to be checked.
type Estimator struct {
	Trainer learn.Trainer
	// RoundTrip saves a model and loads it again; nil leaves that check out.
	RoundTrip func(learn.Model) (learn.Model, error)
	// NoPriv says that the estimator takes no privileged features.
	NoPriv bool
	// OneHot gives the estimator classes as targets, one column each.
	OneHot bool
	// NoLeaveOneOut says that the estimator has no exact leave-one-out: it refuses
	// learn.Always and leaves it out under learn.WhenCheap.
	NoLeaveOneOut bool
	// NeedsAllPriv says that the estimator refuses rows without privileged values.
	NeedsAllPriv bool
	// LearnsLeftOut says that the estimator is trained on leave-one-out predictions. A row of weight 2 is then not two
	// equal rows: of these, the prediction of one is by a model that has seen the other.
	LearnsLeftOut bool
	// NoLeftOut says that the estimator has leave-one-out but no models without one row each, and no spread.
	NoLeftOut bool
	// Chooses says that the estimator chooses by folds of rows, or by leave-one-out, what a refit without a row would
	// choose anew: its leave-one-out is not that of refits, and the order of the rows may matter.
	Chooses bool
	// Tolerance for predictions that rounding may change; 0 means 1e-8.
	Tolerance float64
}

// Run checks e on small random problems.
func Run(t *testing.T, e Estimator) {
	if e.Tolerance == 0 {
		e.Tolerance = 1e-8
	}
	for name, check := range map[string]func(*testing.T, Estimator){
		"same seed same bits":          checkSameBits,
		"threads do not matter":        checkThreads,
		"rows predict alone":           checkBatches,
		"row order does not matter":    checkRowOrder,
		"inputs unchanged":             checkInputsUnchanged,
		"wrong shapes and values":      checkRefusals,
		"cancellation":                 checkCancellation,
		"weights are copies":           checkWeights,
		"missing privileged values":    checkMissing,
		"leave-one-out is refitting":   checkLeaveOneOut,
		"left-out models are refits":   checkLeftOut,
		"spread":                       checkPosterior,
		"concurrent prediction":        checkConcurrent,
		"saved and loaded is the same": checkRoundTrip,
	} {
		t.Run(name, func(t *testing.T) { check(t, e) })
	}
}

const (
	features = 4
	priv     = 3
	targets  = 2
)

func (e Estimator) problem(n int) learn.Problem {
	r := rand.New(rand.NewPCG(uint64(n), 99))
	draw := func(cols int) *mat.Dense {
		m := mat.NewDense(n, cols, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return r.Float64() }, m)
		return m
	}
	p := learn.Problem{X: draw(features), Y: draw(targets)}
	if e.OneHot {
		p.Y = oneHot(p)
	}
	if !e.NoPriv {
		p.Priv = draw(priv)
	}
	return p
}

// oneHot makes classes that the features mostly tell.
func oneHot(p learn.Problem) *mat.Dense {
	n, _ := p.X.Dims()
	y := mat.NewDense(n, targets, nil)
	for i := range n {
		class := 0
		if p.X.At(i, 0)+0.5*p.Y.At(i, 0) > 0.75 {
			class = 1
		}
		y.Set(i, class, 1)
	}
	return y
}

func (e Estimator) train(t *testing.T, p learn.Problem) (learn.Model, learn.Report) {
	t.Helper()
	m, report, err := e.Trainer.Train(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return m, report
}

func predict(m learn.Model, x *mat.Dense) *mat.Dense {
	_, outputs := m.Dims()
	out := mat.NewDense(x.RawMatrix().Rows, outputs, nil)
	m.PredictTo(out, x)
	return out
}

func bits(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	if !slices.Equal(got.RawMatrix().Data, want.RawMatrix().Data) {
		t.Errorf("%s: other bits", what)
	}
}

func near(t *testing.T, what string, got, want *mat.Dense, tolerance float64) {
	t.Helper()
	rows, cols := got.Dims()
	for i := range rows {
		for j := range cols {
			if !(math.Abs(got.At(i, j)-want.At(i, j)) <= tolerance*(1+math.Abs(want.At(i, j)))) {
				t.Errorf("%s: row %d column %d is %.12g, want %.12g", what, i, j, got.At(i, j), want.At(i, j))
				return
			}
		}
	}
}

func checkSameBits(t *testing.T, e Estimator) {
	p := e.problem(30)
	a, _ := e.train(t, p)
	b, _ := e.train(t, p)
	bits(t, "trained twice", predict(b, p.X), predict(a, p.X))
	if n, m := a.Dims(); n != features || m != targets {
		t.Errorf("dimensions %d and %d", n, m)
	}
}

func checkThreads(t *testing.T, e Estimator) {
	run := func(threads int) *mat.Dense {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		p := e.problem(150)
		p.LeaveOneOut = learn.WhenCheap
		m, report := e.train(t, p)
		if e.NoLeaveOneOut {
			return predict(m, p.X)
		}
		var both mat.Dense
		both.Stack(predict(m, p.X), report.LeaveOneOut)
		return &both
	}
	want := run(1)
	for _, threads := range []int{2, 7} {
		bits(t, "more threads", run(threads), want)
	}
}

func checkBatches(t *testing.T, e Estimator) {
	p := e.problem(300)
	m, _ := e.train(t, e.problem(40))
	whole := predict(m, p.X)
	for _, i := range []int{0, 63, 64, 255, 256, 299} {
		row := mat.DenseCopyOf(p.X.Slice(i, i+1, 0, features))
		bits(t, "a row alone", predict(m, row), mat.DenseCopyOf(whole.Slice(i, i+1, 0, targets)))
	}
}

// shuffled returns p with rows in the given order.
func shuffled(p learn.Problem, order []int) learn.Problem {
	move := func(m *mat.Dense) *mat.Dense {
		if m == nil {
			return nil
		}
		out := mat.NewDense(len(order), m.RawMatrix().Cols, nil)
		for i, r := range order {
			out.SetRow(i, m.RawRowView(r))
		}
		return out
	}
	q := p
	q.X, q.Priv, q.Y = move(p.X), move(p.Priv), move(p.Y)
	q.Weight, q.HasPriv = nil, nil
	for _, r := range order {
		if p.Weight != nil {
			q.Weight = append(q.Weight, p.Weight[r])
		}
		if p.HasPriv != nil {
			q.HasPriv = append(q.HasPriv, p.HasPriv[r])
		}
	}
	return q
}

func checkRowOrder(t *testing.T, e Estimator) {
	if e.Chooses {
		return
	}
	p := e.problem(60)
	order := rand.New(rand.NewPCG(1, 2)).Perm(60)
	a, _ := e.train(t, p)
	b, _ := e.train(t, shuffled(p, order))
	near(t, "shuffled rows", predict(b, p.X), predict(a, p.X), e.Tolerance)
}

func checkInputsUnchanged(t *testing.T, e Estimator) {
	p := e.problem(30)
	if !e.NoLeaveOneOut {
		p.LeaveOneOut = learn.Always
	}
	x, y := mat.DenseCopyOf(p.X), mat.DenseCopyOf(p.Y)
	m, _ := e.train(t, p)
	before := predict(m, x)
	bits(t, "features after training", p.X, x)
	bits(t, "targets after training", p.Y, y)
	p.X.Zero()
	p.Y.Zero()
	if p.Priv != nil {
		p.Priv.Zero()
	}
	bits(t, "a model whose training data was overwritten", predict(m, x), before)
}

func checkRefusals(t *testing.T, e Estimator) {
	for name, spoil := range map[string]func(*learn.Problem){
		"no rows":            func(p *learn.Problem) { p.X, p.Y, p.Priv = &mat.Dense{}, &mat.Dense{}, nil },
		"too few targets":    func(p *learn.Problem) { p.Y = mat.NewDense(3, 1, nil) },
		"too few weights":    func(p *learn.Problem) { p.Weight = []float64{1} },
		"a negative weight":  func(p *learn.Problem) { p.Weight = make([]float64, 10); p.Weight[3] = -1 },
		"no weight at all":   func(p *learn.Problem) { p.Weight = make([]float64, 10) },
		"NaN among features": func(p *learn.Problem) { p.X.Set(2, 1, math.NaN()) },
		"Inf among targets":  func(p *learn.Problem) { p.Y.Set(2, 1, math.Inf(1)) },
	} {
		p := e.problem(10)
		spoil(&p)
		_, _, err := e.Trainer.Train(context.Background(), p)
		if !errors.Is(err, fault.Usage) && !errors.Is(err, fault.Data) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	m, _ := e.train(t, e.problem(10))
	defer func() {
		if recover() == nil {
			t.Error("PredictTo took a matrix of another shape")
		}
	}()
	m.PredictTo(mat.NewDense(1, targets, nil), mat.NewDense(1, features+1, nil))
}

func checkCancellation(t *testing.T, e Estimator) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := e.Trainer.Train(ctx, e.problem(30)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func checkWeights(t *testing.T, e Estimator) {
	p := e.problem(20)
	p.Weight = make([]float64, 20)
	weights := 3 // 0, 1 and 2
	if e.LearnsLeftOut {
		weights = 2
	}
	var order []int
	for i := range p.Weight {
		p.Weight[i] = float64(i % weights)
		for range i % weights {
			order = append(order, i)
		}
	}
	copies := p
	copies.Weight = nil
	a, _ := e.train(t, p)
	b, _ := e.train(t, shuffled(copies, order))
	near(t, "whole weights", predict(a, p.X), predict(b, p.X), e.Tolerance)
}

// checkMissing trains with half the privileged rows gone: their values must not
// be read, and none gone must change nothing.
func checkMissing(t *testing.T, e Estimator) {
	if e.NoPriv {
		return
	}
	p := e.problem(20)
	want, _ := e.train(t, p)
	p.HasPriv = make([]bool, 20)
	for i := range p.HasPriv {
		p.HasPriv[i] = true
	}
	all, _ := e.train(t, p)
	bits(t, "no row lacks values", predict(all, p.X), predict(want, p.X))
	for i := range p.HasPriv {
		p.HasPriv[i] = i%2 == 0
	}
	if e.NeedsAllPriv {
		_, _, err := e.Trainer.Train(context.Background(), p)
		if !errors.Is(err, fault.Usage) && !errors.Is(err, fault.Data) {
			t.Errorf("rows without privileged values: error %v", err)
		}
		return
	}
	half, _ := e.train(t, p)
	for i := 1; i < 20; i += 2 {
		p.Priv.SetRow(i, []float64{math.NaN(), math.NaN(), math.NaN()})
	}
	gone, _ := e.train(t, p)
	bits(t, "values that are missing", predict(gone, p.X), predict(half, p.X))
	if slices.Equal(predict(half, p.X).RawMatrix().Data, predict(want, p.X).RawMatrix().Data) {
		t.Error("missing values change nothing")
	}
}

func checkLeaveOneOut(t *testing.T, e Estimator) {
	if e.Chooses {
		return
	}
	p := e.problem(16)
	p.Weight = make([]float64, 16)
	for i := range p.Weight {
		p.Weight[i] = 0.5 + float64(i%4)
	}
	p.LeaveOneOut = learn.Always
	if e.NoLeaveOneOut {
		e.checkNoLeaveOneOut(t, p)
		return
	}
	_, report := e.train(t, p)
	want := mat.NewDense(16, targets, nil)
	q := p
	q.LeaveOneOut = learn.Never
	for i := range 16 {
		order := slices.Delete([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, i, i+1)
		m, _ := e.train(t, shuffled(q, order))
		want.SetRow(i, predict(m, mat.DenseCopyOf(p.X.Slice(i, i+1, 0, features))).RawRowView(0))
	}
	near(t, "leave-one-out", report.LeaveOneOut, want, e.Tolerance)
}

func (e Estimator) checkNoLeaveOneOut(t *testing.T, p learn.Problem) {
	if _, _, err := e.Trainer.Train(context.Background(), p); !errors.Is(err, fault.Usage) {
		t.Errorf("leave-one-out was asked for, error %v", err)
	}
	p.LeaveOneOut = learn.WhenCheap
	if _, report := e.train(t, p); report.LeaveOneOut != nil {
		t.Error("leave-one-out where there is none")
	}
}

func checkConcurrent(t *testing.T, e Estimator) {
	p := e.problem(50)
	m, _ := e.train(t, p)
	want := predict(m, p.X)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { bits(t, "a concurrent prediction", predict(m, p.X), want) })
	}
	wg.Wait()
}

func checkRoundTrip(t *testing.T, e Estimator) {
	if e.RoundTrip == nil {
		return
	}
	p := e.problem(40)
	if !e.NoLeaveOneOut {
		p.LeaveOneOut, p.Posterior = learn.Always, true
	}
	m, _ := e.train(t, p)
	loaded, err := e.RoundTrip(m)
	if err != nil {
		t.Fatal(err)
	}
	bits(t, "the loaded model", predict(loaded, p.X), predict(m, p.X))
	if s := std(m, p.X); s != nil {
		bits(t, "the loaded model's deviations", std(loaded, p.X), s)
	}
}
