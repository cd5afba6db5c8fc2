package kind

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/bound"
	"rvflplus/internal/feature"
	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/internal/ridge"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

var rvflKind = Kind{
	Name: "rvfl", Summary: "random vector functional-link network", ClosedForm: true,
	Params: []param.Param{
		param.C, param.Hidden, param.U, param.Activation, param.Init, param.Linear, param.Center, param.Solver,
	},
	Tuned:     tuned(param.C, param.U),
	Solvers:   []string{"primal", "dual", "pinv"},
	Estimator: layers{},
}

var rvflPlusKind = Kind{
	Name: "rvfl+", Summary: "RVFL with privileged columns", ClosedForm: true, Privileged: true, Plain: "rvfl",
	Params: []param.Param{
		param.C, param.Gamma, param.Correction, param.ProjectC, param.Hidden, param.PrivHidden, param.U,
		param.Activation, param.Init, param.Linear, param.Center, param.Solver,
	},
	Tuned:     tuned(param.C, param.Gamma, param.U),
	Solvers:   []string{"primal", "dual", "pinv"},
	Estimator: layers{},
}

// layers is the estimator of rvfl and rvfl+.
type layers struct{}

func (layers) Complete(c param.Config) param.Config {
	c.PrivHidden = cmp.Or(c.PrivHidden, c.Hidden)
	return c
}

func (layers) Validate(param.Config) error { return nil }

func (layers) config(c param.Config, t Targets) rvfl.Config {
	return rvfl.Config{
		C: c.C, Gamma: c.Gamma, Correction: c.Correction, ProjectC: c.ProjectC,
		Hidden: c.Hidden, PrivHidden: c.PrivHidden, U: c.U, Activation: c.Activation, Init: c.Init,
		Relevance: c.Relevance, PrivRelevance: c.PrivRelevance, Direct: c.Linear,
		Center: c.Center && !t.Classification, Solver: c.Solver, Seed: c.Seed,
	}
}

func (l layers) Trainer(c param.Config, t Targets) learn.Trainer {
	return trainerOfLayers(c, t, func(c param.Config) learn.Trainer { return l.config(c, t) })
}

func (l layers) HeldOut(
	ctx context.Context, e *heldout.Evaluator, configs []param.Config, t Targets,
) ([]*mat.Dense, error) {
	if lacksRelevance(configs[0]) {
		return byRefitting(ctx, e, l, configs, t)
	}
	return splitProjected(ctx, e, l, configs, t, func(configs []param.Config) ([]*mat.Dense, error) {
		out, err := l.byLayers(ctx, e, configs, t, "")
		if out != nil || err != nil {
			return out, err
		}
		return byRefitting(ctx, e, l, configs, t)
	})
}

// byLayers returns nothing where there is no closed form; prefix begins the names of the random streams.
func (l layers) byLayers(
	ctx context.Context, e *heldout.Evaluator, configs []param.Config, t Targets, prefix string,
) ([]*mat.Dense, error) {
	c := l.config(configs[0], t)
	if c.Solver == "pinv" {
		return nil, nil
	}
	drawn := feature.Layers{
		Hidden: c.Hidden, PrivHidden: c.PrivHidden, U: c.U, Init: c.Init, Relevance: c.Relevance,
		PrivRelevance: c.PrivRelevance, Activation: c.Activation, Direct: c.Direct, Seed: c.Seed, Prefix: prefix,
	}
	return e.ByLayers(ctx, heldout.Layers{Layers: drawn, Solver: c.Solver, Center: c.Center}, ridgeParams(configs, t))
}

// notFromRows refuses layers that are drawn from the rows or by their relevance, for kinds that draw others.
func notFromRows(c param.Config) error {
	if c.Init != feature.Differences && c.Init != feature.Relevance {
		return nil
	}
	return fault.New(fault.Usage, "%s does not exist for kind %s", fault.Set("init", c.Init), c.Kind).
		WithHint("use %s, %s or %s", fault.Set("kind", "rvfl"), fault.Set("kind", "rvfl+"),
			fault.Set("kind", "rvfl-ensemble"))
}

// ridgeParams returns what the closed forms take of configs.
func ridgeParams(configs []param.Config, t Targets) []ridge.Params {
	var out []ridge.Params
	for _, c := range configs {
		center := c.Center && !t.Classification
		out = append(out, ridge.Params{C: c.C, Gamma: c.Gamma, Correction: c.Correction, Center: center})
	}
	return out
}

func (layers) Resolved(c param.Config, m learn.Model) param.Config {
	c.ProjectC = m.(*rvfl.Model).Parts().ProjectC
	return c
}

func (layers) Tensors(m learn.Model, keepPrivileged bool) []Tensor {
	p := m.(*rvfl.Model).Parts()
	tensors := []Tensor{
		MatrixTensor(hiddenWeight, p.Hidden.Weight), VectorTensor(hiddenBias, p.Hidden.Bias),
		MatrixTensor(outputWeight, p.Weight), VectorTensor(outputOffset, p.Offset),
	}
	if keepPrivileged && p.PrivHidden != nil {
		tensors = append(tensors, MatrixTensor(privHiddenWeight, p.PrivHidden.Weight),
			VectorTensor(privHiddenBias, p.PrivHidden.Bias), MatrixTensor(privOutputWeight, p.PrivWeight))
	}
	return tensors
}

func (layers) Model(c param.Config, t *Tensors) (learn.Model, error) {
	act, err := activation.ByName(c.Activation)
	if err != nil {
		return nil, bad("config: %v", err)
	}
	layer := func(weight, bias string) *rvfl.Layer {
		return &rvfl.Layer{Weight: t.Matrix(weight), Bias: t.Vector(bias), Activation: act, Direct: c.Linear}
	}
	p := rvfl.Parts{Hidden: layer(hiddenWeight, hiddenBias), Weight: t.Matrix(outputWeight),
		Offset: t.Vector(outputOffset), ProjectC: c.ProjectC}
	if t.Has(privHiddenWeight) {
		p.PrivHidden, p.PrivWeight = layer(privHiddenWeight, privHiddenBias), t.Matrix(privOutputWeight)
	}
	if t.Err != nil {
		return nil, t.Err
	}
	return rvfl.FromParts(p)
}

func (layers) Facts(m learn.Model) Facts {
	p := m.(*rvfl.Model).Parts()
	f := Facts{Hidden: p.Hidden.Weight.Rows, PrivWidth: -1, PrivRows: -1}
	if p.PrivHidden != nil {
		f.PrivWidth = p.PrivHidden.Weight.Cols
	}
	return f
}

func (layers) Weights(m learn.Model) (weight blas.Matrix, offset []float64) {
	p := m.(*rvfl.Model).Parts()
	return p.Weight, p.Offset
}

func (layers) WithWeights(m learn.Model, weight blas.Matrix, offset []float64) (learn.Model, error) {
	return rvfl.FromParts(rvfl.Parts{Hidden: m.(*rvfl.Model).Parts().Hidden, Weight: weight, Offset: offset})
}

func (layers) Space(m learn.Model) (space bound.Space, offset []float64, form string) {
	p := m.(*rvfl.Model).Parts()
	h := p.Hidden
	links := &feature.Links{Weight: h.Weight, Bias: h.Bias, Activation: h.Activation, NoDirect: !h.Direct}
	return bound.Features(links, p.Weight), p.Offset, "h(x)w"
}
