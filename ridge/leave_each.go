package ridge

import (
	"context"

	"rvflplus/blas"
)

// HeldOutEach is HeldOut with each correction in turn, q's own aside, into one dst
// each. What costs most, the factorisation and the inverse, is done once.
func (p *Path) HeldOutEach(ctx context.Context, q Params, corrections []Correction, dst []blas.Matrix) error {
	if p.refits {
		for k, c := range corrections {
			q.Correction = c
			if err := p.HeldOut(ctx, q, dst[k]); err != nil {
				return err
			}
		}
		return nil
	}
	l := &leaving{Path: p, Params: q}
	defer l.release()
	if err := l.setNoise(); err != nil {
		return err
	}
	solved, err := l.solveEach(ctx, corrections)
	if err != nil {
		return err
	}
	for k, c := range corrections {
		l.Correction, l.right, l.alpha, l.fits = c, solved[k].right, solved[k].alpha, solved[k].fits
		leave := l.rows
		if p.Sets != nil {
			leave = l.sets
		}
		if err := leave(ctx, dst[k]); err != nil {
			return err
		}
	}
	return nil
}

// solution is what leaving keeps of one correction.
type solution struct{ right, alpha, fits blas.Matrix }

// solveEach is solve for several corrections.
func (l *leaving) solveEach(ctx context.Context, corrections []Correction) ([]solution, error) {
	l.mean = mean(l.Y, l.Weight, l.total, l.Center)
	u, err := l.system(ctx, nil)
	if err != nil {
		return nil, err
	}
	var all []solution
	for _, l.Correction = range corrections {
		l.setRight()
		s := solution{right: l.right, alpha: blas.Clone(l.right), fits: l.right}
		if err := blas.SolveCholesky(ctx, u, s.alpha); err != nil {
			return nil, err
		}
		if l.complete() > 0 {
			s.fits = blas.New(l.right.Rows, l.right.Cols)
			if err := blas.Gemm(ctx, false, false, 1, l.Omega, s.alpha, 0, s.fits); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}
	if l.complete() > 0 {
		return all, l.invert(ctx, u)
	}
	l.half = u
	return all, blas.InvertUpper(ctx, u)
}
