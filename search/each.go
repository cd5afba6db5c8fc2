package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/ridge"
	"rvflplus/rvfl"
)

// HeldOutEach is HeldOut of t with each correction in turn, its own aside. In the dual
// form they share the factorisation and the inverse. t must be a krvfl.Config or an
// rvfl.Config.
func (e *Evaluator) HeldOutEach(ctx context.Context, t learn.Trainer, corrections []ridge.Correction) ([]*mat.Dense, error) {
	p, q, err := e.dual(ctx, t)
	if err != nil {
		return nil, err
	}
	out := make([]*mat.Dense, len(corrections))
	if p == nil {
		for k, c := range corrections {
			if out[k], err = e.HeldOut(ctx, Corrected(t, c)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	each := make([]blas.Matrix, len(corrections))
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
func Corrected(t learn.Trainer, c ridge.Correction) learn.Trainer {
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

// dual returns the path of t in the dual form, nil when it is evaluated otherwise.
func (e *Evaluator) dual(ctx context.Context, t learn.Trainer) (*ridge.Path, ridge.Params, error) {
	switch c := t.(type) {
	case krvfl.Config:
		if err := c.Validate(); err != nil {
			return nil, ridge.Params{}, err
		}
		c = c.WithDefaults()
		p, err := e.kernelPath(ctx, c)
		return p, c.Params(), err
	case rvfl.Config:
		if err := c.Validate(); err != nil {
			return nil, ridge.Params{}, err
		}
		if c = c.WithDefaults(); c.Solver == "pinv" || !e.layersFit(c) {
			return nil, c.Params(), nil
		}
		l, err := e.layer(ctx, c)
		if err != nil {
			return nil, c.Params(), err
		}
		p, _ := l.path.(*ridge.Path)
		return p, c.Params(), nil
	}
	return nil, ridge.Params{}, fmt.Errorf("search: %T has no correction", t)
}
