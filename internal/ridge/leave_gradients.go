package ridge

import (
	"context"
	"math"

	"rvflplus/blas"
)

const (
	// endAt is the residual, relative to the right-hand side, at which a system is solved.
	endAt = 0x1p-40
	// fewestRows is the number of systems below which a product costs no less: it waits
	// for memory.
	fewestRows = 16
)

// gradients leaves the sets out by conjugate gradients, all systems at once: one for
// every target of every set, (Ω + Ω̃/γ + (CV)⁻¹)_RR α_R = right_R over the rows R outside
// the set. Where the ridge is large they end after few products, which cost less than
// the factorisation.
type gradients struct {
	*leaving
	matrix blas.Matrix // Ω + Ω̃/γ, both triangles
	limit  float64     // products that cost as much as the factorisation
	// alpha, with a privileged part, residual, direction and product hold a system a row,
	// and 0 in the columns of its set.
	alpha, residual, direction, product blas.Matrix
	left, end                           []float64 // squared norms of the residuals, and when to end
}

// gradients returns nil when factorising is expected to be cheaper.
func (l *leaving) gradients() *gradients {
	n, systems := float64(l.Y.Rows), len(l.Sets)*l.Y.Cols
	g := &gradients{leaving: l, limit: l.cost * n / float64(2*max(systems, fewestRows))}
	if l.Sets == nil || g.limit < 4 {
		return nil
	}
	if g.matrix = l.summed(); !(g.expected() <= g.limit) {
		return nil
	}
	return g
}

// summed returns Ω + Ω̃/γ.
func (l *leaving) summed() blas.Matrix {
	nc := l.complete()
	if nc == 0 {
		return l.Omega
	}
	s := l.square(l.Y.Rows)
	for i := range s.Rows {
		copy(blas.Row(s, i), blas.Row(l.Omega, i))
		if i < nc {
			blas.Axpy(1/l.Gamma, blas.Row(l.Priv, i), blas.Row(s, i)[:nc])
		}
	}
	return s
}

// expected estimates the number of products from every eighth row: the error shrinks as
// for eigenvalues two standard deviations around their mean, after one product for the
// largest eigenvalue, that of nearly constant vectors. It may be wrong; solve ends all
// the same.
func (g *gradients) expected() float64 {
	const step = 8
	n, rows := float64(g.matrix.Rows), 0.0
	var trace, squares, largest float64
	for i := 0; i < g.matrix.Rows; i += step {
		row, d := blas.Row(g.matrix, i), g.noise[i]
		trace += row[i] + d
		squares += dot(row, row) + d*(2*row[i]+d)
		largest += sum(row) + d
		rows++
	}
	largest /= rows
	middle := (trace*n/rows - largest) / (n - 1)
	variance := (squares*n/rows-largest*largest)/(n-1) - middle*middle
	half := 2 * math.Sqrt(max(variance, 0)) / middle
	if !(half < 1) {
		return math.Inf(1)
	}
	return 1 + math.Log(endAt)/math.Log(half/(1+math.Sqrt(1-half*half)))
}

// solve sets dst as Path.HeldOut does, and reports false when it takes too long or a
// set leaves nothing.
func (g *gradients) solve(ctx context.Context, dst blas.Matrix) (bool, error) {
	if !g.begin(dst) {
		return false, nil
	}
	packed, err := blas.Pack(ctx, g.matrix)
	if err != nil {
		return false, err
	}
	defer packed.Release()
	for k := 0.0; k < 1.5*g.limit+1; k++ {
		if err := packed.LeftTimes(ctx, g.direction, g.product); err != nil {
			return false, err
		}
		if open := g.step(dst); open == 0 {
			return true, g.smoothed(ctx, dst)
		}
	}
	return false, nil
}

// begin starts from α = 0, and sets dst to the means without the sets.
func (g *gradients) begin(dst blas.Matrix) bool {
	n, systems := g.Y.Rows, len(g.Sets)*g.Y.Cols
	g.residual, g.product = blas.New(systems, n), blas.New(systems, n)
	if g.alpha = (blas.Matrix{}); g.complete() > 0 {
		g.alpha = blas.New(systems, n)
	}
	sums, at := g.sums(), 0
	for f, set := range g.Sets {
		shift, ok := g.meanWithout(set)
		if !ok || len(set) >= n {
			return false
		}
		for j := range shift {
			shift[j] += g.mean[j]
		}
		for range set {
			copy(blas.Row(dst, at), shift)
			at++
		}
		g.setRight(f, shift, g.sumsWithout(sums, set))
	}
	g.direction = blas.Clone(g.residual)
	g.left, g.end = make([]float64, systems), make([]float64, systems)
	for s := range g.left {
		g.left[s] = dot(blas.Row(g.residual, s), blas.Row(g.residual, s))
		g.end[s] = endAt * endAt * g.left[s]
	}
	return true
}

// sums returns κΩ̃v.
func (g *gradients) sums() []float64 {
	out := make([]float64, g.Y.Rows)
	for i := 0; g.corrects() && i < g.complete(); i++ {
		out[i] = g.kappa() * dot(blas.Row(g.Priv, i), g.Weight[:g.complete()])
	}
	return out
}

// sumsWithout returns κΩ̃v less what the rows of a set contribute.
func (g *gradients) sumsWithout(sums []float64, set []int) []float64 {
	out := append([]float64(nil), sums...)
	for _, i := range set {
		if g.corrects() && i < g.complete() {
			blas.Axpy(-g.kappa()*g.Weight[i], blas.Row(g.Priv, i), out[:g.complete()])
		}
	}
	return out
}

// setRight sets the right-hand sides of set f: Y less the mean and the sums.
func (g *gradients) setRight(f int, mean, sums []float64) {
	for j, m := range mean {
		row := blas.Row(g.residual, f*len(mean)+j)
		for i := range row {
			row[i] = g.Y.Data[i*g.Y.Stride+j] - m - sums[i]
		}
		for _, i := range g.Sets[f] {
			row[i] = 0
		}
	}
}

// step goes along every direction whose system is still open, and returns how many
// are. Without a privileged part the products of the rows left out are predictions.
func (g *gradients) step(dst blas.Matrix) (open int) {
	at := 0
	for f, set := range g.Sets {
		part := blas.View(dst, at, at+len(set), 0, dst.Cols)
		for j := range part.Cols {
			if s := f*part.Cols + j; !(g.left[s] <= g.end[s]) {
				open += g.along(s, j, set, part)
			}
		}
		at += len(set)
	}
	return open
}

// along takes one step of system s, target j of a set, and returns 1 if it stays open.
func (g *gradients) along(s, j int, set []int, dst blas.Matrix) int {
	p, q, r := blas.Row(g.direction, s), blas.Row(g.product, s), blas.Row(g.residual, s)
	for i, d := range g.noise {
		q[i] = math.FMA(d, p[i], q[i])
	}
	curvature := dot(p, q)
	if !(curvature > 0) { // the matrix is not positive definite, which factorising tells
		g.left[s] = math.NaN()
		return 1
	}
	step := g.left[s] / curvature
	for k, i := range set {
		dst.Data[k*dst.Stride+j] += step * q[i]
		q[i] = 0
	}
	if g.complete() > 0 {
		blas.Axpy(step, p, blas.Row(g.alpha, s))
	}
	blas.Axpy(-step, q, r)
	before := g.left[s]
	if g.left[s] = dot(r, r); g.left[s] <= g.end[s] {
		return 0
	}
	ratio := g.left[s] / before
	for i, v := range r {
		p[i] = math.FMA(ratio, p[i], v)
	}
	return 1
}

// smoothed sets dst to Ωα and the means when the matrix is not Ω.
func (g *gradients) smoothed(ctx context.Context, dst blas.Matrix) error {
	if g.complete() == 0 {
		return ctx.Err()
	}
	if err := blas.Gemm(ctx, false, false, 1, g.alpha, g.Omega, 0, g.product); err != nil {
		return err
	}
	at := 0
	for f, set := range g.Sets {
		mean, _ := g.meanWithout(set)
		for _, i := range set {
			for j, row := 0, blas.Row(dst, at); j < len(row); j++ {
				row[j] = g.mean[j] + mean[j] + g.product.Data[(f*len(row)+j)*g.product.Stride+i]
			}
			at++
		}
	}
	return nil
}
