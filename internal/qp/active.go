package qp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"rvflplus/blas"
)

// face minimises the objective of a point over its free variables, the others
// staying 0, by Newton steps within the equalities.
type face struct {
	*point
	free []bool
	// ridge is added to the diagonal of the reduced Hessian, relative to its mean.
	ridge float64
	steps int
	// precise takes steps too that gain so little that rounding hides it.
	precise bool
}

// freePositive frees the variables that are not 0.
func (f *face) freePositive() {
	for i, v := range f.x {
		f.free[i] = v > 0
	}
}

// descend goes to the face's optimum, dropping the variables that block the way.
// At most maxSteps steps are made in all.
func (f *face) descend(ctx context.Context, maxSteps int) error {
	var h *reduced
	for full := 0; full < 2 && f.steps < maxSteps; {
		f.steps++
		if h == nil || h.refactorPays() {
			var err error
			if h, err = f.reduce(ctx); err != nil {
				return err
			}
		}
		d := h.direction(f.gradient)
		if !(f.precise || f.decrease(h.members, d) > 0) || ctx.Err() != nil {
			return ctx.Err()
		}
		if block := f.move(h.members, d); block < 0 {
			full++
		} else {
			h.drop(block)
		}
	}
	return ctx.Err()
}

func (f *face) members() []int {
	var members []int
	for i, free := range f.free {
		if free {
			members = append(members, i)
		}
	}
	return members
}

// decrease returns the slope −gᵀd, 0 when rounding hides it.
func (f *face) decrease(members []int, d []float64) float64 {
	var slope, size float64
	for k, i := range members {
		slope -= f.gradient[i] * d[k]
		size += math.Abs(f.gradient[i] * d[k])
	}
	if slope <= 1e-15*size {
		return 0
	}
	return slope
}

// move steps along d, at most to the first bound: block is the place of the member
// that reaches it, -1 after a step of 1.
func (f *face) move(members []int, d []float64) (block int) {
	t, block := 1.0, -1
	for k, i := range members {
		if d[k] < 0 && f.x[i] <= -t*d[k] {
			t, block = f.x[i]/-d[k], k
		}
	}
	n := f.n()
	for k, i := range members {
		old := f.x[i]
		f.x[i] = max(0, old+t*d[k])
		step := t * d[k]
		if k == block {
			f.x[i], step = 0, -old
			f.free[i] = false
		}
		f.r[i%n] += step
	}
	f.refresh()
	return block
}

// block returns the members' Hessian, both triangles.
func (f *face) block(members []int) blas.Matrix {
	n := f.n()
	h := blas.New(len(members), len(members))
	for k, i := range members {
		priv, row := blas.Row(f.Priv, i%n), blas.Row(h, k)
		for l, j := range members {
			row[l] = priv[j%n] / f.Gamma
		}
		if i >= n {
			continue
		}
		own := blas.Row(f.K, i)
		for l, j := range members {
			if j < n {
				row[l] += f.Y[i] * f.Y[j] * own[j]
			}
		}
	}
	return h
}

// ActiveSet solves p by an active set: Newton steps on the face of the positive variables, then the variables of the
// most negative multipliers are freed, one for each twenty that are free. It begins with β = c and one free α of each
// class. Freeing costs F³/3 operations for F free variables, another step 2F² + 2N²; memory 16(2N)² bytes at most.
func ActiveSet(ctx context.Context, p SVMPlusDual, tol float64, maxIter int) (SVMPlusSolution, error) {
	f := &face{point: newPoint(p), free: make([]bool, 2*len(p.Y)), ridge: 1e-12}
	f.freePositive()
	f.freeNegative()
	for now := f.judge(tol); !now.Converged && f.steps < maxIter; now = f.judge(tol) {
		before := f.steps
		if err := f.descend(ctx, maxIter); err != nil {
			return now, err
		}
		if !f.freeNegative() && f.steps-before <= 2 {
			break
		}
	}
	s := f.judge(tol)
	s.Iterations = f.steps
	return s, nil
}

// freeNegative frees the variables with the most negative multipliers, or, while no α is free, the best one of each
// class. It returns false when there is nothing to free.
func (f *face) freeNegative() bool {
	n := f.n()
	plus, minus, privB := f.multipliers()
	var negative []int
	by := make([]float64, 2*n)
	free := 0
	for i, g := range f.gradient {
		switch {
		case f.free[i]:
			free++
			continue
		case i >= n:
			by[i] = g + privB
		case f.Y[i] > 0:
			by[i] = g + plus
		default:
			by[i] = g + minus
		}
		if by[i] < 0 {
			negative = append(negative, i)
		}
	}
	if len(negative) == 0 {
		return f.openClasses(-1)
	}
	slices.SortStableFunc(negative, func(i, j int) int { return cmp.Compare(by[i], by[j]) })
	for _, i := range negative[:min(len(negative), 1+free/20)] {
		f.free[i] = true
	}
	return f.openClasses(negative[0])
}

// multipliers returns the numbers that are added to the gradient of α of each class and of β: averages over the free
// variables.
func (f *face) multipliers() (plus, minus, privB float64) {
	n := f.n()
	var sum, count [3]float64
	for i, free := range f.free {
		if !free {
			continue
		}
		k := 2
		if i < n {
			k = int(1-f.Y[i]) / 2
		}
		sum[k] -= f.gradient[i]
		count[k]++
	}
	b, privBest := f.biases()
	privB = privBest
	if count[2] > 0 {
		privB = sum[2] / count[2]
	}
	plus, minus = privB+b, privB-b
	if count[0] > 0 && count[1] > 0 {
		plus, minus = sum[0]/count[0], sum[1]/count[1]
	}
	if count[2] == 0 {
		privB = (plus + minus) / 2
	}
	return plus, minus, privB
}

// openClasses makes sure that an α of each class is free once one is to be, or
// when none is and both together promise progress.
func (f *face) openClasses(at int) bool {
	n := f.n()
	var open [2]bool
	best := [2]int{-1, -1}
	for i := range n {
		k := int(1-f.Y[i]) / 2
		open[k] = open[k] || f.free[i]
		if best[k] < 0 || f.gradient[i] < f.gradient[best[k]] {
			best[k] = i
		}
	}
	if open[0] && open[1] || at >= n && !open[0] && !open[1] {
		return at >= 0
	}
	f.free[best[0]], f.free[best[1]] = true, true
	return true
}
