package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/feature"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/rvfl"
)

// layer is the random layers of one drawing, applied to all rows, and the path over
// (C, γ) in the form that is cheaper.
type layer struct{ path path }

// widths returns D and D̃.
func (e *Evaluator) widths(c rvfl.Config) (normal, priv int) {
	direct := func(n int) int {
		if c.NoDirect {
			return 0
		}
		return n
	}
	normal = c.Hidden + direct(e.rows.X.Cols)
	if e.priv != nil {
		priv = c.PrivHidden + direct(e.rows.Priv.Cols)
	}
	return normal, priv
}

// primal reports whether sums over rows are the cheaper form, in operations a (C, γ);
// the dual costs more with a privileged part.
func (e *Evaluator) primal(c rvfl.Config) bool {
	if c.Solver != "auto" {
		return c.Solver == "primal"
	}
	d, p := e.widths(c)
	k, n := float64(d+p), float64(e.rows.X.Rows)
	primal := k*k*k/3 + 2.5*n*k*k
	if e.sets != nil {
		primal = k * k * k / 3 * float64(len(e.sets))
	}
	dual := 0.7 * n * n * n
	if p > 0 {
		dual = 2 * n * n * n
	}
	return primal < dual
}

// layersFit reports whether the layers of all rows fit into memory; if not, the
// estimator itself, which streams, is asked.
func (e *Evaluator) layersFit(c rvfl.Config) bool {
	d, p := e.widths(c)
	n := float64(e.rows.X.Rows)
	need := 8 * n * float64(d+p)
	if e.primal(c) {
		need += ridge.PrimalPathBytes(d+p, len(e.sets))
	} else {
		need += 16*n*n + ridge.PathBytes(e.rows.X.Rows)
	}
	return memory.Check(need, "tuning", "") == nil
}

// links evaluates RVFL and RVFL+.
func (e *Evaluator) links(ctx context.Context, c rvfl.Config) (*mat.Dense, error) {
	var out *mat.Dense
	err := e.useLayer(ctx, c, func(l *layer) (err error) {
		out, err = e.along(ctx, l.path, c.Params())
		return err
	})
	return out, err
}

func (e *Evaluator) useLayer(ctx context.Context, c rvfl.Config, use func(*layer) error) error {
	key := fmt.Sprintf("%d %d %v %s %s %v %v %d %v", c.Hidden, c.PrivHidden, c.U, c.Activation, c.Init, c.NoDirect, c.NoCenter, c.Seed, e.primal(c))
	return e.layers.use(key, func() (*layer, float64, error) { return e.newLayer(ctx, c) }, use)
}

func (e *Evaluator) newLayer(ctx context.Context, c rvfl.Config) (*layer, float64, error) {
	d := 0
	if e.priv != nil {
		d = e.rows.Priv.Cols
	}
	normal, priv, err := c.Layers(e.rows.X.Cols, d)
	if err != nil {
		return nil, 0, err
	}
	h, err := apply(ctx, normal, e.rows.X)
	if err != nil {
		return nil, 0, err
	}
	var hPriv blas.Matrix
	if priv != nil {
		if hPriv, err = apply(ctx, priv, e.priv.x); err != nil {
			return nil, 0, err
		}
	}
	if e.primal(c) {
		return e.primalLayer(ctx, h, hPriv, !c.NoCenter)
	}
	return e.dualLayer(ctx, h, hPriv)
}

func apply(ctx context.Context, l *feature.Links, x blas.Matrix) (blas.Matrix, error) {
	h := blas.New(x.Rows, l.Width())
	return h, l.To(ctx, h, x)
}

func (e *Evaluator) primalLayer(ctx context.Context, h, priv blas.Matrix, center bool) (*layer, float64, error) {
	p, err := ridge.NewPrimalPath(ctx, ridge.PrimalPathProblem{
		H: h, Priv: priv, Y: e.rows.Y, Weight: e.rows.Weight, Sets: e.sets, Center: center,
	})
	width := h.Cols + priv.Cols
	return &layer{p}, 8*float64(h.Rows)*float64(width) + ridge.PrimalPathBytes(width, len(e.sets)), err
}

func (e *Evaluator) dualLayer(ctx context.Context, h, priv blas.Matrix) (*layer, float64, error) {
	p := ridge.PathProblem{Y: e.rows.Y, Weight: e.rows.Weight, Sets: e.sets}
	var err error
	if p.Omega, err = outer(ctx, h); err != nil {
		return nil, 0, err
	}
	if priv.Rows > 0 {
		if p.Priv, err = outer(ctx, priv); err != nil {
			return nil, 0, err
		}
	}
	return &layer{ridge.NewPath(p)}, 16 * float64(h.Rows) * float64(h.Rows), nil
}

// outer returns HHᵀ, both triangles.
func outer(ctx context.Context, h blas.Matrix) (blas.Matrix, error) {
	out := blas.New(h.Rows, h.Rows)
	err := blas.Syrk(ctx, false, 1, h, 0, out)
	blas.Mirror(out)
	return out, err
}
