package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/gram"
	"rvflplus/learn"
)

var ctx = context.Background()

// problem is a random problem whose last lack rows have no privileged values.
type problem struct {
	h, priv, y blas.Matrix
	weight     []float64
	lack       int
	params     Params
}

func (p problem) String() string {
	return fmt.Sprintf("N=%d D=%d D̃=%d lack=%d %+v", p.h.Rows, p.h.Cols, p.priv.Cols, p.lack, p.params)
}

func normal(r *rand.Rand, rows, cols int) blas.Matrix {
	a := blas.New(rows, cols)
	for i := range a.Data {
		a.Data[i] = r.NormFloat64()
	}
	return a
}

// rightHandSides are the corrections that differ in the right-hand side alone.
var rightHandSides = []learn.Correction{learn.Paper, learn.Derived, learn.Additive}

// problems covers more and fewer rows than columns, every correction, centring,
// weights and rows without privileged values.
func problems() []problem {
	r := rand.New(rand.NewPCG(20, 26))
	var all []problem
	for _, n := range []int{12, 40} {
		for _, e := range []int{0, 6} {
			for i, correction := range rightHandSides {
				for mode := range 8 {
					p := problem{h: normal(r, n, 9), priv: normal(r, n, e), y: normal(r, n, 2)}
					p.weight = make([]float64, n)
					p.params = Params{C: math.Pow(10, float64(i)-1), Gamma: 3, Correction: correction}
					p.params.Center = mode&1 > 0
					for j := range p.weight {
						p.weight[j] = 1
						if mode&2 > 0 {
							p.weight[j] = 0.2 + 2*r.Float64()
						}
					}
					if mode&4 > 0 && e > 0 {
						p.lack = n / 3
						clear(p.priv.Data[(n-p.lack)*e:])
					}
					for j := range p.y.Data {
						p.y.Data[j] += 5
					}
					all = append(all, p)
				}
			}
		}
	}
	return all
}

// definition solves the problem as the package comment states it, and returns
// the function's values at the rows of the full problem. omegaBar < 0 computes ω̄
// from these rows.
func definition(p problem, keep []int, omegaBar float64) *mat.Dense {
	n, m := len(keep), p.y.Cols
	h, priv, y := rowsOf(p.h, keep), rowsOf(p.priv, keep), rowsOf(p.y, keep)
	omega, omegaPriv := outer(h), outer(priv)
	var total float64
	ybar := make([]float64, m)
	for _, i := range keep {
		total += p.weight[i]
	}
	if p.params.Center {
		for _, i := range keep {
			for j := range m {
				ybar[j] += p.weight[i] * p.y.Data[i*m+j] / total
			}
		}
	}
	system, right := mat.NewDense(n, n, nil), mat.NewDense(n, m, nil)
	for a, i := range keep {
		v := p.weight[i]
		noise := 1 / (p.params.C * v)
		if i >= p.h.Rows-p.lack {
			noise += omegaBar / p.params.Gamma / v
		}
		var shift float64
		for b, k := range keep {
			system.Set(a, b, omega.At(a, b)+omegaPriv.At(a, b)/p.params.Gamma)
			shift += p.params.kappa() * omegaPriv.At(a, b) * p.weight[k]
		}
		system.Set(a, a, system.At(a, a)+noise)
		for j := range m {
			right.Set(a, j, y.At(a, j)-ybar[j]-shift)
		}
	}
	var alpha, w, f mat.Dense
	if err := alpha.Solve(system, right); err != nil {
		panic(err)
	}
	w.Mul(h.T(), &alpha)
	f.Mul(rowsOf(p.h, all(p.h.Rows)), &w)
	f.Apply(func(_, j int, v float64) float64 { return v + ybar[j] }, &f)
	return &f
}

func all(n int) []int {
	k := make([]int, n)
	for i := range k {
		k[i] = i
	}
	return k
}

func rowsOf(a blas.Matrix, keep []int) *mat.Dense {
	d := mat.NewDense(len(keep), max(1, a.Cols), nil)
	for i, k := range keep {
		copy(d.RawRowView(i), blas.Row(a, k))
	}
	return d
}

func outer(a *mat.Dense) *mat.Dense {
	var o mat.Dense
	o.Mul(a, a.T())
	return &o
}

func (p problem) omegaBar() float64 {
	var trace, weight float64
	for i := range p.h.Rows - p.lack {
		row := blas.Row(p.priv, i)
		trace += p.weight[i] * blas.Dot(row, row)
		weight += p.weight[i]
	}
	return trace / weight
}

func bruteForce(p problem) *mat.Dense {
	out := mat.NewDense(p.h.Rows, p.y.Cols, nil)
	for i := range p.h.Rows {
		keep := slices.Delete(all(p.h.Rows), i, i+1)
		out.SetRow(i, definition(p, keep, p.omegaBar()).RawRowView(i))
	}
	return out
}

func (p problem) dual(loo bool) DualProblem {
	d := DualProblem{Omega: Linear{p.h}, Y: p.y, Weight: p.weight, Params: p.params, LeaveOneOut: loo}
	if p.priv.Cols > 0 {
		d.Priv = Linear{blas.View(p.priv, 0, p.h.Rows-p.lack, 0, p.priv.Cols)}
	}
	return d
}

// blocks returns one filled block of all complete and one of all lacking rows.
func (p problem) blocks(s *gram.Stats) (complete, lacking gram.Block) {
	b := s.Block(p.h.Rows)
	for i := range p.h.Rows {
		copy(blas.Row(b.H, i), blas.Row(p.h, i))
		copy(blas.Row(b.Priv, i), blas.Row(p.priv, i))
		copy(blas.Row(b.Y, i), blas.Row(p.y, i))
	}
	cut := p.h.Rows - p.lack
	part := func(lo, hi int) gram.Block {
		q := s.Block(hi - lo)
		for i := lo; i < hi; i++ {
			copy(blas.Row(q.H, i-lo), blas.Row(b.H, i))
			copy(blas.Row(q.Priv, i-lo), blas.Row(b.Priv, i))
			copy(blas.Row(q.Y, i-lo), blas.Row(b.Y, i))
		}
		return q
	}
	return part(0, cut), part(cut, p.h.Rows)
}

func (p problem) primal(t *testing.T) (*Primal, *gram.Stats) {
	t.Helper()
	complete, lacking := gram.New(p.h.Cols, p.priv.Cols, p.y.Cols), gram.New(p.h.Cols, p.priv.Cols, p.y.Cols)
	a, b := p.blocks(complete)
	cut := p.h.Rows - p.lack
	if err := errors.Join(complete.Add(ctx, a, p.weight[:cut]), lacking.Add(ctx, b, p.weight[cut:])); err != nil {
		t.Fatal(err)
	}
	if p.lack == 0 {
		lacking = nil
	}
	f, err := FitPrimal(ctx, complete, lacking, p.params)
	if err != nil {
		t.Fatal(err)
	}
	return f, complete
}

func predict(h, w blas.Matrix, offset []float64) blas.Matrix {
	out := blas.New(h.Rows, w.Cols)
	for i := range out.Rows {
		copy(blas.Row(out, i), offset)
	}
	_ = blas.Gemm(ctx, false, false, 1, h, w, 1, out)
	return out
}

func same(t *testing.T, what string, got blas.Matrix, want mat.Matrix) {
	t.Helper()
	for i := range got.Rows {
		for j := range got.Cols {
			g, w := got.Data[i*got.Stride+j], want.At(i, j)
			if !(math.Abs(g-w) <= 1e-10*(1+math.Abs(w))) {
				t.Errorf("%s: row %d column %d is %.15g, want %.15g", what, i, j, g, w)
				return
			}
		}
	}
}

func asDense(a blas.Matrix) *mat.Dense { return rowsOf(a, all(a.Rows)) }

func TestDualAndPrimalEqualTheDefinition(t *testing.T) {
	for _, p := range problems() {
		want := definition(p, all(p.h.Rows), p.omegaBar())
		d, err := FitDual(ctx, p.dual(false))
		if err != nil {
			t.Fatal(err)
		}
		w, err := Linear{p.h}.Weights(ctx, d.Alpha)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "dual "+p.String(), predict(p.h, w, d.Offset), want)
		f, _ := p.primal(t)
		same(t, "primal "+p.String(), f.Weights(), asDense(w))
		if p.priv.Cols > 0 {
			wp, err := Linear{blas.View(p.priv, 0, d.PrivAlpha.Rows, 0, p.priv.Cols)}.Weights(ctx, d.PrivAlpha)
			if err != nil {
				t.Fatal(err)
			}
			for i := range wp.Data {
				wp.Data[i] /= p.params.Gamma
			}
			same(t, "primal w̃ "+p.String(), f.PrivWeights(), asDense(wp))
		}
	}
}

func TestLeaveOneOutEqualsBruteForce(t *testing.T) {
	for _, p := range problems() {
		want := bruteForce(p)
		d, err := FitDual(ctx, p.dual(true))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "dual "+p.String(), d.LeaveOneOut, want)
		f, stats := p.primal(t)
		a, b := p.blocks(stats)
		out, cut := blas.New(p.h.Rows, p.y.Cols), p.h.Rows-p.lack
		err = errors.Join(
			f.LeaveOneOut(ctx, a, p.weight[:cut], false, 0, blas.View(out, 0, cut, 0, out.Cols)),
			f.LeaveOneOut(ctx, b, p.weight[cut:], true, cut, blas.View(out, cut, p.h.Rows, 0, out.Cols)))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "primal "+p.String(), out, want)
	}
}

func TestPinvEqualsTheLimitOfRidge(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{6, 9, 30} {
		for mode := range 8 {
			p := problem{h: normal(r, n, 9), y: normal(r, n, 2), weight: make([]float64, n)}
			p.params = Params{C: 1e8, Gamma: 1, Center: mode&1 > 0}
			for i := range n {
				p.weight[i] = 1
				if mode&2 > 0 {
					p.weight[i] = 0.5 + r.Float64()
				}
				if mode&4 > 0 { // rank-deficient: the last column repeats the first
					p.h.Data[i*9+8] = p.h.Data[i*9]
				}
			}
			got, err := FitPinv(ctx, p.h, p.y, p.weight, p.params.Center, math.MaxInt)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("n=%d mode=%d", n, mode)
			rank := min(n, 9)
			if mode&4 > 0 {
				rank = min(n, 8)
			}
			if got.Rank != rank {
				t.Errorf("%s: rank %d, want %d", what, got.Rank, rank)
			}
			if mode&2 == 0 {
				same(t, what, got.Weights, leastNorm(p, all(n), got.Offset))
			}
			loose(t, what, predict(p.h, got.Weights, got.Offset), definition(p, all(n), 0))
			loose(t, what+" leave-one-out", got.LeaveOneOut, bruteForce(p))
		}
	}
}

// One row has all but 1e-10 of the weight in a direction.
func TestPinvLeavesOutAnOutlier(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, outlier := range []float64{1e2, 1e4, 1e6} {
		h, y := normal(r, 12, 3), normal(r, 12, 1)
		h.Data[0] = outlier
		weight := make([]float64, 12)
		for i := range weight {
			weight[i] = 1 + float64(i%2)
		}
		p, err := FitPinv(ctx, h, y, weight, true, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			keep := slices.Delete(all(12), i, i+1)
			hRest, yRest := matrixOf(rowsOf(h, keep)), matrixOf(rowsOf(y, keep))
			rest, err := FitPinv(ctx, hRest, yRest, learn.Gather(weight, keep), true, -1)
			if err != nil {
				t.Fatal(err)
			}
			want := predict(blas.View(h, i, i+1, 0, 3), rest.Weights, rest.Offset).Data[0]
			if got := p.LeaveOneOut.Data[i]; !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
				t.Errorf("outlier %g, row %d: %.12g, refitted %.12g", outlier, i, got, want)
			}
		}
	}
}

func matrixOf(d *mat.Dense) blas.Matrix { return d.RawMatrix() }

func TestPinvRefitsAreCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	h, y := normal(r, 12, 3), normal(r, 12, 1)
	h.Data[0] = 1e6
	weight := make([]float64, 12)
	for i := range weight {
		weight[i] = 1
	}
	p, err := FitPinv(ctx, h, y, weight, true, 0)
	if p == nil || p.LeaveOneOut.Data != nil || !errors.Is(err, fault.NotSolved) {
		t.Errorf("no refit allowed: %v, %v", p, err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := FitPinv(done, h, y, weight, true, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// leastNorm is an independent pseudo-inverse: minimum-norm least squares by SVD
// of gonum's own solver.
func leastNorm(p problem, keep []int, offset []float64) *mat.Dense {
	var svd mat.SVD
	h := rowsOf(p.h, keep)
	svd.Factorize(h, mat.SVDFull)
	y := rowsOf(p.y, keep)
	y.Apply(func(_, j int, v float64) float64 { return v - offset[j] }, y)
	var w mat.Dense
	svd.SolveTo(&w, y, svd.Rank(1e-12))
	return &w
}

func loose(t *testing.T, what string, got blas.Matrix, want mat.Matrix) {
	t.Helper()
	for i := range got.Rows {
		for j := range got.Cols {
			g, w := got.Data[i*got.Stride+j], want.At(i, j)
			if !(math.Abs(g-w) <= 1e-4*(1+math.Abs(w))) {
				t.Errorf("%s: row %d column %d is %g, the limit of ridge %g", what, i, j, g, w)
				return
			}
		}
	}
}

func TestSingularSystemsNameThePivot(t *testing.T) {
	h := blas.New(4, 2) // rank 1, and a ridge too small to matter
	for i := range 4 {
		h.Data[2*i], h.Data[2*i+1] = 1e6, 1e6
	}
	p := DualProblem{Omega: Linear{h}, Y: blas.New(4, 1), Weight: []float64{1, 1, 1, 1}}
	p.Params = Params{C: 1e12, Gamma: 1}
	_, err := FitDual(ctx, p)
	if !errors.Is(err, fault.NotSolved) || !strings.Contains(err.Error(), "pivot") {
		t.Errorf("singular: %v", err)
	}
	h.Data[3] = 1e200
	if _, err = FitDual(ctx, p); !errors.Is(err, fault.NotSolved) {
		t.Errorf("overflow: %v", err)
	}
}

func TestLeaveOneOutOfTheOnlyRow(t *testing.T) {
	h := blas.Matrix{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}
	p := DualProblem{Omega: Linear{h}, Y: h, Weight: []float64{1}, LeaveOneOut: true}
	p.Params = Params{C: 1, Gamma: 1, Center: true}
	if _, err := FitDual(ctx, p); !errors.Is(err, fault.NotSolved) {
		t.Errorf("centred: %v", err)
	}
	if _, err := FitPinv(ctx, h, h, []float64{1}, true, math.MaxInt); !errors.Is(err, fault.NotSolved) {
		t.Errorf("pinv: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	cancel()
	p := problems()[0]
	if _, err := FitDual(done, p.dual(true)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestCorrections(t *testing.T) {
	if err := learn.Correction("none").Validate(); !errors.Is(err, fault.Usage) {
		t.Errorf("error %v", err)
	}
	p := Params{C: 6, Gamma: 2}
	for c, want := range map[learn.Correction]float64{learn.Paper: 3, learn.Derived: -3, learn.Additive: 0} {
		p.Correction = c
		if err := c.Validate(); err != nil || p.kappa() != want {
			t.Errorf("%q: κ = %g, want %g (%v)", c, p.kappa(), want, err)
		}
	}
}
