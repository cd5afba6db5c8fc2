package ridge

import (
	"context"
	"errors"

	"rvflplus/blas"
	"rvflplus/internal/gram"
	"rvflplus/learn"
)

// PrimalPathProblem is one pair of feature matrices and the folds of rows that are held out together.
type PrimalPathProblem struct {
	H blas.Matrix // N×D
	// Priv is H̃ of the first rows, which have privileged values: N_c×D̃. A matrix without columns means no privileged
	// part.
	Priv   blas.Matrix
	Y      blas.Matrix // N×m
	Weight []float64   // N, all > 0
	// Sets are the folds, each held out by itself; nil holds out every row alone.
	Sets [][]int
	// Center subtracts the weighted mean of the targets; it is used instead of Params.Center.
	Center bool
	// Joint predicts held-out rows that have privileged values by f(x) + g(x̃) instead of f(x), where there are Sets.
	Joint bool
}

// PrimalPath is Path in the weights of features: sums over rows are formed once, for all rows and without each fold.
// Each (C, γ) costs a factorisation of D+D̃ rows for each fold, or one factorisation and 1.25·N(D+D̃)² operations for
// leave-one-out. It is safe for concurrent use.
type PrimalPath struct {
	PrimalPathProblem
	shift []float64 // subtracted from the targets: the means, when centred
	all   splitStats
	rest  []splitStats // without each fold
}

// splitStats are the statistics of the rows with and of those without privileged values; lacking is nil when every row
// has them.
type splitStats struct{ complete, lacking *gram.Stats }

// PrimalPathBytes returns the memory that NewPrimalPath and one call of HeldOut take, without the features.
func PrimalPathBytes(width, sets int) float64 {
	return float64(sets+3) * 8 * float64(width) * float64(width)
}

// NewPrimalPath forms the sums: N(D+D̃)² operations, twice that with folds. Shapes that do not agree panic.
func NewPrimalPath(ctx context.Context, p PrimalPathProblem) (*PrimalPath, error) {
	if p.H.Rows != p.Y.Rows || p.Priv.Rows > p.H.Rows || len(p.Weight) != p.H.Rows {
		panic("ridge: dimension mismatch")
	}
	path := &PrimalPath{PrimalPathProblem: p, shift: mean(p.Y, p.Weight, sum(p.Weight), p.Center)}
	var err error
	if path.all, err = path.sums(ctx, nil); err != nil {
		return nil, err
	}
	for _, fold := range p.Sets {
		var rest splitStats
		if 2*len(fold) > p.H.Rows {
			rest, err = path.sums(ctx, fold)
		} else { // subtracting the fold is cheaper
			rest.complete = clone(path.all.complete)
			if path.all.lacking != nil {
				rest.lacking = clone(path.all.lacking)
			}
			err = path.update(ctx, fold, rest, (*gram.Stats).Sub)
		}
		if err != nil {
			return nil, err
		}
		path.rest = append(path.rest, rest)
	}
	return path, nil
}

func clone(s *gram.Stats) *gram.Stats {
	c := gram.New(s.Dims())
	_ = c.Merge(s) // the dimensions agree
	return c
}

// HeldRows returns the number of predictions of HeldOut.
func (p *PrimalPath) HeldRows() int { return heldRows(p.Sets, p.H.Rows) }

// complete is the number of rows that have privileged values.
func (p *PrimalPath) complete() int {
	if p.Priv.Cols == 0 {
		return p.H.Rows
	}
	return p.Priv.Rows
}

// sums adds up all rows but those of a fold.
func (p *PrimalPath) sums(ctx context.Context, fold []int) (splitStats, error) {
	s := splitStats{complete: gram.New(p.H.Cols, p.Priv.Cols, p.Y.Cols)}
	if p.complete() < p.H.Rows {
		s.lacking = gram.New(s.complete.Dims())
	}
	return s, p.update(ctx, without(p.H.Rows, fold), s, (*gram.Stats).Add)
}

// update adds rows to the statistics they belong to, or subtracts them.
func (p *PrimalPath) update(
	ctx context.Context, rows []int, s splitStats,
	change func(*gram.Stats, context.Context, gram.Block, []float64) error,
) error {
	return p.eachBlock(rows, func(b gram.Block, weight []float64, part []int) error {
		into := s.complete
		if part[0] >= p.complete() {
			into = s.lacking
		}
		return change(into, ctx, b, weight)
	})
}

// block is the number of rows that are copied at once.
const block = 384

// eachBlock calls use with the given rows in blocks that either all have privileged values or all lack them.
func (p *PrimalPath) eachBlock(rows []int, use func(b gram.Block, weight []float64, part []int) error) error {
	var split [2][]int
	for _, i := range rows {
		which := 0
		if i >= p.complete() {
			which = 1
		}
		split[which] = append(split[which], i)
	}
	for _, rows := range split {
		for lo := 0; lo < len(rows); lo += block {
			part := rows[lo:min(lo+block, len(rows))]
			b := gram.NewBlock(p.H.Cols, p.Priv.Cols, p.Y.Cols, len(part))
			for k, i := range part {
				copy(blas.Row(b.H, k), blas.Row(p.H, i))
				if i < p.Priv.Rows {
					copy(blas.Row(b.Priv, k), blas.Row(p.Priv, i))
				}
				for j, y := range blas.Row(p.Y, i) {
					b.Y.Data[k*b.Y.Stride+j] = y - p.shift[j]
				}
			}
			if err := use(b, learn.Gather(p.Weight, part), part); err != nil {
				return err
			}
		}
	}
	return nil
}

// HeldOut sets dst as Path.HeldOut does.
func (p *PrimalPath) HeldOut(ctx context.Context, q Params, dst blas.Matrix) error {
	if dst.Rows != p.HeldRows() || dst.Cols != p.Y.Cols {
		panic("ridge: dimension mismatch")
	}
	q.Center = p.Center
	if p.Sets == nil {
		f, err := FitPrimal(ctx, p.all.complete, p.all.lacking, q)
		if err != nil {
			return err
		}
		err = p.eachBlock(without(p.H.Rows, nil), func(b gram.Block, weight []float64, part []int) error {
			first, end := part[0], part[len(part)-1]+1
			out := blas.View(dst, first, end, 0, dst.Cols)
			err := f.LeaveOneOut(ctx, b, weight, first >= p.complete(), first, out)
			p.unshift(out)
			return err
		})
		return errors.Join(err, f.Trapped())
	}
	// Rows without privileged values keep the weight that they have among all rows.
	lacking := q.lackingFactor(p.all.complete.PrivTrace(), p.all.complete.Weight())
	return eachFold(p.Sets, dst, func(number int, fold []int, dst blas.Matrix) error {
		rest := p.rest[number]
		if rest.complete.Rows() == 0 && (rest.lacking == nil || rest.lacking.Rows() == 0) {
			return undetermined(number)
		}
		f, err := fitPrimal(ctx, rest.complete, rest.lacking, q, lacking)
		if err != nil {
			return err
		}
		for k := range fold {
			copy(blas.Row(dst, k), f.mean)
		}
		p.unshift(dst)
		if err := blas.Gemm(ctx, false, false, 1, blas.Gather(p.H, fold), f.Weights(), 1, dst); err != nil || !p.Joint {
			return err
		}
		return p.addPriv(ctx, f, fold, dst)
	})
}

// addPriv adds g(x̃) to the predictions of a fold's rows that have privileged values.
func (p *PrimalPath) addPriv(ctx context.Context, f *Primal, fold []int, dst blas.Matrix) error {
	var have, at []int
	for k, i := range fold {
		if i < p.Priv.Rows {
			have, at = append(have, i), append(at, k)
		}
	}
	g := blas.New(len(have), dst.Cols)
	if err := blas.Gemm(ctx, false, false, 1, blas.Gather(p.Priv, have), f.PrivWeights(), 0, g); err != nil {
		return err
	}
	for k, i := range at {
		blas.Axpy(1, blas.Row(g, k), blas.Row(dst, i))
	}
	return nil
}

func (p *PrimalPath) unshift(out blas.Matrix) {
	for i := range out.Rows {
		blas.Axpy(1, p.shift, blas.Row(out, i))
	}
}
