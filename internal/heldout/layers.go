package heldout

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/feature"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
)

// Layers are the random layers of both spaces and the form in which they are solved.
type Layers struct {
	feature.Layers
	Solver string // "auto", "primal" or "dual"
	Center bool   // of the params
}

// ByLayers is ByKernels for ridge regressions on random layers. In the primal form params
// share the sums over rows. It returns nothing when the layers of all rows do not fit
// into memory, and for folds whose rows had a part in drawing the layers: the estimator
// itself is then to be refitted, which streams and draws layers without the fold. Where
// rows are left out alone the layers stay those of all rows.
func (e *Evaluator) ByLayers(ctx context.Context, l Layers, params []ridge.Params) (out []*mat.Dense, err error) {
	if !e.layersFit(l) || l.Init == feature.Differences && e.sets != nil {
		return nil, nil
	}
	key := fmt.Sprintf("%+v %v", l, e.primal(l))
	err = e.layers.use(key, func() (*layer, float64, error) { return e.newLayer(ctx, l) }, func(l *layer) (err error) {
		out, err = e.along(ctx, l.path, params)
		return err
	})
	return out, err
}

// layer is the random layers of one drawing, applied to all rows, and the path over
// (C, γ) in the form that is cheaper.
type layer struct{ path path }

// widths returns D and D̃.
func (e *Evaluator) widths(l Layers) (normal, priv int) {
	direct := func(n int) int {
		if !l.Direct {
			return 0
		}
		return n
	}
	normal = l.Hidden + direct(e.rows.X.Cols)
	if e.priv != nil {
		priv = l.PrivHidden + direct(e.rows.Priv.Cols)
	}
	return normal, priv
}

// primal reports whether sums over rows are the cheaper form, in operations a (C, γ);
// the dual costs more with a privileged part.
func (e *Evaluator) primal(l Layers) bool {
	if l.Solver != "auto" {
		return l.Solver == "primal"
	}
	d, p := e.widths(l)
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
func (e *Evaluator) layersFit(l Layers) bool {
	d, p := e.widths(l)
	n := float64(e.rows.X.Rows)
	need := 8 * n * float64(d+p)
	if e.primal(l) {
		need += ridge.PrimalPathBytes(d+p, len(e.sets))
	} else {
		need += 16*n*n + ridge.PathBytes(e.rows.X.Rows)
	}
	return memory.Check(need, "tuning", "") == nil
}

func (e *Evaluator) newLayer(ctx context.Context, l Layers) (*layer, float64, error) {
	normal, priv, err := l.Draw(e.rows)
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
	if e.primal(l) {
		return e.primalLayer(ctx, h, hPriv, l.Center)
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
