package ridge

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

func (p problem) path(sets [][]int) *Path {
	q := PathProblem{Omega: matrixOf(outer(asDense(p.h))), Y: p.y, Weight: p.weight, Sets: sets}
	if p.priv.Cols > 0 {
		q.Priv = matrixOf(outer(rowsOf(p.priv, all(p.h.Rows-p.lack))))
	}
	return NewPath(q)
}

// layouts are ways to leave rows of n out: few large sets, which are refitted, several
// uneven ones, overlapping ones, and one alone.
func layouts(n int) map[string][][]int {
	uneven, twice := make([][]int, 2), make([][]int, 11)
	for i := range n {
		twice[i%11] = append(twice[i%11], i)
		if i*i%5 == 4 {
			uneven = append(uneven, []int{i})
		} else {
			uneven[i*i%5] = append(uneven[i*i%5], i)
		}
	}
	thirds := [][]int{all(n / 3), all(n)[n/3 : n/2], all(n)[n/2:]}
	return map[string][][]int{
		"thirds": thirds, "uneven": uneven, "twice": append(twice, thirds...), "one": {{1, n - 1}},
	}
}

func bruteForceSets(p problem, sets [][]int) *mat.Dense {
	var rows [][]float64
	for _, set := range sets {
		f := definition(p, without(p.h.Rows, set), p.omegaBar())
		for _, i := range set {
			rows = append(rows, f.RawRowView(i))
		}
	}
	out := mat.NewDense(len(rows), p.y.Cols, nil)
	for i, r := range rows {
		out.SetRow(i, r)
	}
	return out
}

func TestSetsLeftOutEqualBruteForce(t *testing.T) {
	refitted := map[bool]int{}
	for _, p := range problems() {
		for name, sets := range layouts(p.h.Rows) {
			want := bruteForceSets(p, sets)
			path := p.path(sets)
			refitted[path.refits]++
			for _, refits := range []bool{true, false} { // both ways, whatever is cheaper
				path.refits = refits
				got := blas.New(path.HeldRows(), p.y.Cols)
				if err := path.HeldOut(ctx, p.params, got); err != nil {
					t.Fatal(err)
				}
				same(t, fmt.Sprintf("%s, refitting %v, %s", name, refits, p), got, want)
			}
		}
	}
	if refitted[true] == 0 || refitted[false] == 0 {
		t.Errorf("refitted %v", refitted)
	}
}

func (p problem) primalPath(t *testing.T, sets [][]int) *PrimalPath {
	t.Helper()
	q := PrimalPathProblem{H: p.h, Y: p.y, Weight: p.weight, Sets: sets, Center: p.params.Center}
	if p.priv.Cols > 0 {
		q.Priv = blas.View(p.priv, 0, p.h.Rows-p.lack, 0, p.priv.Cols)
	}
	path, err := NewPrimalPath(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPrimalPathEqualsBruteForce(t *testing.T) {
	for _, p := range problems() {
		layouts := layouts(p.h.Rows)
		layouts["rows"] = nil
		for name, sets := range layouts {
			want := bruteForce(p)
			if sets != nil {
				want = bruteForceSets(p, sets)
			}
			path := p.primalPath(t, sets)
			got := blas.New(path.HeldRows(), p.y.Cols)
			if err := path.HeldOut(ctx, p.params, got); err != nil {
				t.Fatal(err)
			}
			same(t, name+" "+p.String(), got, want)
		}
	}
}

func TestRowsLeftOutOnAPathEqualBruteForce(t *testing.T) {
	for _, p := range problems() {
		path := p.path(nil)
		got := blas.New(path.HeldRows(), p.y.Cols)
		if err := path.HeldOut(ctx, p.params, got); err != nil {
			t.Fatal(err)
		}
		same(t, p.String(), got, bruteForce(p))
	}
}

func TestNothingLeft(t *testing.T) {
	p := problems()[1]
	p.params.Center = true
	path := p.path([][]int{all(p.h.Rows)})
	for _, refits := range []bool{true, false} {
		path.refits = refits
		if err := path.HeldOut(ctx, p.params, blas.New(p.h.Rows, 2)); !errors.Is(err, fault.NotSolved) {
			t.Errorf("refitting %v: %v", refits, err)
		}
	}
	primal := p.primalPath(t, [][]int{all(p.h.Rows)})
	if err := primal.HeldOut(ctx, p.params, blas.New(p.h.Rows, 2)); !errors.Is(err, fault.NotSolved) {
		t.Errorf("primal: %v", err)
	}
	p.weight[0], p.params.C = 5e-324, 1e-300
	if err := p.path(nil).HeldOut(ctx, p.params, blas.New(p.h.Rows, 2)); !errors.Is(err, fault.NotSolved) {
		t.Errorf("overflow: %v", err)
	}
	p.weight[0], p.params.C = math.Inf(1), 1
	if err := p.path(nil).HeldOut(ctx, p.params, blas.New(p.h.Rows, 2)); !errors.Is(err, fault.NotSolved) {
		t.Errorf("infinite: %v", err)
	}
}

func BenchmarkHeldOut(b *testing.B) {
	for _, n := range []int{80, 200, 1000} {
		for _, priv := range []int{0, 5} {
			for _, folds := range []int{0, 10} {
				for _, correction := range []learn.Correction{learn.Additive, learn.Paper} {
					name := fmt.Sprintf("n=%d/priv=%d/folds=%d/%s", n, priv, folds, correction)
					b.Run(name, func(b *testing.B) { benchHeldOut(b, n, priv, folds, correction) })
				}
			}
		}
	}
}

func benchHeldOut(b *testing.B, n, priv, folds int, c learn.Correction) {
	var sets [][]int
	for i := range n {
		if folds > 0 && i < folds {
			sets = append(sets, nil)
		}
		if folds > 0 {
			sets[i%folds] = append(sets[i%folds], i)
		}
	}
	x := blas.New(n, 10)
	for i := range x.Data {
		x.Data[i] = math.Sin(float64(i * i))
	}
	rbf := blas.New(n, n)
	for i := range n {
		for j := range n {
			rbf.Data[i*n+j] = math.Exp(-math.Abs(float64(i-j)) / 10)
		}
	}
	weight := make([]float64, n)
	for i := range weight {
		weight[i] = 1
	}
	p := PathProblem{Omega: rbf, Y: blas.View(x, 0, n, 0, 1), Weight: weight, Sets: sets}
	if priv > 0 {
		p.Priv = rbf
	}
	path := NewPath(p)
	dst := blas.New(n, 1)
	for b.Loop() {
		if err := path.HeldOut(ctx, Params{C: 10, Gamma: 1, Correction: c, Center: true}, dst); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCorrectionsShareNothingButWork(t *testing.T) {
	for _, p := range problems() {
		for name, sets := range layouts(p.h.Rows) {
			for _, s := range [][][]int{nil, sets} {
				path := p.path(s)
				var each []blas.Matrix
				for range rightHandSides {
					each = append(each, blas.New(path.HeldRows(), p.y.Cols))
				}
				if err := path.HeldOutEach(ctx, p.params, rightHandSides, each); err != nil {
					t.Fatal(err)
				}
				for k, c := range rightHandSides {
					q, alone := p.params, blas.New(path.HeldRows(), p.y.Cols)
					q.Correction = c
					if err := path.HeldOut(ctx, q, alone); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(alone.Data, each[k].Data) {
						t.Errorf("%s, %s, %s: other bits", name, c, p)
					}
				}
			}
		}
	}
}
