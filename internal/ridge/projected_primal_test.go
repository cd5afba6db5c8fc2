package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/gram"
)

// primalProblems are twoStageProblems whose stages have the same features, as the primal form takes them. With fewer
// rows than features 1 − leverage is about 1/C, and so C is not large.
func primalProblems() []twoStages {
	problems := twoStageProblems()
	for k := range problems {
		problems[k].h2, problems[k].params.C = problems[k].h, min(problems[k].params.C, 10)
	}
	return problems
}

// block returns rows from to to of the problem; unlabelled rows have targets that must not matter.
func (p twoStages) block(from, to int) (gram.Block, []float64) {
	b := gram.NewBlock(p.h.Cols, p.priv.Cols, p.y.Cols, to-from)
	weight := make([]float64, to-from)
	for i := range weight {
		weight[i] = p.rowWeight(from + i)
		copy(blas.Row(b.H, i), blas.Row(p.h, from+i))
		copy(blas.Row(b.Priv, i), blas.Row(p.priv, from+i))
		for j := range p.y.Cols {
			b.Y.Data[i*b.Y.Stride+j] = 1e6
			if from+i < p.y.Rows {
				b.Y.Data[i*b.Y.Stride+j] = p.y.Data[(from+i)*p.y.Stride+j]
			}
		}
	}
	return b, weight
}

// primal solves the first stage from sums.
func (p twoStages) primal() (*PrimalProjected, error) {
	var stats [3]*gram.Stats
	ends := []int{0, p.complete(), p.y.Rows, p.h.Rows}
	for k := range stats {
		if ends[k] == ends[k+1] && k > 0 {
			continue
		}
		stats[k] = gram.New(p.h.Cols, p.priv.Cols, p.y.Cols)
		b, weight := p.block(ends[k], ends[k+1])
		if err := stats[k].Add(ctx, b, weight); err != nil {
			return nil, err
		}
	}
	return NewPrimalProjected(ctx, stats[0], stats[1], stats[2], p.params)
}

// primalLeaveOneOut returns the predictions of the labelled rows without each, from both kinds of blocks.
func (p twoStages) primalLeaveOneOut(f *PrimalProjected) (blas.Matrix, error) {
	out := blas.New(p.y.Rows, p.y.Cols)
	part := func(from, to int, lacking bool) error {
		b, weight := p.block(from, to)
		return f.LeaveOneOut(ctx, b, weight, lacking, from, blas.View(out, from, to, 0, p.y.Cols))
	}
	return out, errors.Join(part(0, p.complete(), false), part(p.complete(), p.y.Rows, true))
}

func TestPrimalProjectedEqualsRefits(t *testing.T) {
	for _, p := range primalProblems() {
		f, err := p.primal()
		if err == nil {
			err = f.Project(ctx, p.c2)
		}
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		same(t, p.String(), predict(p.h, f.Weights(), f.Offset()), p.refit(-1))
		loo, err := p.primalLeaveOneOut(f)
		if p.params.Center && p.y.Rows == 1 {
			if !errors.Is(err, fault.NotSolved) {
				t.Errorf("%s: a mean of no rows: %v", p, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		same(t, p.String()+" leave-one-out", loo, p.bruteForce())
	}
}

// For every C₂ the loss is that of second stages without each row of the same ĝ.
func TestProjectionsEqualRefitsOfTheSecondStage(t *testing.T) {
	for _, p := range primalProblems() {
		f, err := p.primal()
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		candidates := []float64{1e-6, 0.1, 10, p.c2}
		projections, err := f.Projections(ctx, candidates)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range [][2]int{{0, p.complete() / 2}, {p.complete() / 2, p.complete()}, {p.y.Rows, p.h.Rows}} {
			b, weight := p.block(part[0], part[1])
			if part[0] == p.y.Rows {
				weight = nil
			}
			if err := projections.Add(ctx, b, weight); err != nil {
				t.Fatal(err)
			}
		}
		var guides mat.Dense
		guides.Mul(asDense(p.priv), asDense(f.stage1.PrivWeights()))
		for k, c2 := range candidates {
			p.c2 = c2
			want := p.secondStageLoss(matrixOf(&guides))
			if got := projections.Loss()[k]; !(math.Abs(got-want) <= 1e-9*(1e-6+want)) {
				t.Errorf("%s: loss %.12g, want %.12g", p, got, want)
			}
		}
	}
}

// secondStageLoss refits the second stage without each row; guides has all rows.
func (p twoStages) secondStageLoss(guides blas.Matrix) float64 {
	var loss float64
	for k, i := range p.guided() {
		rest := append(p.guided()[:k], p.guided()[k+1:]...)
		fitted := make([]float64, p.y.Cols)
		if len(rest) > 0 {
			copy(fitted, p.secondStage(rowsOf(guides, rest), rest).RawRowView(i))
		}
		for j, g := range blas.Row(guides, i) {
			loss += p.rowWeight(i) * (g - fitted[j]) * (g - fitted[j])
		}
	}
	return loss
}

func TestPrimalProjectedSaysWhatCannotBeSolved(t *testing.T) {
	for name, change := range map[string]func(p *twoStages){
		"a first stage of rank 1": func(p *twoStages) {
			clear(p.priv.Data)
			for i := range p.h.Data {
				p.h.Data[i] = 1e6
			}
			p.params.C = 1e12
		},
		"a second stage of rank 1": func(p *twoStages) {
			for i := range p.h.Data {
				p.h.Data[i] = 1e6
			}
			p.params.C, p.c2 = 1e-6, 1e12
		},
		"an overflow of H":  func(p *twoStages) { p.h.Data[0] = 1e200 },
		"an overflow of H̃": func(p *twoStages) { p.priv.Data[0] = 1e200 },
	} {
		p := newTwoStages(rand.New(rand.NewPCG(14, 40)), 8, 3, 2, 1, false)
		p.h2 = p.h
		change(&p)
		f, err := p.primal()
		if err == nil {
			err = f.Project(ctx, p.c2)
		}
		if !errors.Is(err, fault.NotSolved) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPrimalProjectedLeavesNoRowOutThatAloneDeterminesAWeight(t *testing.T) {
	for name, change := range map[string]func(p *twoStages){
		"first stage":  func(p *twoStages) { p.priv.Data[0], p.params.C = 1e7, 1 },
		"second stage": func(p *twoStages) { p.h.Data[0], p.params.C, p.c2 = 1e7, 1e-9, 1 },
	} {
		p := newTwoStages(rand.New(rand.NewPCG(14, 43)), 8, 3, 2, 1, false)
		p.h2 = p.h
		change(&p)
		f, err := p.primal()
		if err == nil {
			err = f.Project(ctx, p.c2)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := p.primalLeaveOneOut(f); !errors.Is(err, fault.NotSolved) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Candidates whose second stage cannot be solved, or whose loss is not defined, lose against all others.
func TestProjectionsPassOverWhatIsNotDefined(t *testing.T) {
	p := newTwoStages(rand.New(rand.NewPCG(14, 41)), 8, 3, 2, 1, false)
	p.h.Data[0] = 1e7
	for i := range p.h.Rows {
		p.h.Data[5*i+4] = p.h.Data[5*i+3]
	}
	f, err := p.primal()
	if err != nil {
		t.Fatal(err)
	}
	projections, err := f.Projections(ctx, []float64{1e-20, 1, 1e300})
	if err != nil {
		t.Fatal(err)
	}
	b, weight := p.block(0, p.complete())
	if err := projections.Add(ctx, b, weight); err != nil {
		t.Fatal(err)
	}
	l := projections.Loss()
	if math.IsInf(l[0], 0) || math.IsNaN(l[0]) || !math.IsInf(l[1], 1) || !math.IsInf(l[2], 1) {
		t.Errorf("losses %v, want a number, +Inf for a leverage of almost 1 and +Inf for a singular system", l)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := projections.Add(done, b, weight); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := f.Projections(done, []float64{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := f.Project(done, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Blocks are predicted alike, however the rows are divided.
func TestPrimalProjectedInBlocks(t *testing.T) {
	p := newTwoStages(rand.New(rand.NewPCG(14, 42)), 9, 4, 0, 2, true)
	p.h2, p.params.Center = p.h, true
	f, err := p.primal()
	if err == nil {
		err = f.Project(ctx, p.c2)
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, err := p.primalLeaveOneOut(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		b, weight := p.block(i, i+1)
		one := blas.New(1, 2)
		if err := f.LeaveOneOut(ctx, b, weight, false, i, one); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("row %d alone", i), one, rowsOf(whole, []int{i}))
	}
}
