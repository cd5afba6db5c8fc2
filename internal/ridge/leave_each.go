package ridge

import (
	"context"
	"slices"

	"rvflplus/blas"
	"rvflplus/learn"
)

// HeldOutEach is HeldOut with each correction in turn, q's own aside, into one dst
// each. What costs most, the factorisation and the inverse, is done once.
func (p *Path) HeldOutEach(ctx context.Context, q Params, corrections []learn.Correction, dst []blas.Matrix) error {
	l := &leaving{Path: p, Params: q, mean: mean(p.Y, p.Weight, p.total, q.Center)}
	defer l.release()
	if err := l.setNoise(); err != nil {
		return err
	}
	corrections, dst, err := l.iterateEach(ctx, corrections, dst)
	if err != nil || len(corrections) == 0 {
		return err
	}
	if p.refits {
		for k, c := range corrections {
			l.Correction = c
			if err := l.refitSets(ctx, dst[k]); err != nil {
				return err
			}
		}
		return nil
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

// iterateEach does what conjugate gradients can do more cheaply, and returns the
// corrections that are left.
func (l *leaving) iterateEach(ctx context.Context, corrections []learn.Correction, dst []blas.Matrix) (open []learn.Correction, openDst []blas.Matrix, err error) {
	g := l.gradients()
	for k, c := range corrections {
		if dst[k].Rows != l.heldRows || dst[k].Cols != l.Y.Cols {
			panic("ridge: dimension mismatch")
		}
		l.Correction = c
		done := false
		if g != nil {
			if done, err = g.solve(ctx, dst[k]); err != nil {
				return nil, nil, err
			}
		}
		if !done {
			open, openDst = append(open, c), append(openDst, dst[k])
		}
	}
	return open, openDst, nil
}

// solution is what leaving keeps of one correction.
type solution struct{ right, alpha, fits blas.Matrix }

// solveEach solves the whole system for every correction, and sets half or inverse.
func (l *leaving) solveEach(ctx context.Context, corrections []learn.Correction) ([]solution, error) {
	if l.complete() == 0 {
		return l.solveAll(ctx, len(corrections))
	}
	u, _, err := l.system(ctx, nil, blas.Matrix{})
	if err != nil {
		return nil, err
	}
	var all []solution
	for _, l.Correction = range corrections {
		l.setRight()
		s := solution{l.right, blas.Clone(l.right), blas.New(l.right.Rows, l.right.Cols)}
		if err := blas.SolveCholesky(ctx, u, s.alpha); err != nil {
			return nil, err
		}
		if err := blas.Gemm(ctx, false, false, 1, l.Omega, s.alpha, 0, s.fits); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, l.invert(ctx, u)
}

// solveAll is solveEach without a privileged part, where corrections do not differ.
func (l *leaving) solveAll(ctx context.Context, corrections int) ([]solution, error) {
	l.setRight()
	u, forward, err := l.system(ctx, nil, l.right)
	if err != nil {
		return nil, err
	}
	l.half = u
	if err := blas.InvertUpper(ctx, u); err != nil {
		return nil, err
	}
	for j := range forward.Cols {
		l.forward = append(l.forward, column(forward, j))
	}
	return slices.Repeat([]solution{{l.right, blas.New(l.right.Rows, l.right.Cols), l.right}}, corrections), nil
}

// back sets the given rows of α when the inverse was not formed: α = U⁻¹·forward.
func (l *leaving) back(rows ...int) {
	for _, i := range rows {
		for j, v := range l.forward {
			l.alpha.Data[i*l.alpha.Stride+j] = dot(blas.Row(l.half, i)[i:], v[i:])
		}
	}
}
