package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// twoStages is a random problem of the projected form. The labelled rows come first, the last lack of them without
// privileged values; rows without a target follow.
type twoStages struct {
	h, h2, priv blas.Matrix // of all rows, h2 for the second stage
	y           blas.Matrix
	weight      []float64 // of labelled rows
	lack        int
	params      Params
	c2          float64
}

func (p twoStages) String() string {
	return fmt.Sprintf("N=%d U=%d lack=%d m=%d C2=%g %+v",
		p.y.Rows, p.h.Rows-p.y.Rows, p.lack, p.y.Cols, p.c2, p.params)
}

func (p twoStages) complete() int { return p.y.Rows - p.lack }

// guided are the A rows, which have privileged values.
func (p twoStages) guided() []int {
	return append(all(p.complete()), all(p.h.Rows)[p.y.Rows:]...)
}

func (p twoStages) rowWeight(i int) float64 {
	if i < p.y.Rows {
		return p.weight[i]
	}
	return 1
}

// newTwoStages draws a problem of n labelled and u unlabelled rows. The privileged columns depend on the normal ones.
func newTwoStages(r *rand.Rand, n, u, lack, m int, weighted bool) twoStages {
	p := twoStages{
		h: normal(r, n+u, 5), h2: normal(r, n+u, 4), priv: normal(r, n+u, 3), y: normal(r, n, m),
		weight: make([]float64, n), lack: lack, c2: 0.8,
		params: Params{C: 2, Gamma: 0.4, Correction: learn.Additive},
	}
	for i := range n + u {
		p.priv.Data[3*i] += p.h.Data[5*i]
	}
	clear(p.priv.Data[3*(n-lack) : 3*n])
	for i := range n {
		p.weight[i] = 1
		if weighted {
			p.weight[i] = 0.2 + 2*r.Float64()
		}
		for j := range m {
			p.y.Data[i*m+j] += 3 + float64(j)*p.h.Data[5*i] + p.priv.Data[3*i]
		}
	}
	return p
}

// twoStageProblems covers one to many rows, with and without weights, centring, rows without privileged values and
// rows without a target.
func twoStageProblems() []twoStages {
	r := rand.New(rand.NewPCG(14, 1))
	var problems []twoStages
	for _, n := range []int{1, 2, 3, 4, 7, 20} {
		for _, u := range []int{0, 1, 6} {
			for _, lack := range []int{0, n / 3, n - 1, n} {
				for mode := range 4 {
					p := newTwoStages(r, n, u, lack, 1+mode%3, mode&1 > 0)
					p.params.Center = mode&2 > 0
					p.params.C, p.c2 = math.Pow(10, float64(mode)-1), math.Pow(10, 2-float64(mode))
					problems = append(problems, p)
				}
			}
		}
	}
	return problems
}

// omegaBar is the mean of ‖h̃‖² over the labelled rows that have privileged values.
func (p twoStages) omegaBar() float64 {
	var trace, weight float64
	for i := range p.complete() {
		row := blas.Row(p.priv, i)
		trace += p.weight[i] * blas.Dot(row, row)
		weight += p.weight[i]
	}
	if weight == 0 {
		return 0
	}
	return trace / weight
}

// refit fits both stages as Projected's comment states them, without one row (none when left is −1), and returns the
// values at all rows. The noise of rows without privileged values stays that of all rows.
func (p twoStages) refit(left int) *mat.Dense {
	var labelled, guided []int
	for i := range p.y.Rows {
		if i != left {
			labelled = append(labelled, i)
		}
	}
	for _, i := range p.guided() {
		if i != left {
			guided = append(guided, i)
		}
	}
	m := p.y.Cols
	f := mat.NewDense(p.h.Rows, m, nil)
	if len(labelled) == 0 {
		return f
	}
	ybar := make([]float64, m)
	var total float64
	for _, i := range labelled {
		total += p.weight[i]
	}
	if p.params.Center {
		for _, i := range labelled {
			for j := range m {
				ybar[j] += p.weight[i] * p.y.Data[i*m+j] / total
			}
		}
	}
	omega, priv := outer(asDense(p.h)), outer(asDense(p.priv))
	priv.Scale(1/p.params.Gamma, priv)
	system, right := mat.NewDense(len(labelled), len(labelled), nil), mat.NewDense(len(labelled), m, nil)
	for a, i := range labelled {
		for b, k := range labelled {
			system.Set(a, b, omega.At(i, k)+priv.At(i, k))
		}
		noise := 1 / p.params.C
		if i >= p.complete() {
			noise += p.omegaBar() / p.params.Gamma
		}
		system.Set(a, a, system.At(a, a)+noise/p.weight[i])
		for j := range m {
			right.Set(a, j, p.y.Data[i*m+j]-ybar[j])
		}
	}
	var alpha, part mat.Dense
	solveDense(&alpha, system, right)
	part.Mul(columnsOf(omega, labelled), &alpha)
	f.Add(f, &part)
	if len(guided) > 0 {
		var guides, all mat.Dense
		all.Mul(columnsOf(priv, labelled), &alpha)
		guides.CloneFrom(rowsOf(matrixOf(&all), guided))
		part = *p.secondStage(&guides, guided)
		f.Add(f, &part)
	}
	f.Apply(func(_, j int, v float64) float64 { return v + ybar[j] }, f)
	return f
}

// secondStage regresses guides on the given rows' features and returns the values at all rows.
func (p twoStages) secondStage(guides mat.Matrix, rows []int) *mat.Dense {
	omega := outer(asDense(p.h2))
	columns := columnsOf(omega, rows)
	system := mat.DenseCopyOf(rowsOf(matrixOf(columns), rows))
	for a, i := range rows {
		system.Set(a, a, system.At(a, a)+1/(p.c2*p.rowWeight(i)))
	}
	var beta, out mat.Dense
	solveDense(&beta, system, guides)
	out.Mul(columns, &beta)
	return &out
}

func solveDense(dst, system *mat.Dense, right mat.Matrix) {
	if err := dst.Solve(system, right); err != nil {
		panic(err)
	}
}

func columnsOf(a *mat.Dense, columns []int) *mat.Dense {
	return mat.DenseCopyOf(rowsOf(matrixOf(mat.DenseCopyOf(a.T())), columns).T())
}

func (p twoStages) bruteForce() *mat.Dense {
	out := mat.NewDense(p.y.Rows, p.y.Cols, nil)
	for i := range p.y.Rows {
		out.SetRow(i, p.refit(i).RawRowView(i))
	}
	return out
}

// k2 returns k₂ of all rows against the A rows.
func (p twoStages) k2() blas.Matrix {
	if len(p.guided()) == 0 {
		return blas.New(p.h.Rows, 0)
	}
	return matrixOf(columnsOf(outer(asDense(p.h2)), p.guided()))
}

// kernels returns Ω, Ω̃, Ω₂ and k₂ of the rows that lack privileged values, as Projected takes them.
func (p twoStages) kernels() (omega, priv, omega2, lacking blas.Matrix) {
	guided, second := p.guided(), p.k2()
	omega = matrixOf(outer(rowsOf(p.h, all(p.y.Rows))))
	if len(guided) > 0 {
		priv = matrixOf(outer(rowsOf(p.priv, guided)))
	}
	return omega, priv, blas.Gather(second, guided), blas.Gather(second, all(p.y.Rows)[p.complete():])
}

// projected fits both stages.
func (p twoStages) projected() (*Projected, blas.Matrix, error) {
	omega, priv, omega2, lacking := p.kernels()
	s, err := NewProjected(ctx, ProjectedProblem{
		Omega: omega, Priv: priv, Complete: p.complete(), Y: p.y, Weight: p.weight, Params: p.params,
	})
	if err != nil {
		return nil, blas.Matrix{}, err
	}
	beta, err := s.Project(ctx, omega2, lacking, p.c2)
	return s, beta, err
}

func TestProjectedEqualsItsDefinition(t *testing.T) {
	for _, p := range twoStageProblems() {
		s, beta, err := p.projected()
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		got := blas.New(p.h.Rows, p.y.Cols)
		for i := range got.Rows {
			copy(blas.Row(got, i), s.Offset())
		}
		omega := matrixOf(columnsOf(outer(asDense(p.h)), all(p.y.Rows)))
		err = errors.Join(blas.Gemm(ctx, false, false, 1, omega, s.Alpha(), 1, got),
			blas.Gemm(ctx, false, false, 1, p.k2(), beta, 1, got))
		if err != nil {
			t.Fatal(err)
		}
		same(t, p.String(), got, p.refit(-1))
		for k, i := range p.guided() {
			if s.GuideWeights()[k] != p.rowWeight(i) {
				t.Errorf("%s: weight %g of guide %d, want %g", p, s.GuideWeights()[k], k, p.rowWeight(i))
			}
		}
	}
}

func TestProjectedLeaveOneOutEqualsRefits(t *testing.T) {
	for _, p := range twoStageProblems() {
		s, _, err := p.projected()
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		loo, err := s.LeaveOneOut(ctx)
		if p.params.Center && p.y.Rows == 1 {
			if !errors.Is(err, fault.NotSolved) {
				t.Errorf("%s: a mean of no rows: %v", p, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		same(t, p.String(), loo, p.bruteForce())
	}
}

func TestProjectedModelsWithoutEachRowEqualRefits(t *testing.T) {
	for _, p := range twoStageProblems() {
		s, _, err := p.projected()
		if err == nil {
			_, err = s.LeaveOneOut(ctx)
		}
		if err != nil {
			continue // TestProjectedLeaveOneOutEqualsRefits says which errors are right
		}
		alpha, beta, offset, err := s.LeftOut(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := predict(matrixOf(columnsOf(outer(asDense(p.h)), all(p.y.Rows))), alpha, offset)
		if err := blas.Gemm(ctx, false, false, 1, p.k2(), beta, 1, got); err != nil {
			t.Fatal(err)
		}
		for i, m := 0, p.y.Cols; i < p.y.Rows; i++ {
			same(t, fmt.Sprintf("%s without row %d", p, i), blas.View(got, 0, got.Rows, i*m, i*m+m), p.refit(i))
		}
	}
}

// Each stage has the posterior of a ridge regression alone.
func TestProjectedPosteriorsEqualThoseOfEachStage(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 7))
	for mode := range 4 {
		p := newTwoStages(r, 9, 4, 3*(mode&1), 2, true)
		p.params.Center = mode&2 > 0
		s, _, err := p.projected()
		if err == nil {
			_, err = s.LeaveOneOut(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		first, second := s.Posteriors()
		for _, c := range []struct {
			got  *Posterior
			want DualProblem
		}{
			{first, DualProblem{
				Omega: Linear{blas.View(p.h, 0, 9, 0, 5)}, Priv: Linear{blas.View(p.priv, 0, p.complete(), 0, 3)},
				Y: p.y, Weight: p.weight, Params: p.params,
			}},
			{second, DualProblem{
				Omega: Linear{blas.Gather(p.h2, p.guided())}, Y: s.Guides(), Weight: s.GuideWeights(),
				Params: Params{C: p.c2},
			}},
		} {
			c.want.LeaveOneOut, c.want.Posterior = true, true
			d, err := FitDual(ctx, c.want)
			if err != nil {
				t.Fatal(err)
			}
			same(t, p.String()+" factor", c.got.Factor, asDense(d.Posterior.Factor))
			same(t, p.String()+" scale", vector(c.got.Scale), asDense(vector(d.Posterior.Scale)))
		}
	}
}

// The error of the chosen regularisation is that of second stages without each row, and no other has less.
func TestLeastOwnErrorEqualsRefits(t *testing.T) {
	for _, p := range twoStageProblems() {
		s, _, err := p.projected()
		if err != nil {
			t.Fatal(err)
		}
		if len(p.guided()) == 0 {
			continue // nothing to choose by
		}
		_, _, omega2, _ := p.kernels()
		candidates := []float64{1e-6, 0.1, 10, 1e3}
		c, loss, err := LeastOwnError(ctx, omega2, s.Guides(), s.GuideWeights(), candidates)
		if err != nil {
			t.Fatal(err)
		}
		guides := blas.New(p.h.Rows, p.y.Cols)
		for k, i := range p.guided() {
			copy(blas.Row(guides, i), blas.Row(s.Guides(), k))
		}
		for _, p.c2 = range candidates {
			want := p.secondStageLoss(guides)
			if p.c2 == c && !(math.Abs(loss-want) <= 1e-9*(1e-6+want)) {
				t.Errorf("%s: loss %.12g, want %.12g", p, loss, want)
			}
			if loss > want+1e-9*(1e-6+want) {
				t.Errorf("%s: chosen C₂ %g with a loss of %.12g, but %.12g is possible", p, c, loss, want)
			}
		}
	}
}

// With little of the second stage, the projected form is the additive one.
func TestWithoutProjectionTheFormIsAdditive(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 2))
	for mode := range 4 {
		p := newTwoStages(r, 15, 4, 5*(mode&1), 2, true)
		p.c2, p.params.Center = 1e-14, mode&2 > 0
		s, _, err := p.projected()
		if err != nil {
			t.Fatal(err)
		}
		loo, err := s.LeaveOneOut(ctx)
		if err != nil {
			t.Fatal(err)
		}
		d, err := FitDual(ctx, DualProblem{
			Omega: Linear{blas.View(p.h, 0, 15, 0, 5)}, Priv: Linear{blas.View(p.priv, 0, p.complete(), 0, 3)},
			Y: p.y, Weight: p.weight, Params: p.params, LeaveOneOut: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		same(t, p.String(), loo, asDense(d.LeaveOneOut))
		same(t, p.String()+" α", s.Alpha(), asDense(d.Alpha))
	}
}

// permuted returns the problem with its rows in another order that keeps the three kinds of rows together, and the
// row of p that each labelled row was.
func (p twoStages) permuted(r *rand.Rand) (q twoStages, labelled []int) {
	complete, n := p.complete(), p.y.Rows
	order := r.Perm(complete)
	for _, i := range r.Perm(p.lack) {
		order = append(order, complete+i)
	}
	q, labelled = p, order[:n:n]
	for _, i := range r.Perm(p.h.Rows - n) {
		order = append(order, n+i)
	}
	q.h, q.h2, q.priv = blas.Gather(p.h, order), blas.Gather(p.h2, order), blas.Gather(p.priv, order)
	q.y, q.weight = blas.Gather(p.y, labelled), learn.Gather(p.weight, labelled)
	return q, labelled
}

func TestProjectedDoesNotDependOnTheOrderOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 3))
	p := newTwoStages(r, 12, 5, 4, 2, true)
	p.params.Center = true
	q, rows := p.permuted(r)
	var loo [2]blas.Matrix
	for k, p := range []twoStages{p, q} {
		s, _, err := p.projected()
		if err != nil {
			t.Fatal(err)
		}
		if loo[k], err = s.LeaveOneOut(ctx); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "permuted", loo[1], rowsOf(loo[0], rows))
}

func TestProjectedSaysWhatCannotBeSolved(t *testing.T) {
	for name, change := range map[string]func(p *twoStages){
		"a first stage of rank 1": func(p *twoStages) {
			clear(p.priv.Data)
			for i := range p.h.Data {
				p.h.Data[i] = 1e6
			}
			p.params.C = 1e12
		},
		"a second stage of rank 1": func(p *twoStages) {
			for i := range p.h2.Data {
				p.h2.Data[i] = 1e6
			}
			p.c2 = 1e12
		},
		"an overflow of Ω":  func(p *twoStages) { p.h.Data[0] = 1e200 },
		"an overflow of Ω̃": func(p *twoStages) { p.priv.Data[0] = 1e200 },
		"an overflow of Ω₂": func(p *twoStages) { p.h2.Data[0] = 1e200 },
		"an overflow of α": func(p *twoStages) {
			clear(p.h.Data)
			clear(p.priv.Data)
			p.params.C = 1e308
		},
		"a weight of 1e-320": func(p *twoStages) { p.weight[2] = 1e-320 },
		"a C₂ of 1e-320":     func(p *twoStages) { p.c2 = 1e-320 },
	} {
		p := newTwoStages(rand.New(rand.NewPCG(14, 4)), 8, 3, 2, 1, false)
		change(&p)
		s, _, err := p.projected()
		if err == nil {
			_, err = s.LeaveOneOut(ctx)
		}
		if !errors.Is(err, fault.NotSolved) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// However ill-conditioned the stages are, leave-one-out is an error or finite.
func TestProjectedLeaveOneOutIsFiniteOrAnError(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 5))
	solved := 0
	for _, c := range []float64{1e-300, 1e-30, 1e8, 1e12, 1e16, 1e300} {
		for _, c2 := range []float64{1e-300, 1e-30, 1e8, 1e12, 1e16, 1e300} {
			for _, scale := range []float64{1e-150, 1e-8, 1, 1e8, 1e150} {
				p := newTwoStages(r, 6, 2, 2, 1, true)
				p.params.C, p.c2, p.params.Center = c, c2, true
				for _, a := range []blas.Matrix{p.h, p.priv, p.h2} {
					for i := range a.Data {
						a.Data[i] *= scale
					}
				}
				s, _, err := p.projected()
				var loo blas.Matrix
				if err == nil {
					loo, err = s.LeaveOneOut(ctx)
				}
				if err != nil && !errors.Is(err, fault.NotSolved) {
					t.Errorf("%s, scale %g: %v", p, scale, err)
				}
				for _, v := range loo.Data {
					solved++
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%s, scale %g: %g", p, scale, v)
					}
				}
			}
		}
	}
	if solved == 0 {
		t.Error("nothing was solved")
	}
}

func TestProjectedIsCancelled(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	p := newTwoStages(rand.New(rand.NewPCG(14, 6)), 8, 3, 2, 1, false)
	s, _, err := p.projected()
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.LeaveOneOut(done); !errors.Is(err, context.Canceled) {
		t.Errorf("leave-one-out: %v", err)
	}
	if _, err := NewProjected(done, s.ProjectedProblem); !errors.Is(err, context.Canceled) {
		t.Errorf("first stage: %v", err)
	}
}
