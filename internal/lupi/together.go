package lupi

import (
	"context"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Selected is a method whose settings are chosen. It trains models with these settings, on other rows too.
type Selected struct {
	Loss    float64 // mean loss of rows left out, of those that settings were chosen on
	Seconds float64 // that choosing took, what is shared with other methods included
	fit     *fit
	member  *member
}

// Train implements learn.Trainer; its report is empty.
func (s Selected) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	m, err := s.fit.refit(ctx, s.member, p.Only(p.CompleteFirst().Order()))
	return m, learn.Report{}, err
}

// Together chooses the settings of several methods on one problem. They share what does not differ between them: all
// cost no more than a stack of them. Rows without targets are for label and stack; projected leaves them out here.
func (c Config) Together(ctx context.Context, p learn.Problem, methods []string) ([]Selected, error) {
	for _, name := range methods {
		own := c
		own.Method = name
		if err := own.check(p); err != nil {
			return nil, err
		}
	}
	c.Method = "stack"
	all, _, err := c.begin(p)
	if err != nil {
		return nil, err
	}
	labelled := all
	if p.Unlabelled != nil && slices.Contains(methods, "projected") {
		p.Unlabelled = nil
		if labelled, _, err = c.begin(p); err != nil {
			return nil, err
		}
	}
	var chosen []Selected
	start := time.Now()
	if slices.ContainsFunc(methods, needsTuned) {
		if _, err := all.tuned(ctx); err != nil {
			return nil, err
		}
	}
	shared := time.Since(start).Seconds()
	spent := shared
	for _, name := range methods {
		start, f := time.Now(), all
		if name == "projected" {
			f = labelled
		}
		m, err := f.methods()[name](ctx)
		if err != nil {
			return nil, err
		}
		own := time.Since(start).Seconds()
		spent += own
		switch {
		case name == "stack":
			own = spent
		case needsTuned(name):
			own += shared
		}
		chosen = append(chosen, Selected{Loss: f.loss(m), Seconds: own, fit: f, member: m})
	}
	return chosen, nil
}

// needsTuned reports whether a method begins with the tuned ridge regression.
func needsTuned(method string) bool {
	return slices.Contains([]string{"tuned", "averaged", "additive", "transfer", "weigh", "stack"}, method)
}

// Null evaluates methods with privileged features that are exchanged again and again, for permutation tests. What does
// not depend on privileged features is computed once, and of more than fewRows rows the representation of the normal
// features (the width, or the scale of random weights) is that of the ridge regression without privileged features. It
// is safe for concurrent use.
type Null struct {
	Config
	problem learn.Problem
	normal  *space
}

// NewNull returns the evaluation of methods on p.
func (c Config) NewNull(ctx context.Context, p learn.Problem) (*Null, error) {
	p.Unlabelled = nil
	c.Method = "tuned"
	f, _, err := c.begin(p)
	if err != nil {
		return nil, err
	}
	if _, err := f.tuned(ctx); err != nil {
		return nil, err
	}
	n := &Null{Config: f.Config, problem: p, normal: f.normal}
	if f.rows.Y.RawMatrix().Rows > fewRows {
		n.normal = f.normal.only(least(f.choices))
		n.U = n.normal.us
	}
	return n, nil
}

// only returns the space with a single representation.
func (s *space) only(r int) *space {
	one := &space{inner: []blas.Matrix{s.inner[r]}, linear: s.linear}
	if s.specs != nil {
		one.specs = []kernel.Spec{s.specs[r]}
	} else {
		one.us = []float64{s.us[r]}
	}
	return one
}

// Losses returns the losses of rows left out of methods, "additive", "projected" or "distill", with other privileged
// features in the rows that have some.
func (n *Null) Losses(ctx context.Context, priv *mat.Dense, methods []string) ([]float64, error) {
	f, _, err := n.begin(n.problem.WithPriv(priv))
	if err != nil {
		return nil, err
	}
	f.normal = n.normal
	var losses []float64
	for _, name := range methods {
		m, err := f.methods()[name](ctx)
		if err != nil {
			return nil, err
		}
		losses = append(losses, f.loss(m))
	}
	return losses, nil
}
