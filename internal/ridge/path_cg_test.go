package ridge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rvflplus/blas"
)

// iterated leaves the sets of a path out by conjugate gradients, whatever they cost.
func iterated(t *testing.T, path *Path, q Params) (got blas.Matrix, done bool) {
	t.Helper()
	l := &looSolver{Path: path, Params: q, mean: mean(path.Y, path.Weight, path.total, q.Center)}
	if err := l.setNoise(); err != nil {
		t.Fatal(err)
	}
	g := &conjugateGradients{looSolver: l, matrix: l.kernelSum(), limit: 200}
	got = blas.New(path.HeldRows(), path.Y.Cols)
	done, err := g.solve(ctx, got)
	if err != nil {
		t.Fatal(err)
	}
	return got, done
}

func TestGradientsEqualBruteForce(t *testing.T) {
	for _, p := range problems() {
		for name, sets := range layouts(p.h.Rows) {
			got, done := iterated(t, p.path(sets), p.params)
			if !done {
				t.Errorf("%s, %s: did not end", name, p)
			}
			same(t, name+" "+p.String(), got, bruteForceSets(p, sets))
		}
	}
}

// A large ridge is left to conjugate gradients, a small one to the factorisation, and
// where both could be they agree.
func TestGradientsWhereTheyAreCheaper(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 320
	for _, priv := range []int{0, 4} {
		p := problem{h: normal(r, n, 30), priv: normal(r, n, priv), y: normal(r, n, 2), weight: make([]float64, n)}
		var sets [][]int
		for i := range n {
			p.weight[i] = 1 + r.Float64()/100
			if i < 8 {
				sets = append(sets, nil)
			}
			sets[i%8] = append(sets[i%8], i)
		}
		for _, c := range []float64{1e-6, 1e-5, 1, 1e5} {
			p.params = Params{C: c, Gamma: 2, Center: true}
			path := p.path(sets)
			l := &looSolver{Path: path, Params: p.params}
			if err := l.setNoise(); err != nil {
				t.Fatal(err)
			}
			if cheap := l.conjugateGradients() != nil; cheap != (c < 0.1) {
				t.Errorf("priv %d, C = %g: gradients %v", priv, c, cheap)
			}
			got, want := blas.New(n, 2), blas.New(n, 2)
			if err := path.HeldOut(ctx, p.params, got); err != nil {
				t.Fatal(err)
			}
			path.cost = 0
			if err := path.HeldOut(ctx, p.params, want); err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("priv %d, C = %g", priv, c), got, asDense(want))
			if c < 0.1 == slices.Equal(got.Data, want.Data) {
				t.Errorf("priv %d, C = %g: the same bits as the factorisation: %v", priv, c, c >= 0.1)
			}
		}
	}
}

// What does not end falls to the factorisation.
func TestGradientsGiveUp(t *testing.T) {
	p := problems()[0]
	p.params.C = 1e6
	path := p.path(layouts(p.h.Rows)["twice"])
	l := &looSolver{Path: path, Params: p.params, mean: make([]float64, 2)}
	if err := l.setNoise(); err != nil {
		t.Fatal(err)
	}
	g := &conjugateGradients{looSolver: l, matrix: path.Omega, limit: 2}
	if done, err := g.solve(ctx, blas.New(path.HeldRows(), 2)); done || err != nil {
		t.Errorf("done %v, error %v", done, err)
	}
	path.Sets[0] = all(p.h.Rows)
	if done, err := g.solve(ctx, blas.New(path.HeldRows(), 2)); done || err != nil {
		t.Errorf("nothing left: done %v, error %v", done, err)
	}
}

// A matrix that is not positive definite has no answer, not a stationary point.
func TestGradientsRefuseNegativeCurvature(t *testing.T) {
	p := problems()[0]
	path := p.path(layouts(p.h.Rows)["twice"])
	l := &looSolver{Path: path, Params: p.params, mean: make([]float64, 2)}
	if err := l.setNoise(); err != nil {
		t.Fatal(err)
	}
	negative := blas.New(path.Y.Rows, path.Y.Rows)
	for i := range negative.Rows {
		negative.Data[i*(negative.Stride+1)] = -2 * l.noise[i]
	}
	g := &conjugateGradients{looSolver: l, matrix: negative, limit: 200}
	if done, err := g.solve(ctx, blas.New(path.HeldRows(), 2)); done || err != nil {
		t.Errorf("done %v, error %v", done, err)
	}
}
