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
	"rvflplus/fault"
	"rvflplus/internal/relevance"
	"rvflplus/internal/ridge"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
)

// A width for every column is learned by the exact leave-one-out of the ridge regression on normal features (package
// internal/relevance). Its own loss says little of other rows: there are as many widths as columns. So a ridge
// regression with learned widths is judged by folds, each predicted by what is learned on the other rows, and models
// that stand on one learn the widths anew on the rows that they are trained on.

// Learned widths are judged by mostLearnedFolds folds, of more than manyLearned rows by fewLearnedFolds.
const (
	mostLearnedFolds = 10
	fewLearnedFolds  = 5
	manyLearned      = 300
)

// learned is a ridge regression whose widths are learned.
type learned struct {
	f        *fit
	kernel   kernel.Spec // with a width to be learned, and with the linear part that is not printed
	name     string      // for people
	strength int         // a number of relevance.Strengths
	loss     float64     // by folds
	out      *mat.Dense  // predictions by folds
	fit      krvfl.Learned
}

// widths remembers what was learned on which rows: several models stand on the same rows.
type widths struct {
	lock sync.Mutex
	of   map[uint64]*learnedOnce
}

type learnedOnce struct {
	once sync.Once
	fits []krvfl.Learned
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

// learn makes the ridge regressions with learned widths, one for each kernel and strength, once. learnedBest holds of
// each kernel the one that the one-standard-error rule takes.
func (f *fit) learn(ctx context.Context) error {
	kernels := f.toLearn()
	if f.learnedAll != nil || len(kernels) == 0 {
		return nil
	}
	folds, err := f.foldsToLearn()
	if err != nil {
		return err
	}
	f.expect(len(kernels) * (len(folds) + 1))
	for _, own := range kernels {
		base := &learned{f: f, kernel: own, name: own[0].Name}
		if f.Linear && !f.Printed {
			base.kernel = withLinear(own, f.rows.X.RawMatrix().Cols, 1)
		}
		crossed, err := f.cross(ctx, folds, base.fits, func(l krvfl.Learned) training { return plain(l) })
		if f.passOverLearned(err) {
			continue
		}
		if err != nil {
			return err
		}
		for s, fit := range crossed.Fits {
			if math.IsInf(crossed.Loss[s], 1) {
				continue
			}
			one := *base
			one.strength, one.fit, one.loss, one.out = s, fit, crossed.Loss[s], dense(crossed.Out[s])
			f.learnedAll = append(f.learnedAll, &one)
			if s == crossed.Best {
				f.learnedBest = append(f.learnedBest, &one)
			}
		}
	}
	if f.learnedAll != nil {
		f.learnedBy = folds
	}
	return nil
}

// cross judges what widths are learned under each strength by folds: learnOn learns them on some rows, and train says
// how a model with them is trained.
func (f *fit) cross(ctx context.Context, folds [][]int,
	learnOn func(context.Context, learn.Problem) ([]krvfl.Learned, error), train func(krvfl.Learned) training) (
	relevance.Crossed[krvfl.Learned], error) {
	return relevance.Crossing[krvfl.Learned]{
		Y: f.rows.Y.RawMatrix(), Weight: f.weight, Scale: f.scale, Folds: folds, Many: len(relevance.Strengths()),
		Learn: func(ctx context.Context, rows []int) ([]krvfl.Learned, error) {
			if rows == nil {
				return learnOn(ctx, f.rows)
			}
			return learnOn(ctx, f.rows.Only(rows))
		},
		Predict: func(ctx context.Context, l krvfl.Learned, rows, held []int) (blas.Matrix, error) {
			m, err := train(l)(ctx, f.rows.Only(rows))
			if err != nil {
				return blas.Matrix{}, err
			}
			out := mat.NewDense(len(held), f.rows.Y.RawMatrix().Cols, nil)
			m.PredictTo(out, learn.GatherRows(f.rows.X, held))
			return out.RawMatrix(), nil
		},
		Done: func() { f.tell(1) },
	}.Run(ctx)
}

// dense returns m as a matrix of package mat; it shares m's memory.
func dense(m blas.Matrix) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Data) }

// passOverLearned reports whether learning that failed is passed over: where it is not asked for by name.
func (f *fit) passOverLearned(err error) bool {
	return err != nil && !f.Kernel.LearnsRelevance() && f.passOver(err)
}

// foldsToLearn returns the folds by which learned widths are judged.
func (f *fit) foldsToLearn() ([][]int, error) {
	if f.folds != nil {
		return f.folds, nil
	}
	return dealt(f.rows.X.RawMatrix().Rows, f.learnedFolds(), f.Seed+1)
}

// learnedFolds is the number of these folds where rows have no groups.
func (f *fit) learnedFolds() int {
	if f.rows.X.RawMatrix().Rows > manyLearned {
		return fewLearnedFolds
	}
	return mostLearnedFolds
}

// fits learns the widths on the rows of p, under every strength, once for the same rows.
func (l *learned) fits(ctx context.Context, p learn.Problem) ([]krvfl.Learned, error) {
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

func (l *learned) learnOn(ctx context.Context, p learn.Problem) ([]krvfl.Learned, error) {
	f := l.f
	config := kernelRidge(l.kernel, 1, f.Center, f.Seed)
	config.Linear = f.Linear && f.Printed
	o := krvfl.LearnOptions{C: len(f.C) > 1, Share: f.Linear && !f.Printed, Scale: f.scale}
	if !o.C {
		config.C = f.C[0]
	}
	p.Priv, p.HasPriv, p.PrivColumns, p.Unlabelled = nil, nil, nil, nil
	return config.LearnWidths(ctx, p, o)
}

// Train implements learn.Trainer: it learns the widths on the rows of p.
func (l *learned) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	fits, err := l.fits(ctx, p)
	if err != nil {
		return nil, learn.Report{}, err
	}
	return fits[l.strength].Train(ctx, p)
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

// learnedMember is the best ridge regression with learned widths: of each kernel the one that the one-standard-error
// rule takes, and of these the one with the least loss. It is nil where none can be learned.
func (f *fit) learnedMember(ctx context.Context, name string) (*member, error) {
	if m := f.members[name]; m != nil {
		return m, nil
	}
	if err := f.learn(ctx); err != nil {
		return nil, err
	}
	if len(f.learnedBest) == 0 {
		if f.Kernel.LearnsRelevance() {
			return nil, fault.New(fault.NotSolved, "no width can be judged: without some fold no model can be solved").
				WithHint("give a smaller %s, or %s", fault.Name("C"), fault.Set("width", "auto"))
		}
		return nil, nil
	}
	best := f.learnedBest[0]
	for _, l := range f.learnedBest[1:] {
		if l.loss < best.loss {
			best = l
		}
	}
	tried := len(f.toLearn()) * len(relevance.Strengths())
	return f.keep(&member{name: name, out: best.out, parts: []part{best.part()}, tried: tried, of: tried,
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

// learnedProjected is the member projected where a kernel's widths are to be learned: those of both spaces, C and γ
// together, by the leave-one-out of f(x) + g(x̃).
func (f *fit) learnedProjected(ctx context.Context, name string) (*member, error) {
	if f.complete < fewest {
		return nil, fewComplete(f.complete)
	}
	best := pair{c: f.C[0], gamma: f.Gamma[0]}
	normal := []kernel.Spec{f.Kernel}
	if !f.Kernel.LearnsRelevance() { // the width is that of the tuned ridge regression
		if _, err := f.tuned(ctx); err != nil {
			return nil, err
		}
		normal = f.normal.specs[least(f.choices):]
	} else if f.Linear && !f.Printed {
		normal = []kernel.Spec{withLinear(f.Kernel, f.rows.X.RawMatrix().Cols, 1)}
	}
	hidden := f.PrivKernel
	if f.Linear && !f.Printed {
		hidden = withLinear(hidden, f.rows.Priv.RawMatrix().Cols, 0)
	}
	config := f.projectedConfig(normal[0], hidden, best)
	config.C = best.c
	o := krvfl.LearnOptions{C: len(f.C) > 1, Gamma: len(f.Gamma) > 1, Share: f.Linear && !f.Printed, Scale: f.scale}
	folds, err := f.foldsToLearn()
	if err != nil {
		return nil, err
	}
	f.expect(len(folds) + 1)
	crossed, err := f.cross(ctx, folds, func(ctx context.Context, p learn.Problem) ([]krvfl.Learned, error) {
		return config.LearnWidths(ctx, p, o)
	}, func(l krvfl.Learned) training { return by(l) })
	if err != nil {
		return nil, err
	}
	l := crossed.Fits[crossed.Best]
	text := (&learned{name: f.Kernel[0].Name, strength: crossed.Best}).text()
	return f.keep(&member{
		name: name, privileged: true, out: dense(crossed.Out[crossed.Best]), tried: len(crossed.Fits),
		of: len(crossed.Fits), parts: []part{{key: name, weight: 1, train: by(l)}},
		chosen:   Chosen{C: l.C, Gamma: l.Gamma, Kernel: l.Kernel, PrivKernel: l.PrivKernel},
		settings: []learn.Setting{set("widths", text), number("C", l.C), number("gamma", l.Gamma)},
	}), nil
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

// crossMixed returns predictions of rows left out of a mixture of members: each fold by weights that the other rows
// choose. The mixture of the least squared error has too low a loss, the more so the more members there are, and would
// keep methods with privileged columns out of a stack.
func (f *fit) crossMixed(members []*member) *mat.Dense {
	n, m := f.rows.Y.Dims()
	out := mat.NewDense(n, m, nil)
	for _, fold := range f.learnedBy {
		rest := split.Others(n, fold)
		mix := mixed(members, f.restricted(rest).simplex(restrictedTo(members, rest)))
		for _, i := range fold {
			out.SetRow(i, mix.RawRowView(i))
		}
	}
	return out
}

// estimateMixed measures what was chosen where widths are learned: each fold is predicted by members whose widths are
// learned without it, mixed with weights that are chosen without it. To choose C and γ without each fold too would cost
// as much again for each fold; they are those of all rows.
func (f *fit) estimateMixed() *learn.Nested {
	e := &learn.Nested{How: fmt.Sprintf("%d folds without a part in widths and weights", len(f.learnedBy))}
	n, m := f.rows.Y.Dims()
	chosen := mat.NewDense(n, m, nil)
	for _, fold := range f.learnedBy {
		rest := split.Others(n, fold)
		weights, _ := f.restricted(rest).mixStackWeights(restrictedTo(f.stackedOn, rest))
		mix := mixed(f.stackedOn, weights)
		for _, i := range fold {
			chosen.SetRow(i, mix.RawRowView(i))
		}
	}
	losses, plain := f.losses(chosen), f.losses(f.stackedOn[0].out)
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
