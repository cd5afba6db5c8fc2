package ridge

import (
	"context"

	"rvflplus/blas"
	"rvflplus/internal/gram"
)

// PrimalPathProblem is one pair of feature matrices and what is left out together.
type PrimalPathProblem struct {
	H      blas.Matrix // N×D
	Priv   blas.Matrix // H̃ of the first rows, which have privileged values, N_c×D̃; no columns mean no privileged part
	Y      blas.Matrix // N×m
	Weight []float64   // N, all > 0
	// Sets are the rows that leave together, each set by itself; nil leaves every row
	// out alone.
	Sets [][]int
	// Center subtracts the targets' weighted mean; it stands for Params.Center.
	Center bool
}

// PrimalPath is Path in the weights of features: sums over rows are formed once, for
// all rows and without each set; each (C, γ) costs a factorisation of D+D̃ rows for
// each set, or one and 1.25·N(D+D̃)² operations for leave-one-out. It is safe for
// concurrent use.
type PrimalPath struct {
	PrimalPathProblem
	shift []float64 // subtracted from the targets: the means, when centred
	all   halves
	rest  []halves // without each set
}

// halves are the sums over rows with and without privileged values; lacking is nil
// when every row has them.
type halves struct{ complete, lacking *gram.Stats }

// PrimalPathBytes returns the memory that NewPrimalPath and one call of HeldOut take,
// beside the features.
func PrimalPathBytes(width, sets int) float64 {
	return float64(sets+3) * 8 * float64(width) * float64(width)
}

// NewPrimalPath forms the sums: N(D+D̃)² operations, twice that with sets. Shapes that
// do not agree panic.
func NewPrimalPath(ctx context.Context, p PrimalPathProblem) (*PrimalPath, error) {
	if p.H.Rows != p.Y.Rows || p.Priv.Rows > p.H.Rows || len(p.Weight) != p.H.Rows {
		panic("ridge: dimension mismatch")
	}
	path := &PrimalPath{PrimalPathProblem: p, shift: mean(p.Y, p.Weight, sum(p.Weight), p.Center)}
	var err error
	if path.all, err = path.sums(ctx, without(p.H.Rows, nil)); err != nil {
		return nil, err
	}
	for _, set := range p.Sets {
		rest, err := path.sumsWithout(ctx, set)
		if err != nil {
			return nil, err
		}
		path.rest = append(path.rest, rest)
	}
	return path, nil
}

// HeldRows returns the number of predictions of HeldOut.
func (p *PrimalPath) HeldRows() int {
	if p.Sets == nil {
		return p.H.Rows
	}
	rows := 0
	for _, set := range p.Sets {
		rows += len(set)
	}
	return rows
}

// complete is the number of rows that have privileged values.
func (p *PrimalPath) complete() int {
	if p.Priv.Cols == 0 {
		return p.H.Rows
	}
	return p.Priv.Rows
}

// sumsWithout subtracts a small set, and adds up what is left by a large one.
func (p *PrimalPath) sumsWithout(ctx context.Context, set []int) (halves, error) {
	if 2*len(set) > p.H.Rows {
		return p.sums(ctx, without(p.H.Rows, set))
	}
	h := halves{complete: clone(p.all.complete)}
	if p.all.lacking != nil {
		h.lacking = clone(p.all.lacking)
	}
	return h, p.update(ctx, set, h, (*gram.Stats).Sub)
}

func clone(s *gram.Stats) *gram.Stats {
	c := gram.New(s.Dims())
	_ = c.Merge(s) // the dimensions agree
	return c
}

// sums adds up the given rows.
func (p *PrimalPath) sums(ctx context.Context, rows []int) (halves, error) {
	h := halves{complete: p.none()}
	if p.complete() < p.H.Rows {
		h.lacking = p.none()
	}
	return h, p.update(ctx, rows, h, (*gram.Stats).Add)
}

func (p *PrimalPath) none() *gram.Stats { return gram.New(p.H.Cols, p.Priv.Cols, p.Y.Cols) }

// block is the number of rows that are copied at once.
const block = 384

// update passes rows to the sums they belong to, a block at a time.
func (p *PrimalPath) update(ctx context.Context, rows []int, h halves, change func(*gram.Stats, context.Context, gram.Block, []float64) error) error {
	return p.eachBlock(rows, func(b gram.Block, weight []float64, part []int) error {
		into := h.complete
		if part[0] >= p.complete() {
			into = h.lacking
		}
		return change(into, ctx, b, weight)
	})
}

// eachBlock hands on the given rows in blocks that either all have privileged values
// or all lack them.
func (p *PrimalPath) eachBlock(rows []int, use func(b gram.Block, weight []float64, part []int) error) error {
	for _, half := range p.split(rows) {
		for lo := 0; lo < len(half); lo += block {
			part := half[lo:min(lo+block, len(half))]
			b, weight := gram.NewBlock(p.H.Cols, p.Priv.Cols, p.Y.Cols, len(part)), make([]float64, len(part))
			for k, i := range part {
				p.fill(b, k, i)
				weight[k] = p.Weight[i]
			}
			if err := use(b, weight, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// split separates the rows that have privileged values from those that lack them.
func (p *PrimalPath) split(rows []int) [2][]int {
	var halves [2][]int
	for _, i := range rows {
		which := 0
		if i >= p.complete() {
			which = 1
		}
		halves[which] = append(halves[which], i)
	}
	return halves
}

func (p *PrimalPath) fill(b gram.Block, k, i int) {
	copy(blas.Row(b.H, k), blas.Row(p.H, i))
	if p.Priv.Cols > 0 && i < p.Priv.Rows {
		copy(blas.Row(b.Priv, k), blas.Row(p.Priv, i))
	}
	for j, y := range blas.Row(p.Y, i) {
		b.Y.Data[k*b.Y.Stride+j] = y - p.shift[j]
	}
}

// HeldOut sets dst as Path.HeldOut does.
func (p *PrimalPath) HeldOut(ctx context.Context, q Params, dst blas.Matrix) error {
	if dst.Rows != p.HeldRows() || dst.Cols != p.Y.Cols {
		panic("ridge: dimension mismatch")
	}
	q.Center = p.Center
	if p.Sets == nil {
		return p.leaveRows(ctx, q, dst)
	}
	at := 0
	for f, set := range p.Sets {
		if err := p.leaveSet(ctx, q, f, set, blas.View(dst, at, at+len(set), 0, dst.Cols)); err != nil {
			return err
		}
		at += len(set)
	}
	return nil
}

// leaveRows leaves every row out alone.
func (p *PrimalPath) leaveRows(ctx context.Context, q Params, dst blas.Matrix) error {
	f, err := FitPrimal(ctx, p.all.complete, p.all.lacking, q)
	if err != nil {
		return err
	}
	return p.eachBlock(without(p.H.Rows, nil), func(b gram.Block, weight []float64, part []int) error {
		first, end := part[0], part[len(part)-1]+1
		out := blas.View(dst, first, end, 0, dst.Cols)
		err := f.LeaveOneOut(ctx, b, weight, first >= p.complete(), first, out)
		p.unshift(out)
		return err
	})
}

// leaveSet solves without the set; rows without privileged values keep the weight they
// have among all rows.
func (p *PrimalPath) leaveSet(ctx context.Context, q Params, number int, set []int, dst blas.Matrix) error {
	rest := p.rest[number]
	if rest.complete.Rows() == 0 && (rest.lacking == nil || rest.lacking.Rows() == 0) {
		return undetermined(number)
	}
	factor := q.lackingFactor(p.all.complete.PrivTrace(), p.all.complete.Weight())
	f, err := fitPrimal(ctx, rest.complete, rest.lacking, q, factor)
	if err != nil {
		return err
	}
	offset := f.Offset()
	for k := range set {
		copy(blas.Row(dst, k), offset)
	}
	p.unshift(dst)
	return blas.Gemm(ctx, false, false, 1, pickRows(p.H, set), f.Weights(), 1, dst)
}

func (p *PrimalPath) unshift(out blas.Matrix) {
	for i := range out.Rows {
		blas.Axpy(1, p.shift, blas.Row(out, i))
	}
}
