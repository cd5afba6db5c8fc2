package bound

import (
	"context"

	"rvflplus/blas"
	"rvflplus/internal/feature"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Space is the space in which the output of a model is f(x) = h(x)·w. Each row of x holds the features of one row.
type Space interface {
	// SquaredNorms returns ‖h(x)‖² of each row.
	SquaredNorms(ctx context.Context, x blas.Matrix) ([]float64, error)
	// SquaredWeight returns ‖w‖².
	SquaredWeight(ctx context.Context) (float64, error)
	// SquaredSums returns ‖Σᵢ εᵢh(xᵢ)‖² for each column ε of signs. It tells how many rows are done.
	SquaredSums(ctx context.Context, x, signs blas.Matrix, tell func(done int)) ([]float64, error)
}

// Features returns the space of explicit features h(x) = links(x) with weights w (D×1).
func Features(links *feature.Links, w blas.Matrix) Space { return features{links, w} }

// Kernel returns the space of a kernel, h(x)·h(y) = k(x, y), with w = Σαᵢh(xᵢ) over the rows xᵢ of support and α in
// alpha (N×1).
func Kernel(k kernel.Kernel, support, alpha blas.Matrix) Space { return mercer{k, support, alpha} }

// Sum returns the space of a sum of functions, each of a space of its own: h(x) and w are those of the spaces one after
// the other.
func Sum(spaces []Space) Space { return joined(spaces) }

type joined []Space

func (j joined) SquaredNorms(ctx context.Context, x blas.Matrix) ([]float64, error) {
	return j.add(func(s Space) ([]float64, error) { return s.SquaredNorms(ctx, x) })
}

func (j joined) SquaredWeight(ctx context.Context) (float64, error) {
	sum, err := j.add(func(s Space) ([]float64, error) {
		v, err := s.SquaredWeight(ctx)
		return []float64{v}, err
	})
	if err != nil {
		return 0, err
	}
	return sum[0], nil
}

func (j joined) SquaredSums(ctx context.Context, x, signs blas.Matrix, tell func(done int)) ([]float64, error) {
	return j.add(func(s Space) ([]float64, error) { return s.SquaredSums(ctx, x, signs, tell) })
}

// add adds up what every space returns.
func (j joined) add(of func(Space) ([]float64, error)) ([]float64, error) {
	var total []float64
	for _, s := range j {
		v, err := of(s)
		if err != nil {
			return nil, err
		}
		if total == nil {
			total = v
			continue
		}
		for i := range v {
			total[i] += v[i]
		}
	}
	return total, nil
}

const block = learn.PredictBlock

type features struct {
	links  *feature.Links
	weight blas.Matrix // D×1
}

// eachBlock calls use with the features of some rows at a time. use may keep them until it returns.
func (l features) eachBlock(ctx context.Context, x blas.Matrix, use func(h blas.Matrix, from int) error) error {
	buffer := blas.New(min(block, x.Rows), l.links.Width())
	for lo := 0; lo < x.Rows; lo += block {
		hi := min(lo+block, x.Rows)
		h := blas.View(buffer, 0, hi-lo, 0, buffer.Cols)
		if err := l.links.To(ctx, h, blas.View(x, lo, hi, 0, x.Cols)); err != nil {
			return err
		}
		if err := use(h, lo); err != nil {
			return err
		}
	}
	return nil
}

func (l features) SquaredNorms(ctx context.Context, x blas.Matrix) ([]float64, error) {
	out := make([]float64, x.Rows)
	return out, l.eachBlock(ctx, x, func(h blas.Matrix, from int) error {
		for i := range h.Rows {
			out[from+i] = blas.Dot(blas.Row(h, i), blas.Row(h, i))
		}
		return nil
	})
}

func (l features) SquaredWeight(context.Context) (float64, error) {
	var sum float64
	for i := range l.weight.Rows {
		w := l.weight.Data[i*l.weight.Stride]
		sum += w * w
	}
	return sum, nil
}

func (l features) SquaredSums(ctx context.Context, x, signs blas.Matrix, tell func(done int)) ([]float64, error) {
	total := blas.New(l.links.Width(), signs.Cols)
	err := l.eachBlock(ctx, x, func(h blas.Matrix, from int) error {
		tell(from + h.Rows)
		return blas.Gemm(ctx, true, false, 1, h, blas.View(signs, from, from+h.Rows, 0, signs.Cols), 1, total)
	})
	return columnProducts(make([]float64, signs.Cols), total, total), err
}

// columnProducts adds the inner products of equal columns of a and b to dst.
func columnProducts(dst []float64, a, b blas.Matrix) []float64 {
	for i := range a.Rows {
		other := blas.Row(b, i)
		for j, v := range blas.Row(a, i) {
			dst[j] += v * other[j]
		}
	}
	return dst
}

type mercer struct {
	kernel  kernel.Kernel
	support blas.Matrix
	alpha   blas.Matrix // N×1
}

func (k mercer) SquaredNorms(ctx context.Context, x blas.Matrix) ([]float64, error) {
	out := make([]float64, x.Rows)
	for i := range out {
		row := blas.View(x, i, i+1, 0, x.Cols)
		k.kernel.Block(blas.Matrix{Rows: 1, Cols: 1, Stride: 1, Data: out[i : i+1]}, row, row)
	}
	return out, ctx.Err()
}

func (k mercer) SquaredWeight(ctx context.Context) (float64, error) {
	sums, err := k.SquaredSums(ctx, k.support, k.alpha, func(int) {})
	return sums[0], err
}

// SquaredSums computes εᵀΩε with a block of rows of Ω at a time.
func (k mercer) SquaredSums(ctx context.Context, x, signs blas.Matrix, tell func(done int)) ([]float64, error) {
	total := make([]float64, signs.Cols)
	for lo := 0; lo < x.Rows; lo += block {
		hi := min(lo+block, x.Rows)
		omega, product := blas.New(hi-lo, x.Rows), blas.New(hi-lo, signs.Cols)
		if err := kernel.Add(ctx, k.kernel, 1, blas.View(x, lo, hi, 0, x.Cols), x, omega); err != nil {
			return total, err
		}
		if err := blas.Gemm(ctx, false, false, 1, omega, signs, 0, product); err != nil {
			return total, err
		}
		columnProducts(total, product, blas.View(signs, lo, hi, 0, signs.Cols))
		tell(hi)
	}
	return total, nil
}
