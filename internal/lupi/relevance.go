package lupi

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/relevance"
	"rvflplus/internal/ridge"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// A width for every column is learned by the exact leave-one-out of the ridge regression on normal features (package
// internal/relevance). Its own loss says little of other rows: there are as many widths as columns. So a ridge
// regression with learned widths is judged by folds, each predicted by what is learned on the other rows, and models
// that stand on one learn the widths anew on the rows that they are trained on.

// learnedFolds is the number of folds of few rows by which learned widths are judged; of more than manyLearned rows
// there are fewLearnedFolds.
const (
	learnedFolds    = 10
	fewLearnedFolds = 5
	manyLearned     = 300
)

// learned is a ridge regression whose widths are learned.
type learned struct {
	f        *fit
	kernel   kernel.Spec // with a width to be learned, and with the linear part
	name     string      // for people
	strength int         // a number of relevance.Strengths
	loss     float64     // by folds
	out      *mat.Dense  // predictions by folds
	fit      relevance.Fit
}

// widths remembers what was learned on which rows: several models stand on the same rows.
type widths struct {
	lock sync.Mutex
	of   map[uint64]*learnedOnce
}

type learnedOnce struct {
	once sync.Once
	fits []relevance.Fit
	err  error
}

// toLearn lists the kernels whose widths are learned, without the linear part.
func (f *fit) toLearn() []kernel.Spec {
	if f.Kernel.LearnsRelevance() {
		return []kernel.Spec{f.Kernel}
	}
	if !f.Relevance || f.Base != "krvfl" || f.late() {
		return nil
	}
	var out []kernel.Spec
	for _, k := range f.kernels() {
		if len(k) == 1 && slices.Contains([]string{"rbf", "laplacian"}, k[0].Name) && k.HasAutomaticWidth() {
			out = append(out, kernel.Must(k[0].Name+":width=relevance"))
		}
	}
	return out
}

// withLine adds the linear part of the method to a kernel on normal features.
func (f *fit) withLine(own kernel.Spec, features int) kernel.Spec {
	switch {
	case !f.Linear:
		return own
	case f.Printed:
		return append(kernel.Spec{{Name: "linear"}}, own...)
	}
	return withLinear(own, features, 1)
}

// learn makes the ridge regressions with learned widths, one for each kernel and strength, once. best is the number of
// the one of each kernel that the one-standard-error rule takes.
func (f *fit) learn(ctx context.Context) (all []*learned, err error) {
	if f.learnedAll != nil {
		return f.learnedAll, nil
	}
	x := f.rows.X.RawMatrix()
	if f.learnedBy, err = f.foldsToLearn(); err != nil {
		return nil, err
	}
	strengths := relevance.Strengths()
	kernels := f.toLearn()
	f.expect(len(kernels) * (len(f.learnedBy) + 1))
	for _, own := range kernels {
		base := &learned{f: f, kernel: f.withLine(own, x.Cols), name: own[0].Name}
		c := relevance.Crossing{
			Y: f.rows.Y.RawMatrix(), Weight: f.weight, Scale: f.scale, Folds: f.learnedBy, Many: len(strengths),
			Learn: func(ctx context.Context, rows []int) ([]relevance.Fit, error) {
				p := f.rows
				if rows != nil {
					p = p.Only(rows)
				}
				return base.fits(ctx, p)
			},
			Predict: func(ctx context.Context, fit relevance.Fit, rows, held []int) (blas.Matrix, error) {
				m, err := plain(base.trainer(fit))(ctx, f.rows.Only(rows))
				if err != nil {
					return blas.Matrix{}, err
				}
				out := mat.NewDense(len(held), f.rows.Y.RawMatrix().Cols, nil)
				m.PredictTo(out, learn.GatherRows(f.rows.X, held))
				return out.RawMatrix(), nil
			},
			Done: func() { f.tell(1) },
		}
		crossed, err := c.Run(ctx)
		if f.passOverLearned(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for s := range strengths {
			if math.IsInf(crossed.Loss[s], 1) {
				continue
			}
			one := *base
			one.strength, one.fit, one.loss = s, crossed.Fits[s], crossed.Loss[s]
			one.out = mat.NewDense(x.Rows, crossed.Out[s].Cols, crossed.Out[s].Data)
			all = append(all, &one)
			if s == crossed.Best {
				f.learnedBest = append(f.learnedBest, &one)
			}
		}
	}
	f.learnedAll = all
	return all, nil
}

// passOverLearned reports whether learning that failed is passed over: where it is not asked for by name.
func (f *fit) passOverLearned(err error) bool {
	return err != nil && !f.Kernel.LearnsRelevance() && f.passOver(err)
}

// foldsToLearn returns the folds by which learned widths are judged.
func (f *fit) foldsToLearn() ([][]int, error) {
	if f.folds != nil {
		return f.folds, nil
	}
	n, k := f.rows.X.RawMatrix().Rows, learnedFolds
	if n > manyLearned {
		k = fewLearnedFolds
	}
	return dealt(n, k, f.Seed+1)
}

// fits learns the widths on the rows of p, under every strength, once for the same rows.
func (l *learned) fits(ctx context.Context, p learn.Problem) ([]relevance.Fit, error) {
	x, y := p.X.RawMatrix(), p.Y.RawMatrix()
	h := fnv.New64a()
	h.Write([]byte(l.kernel.String()))
	for _, m := range []blas.Matrix{x, y} {
		binary.Write(h, binary.LittleEndian, int64(m.Rows))
		for i := range m.Rows {
			binary.Write(h, binary.LittleEndian, blas.Row(m, i))
		}
	}
	key := h.Sum64()
	w := l.f.widths
	w.lock.Lock()
	known := w.of[key]
	if known == nil {
		known = &learnedOnce{}
		w.of[key] = known
	}
	w.lock.Unlock()
	known.once.Do(func() { known.fits, known.err = l.learnOn(ctx, p) })
	return known.fits, known.err
}

func (l *learned) learnOn(ctx context.Context, p learn.Problem) ([]relevance.Fit, error) {
	f := l.f
	problem := relevance.Problem{
		Normal: relevance.Space{X: p.X.RawMatrix(), Kernel: l.kernel, Share: f.Linear && !f.Printed},
		Y:      p.Y.RawMatrix(), Weight: weightsOf(p), Scale: f.scale, Center: f.Center, Seed: f.Seed,
	}
	if len(f.C) == 1 {
		problem.C = f.C[0]
	}
	if p.Group != nil {
		var err error
		if problem.Folds, err = split.Groups(p.Group, min(mostGroups, len(split.Members(p.Group))), f.Seed); err != nil {
			return nil, err
		}
	}
	return relevance.Learn(ctx, problem, relevance.Strengths())
}

// trainer returns the ridge regression with what was learned.
func (l *learned) trainer(fit relevance.Fit) learn.Trainer {
	return kernelRidge(fit.Kernel, fit.C, l.f.Center, l.f.Seed)
}

// Train implements learn.Trainer: it learns the widths on the rows of p.
func (l *learned) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	fits, err := l.fits(ctx, p)
	if err != nil {
		return nil, learn.Report{}, err
	}
	return l.trainer(fits[l.strength]).Train(ctx, p)
}

// part is the part of a ridge regression with learned widths.
func (l *learned) part() part { return part{key: l.text(), weight: 1, train: plain(l)} }

// text names it for people.
func (l *learned) text() string {
	strength := relevance.Strengths()[l.strength]
	if math.IsInf(strength, 1) {
		return l.name + " of one learned width"
	}
	return fmt.Sprintf("%s of learned widths, penalty %s", l.name, digits(strength))
}

// learnedMember is the best ridge regression with learned widths: what the one-standard-error rule takes of each kernel,
// and of kernels the one with the least loss.
func (f *fit) learnedMember(ctx context.Context) (*member, error) {
	if m := f.members["relevance"]; m != nil {
		return m, nil
	}
	if _, err := f.learn(ctx); err != nil || len(f.learnedBest) == 0 {
		return nil, err
	}
	best := f.learnedBest[0]
	for _, l := range f.learnedBest[1:] {
		if l.loss < best.loss {
			best = l
		}
	}
	tried := len(f.toLearn()) * len(relevance.Strengths())
	return f.keep(&member{name: "relevance", out: best.out, parts: []part{best.part()}, tried: tried, of: tried,
		settings: []learn.Setting{set("widths", best.text()), number("C", best.fit.C)},
		chosen:   Chosen{C: best.fit.C, Kernel: best.fit.Kernel}}), nil
}

// outOf returns a choice's predictions of rows left out: where widths are learned too, by the same folds as theirs, at
// the C that leave-one-out chose. It is nil where there are none.
func (f *fit) outOf(ctx context.Context, c choice, inner blas.Matrix) (*mat.Dense, error) {
	if c.out == nil || f.learnedAll == nil || f.folds != nil {
		return c.out, nil
	}
	t := f.targets()
	t.folds = f.learnedBy
	path := ridge.NewPath(ridge.PathProblem{Omega: inner, Y: t.y, Weight: t.weight, Sets: t.folds})
	out, err := t.predict(ctx, path, c.c)
	if err != nil && ctx.Err() == nil {
		return nil, nil // it cannot be solved without some fold
	}
	return out, err
}

// onFolds gives a member, beside ridge regressions with learned widths, its predictions by the same folds: predictions
// by leave-one-out are of models of more rows.
func (f *fit) onFolds(ctx context.Context, m *member) (*member, error) {
	if f.learnedAll == nil || f.folds != nil || !m.privileged {
		return m, nil
	}
	out, err := f.withoutFolds(ctx, f.learnedBy, func(ctx context.Context, p learn.Problem) (learn.Model, error) {
		return f.refit(ctx, m, p)
	})
	m.out = out
	return m, err
}

// learnedTuned is the member tuned of a kernel whose widths are to be learned.
func (f *fit) learnedTuned(ctx context.Context) (*member, error) {
	m, err := f.learnedMember(ctx)
	if err != nil {
		return nil, err
	}
	own := *m
	own.name = "tuned"
	return f.keep(&own), nil
}

// restricted returns the fit of some rows, for mixing members of f anew.
func (f *fit) restricted(rows []int) *fit {
	return &fit{Config: f.Config, rows: f.rows.Only(rows), weight: learn.Gather(f.weight, rows), scale: f.scale}
}

// restrictedTo returns members with the predictions of some rows.
func restrictedTo(members []*member, rows []int) []*member {
	out := make([]*member, len(members))
	for k, m := range members {
		one := *m
		one.out = learn.GatherRows(m.out, rows)
		out[k] = &one
	}
	return out
}

// estimateMixed measures what was chosen where widths are learned: each fold is predicted by members whose widths are
// learned without it, mixed with weights that are chosen without it. To choose C and γ without each fold too would cost
// as much again for each fold; they are those of all rows.
func (f *fit) estimateMixed() *learn.Nested {
	e := &learn.Nested{How: fmt.Sprintf("%d folds, each predicted by widths and weights that are learned on the others",
		len(f.learnedBy))}
	n, m := f.rows.Y.Dims()
	averaged, chosen := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	for _, fold := range f.learnedBy {
		own := f.restricted(others(n, fold))
		rest := others(n, fold)
		weights := own.simplex(restrictedTo(f.averages, rest))
		mix := mixed(f.averages, weights)
		for _, i := range fold {
			averaged.SetRow(i, mix.RawRowView(i))
		}
		stack := append([]*member{{name: "averaged", out: mix}}, f.stackedOn[1:]...)
		final, _ := own.mixStackWeights(restrictedTo(stack, rest))
		mix = mixed(stack, final)
		for _, i := range fold {
			chosen.SetRow(i, mix.RawRowView(i))
		}
	}
	losses, plain := f.losses(chosen), f.losses(averaged)
	e.Rows = n
	e.Loss, e.SE = f.mean(losses)
	e.Tuned, e.TunedSE = f.mean(f.losses(f.averages[f.tunedAt()].out))
	e.Averaged, _ = f.mean(plain)
	for i := range plain {
		plain[i] -= losses[i]
	}
	e.Gain, e.GainSE = f.mean(plain)
	return e
}

// tunedAt is the number of the tuned ridge regression among those that averaged mixes.
func (f *fit) tunedAt() int {
	best := f.choices[least(f.choices)]
	at := 0
	for _, c := range f.choices {
		if c.r == best.r {
			break
		}
		if c.out != nil {
			at++
		}
	}
	return at
}
