package kernel

import (
	"context"
	"slices"
	"sync"

	"rvflplus/blas"
	"rvflplus/internal/parallel"
)

// Matrices makes kernel matrices of one set of rows with themselves. What kernels of
// different widths share, inner products and distances, is computed once, when it is
// first needed. It is safe for concurrent use; the rows must not change.
type Matrices struct {
	x      blas.Matrix
	norms  func() []float64 // ‖xᵢ‖²
	lock   sync.Mutex
	shared map[string]*sharedMatrix // "" holds inner products, the others distances
	scaled *Matrices                // of the rows times factor, nil at first
	factor []float64                // the relevance that was asked for last
}

type sharedMatrix struct {
	once sync.Once
	m    blas.Matrix
	err  error
}

// NewMatrices returns the maker for the rows of x.
func NewMatrices(x blas.Matrix) *Matrices {
	return &Matrices{x: x, norms: sync.OnceValue(func() []float64 { return squaredNorms(x) }),
		shared: map[string]*sharedMatrix{}}
}

// Matrix returns k(xᵢ, xⱼ), N×N, both triangles, with the bits of AddSymmetric.
// Memory 8N² bytes, and as much for the inner products and each kind of distance, with
// and without the relevance asked for last;
// cost N² exponentials, or what the kernel's own evaluation costs, N²·n, when
// nothing is shared.
func (r *Matrices) Matrix(ctx context.Context, k Kernel) (blas.Matrix, error) {
	dst := blas.New(r.x.Rows, r.x.Rows)
	return dst, r.MatrixTo(ctx, k, dst)
}

// MatrixTo is Matrix into an N×N matrix whose contents do not matter.
func (r *Matrices) MatrixTo(ctx context.Context, k Kernel, dst blas.Matrix) error {
	terms := termsOf(k)
	if len(terms) == 0 {
		clear(dst.Data)
	}
	for i, t := range terms {
		if err := r.add(ctx, t, dst, i == 0); err != nil {
			return err
		}
	}
	blas.Mirror(dst)
	return nil
}

// ofDistance is exp(−distance/width).
type ofDistance interface {
	// distances sets dst to the distances of the rows, whatever the width.
	distances(dst, x, y blas.Matrix)
	// metric names the distance.
	metric() string
	scale() float64
}

// add adds one term to the upper triangle of dst; the first term overwrites it.
func (r *Matrices) add(ctx context.Context, t Kernel, dst blas.Matrix, first bool) error {
	switch t := t.(type) {
	case Relevant:
		return r.times(t.Factor).add(ctx, t.Kernel, dst, first)
	case ofRow:
		norms := r.norms()
		return r.addFrom(ctx, "", dots, dst, first, func(row []float64, i, j int) {
			t.fromRow(row, norms[j:j+len(row)], norms[i])
		})
	case ofDistance:
		return r.addFrom(ctx, t.metric(), t.distances, dst, first, func(row []float64, _, _ int) {
			blas.Decay(row, t.scale())
		})
	}
	if first {
		clear(dst.Data)
	}
	return AddSymmetric(ctx, t, 1, r.x, dst, nil)
}

// times returns the maker for the rows times a relevance. It remembers one, so that trying many relevances takes no
// more memory than one of them.
func (r *Matrices) times(factor []float64) *Matrices {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.scaled == nil || !slices.Equal(r.factor, factor) {
		r.scaled, r.factor = NewMatrices(scaled(r.x, factor)), slices.Clone(factor)
	}
	return r.scaled
}

// blockFunc writes a block of a matrix, for rows x and y.
type blockFunc func(dst, x, y blas.Matrix)

// addFrom adds what finish makes of a shared matrix, of row i from column j on.
func (r *Matrices) addFrom(ctx context.Context, name string, begin blockFunc, dst blas.Matrix, first bool,
	finish func(row []float64, i, j int)) error {
	from, err := r.share(ctx, name, begin)
	if err != nil {
		return err
	}
	return r.tiles(ctx, func(i0, i1, j0, j1 int) {
		buffer := tiles.Get().(*[side * side]float64)
		defer tiles.Put(buffer)
		for i := i0; i < i1; i++ {
			lo := max(i, j0)
			sum := blas.Row(dst, i)[lo:j1]
			row := sum
			if !first {
				row = buffer[:len(sum)]
			}
			copy(row, blas.Row(from, i)[lo:j1])
			finish(row, i, lo)
			if !first {
				blas.Axpy(1, row, sum)
			}
		}
	})
}

// share returns the shared matrix called name, upper triangle.
func (r *Matrices) share(ctx context.Context, name string, fill blockFunc) (blas.Matrix, error) {
	r.lock.Lock()
	s := r.shared[name]
	if s == nil {
		s = new(sharedMatrix)
		r.shared[name] = s
	}
	r.lock.Unlock()
	s.once.Do(func() {
		s.m = blas.New(r.x.Rows, r.x.Rows)
		s.err = r.tiles(ctx, func(i0, i1, j0, j1 int) {
			fill(blas.View(s.m, i0, i1, j0, j1), blas.View(r.x, i0, i1, 0, r.x.Cols),
				blas.View(r.x, j0, j1, 0, r.x.Cols))
		})
	})
	return s.m, s.err
}

// tiles calls fn for the blocks of the upper triangle, on all cores.
func (r *Matrices) tiles(ctx context.Context, fn func(i0, i1, j0, j1 int)) error {
	across := (r.x.Rows + side - 1) / side
	return parallel.For(ctx, across*across, func(t int) {
		if i, j := t/across, t%across; i <= j {
			fn(i*side, min((i+1)*side, r.x.Rows), j*side, min((j+1)*side, r.x.Rows))
		}
	})
}
