package pipeline

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/ridge"
	"rvflplus/internal/rng"
	"rvflplus/learn"
)

// What is learned from rows without a target need not hold for rows with one if the two samples are distributed
// otherwise. Two scores of a row are compared between the samples: one of its features (tellApart), and one of how its
// privileged features go with its normal ones (misfit).

const (
	// maxShiftRows is the most rows of each sample that are compared: of more, so many are drawn.
	maxShiftRows = 500
	// A difference is told when the share of pairs that a score orders is above minShiftShare and, by more than
	// minShiftErrors standard errors, above 1/2. The scores of left-out rows depend on each other, so that the standard
	// error is too small: TestRandomDivisionsAreNoShift counts how often rows divided at random pass.
	minShiftShare  = 0.6
	minShiftErrors = 4
	// roundOff is the share of a number up to which a spread is taken for rounding.
	roundOff = 1e-12
)

// shifted returns a warning for each score in which rows without a target differ from rows with one. Rows of a file of
// their own are compared by themselves, so that others do not hide them.
func (t *training) shifted(ctx context.Context) (warnings []fault.Text, err error) {
	if t.unlabelled == nil {
		return nil, nil
	}
	random := rng.New(t.Seed, "rows to tell apart")
	draw := func(rows []int, x, priv *mat.Dense) sample {
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:min(len(rows), maxShiftRows)]
		return sample{learn.GatherRows(x, rows), learn.GatherRows(priv, rows)}
	}
	var with, own, further []int
	for i := range t.data.Rows {
		if t.hasPriv == nil || t.hasPriv[i] {
			with = append(with, i)
		}
	}
	for i := range t.model.Report.Unlabelled {
		if i < t.model.Report.Unlabelled-t.further {
			own = append(own, i)
		} else {
			further = append(further, i)
		}
	}
	first := draw(with, t.x, t.priv)
	for _, part := range []struct {
		rows []int
		name fault.Text
	}{
		{own, fault.Textf("rows without a target")},
		{further, fault.Textf("rows of %s", fault.Name("unlabelled"))},
	} {
		if len(part.rows) == 0 {
			continue
		}
		differ, err := differences(ctx, first, draw(part.rows, t.unlabelled.X, t.unlabelled.Priv), part.name)
		if err != nil {
			return nil, err
		}
		warnings = append(warnings, differ...)
	}
	return warnings, nil
}

// differences returns a warning for each score in which the second sample, called name, differs from the first.
func differences(ctx context.Context, first, second sample, name fault.Text) (warnings []fault.Text, err error) {
	for _, score := range []struct {
		of   func(ctx context.Context, first, second sample) (separation, error)
		text string
	}{
		{tellApart, "%s are distributed otherwise than rows with a target: a linear rule tells them apart in " +
			"%.0f %% of pairs (chance: 50 %%), and what is learned from them may mislead; check that all rows come " +
			"from one source"},
		{misfit, "privileged values of %s do not go with the normal values as in rows with a target: in %.0f %% of " +
			"pairs (chance: 50 %%) they lie farther from a linear prediction, and what is learned from them may " +
			"mislead; check that the privileged values of a row belong to its case"},
	} {
		s, err := score.of(ctx, first, second)
		if err != nil && !errors.Is(err, fault.NotSolved) {
			return nil, err
		}
		if err == nil && s.significant() {
			warnings = append(warnings, fault.Textf(score.text, name, 100*s.share))
		}
	}
	return warnings, nil
}

// sample is some prepared rows.
type sample struct{ x, priv *mat.Dense }

// separation is how well a score, which should be higher in a second sample than in a first, tells them apart.
type separation struct {
	share float64 // of pairs, a row of each sample, that the score orders so: the AUC; a tie counts half
	se    float64 // standard error of the share of a score that knows nothing
}

func (s separation) significant() bool { return s.share > max(minShiftShare, 0.5+minShiftErrors*s.se) }

// tellApart scores rows by a linear function of all features: the ridge regression on the sample that a row is of,
// fitted to the other rows.
func tellApart(ctx context.Context, first, second sample) (separation, error) {
	var z mat.Dense
	z.Augment(stack(first.x, second.x), stack(first.priv, second.priv))
	standardise(&z, &z)
	rows, n := z.RawMatrix().Rows, first.x.RawMatrix().Rows
	y := blas.New(rows, 1)
	for i := n; i < rows; i++ {
		y.Data[i] = 1
	}
	fit, err := fitLinear(ctx, &z, y)
	if err != nil {
		return separation{}, err
	}
	scores := make([]float64, rows)
	for i := range scores {
		// A part of the prediction is the mean of y over the other rows. It tells of which sample the row itself is.
		others := (float64(rows-n) - y.Data[i]) / float64(rows-1)
		scores[i] = blas.Row(fit.LeaveOneOut, i)[0] - others
	}
	return separate(scores[:n], scores[n:]), nil
}

// misfit scores rows by how far their privileged features lie from a linear prediction by the normal features. The
// prediction is fitted to the first sample; a row of the first sample is predicted by the other ones. Privileged values
// that stand beside the normal values of another case are far, though each by itself is as it should be.
func misfit(ctx context.Context, first, second sample) (separation, error) {
	x, otherX := mat.DenseCopyOf(first.x), mat.DenseCopyOf(second.x)
	standardise(x, x, otherX)
	priv, otherPriv := mat.DenseCopyOf(first.priv), mat.DenseCopyOf(second.priv)
	standardise(priv, priv, otherPriv)
	fit, err := fitLinear(ctx, x, priv.RawMatrix())
	if err != nil {
		return separation{}, err
	}
	weights, err := linear(x).Weights(ctx, fit.Alpha)
	if err != nil {
		return separation{}, err
	}
	predicted := blas.New(otherX.RawMatrix().Rows, weights.Cols)
	if err := blas.Gemm(ctx, false, false, 1, linear(otherX).F, weights, 0, predicted); err != nil {
		return separation{}, err
	}
	near, scale := squaredErrors(priv, fit.LeaveOneOut, nil), make([]float64, weights.Cols)
	for i := range near.Rows {
		blas.Axpy(1, blas.Row(near, i), scale)
	}
	far := squaredErrors(otherPriv, predicted, fit.Offset)
	return separate(relativeSums(near, scale), relativeSums(far, scale)), nil
}

// squaredErrors returns the squares of y less predictions and an offset.
func squaredErrors(y *mat.Dense, predicted blas.Matrix, offset []float64) blas.Matrix {
	out := blas.Clone(y.RawMatrix())
	for i := range out.Rows {
		row := blas.Row(out, i)
		blas.Axpy(-1, blas.Row(predicted, i), row)
		for j := range row {
			if offset != nil {
				row[j] -= offset[j]
			}
			row[j] *= row[j]
		}
	}
	return out
}

// relativeSums returns the sum of each row after the columns are divided by their scales; columns that the first sample
// does not vary in do not count.
func relativeSums(m blas.Matrix, scale []float64) []float64 {
	out := make([]float64, m.Rows)
	for i := range out {
		for j, v := range blas.Row(m, i) {
			if scale[j] > roundOff {
				out[i] += v / scale[j]
			}
		}
	}
	return out
}

// fitLinear fits ridge regressions of the columns of y on z, with predictions of every row by the others. With C = 1
// the kernel of linear shrinks the more, the more features there are.
func fitLinear(ctx context.Context, z *mat.Dense, y blas.Matrix) (*ridge.Dual, error) {
	return ridge.FitDual(ctx, ridge.DualProblem{
		Omega: linear(z), Y: y, Weight: slices.Repeat([]float64{1}, y.Rows),
		Params: ridge.Params{C: 1, Center: true}, LeaveOneOut: true,
	})
}

// linear returns the kernel 1 + zᵢᵀzⱼ/D. Without its constant the residuals of left-out rows vanish where centred
// targets are predicted by as many centred features as there are rows.
func linear(z *mat.Dense) ridge.Linear {
	raw := z.RawMatrix()
	f := blas.New(raw.Rows, raw.Cols+1)
	for i := range f.Rows {
		row := blas.Row(f, i)
		row[0] = 1
		blas.Axpy(1/math.Sqrt(float64(raw.Cols)), blas.Row(raw, i), row[1:])
	}
	return ridge.Linear{F: f}
}

// separate compares the scores of two samples.
func separate(first, second []float64) separation {
	all := slices.Concat(first, second)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(all[i], all[j]) })
	var ranks float64 // of the second sample, from 1; equal scores share their mean rank
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && all[order[hi]] == all[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			if i >= len(first) {
				ranks += float64(lo+1+hi) / 2
			}
		}
		lo = hi
	}
	n, m := float64(len(first)), float64(len(second))
	return separation{share: (ranks - m*(m+1)/2) / (n * m), se: math.Sqrt((n + m + 1) / (12 * n * m))}
}

// standardise shifts and scales the columns of several matrices, so that those of basis, which may be among them, have
// mean 0 and standard deviation 1, or 0 where they are constant.
func standardise(basis *mat.Dense, all ...*mat.Dense) {
	rows, columns := basis.Dims()
	for j := range columns {
		var mean, square float64
		for i := range rows {
			mean += basis.At(i, j) / float64(rows)
		}
		for i := range rows {
			square += (basis.At(i, j) - mean) * (basis.At(i, j) - mean) / float64(rows)
		}
		sd := math.Sqrt(square)
		if sd <= roundOff*math.Abs(mean) {
			sd = 1
		}
		for _, m := range all {
			for i := range m.RawMatrix().Rows {
				m.Set(i, j, (m.At(i, j)-mean)/sd)
			}
		}
	}
}
