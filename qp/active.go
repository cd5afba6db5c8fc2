package qp

import (
	"context"
	"math"

	"rvflplus/blas"
)

// face minimises the objective of a point over its free variables, the others
// staying 0, by Newton steps within the equalities.
type face struct {
	*point
	free []bool
	// ridge is what is added to the reduced Hessian's diagonal, relative to its mean.
	ridge float64
	steps int
}

// positive frees the variables that are not 0.
func (f *face) positive() {
	for i, v := range f.x {
		f.free[i] = v > 0
	}
}

// descend goes to the face's optimum, dropping the variables that block the way.
// At most maxSteps steps are made in all.
func (f *face) descend(ctx context.Context, maxSteps int) error {
	full := 0
	for full < 2 && f.steps < maxSteps {
		f.steps++
		members := f.members()
		d, err := f.newton(ctx, members)
		if err != nil {
			return err
		}
		before := f.decrease(members, d)
		if !(before > 0) {
			return nil
		}
		if f.move(members, d) {
			full++
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

// move steps along d, at most to the first bound; full is true for a step of 1.
func (f *face) move(members []int, d []float64) (full bool) {
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
	return block < 0
}

// newton returns the direction to the minimum on the null space of the
// equalities, d = −Z(ZᵀHZ + ridge·I)⁻¹Zᵀg.
func (f *face) newton(ctx context.Context, members []int) ([]float64, error) {
	h, g := f.block(members), make([]float64, len(members))
	for k, i := range members {
		g[k] = -f.gradient[i]
	}
	var scale float64
	for k := range h.Rows {
		scale += h.Data[k*(h.Stride+1)] / float64(h.Rows)
	}
	z := f.nullSpace(members)
	for _, v := range z {
		reflectBoth(h, v)
		reflect(v, g)
	}
	rank := len(z)
	reduced := blas.View(h, rank, h.Rows, rank, h.Rows)
	if err := f.solve(ctx, reduced, scale, g[rank:]); err != nil {
		return nil, err
	}
	clear(g[:rank])
	for k := rank - 1; k >= 0; k-- {
		reflect(z[k], g)
	}
	return g, nil
}

// solve overwrites g with (H + ridge·I)⁻¹g; the ridge, relative to scale, grows
// until Cholesky's factorisation succeeds.
func (f *face) solve(ctx context.Context, h blas.Matrix, scale float64, g []float64) error {
	if h.Rows == 0 {
		return ctx.Err()
	}
	for ridge := f.ridge; ridge < 1e-4; ridge *= 10 {
		u := blas.Clone(h)
		for i := range u.Rows {
			u.Data[i*(u.Stride+1)] += ridge * scale
		}
		pivot, err := blas.Factor(ctx, u, nil)
		if err != nil {
			return err
		}
		if pivot < 0 {
			return blas.SolveCholesky(ctx, u, column(g))
		}
	}
	return notPositive()
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

// nullSpace returns the Householder vectors, of length √2, that turn the two
// equalities' coefficients into multiples of the first unit vectors; one where
// they are dependent.
func (f *face) nullSpace(members []int) [][]float64 {
	n := f.n()
	rows := [2][]float64{make([]float64, len(members)), make([]float64, len(members))}
	for k, i := range members {
		rows[0][k] = 1
		if i < n {
			rows[1][k] = f.Y[i]
		}
	}
	var vectors [][]float64
	for _, a := range rows {
		for _, v := range vectors {
			reflect(v, a)
		}
		at := len(vectors)
		if at == len(a) {
			break
		}
		clear(a[:at])
		norm := math.Sqrt(blas.Dot(a, a))
		if norm <= 1e-12*math.Sqrt(float64(len(a))) {
			continue
		}
		a[at] += math.Copysign(norm, a[at])
		length := math.Sqrt(blas.Dot(a, a) / 2)
		for k := range a {
			a[k] /= length
		}
		vectors = append(vectors, a)
	}
	return vectors
}

// reflect overwrites x with (I − vvᵀ)x.
func reflect(v, x []float64) { blas.Axpy(-blas.Dot(v, x), v, x) }

// reflectBoth overwrites H with (I − vvᵀ)H(I − vvᵀ).
func reflectBoth(h blas.Matrix, v []float64) {
	w := make([]float64, len(v))
	times(false, h, v, w)
	blas.Axpy(-blas.Dot(v, w)/2, v, w)
	for i := range h.Rows {
		blas.Axpy(-v[i], w, blas.Row(h, i))
		blas.Axpy(-w[i], v, blas.Row(h, i))
	}
}

// ActiveSet solves p by an active set: Newton steps on the face of the positive
// variables, then the variable of the most negative multiplier is freed. It begins
// with β = c and one free α a class. Cost of an iteration F³/3 operations for F
// free variables, memory 8(2N)² bytes at most.
func ActiveSet(ctx context.Context, p TwoSpace, tol float64, maxIter int) (TwoSpaceSolution, error) {
	f := &face{point: newPoint(p), free: make([]bool, 2*len(p.Y)), ridge: 1e-12}
	best := f.judge(tol)
	f.positive()
	f.release()
	for !best.Converged && f.steps < maxIter {
		before := f.steps
		if err := f.descend(ctx, maxIter); err != nil {
			return best, err
		}
		if now := f.judge(tol); now.Converged || now.Gap < best.Gap {
			best = now
		}
		if !f.release() && f.steps-before <= 2 {
			break
		}
	}
	best = f.judge(tol)
	best.Iterations = f.steps
	return best, nil
}

// release frees the variable with the most negative multiplier, or, while no α is
// free, the best one of each class.
func (f *face) release() bool {
	n := f.n()
	plus, minus, privB := f.multipliers()
	least, at := 0.0, -1
	for i, g := range f.gradient {
		switch {
		case f.free[i]:
			continue
		case i >= n:
			g += privB
		case f.Y[i] > 0:
			g += plus
		default:
			g += minus
		}
		if g < least {
			least, at = g, i
		}
	}
	if at >= 0 {
		f.free[at] = true
	}
	return f.openClasses(at)
}

// multipliers returns what is added to the gradient of α of each class and of β:
// averages over the free variables.
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
