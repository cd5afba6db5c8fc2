package lupi

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// member is a method whose settings are chosen. It can be fitted to any rows.
type member struct {
	name       string
	privileged bool
	settings   []learn.Setting
	tried, of  int
	out        *mat.Dense // predictions of rows left out
	parts      []part
	shares     []share // of the members of a stack
	chosen     Chosen  // of the members tuned and projected
}

// share is the weight of a member in a stack.
type share struct {
	name   string
	weight float64
}

// part is a trainer with its weight in a member.
type part struct {
	key    string // equal keys are equal trainers
	weight float64
	train  training
}

// training trains a model on the rows of a problem.
type training func(ctx context.Context, p learn.Problem) (learn.Model, error)

// by returns the training of a trainer.
func by(t learn.Trainer) training {
	return func(ctx context.Context, p learn.Problem) (learn.Model, error) {
		p.LeaveOneOut, p.LeftOut, p.Posterior, p.Progress = learn.Never, false, false, nil
		m, _, err := t.Train(ctx, p)
		return m, err
	}
}

// plain is by for a trainer that learns from no privileged features.
func plain(t learn.Trainer) training {
	train := by(t)
	return func(ctx context.Context, p learn.Problem) (learn.Model, error) {
		p.Priv, p.HasPriv, p.Unlabelled = nil, nil, nil
		return train(ctx, p)
	}
}

// mixture returns the parts of members with the given weights, equal trainers once.
func mixture(members []*member, weights []float64) []part {
	var parts []part
	at := map[string]int{}
	for k, m := range members {
		for _, p := range m.parts {
			if weights[k]*p.weight == 0 {
				continue
			}
			i, known := at[p.key]
			if !known {
				i = len(parts)
				at[p.key] = i
				parts = append(parts, part{key: p.key, train: p.train})
			}
			parts[i].weight += weights[k] * p.weight
		}
	}
	return parts
}

// mixed returns the same mixture of predictions.
func mixed(members []*member, weights []float64) *mat.Dense {
	rows, cols := members[0].out.Dims()
	out := mat.NewDense(rows, cols, nil)
	for k, m := range members {
		if weights[k] != 0 {
			var term mat.Dense
			term.Scale(weights[k], m.out)
			out.Add(out, &term)
		}
	}
	return out
}

// refit trains a member on the rows of p.
func (f *fit) refit(ctx context.Context, m *member, p learn.Problem) (learn.Model, error) {
	var models []learn.Model
	var weights []float64
	f.expect(len(m.parts))
	for _, q := range m.parts {
		model, err := q.train(ctx, p)
		if err != nil {
			return nil, err
		}
		models, weights = append(models, model), append(weights, q.weight)
		f.tell(1)
	}
	return Combine(weights, models), nil
}

// spaces returns the representations of the normal features that methods with privileged features stand on, and those
// of the privileged features.
func (f *fit) spaces(ctx context.Context) (normal, priv *space, err error) {
	if normal, err = f.memberSpace(ctx); err != nil {
		return nil, nil, err
	}
	priv, err = f.privSpace(ctx)
	return normal, priv, err
}

// normalSpace returns the representations of the rows' normal features, made once.
func (f *fit) normalSpace(ctx context.Context) (s *space, err error) {
	if f.normal == nil {
		f.normal, err = f.newSpace(ctx, f.rows.X.RawMatrix(), false)
	}
	return f.normal, err
}

// privSpace returns the representations of the privileged features of the rows that have them.
func (f *fit) privSpace(ctx context.Context) (s *space, err error) {
	if f.priv == nil {
		if f.complete < fewest {
			return nil, fewComplete(f.complete)
		}
		priv := f.rows.Priv.RawMatrix()
		f.priv, err = f.newSpace(ctx, blas.View(priv, 0, f.complete, 0, priv.Cols), true)
	}
	return f.priv, err
}

// keep remembers a member in the order in which members were made.
func (f *fit) keep(m *member) *member {
	if f.members[m.name] == nil {
		f.order = append(f.order, m.name)
	}
	f.members[m.name] = m
	return m
}

// tuned is the ridge regression on normal features with C and representation chosen: what every other member has to
// beat.
func (f *fit) tuned(ctx context.Context) (*member, error) {
	if m := f.members["tuned"]; m != nil {
		return m, nil
	}
	if f.Kernel.LearnsRelevance() {
		return f.learnedMember(ctx, "tuned")
	}
	s, err := f.normalSpace(ctx)
	if err != nil {
		return nil, err
	}
	tried := s.size() * len(f.C)
	f.expect(tried)
	before := f.skipped
	if f.large {
		choices, err := f.largeRidges(ctx)
		if err != nil {
			return nil, err
		}
		f.choices, f.linear = choices[:len(f.U)], choices[len(f.U)]
	} else if f.choices, err = f.ridges(ctx, s.inner, f.C, f.targets()); err != nil {
		return nil, err
	}
	if least(f.choices) < 0 {
		return nil, fault.New(fault.NotSolved, "no setting could be evaluated").
			WithHint("scale the features, or use a smaller %s", fault.Name("C"))
	}
	best := f.choices[least(f.choices)]
	return f.keep(&member{
		name: "tuned", out: best.out, tried: tried - (f.skipped - before), of: tried,
		settings: []learn.Setting{number("C", best.c), s.setting(best.r)},
		parts:    []part{f.ridgePart(s, best)},
		chosen:   f.chosenOf(s, nil, pair{c: best.c, r: best.r}),
	}), nil
}

// chosenOf returns the hyper-parameters of a setting.
func (f *fit) chosenOf(s, hidden *space, p pair) Chosen {
	c := Chosen{C: p.c, Gamma: p.gamma}
	if s.specs == nil {
		c.U = s.us[p.r]
		return c
	}
	c.Kernel = s.specs[p.r]
	if hidden != nil {
		c.PrivKernel = hidden.specs[p.priv]
	}
	return c
}

// ridgePart is the part of a ridge regression on normal features.
func (f *fit) ridgePart(s *space, c choice) part {
	own := s.setting(c.r)
	key := own.Value + " C " + digits(c.c)
	if own.Name == "u" {
		key = "u " + key
	}
	return part{key: key, weight: 1, train: plain(f.trainer(s, c.r, c.c))}
}

// averaged is a convex mixture of the tuned ridge regression, one tuned for each representation, and the linear one.
// It knows nothing privileged: it is what a stack of privileged methods has to beat.
func (f *fit) averaged(ctx context.Context) (*member, error) {
	if m := f.members["averaged"]; m != nil {
		return m, nil
	}
	tuned, err := f.tuned(ctx)
	if err != nil {
		return nil, err
	}
	s, before := f.normal, f.skipped
	f.expect(len(f.C))
	linear := []choice{f.linear}
	if !f.large {
		linear, err = f.ridges(ctx, []blas.Matrix{s.linear}, f.C, f.targets())
		if err != nil && (ctx.Err() != nil || !errors.Is(err, fault.NotSolved)) {
			return nil, err
		}
	}
	all := []*member{tuned}
	add := func(c choice, inner blas.Matrix, p part) error {
		out, err := f.outOf(ctx, c, inner)
		if err == nil && out != nil {
			all = append(all, &member{out: out, parts: []part{p}})
		}
		return err
	}
	if f.Relevance {
		if _, err := f.learnedMember(ctx, "relevance"); err != nil {
			return nil, err
		}
		if f.learnedAll != nil {
			all = nil // tuned is among the choices
		}
	}
	for _, c := range f.choices {
		if err := add(c, s.omega(c.r), f.ridgePart(s, c)); err != nil {
			return nil, err
		}
	}
	for _, c := range linear { // none where leave-one-out of the linear one says nothing
		line := part{key: "features alone, C " + digits(c.c), weight: 1, train: plain(f.linearTrainer(c.c))}
		if err := add(c, s.linear, line); err != nil {
			return nil, err
		}
	}
	for _, l := range f.learnedAll {
		all = append(all, &member{out: l.out, parts: []part{l.part()}})
	}
	f.averages = all
	weights := f.simplex(all)
	out := mixed(all, weights)
	if f.learnedAll != nil {
		out = f.crossMixed(all)
	}
	m := &member{name: "averaged", out: out, parts: mixture(all, weights),
		tried: len(f.C) - (f.skipped - before), of: len(f.C)}
	for _, p := range m.parts {
		m.settings = append(m.settings, number(p.key, p.weight))
	}
	return f.keep(m), nil
}
