package qp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rvflplus/fault"
)

// dense is a matrix that counts how often its rows are asked for.
type dense struct {
	rows  [][]float64
	asked int
}

func (d *dense) Size() int { return len(d.rows) }

func (d *dense) Diag() []float64 {
	out := make([]float64, len(d.rows))
	for i := range out {
		out[i] = d.rows[i][i]
	}
	return out
}

func (d *dense) Row(dst []float64, i int) {
	d.asked++
	copy(dst, d.rows[i])
}

// gaussian is the matrix exp(−|x−y|²) of random points in the plane.
func gaussian(n int, r *rand.Rand) *dense {
	x := make([][2]float64, n)
	for i := range x {
		x[i] = [2]float64{r.NormFloat64(), r.NormFloat64()}
	}
	d := &dense{}
	for _, a := range x {
		row := make([]float64, n)
		for j, b := range x {
			row[j] = math.Exp(-(a[0]-b[0])*(a[0]-b[0]) - (a[1]-b[1])*(a[1]-b[1]))
		}
		d.rows = append(d.rows, row)
	}
	return d
}

// random is a problem with linear terms, bounds and a starting point of its own.
func random(n int, seed uint64) SMO {
	r := rand.New(rand.NewPCG(seed, 1))
	p := SMO{K: gaussian(n, r), Tolerance: 1e-9, CacheBytes: 1 << 20}
	for i := range n {
		y := float64(2*r.IntN(2) - 1)
		c := 5 * r.Float64()
		if i%10 == 0 {
			c = 0
		}
		p.P, p.Y, p.C, p.From = append(p.P, r.NormFloat64()), append(p.Y, y), append(p.C, c), append(p.From, c/3)
	}
	return p
}

func solve(t *testing.T, p SMO) *SMOSolution {
	t.Helper()
	s, err := p.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !s.Converged {
		t.Fatalf("not solved: %+v", s.Result)
	}
	return s
}

// gradient is Qα + p, from the definition.
func (p SMO) gradient(alpha []float64) []float64 {
	k := p.K.(*dense).rows
	g := slices.Clone(p.P)
	for i := range g {
		for j, a := range alpha {
			g[i] += p.Y[i] * p.Y[j] * k[p.row(i)][p.row(j)] * a
		}
	}
	return g
}

func (p SMO) row(i int) int {
	if p.Of == nil {
		return i
	}
	return p.Of[i]
}

// optimal checks feasibility, the reported numbers and the optimality conditions
// from their definitions.
func (p SMO) optimal(t *testing.T, s *SMOSolution) {
	t.Helper()
	g := p.gradient(s.Alpha)
	var delta, objective, gap float64
	up, down := math.Inf(1), math.Inf(-1)
	for i, a := range s.Alpha {
		if !(a >= 0 && a <= p.C[i]) {
			t.Errorf("α[%d] = %g, C = %g", i, a, p.C[i])
		}
		delta += p.Y[i] * a
		if p.From != nil {
			delta -= p.Y[i] * p.From[i]
		}
		objective += a * (g[i] + p.P[i]) / 2
		slack := g[i] - p.Y[i]*s.Rho
		gap += a*max(0, slack) + (p.C[i]-a)*max(0, -slack)
		if v := p.Y[i] * g[i]; p.Y[i] > 0 && a < p.C[i] || p.Y[i] < 0 && a > 0 {
			up = min(up, v)
		}
		if v := p.Y[i] * g[i]; p.Y[i] > 0 && a > 0 || p.Y[i] < 0 && a < p.C[i] {
			down = max(down, v)
		}
	}
	if math.Abs(delta) > 1e-10 {
		t.Errorf("yᵀα is off by %g", delta)
	}
	tol := p.Tolerance
	if math.Abs(objective-s.Objective) > 1e-10*(1+math.Abs(objective)) || math.Abs(gap-s.Gap) > 1e-9 ||
		down-up > tol+1e-12 || s.Rho < up-tol || s.Rho > down+tol && down > up {
		t.Errorf("objective %g, gap %g, violation %g; reported %+v, ρ = %g", objective, gap, down-up, s.Result, s.Rho)
	}
}

func TestSMOFindsTheOptimum(t *testing.T) {
	for seed := range uint64(20) {
		p := random(10+20*int(seed), seed)
		s := solve(t, p)
		p.optimal(t, s)
		if s.Gap > 1e-6*(1+math.Abs(s.Objective)) || s.KKT > p.Tolerance {
			t.Errorf("%+v", s.Result)
		}
		again := solve(t, p)
		if !slices.Equal(again.Alpha, s.Alpha) {
			t.Error("the same problem has other bits")
		}
		p.NoShrinking = true
		if whole := solve(t, p); math.Abs(whole.Objective-s.Objective) > 1e-9*(1+math.Abs(s.Objective)) {
			t.Errorf("objective %g with shrinking, %g without", s.Objective, whole.Objective)
		}
	}
}

// Shrinking and a cache of two rows change the cost, not the answer.
func TestSMOWithLittleMemory(t *testing.T) {
	p := random(400, 3)
	p.From = nil
	much := solve(t, p)
	asked := p.K.(*dense).asked
	p.CacheBytes = 1
	little := solve(t, p)
	p.optimal(t, little)
	if !slices.Equal(much.Alpha, little.Alpha) {
		t.Error("the cache changes the bits")
	}
	if asked > 400 || p.K.(*dense).asked-asked <= 400 {
		t.Errorf("%d rows computed with a large cache, %d with a small one", asked, p.K.(*dense).asked-asked)
	}
}

// Several variables for one row, as ε-SVR has.
func TestSMOWithSharedRows(t *testing.T) {
	p := random(40, 9)
	p.K = gaussian(20, rand.New(rand.NewPCG(1, 1)))
	for i := range 40 {
		p.Of = append(p.Of, i%20)
	}
	p.optimal(t, solve(t, p))
}

func TestSMOWithoutAPairToMove(t *testing.T) {
	p := SMO{K: &dense{rows: [][]float64{{1, 0}, {0, 1}}}, Tolerance: 1e-3}
	p.P, p.Y, p.C = []float64{-1, -1}, []float64{1, 1}, []float64{2, 2}
	s := solve(t, p)
	if s.Alpha[0] != 0 || s.Alpha[1] != 0 || s.Iterations != 0 || s.Rho != -1 {
		t.Errorf("%+v", s)
	}
	p.From = []float64{2, 2}
	if s := solve(t, p); s.Alpha[0] != 2 || s.Rho != 1 {
		t.Errorf("%+v", s)
	}
	if s := solve(t, SMO{K: &dense{}, Tolerance: 1}); len(s.Alpha) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestSMOStopsAtTheCap(t *testing.T) {
	p := random(100, 4)
	p.MaxIterations = 5
	s, err := p.Solve(context.Background())
	if err != nil || s.Converged || s.Iterations != 5 || !(s.KKT > p.Tolerance) || !(s.Gap > 0) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSMORefuses(t *testing.T) {
	y, ones := []float64{1, -1}, []float64{1, 1}
	for name, rows := range map[string][][]float64{
		"indefinite":        {{1, 2}, {2, 1}},
		"negative diagonal": {{-1, 0}, {0, -1}},
		"overflow":          {{math.Inf(1), 0}, {0, 1}},
		"not a number":      {{1, math.NaN()}, {math.NaN(), 1}},
	} {
		p := SMO{K: &dense{rows: rows}, P: []float64{-1, -1}, Y: y, C: ones, Tolerance: 1e-3}
		if s, err := p.Solve(context.Background()); !errors.Is(err, fault.NotSolved) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestSMOIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := random(200, 5)
	p.K = &cancelling{p.K.(*dense), cancel}
	if _, err := p.Solve(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// cancelling cancels the solver when a row is asked for.
type cancelling struct {
	*dense
	cancel func()
}

func (c *cancelling) Row(dst []float64, i int) {
	c.cancel()
	c.dense.Row(dst, i)
}

func TestTheCacheDropsWhatWasUnusedForLongest(t *testing.T) {
	d := &dense{rows: [][]float64{{0}, {1}, {2}, {3}}}
	for i := range d.rows {
		d.rows[i] = slices.Repeat(d.rows[i], 4)
	}
	c := newRowCache(d, 3*8*4)
	for _, step := range []struct{ row, asked int }{
		{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}, {0, 4}, {2, 4}, {1, 5}, {3, 6}, {2, 6},
	} {
		if got := c.row(step.row); got[0] != float64(step.row) || d.asked != step.asked {
			t.Fatalf("row %d: %v after %d computations, want %d", step.row, got, d.asked, step.asked)
		}
	}
}
