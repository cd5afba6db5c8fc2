package ridge

import (
	"context"
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
)

// sets leaves every set out.
func (l *leaving) sets(ctx context.Context, dst blas.Matrix) error {
	if err := l.move(ctx); err != nil {
		return err
	}
	at := 0
	for f, set := range l.Sets {
		if err := l.set(ctx, f, set, blas.View(dst, at, at+len(set), 0, dst.Cols)); err != nil {
			return err
		}
		at += len(set)
	}
	return nil
}

// move sets κMΩ̃_{:F}v_F for every set.
func (l *leaving) move(ctx context.Context) error {
	if !l.corrects() {
		return nil
	}
	nc := l.complete()
	leave := blas.New(nc, len(l.Sets))
	for f, set := range l.Sets {
		for _, i := range set {
			if i >= nc {
				continue
			}
			for j, v := range blas.Row(l.Priv, i) {
				leave.Data[j*leave.Stride+f] += l.kappa() * l.Weight[i] * v
			}
		}
	}
	l.moved = blas.New(l.Y.Rows, len(l.Sets))
	return blas.Gemm(ctx, false, false, 1, blas.View(l.inverse, 0, l.Y.Rows, 0, nc), leave, 0, l.moved)
}

// set predicts set f: dst = base − T·α′_F, T = (ΩM)_FF M_FF⁻¹ (M_FF⁻¹ without a
// privileged part).
func (l *leaving) set(ctx context.Context, f int, set []int, dst blas.Matrix) error {
	m := l.Y.Cols
	l.back(set...)
	alpha, base := pickRows(l.alpha, set), pickRows(l.fits, set)
	if l.corrects() {
		l.addMoved(f, set, alpha, base)
	}
	own, omegaM, err := l.corners(ctx, set)
	if err != nil {
		return err
	}
	if pivot, err := blas.Factor(ctx, own, nil); err != nil || pivot >= 0 {
		return orUndetermined(err, f)
	}
	if err := blas.SolveCholesky(ctx, own, alpha); err != nil {
		return err
	}
	if l.complete() == 0 {
		for k := range base.Data {
			base.Data[k] -= alpha.Data[k]
		}
	} else if err := blas.Gemm(ctx, false, false, -1, omegaM, alpha, 1, base); err != nil {
		return err
	}
	shift, ok := l.meanWithout(set)
	if !ok {
		return undetermined(f)
	}
	for k := range set {
		row := blas.Row(base, k)
		for j := range blas.Row(dst, k) {
			dst.Data[k*dst.Stride+j] = row[j] + l.mean[j] + shift[j]*(1-row[m])
		}
	}
	return nil
}

// addMoved adds what the set's leaving the sum does to α and Ωα; the column for
// targets of 1 has no sum.
func (l *leaving) addMoved(f int, set []int, alpha, base blas.Matrix) {
	column := column(l.moved, f)
	for k, i := range set {
		fit := dot(blas.Row(l.Omega, i), column)
		for j := range l.Y.Cols {
			alpha.Data[k*alpha.Stride+j] += column[i]
			base.Data[k*base.Stride+j] += fit
		}
	}
}

// corners returns M_FF, and (ΩM)_FF with a privileged part.
func (l *leaving) corners(ctx context.Context, set []int) (own, omegaM blas.Matrix, err error) {
	own = blas.New(len(set), len(set))
	if l.complete() == 0 {
		return own, omegaM, blas.Syrk(ctx, false, 1, l.halfRows(set), 0, own)
	}
	omegaM = blas.New(len(set), len(set))
	for k, i := range set {
		row := blas.Row(l.inverse, i)
		for j, c := range set {
			own.Data[k*own.Stride+j] = row[c]
		}
	}
	return own, omegaM, blas.Gemm(ctx, false, true, 1, pickRows(l.Omega, set), pickRows(l.inverse, set), 0, omegaM)
}

// halfRows returns the rows of U⁻¹, from the first column in which one is not zero:
// where they lie, if they follow each other.
func (l *leaving) halfRows(set []int) blas.Matrix {
	first := slices.Min(set)
	if follow(set) {
		for k, i := range set {
			clear(blas.Row(l.half, i)[first : first+k])
		}
		return blas.View(l.half, first, first+len(set), first, l.half.Cols)
	}
	rows := blas.New(len(set), l.half.Cols-first)
	for k, i := range set {
		copy(blas.Row(rows, k)[i-first:], blas.Row(l.half, i)[i:])
	}
	return rows
}

// follow reports whether the rows of a set are one after the other.
func follow(set []int) bool {
	for k, i := range set {
		if i != set[0]+k {
			return false
		}
	}
	return true
}

// meanWithout returns ȳ⁻ᶠ − ȳ, 0 when the targets are not centred; false when no
// weight is left.
func (l *leaving) meanWithout(set []int) ([]float64, bool) {
	shift, left := make([]float64, l.Y.Cols), l.total
	if !l.Center {
		return shift, true
	}
	for _, i := range set {
		left -= l.Weight[i]
		for j, y := range blas.Row(l.Y, i) {
			shift[j] -= l.Weight[i] * (y - l.mean[j])
		}
	}
	for j := range shift {
		shift[j] /= left
	}
	return shift, left > l.total*0x1p-40
}

// refitSets solves without each set.
func (l *leaving) refitSets(ctx context.Context, dst blas.Matrix) error {
	at := 0
	for f, set := range l.Sets {
		l.release()
		if err := l.refit(ctx, f, set, blas.View(dst, at, at+len(set), 0, dst.Cols)); err != nil {
			return err
		}
		at += len(set)
	}
	return nil
}

func (l *leaving) refit(ctx context.Context, f int, set []int, dst blas.Matrix) error {
	rest := without(l.Y.Rows, set)
	if len(rest) == 0 {
		return undetermined(f)
	}
	u, _, err := l.system(ctx, rest, blas.Matrix{})
	if err != nil {
		return err
	}
	y, weight := pickRows(l.Y, rest), make([]float64, len(rest))
	for k, i := range rest {
		weight[k] = l.Weight[i]
	}
	ybar := mean(y, weight, sum(weight), l.Center)
	for k, i := range rest {
		shift := l.sumOver(rest, i)
		for j := range ybar {
			y.Data[k*y.Stride+j] -= ybar[j] + shift
		}
	}
	if err := blas.SolveCholesky(ctx, u, y); err != nil {
		return err
	}
	for k := range set {
		copy(blas.Row(dst, k), ybar)
	}
	cross := blas.New(len(set), len(rest))
	for k, i := range set {
		row := blas.Row(l.Omega, i)
		for j, c := range rest {
			cross.Data[k*cross.Stride+j] = row[c]
		}
	}
	return blas.Gemm(ctx, false, false, 1, cross, y, 1, dst)
}

// sumOver returns κ(Ω̃v)ᵢ with the sum over the given, ascending, rows.
func (l *leaving) sumOver(rows []int, i int) float64 {
	if !l.corrects() || i >= l.complete() {
		return 0
	}
	var s float64
	for _, c := range rows {
		if c >= l.complete() {
			break
		}
		s += l.Priv.Data[i*l.Priv.Stride+c] * l.Weight[c]
	}
	return l.kappa() * s
}

// without returns the numbers below n that are not in set.
func without(n int, set []int) []int {
	out := make([]bool, n)
	for _, i := range set {
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

func pickRows(a blas.Matrix, rows []int) blas.Matrix {
	out := blas.New(len(rows), a.Cols)
	for k, i := range rows {
		copy(blas.Row(out, k), blas.Row(a, i))
	}
	return out
}

func orUndetermined(err error, set int) error {
	if err != nil {
		return err
	}
	return undetermined(set)
}

// undetermined is an error for a set without which nothing is determined.
func undetermined(set int) error {
	return fault.New(fault.NotSolved, "without fold %d the problem is not determined to working precision", set+1).WithHint("use a smaller C")
}
