package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/ridge"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// HeldOutEach is HeldOut of t with each correction in turn, its own aside. In the dual
// form they share the factorisation and the inverse. t must be a krvfl.Config or an
// rvfl.Config.
func (e *Evaluator) HeldOutEach(ctx context.Context, t learn.Trainer, corrections []learn.Correction) (out []*mat.Dense, err error) {
	dual, err := e.useDual(ctx, t, func(p *ridge.Path, q ridge.Params) error {
		out, err = e.eachAlong(ctx, p, q, corrections)
		return err
	})
	if dual || err != nil {
		return out, err
	}
	out = make([]*mat.Dense, len(corrections))
	for k, c := range corrections {
		if out[k], err = e.HeldOut(ctx, Corrected(t, c)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (e *Evaluator) eachAlong(ctx context.Context, p *ridge.Path, q ridge.Params, corrections []learn.Correction) ([]*mat.Dense, error) {
	each, out := make([]blas.Matrix, len(corrections)), make([]*mat.Dense, len(corrections))
	for k := range each {
		each[k] = blas.New(p.HeldRows(), e.rows.Y.Cols)
	}
	if err := p.HeldOutEach(ctx, q, corrections, each); err != nil {
		return nil, err
	}
	for k, m := range each {
		if err := learn.CheckWeights(m); err != nil {
			return nil, err
		}
		out[k] = e.restore(m)
	}
	return out, nil
}

// Corrected returns t, a krvfl.Config or an rvfl.Config, with another correction.
func Corrected(t learn.Trainer, c learn.Correction) learn.Trainer {
	switch t := t.(type) {
	case krvfl.Config:
		t.Correction = c
		return t
	case rvfl.Config:
		t.Correction = c
		return t
	}
	panic("search: no such correction")
}

// useDual calls use with the path of t, if t is evaluated in the dual form, and reports
// whether it is.
func (e *Evaluator) useDual(ctx context.Context, t learn.Trainer, use func(*ridge.Path, ridge.Params) error) (dual bool, err error) {
	switch c := t.(type) {
	case krvfl.Config:
		if err := c.Validate(); err != nil {
			return true, err
		}
		c = c.WithDefaults()
		return true, e.useKernels(ctx, c, func(p *ridge.Path) error { return use(p, c.Params()) })
	case rvfl.Config:
		if err := c.Validate(); err != nil {
			return true, err
		}
		if c = c.WithDefaults(); c.Solver == "pinv" || !e.layersFit(c) {
			return false, nil
		}
		err := e.useLayer(ctx, c, func(l *layer) error {
			p, ok := l.path.(*ridge.Path)
			if dual = ok; !ok {
				return nil
			}
			return use(p, c.Params())
		})
		return dual, err
	}
	return true, fmt.Errorf("search: %T has no correction", t)
}
