package bound

import (
	"context"
	"fmt"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/memory"
	"rvflplus/internal/rng"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// space is the space in which f(x) = h(x)·w.
type space interface {
	// squares returns ‖h(x)‖² for each row.
	squares(ctx context.Context, x blas.Matrix) ([]float64, error)
	// radius returns ‖w‖².
	radius(ctx context.Context) (float64, error)
	// sums returns ‖Σᵢ εᵢh(xᵢ)‖² for each column ε of signs.
	sums(ctx context.Context, x, signs blas.Matrix, tell func(done int)) ([]float64, error)
}

// spaceOf returns the space of an estimator of one output, or a fault.Usage error
// for one that is not of that form.
func spaceOf(m learn.Model) (space, error) {
	switch m := m.(type) {
	case *rvfl.Model:
		if p := m.Parts(); p.Offset[0] == 0 {
			return layer{&feature.Links{Weight: p.Hidden.Weight, Bias: p.Hidden.Bias, Activation: p.Hidden.Activation, NoDirect: !p.Hidden.Direct}, p.Weight}, nil
		}
		return nil, fault.New(fault.Usage, "the bound is for f(x) = h(x)w, this model has an offset beside")
	case *krvfl.Model:
		if p := m.Parts(); p.Offset[0] == 0 {
			return mercer{p.Kernel, p.Support, p.Alpha}, nil
		}
		return nil, fault.New(fault.Usage, "the bound is for f(x) = Σk(x,xᵢ)αᵢ, this model has an offset beside")
	}
	return nil, errKind
}

var errKind = fault.New(fault.Usage, "the bound is for kinds rvfl, rvfl+, krvfl and krvfl+")

const block = learn.PredictBlock

// layer is the space of explicit features.
type layer struct {
	links  *feature.Links
	weight blas.Matrix // D×1
}

// eachBlock calls use with the features of some rows at a time, which it may keep
// until it returns.
func (l layer) eachBlock(ctx context.Context, x blas.Matrix, use func(h blas.Matrix, from int) error) error {
	room := blas.New(min(block, x.Rows), l.links.Width())
	for lo := 0; lo < x.Rows; lo += block {
		hi := min(lo+block, x.Rows)
		h := blas.View(room, 0, hi-lo, 0, room.Cols)
		if err := l.links.To(ctx, h, blas.View(x, lo, hi, 0, x.Cols)); err != nil {
			return err
		}
		if err := use(h, lo); err != nil {
			return err
		}
	}
	return nil
}

func (l layer) squares(ctx context.Context, x blas.Matrix) ([]float64, error) {
	out := make([]float64, x.Rows)
	return out, l.eachBlock(ctx, x, func(h blas.Matrix, from int) error {
		for i := range h.Rows {
			out[from+i] = blas.Dot(blas.Row(h, i), blas.Row(h, i))
		}
		return nil
	})
}

func (l layer) radius(context.Context) (float64, error) {
	var sum float64
	for i := range l.weight.Rows {
		w := l.weight.Data[i*l.weight.Stride]
		sum += w * w
	}
	return sum, nil
}

func (l layer) sums(ctx context.Context, x, signs blas.Matrix, tell func(done int)) ([]float64, error) {
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

// mercer is the space of a kernel: h(x)·h(y) = k(x, y), w = Σαᵢh(xᵢ).
type mercer struct {
	kernel  kernel.Kernel
	support blas.Matrix
	alpha   blas.Matrix // N×1
}

func (k mercer) squares(ctx context.Context, x blas.Matrix) ([]float64, error) {
	out := make([]float64, x.Rows)
	for i := range out {
		row := blas.View(x, i, i+1, 0, x.Cols)
		k.kernel.Block(blas.Matrix{Rows: 1, Cols: 1, Stride: 1, Data: out[i : i+1]}, row, row)
	}
	return out, ctx.Err()
}

func (k mercer) radius(ctx context.Context) (float64, error) {
	sums, err := k.sums(ctx, k.support, k.alpha, func(int) {})
	return sums[0], err
}

// sums computes εᵀΩε with a block of rows of Ω at a time.
func (k mercer) sums(ctx context.Context, x, signs blas.Matrix, tell func(done int)) ([]float64, error) {
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

// monteCarlo estimates E_ε‖Σᵢ εᵢh(xᵢ)‖ over random signs.
func monteCarlo(ctx context.Context, s space, x blas.Matrix, o Options) (mean, se float64, err error) {
	if err := memory.Check(8*float64(x.Rows)*float64(o.Draws+block), fmt.Sprintf("%d draws of %d signs", o.Draws, x.Rows), "use fewer --draws"); err != nil {
		return 0, 0, err
	}
	signs, r := blas.New(x.Rows, o.Draws), rng.New(o.Seed, "bound")
	for i := range signs.Data {
		signs.Data[i] = 1 - 2*float64(r.Uint64()>>63)
	}
	lengths, err := s.sums(ctx, x, signs, func(done int) { o.Progress.Tell("Monte-Carlo", done, x.Rows) })
	if err != nil {
		return 0, 0, err
	}
	for i, v := range lengths {
		lengths[i] = math.Sqrt(max(0, v))
		mean += lengths[i] / float64(o.Draws)
	}
	for _, v := range lengths {
		se += (v - mean) * (v - mean)
	}
	draws := float64(o.Draws)
	return mean, math.Sqrt(se / (draws - 1) / draws), nil
}
