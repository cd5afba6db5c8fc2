package ridge

import (
	"context"
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// eachFold calls use for every fold with the rows of dst for its predictions.
func eachFold(folds [][]int, dst blas.Matrix, use func(number int, fold []int, dst blas.Matrix) error) error {
	at := 0
	for f, fold := range folds {
		if err := use(f, fold, blas.View(dst, at, at+len(fold), 0, dst.Cols)); err != nil {
			return err
		}
		at += len(fold)
	}
	return nil
}

// holdOutFolds holds out every fold F: dst = base − T·α′_F, T = (ΩM)_FF M_FF⁻¹ (M_FF⁻¹ without a privileged part).
func (s *looSolver) holdOutFolds(ctx context.Context, dst blas.Matrix) error {
	nc, m := s.complete(), s.Y.Cols
	var moved blas.Matrix // κMΩ̃_{:F}v_F, a column for each fold
	if s.corrects() {
		sums := blas.New(nc, len(s.Sets))
		for f, fold := range s.Sets {
			for _, i := range fold {
				if i >= nc {
					continue
				}
				for j, v := range blas.Row(s.Priv, i) {
					sums.Data[j*sums.Stride+f] += s.kappa() * s.Weight[i] * v
				}
			}
		}
		moved = blas.New(s.Y.Rows, len(s.Sets))
		err := blas.Gemm(ctx, false, false, 1, blas.View(s.inverse, 0, s.Y.Rows, 0, nc), sums, 0, moved)
		if err != nil {
			return err
		}
	}
	return eachFold(s.Sets, dst, func(f int, fold []int, dst blas.Matrix) error {
		s.setAlpha(fold...)
		alpha, base := blas.Gather(s.alpha, fold), blas.Gather(s.fits, fold)
		if s.corrects() {
			column := column(moved, f)
			for k, i := range fold {
				fit := dot(blas.Row(s.Omega, i), column)
				for j := range m { // the column for targets of 1 has no sum Ω̃v
					alpha.Data[k*alpha.Stride+j] += column[i]
					base.Data[k*base.Stride+j] += fit
				}
			}
		}
		if err := s.subtractFold(ctx, f, fold, alpha, base); err != nil {
			return err
		}
		shift, ok := s.meanShiftWithout(fold)
		if !ok {
			return undetermined(f)
		}
		for k := range fold {
			row := blas.Row(base, k)
			for j := range blas.Row(dst, k) {
				dst.Data[k*dst.Stride+j] = row[j] + s.mean[j] + shift[j]*(1-row[m])
			}
		}
		return nil
	})
}

// subtractFold subtracts T·alpha from base. It overwrites alpha.
func (s *looSolver) subtractFold(ctx context.Context, number int, fold []int, alpha, base blas.Matrix) error {
	own, smoother := blas.New(len(fold), len(fold)), blas.Matrix{} // M_FF and (ΩM)_FF
	var err error
	if s.complete() == 0 {
		err = blas.Syrk(ctx, false, 1, s.inverseFactorRows(fold), 0, own)
	} else {
		smoother = blas.New(len(fold), len(fold))
		for k, i := range fold {
			gatherTo(blas.Row(own, k), blas.Row(s.inverse, i), fold)
		}
		omega, inverse := blas.Gather(s.Omega, fold), blas.Gather(s.inverse, fold)
		err = blas.Gemm(ctx, false, true, 1, omega, inverse, 0, smoother)
	}
	if err != nil {
		return err
	}
	if pivot, err := blas.Factor(ctx, own, nil); err != nil {
		return err
	} else if pivot >= 0 {
		return undetermined(number)
	}
	if err := blas.SolveCholesky(ctx, own, alpha); err != nil {
		return err
	}
	if s.complete() > 0 {
		return blas.Gemm(ctx, false, false, -1, smoother, alpha, 1, base)
	}
	for k := range base.Data {
		base.Data[k] -= alpha.Data[k]
	}
	return nil
}

// inverseFactorRows returns rows of U⁻¹ from the first column in which one of them is not zero. Rows that follow each
// other are not copied.
func (s *looSolver) inverseFactorRows(fold []int) blas.Matrix {
	first, consecutive := slices.Min(fold), true
	for k, i := range fold {
		consecutive = consecutive && i == fold[0]+k
	}
	if consecutive {
		for k, i := range fold {
			clear(blas.Row(s.inverseFactor, i)[first : first+k])
		}
		return blas.View(s.inverseFactor, first, first+len(fold), first, s.inverseFactor.Cols)
	}
	rows := blas.New(len(fold), s.inverseFactor.Cols-first)
	for k, i := range fold {
		copy(blas.Row(rows, k)[i-first:], blas.Row(s.inverseFactor, i)[i:])
	}
	return rows
}

// meanShiftWithout returns ȳ⁻ᶠ − ȳ, 0 when the targets are not centred; ok is false when no weight is left.
func (s *looSolver) meanShiftWithout(fold []int) (shift []float64, ok bool) {
	shift, left := make([]float64, s.Y.Cols), s.total
	if !s.Center {
		return shift, true
	}
	for _, i := range fold {
		left -= s.Weight[i]
		for j, y := range blas.Row(s.Y, i) {
			shift[j] -= s.Weight[i] * (y - s.mean[j])
		}
	}
	for j := range shift {
		shift[j] /= left
	}
	return shift, left > s.total*0x1p-40
}

// refitFolds holds out every fold by a fit of the other rows.
func (s *looSolver) refitFolds(ctx context.Context, dst blas.Matrix) error {
	return eachFold(s.Sets, dst, func(f int, fold []int, dst blas.Matrix) error {
		s.release()
		rest := without(s.Y.Rows, fold)
		if len(rest) == 0 {
			return undetermined(f)
		}
		u, _, err := s.system(ctx, rest, blas.Matrix{})
		if err != nil {
			return err
		}
		alpha, weight := blas.Gather(s.Y, rest), learn.Gather(s.Weight, rest)
		mean := mean(alpha, weight, sum(weight), s.Center)
		for k, i := range rest {
			shift := 0.0 // κΩ̃v over these rows
			if s.corrects() && i < s.complete() {
				for _, c := range rest {
					if c < s.complete() {
						shift += s.Priv.Data[i*s.Priv.Stride+c] * s.Weight[c]
					}
				}
				shift *= s.kappa()
			}
			for j := range mean {
				alpha.Data[k*alpha.Stride+j] -= mean[j] + shift
			}
		}
		if err := blas.SolveCholesky(ctx, u, alpha); err != nil {
			return err
		}
		cross := blas.New(len(fold), len(rest))
		for k, i := range fold {
			copy(blas.Row(dst, k), mean)
			gatherTo(blas.Row(cross, k), blas.Row(s.Omega, i), rest)
		}
		return blas.Gemm(ctx, false, false, 1, cross, alpha, 1, dst)
	})
}

// gatherTo sets dst to the elements of row at the given columns.
func gatherTo(dst, row []float64, columns []int) {
	for j, c := range columns {
		dst[j] = row[c]
	}
}

// without returns the numbers below n that are not in fold, ascending.
func without(n int, fold []int) []int {
	out := make([]bool, n)
	for _, i := range fold {
		out[i] = true
	}
	var rest []int
	for i, left := range out {
		if !left {
			rest = append(rest, i)
		}
	}
	return rest
}

// undetermined is an error for a fold without which nothing is determined.
func undetermined(fold int) error {
	return fault.New(fault.NotSolved, "without fold %d the problem is not determined to working precision", fold+1).
		WithHint("use a smaller C")
}
