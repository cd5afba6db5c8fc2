package kind

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/ensemble"
	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

var ensembleKind = Kind{
	Name: "rvfl-ensemble", Summary: "average of independent RVFLs", ClosedForm: true, Parity: true,
	Params:    append([]param.Param{param.Members}, rvflKind.Params...),
	Tuned:     rvflKind.Tuned,
	Solvers:   rvflKind.Solvers,
	Estimator: independent{average{}},
}

var deepKind = Kind{
	Name: "edrvfl", Summary: "ensemble deep RVFL: the average of its layers' outputs", ClosedForm: true, Parity: true,
	Params:    append([]param.Param{param.Layers}, rvflKind.Params...),
	Tuned:     rvflKind.Tuned,
	Solvers:   rvflKind.Solvers,
	Estimator: deep{average{deep: true}},
}

var deepPlusKind = Kind{
	Name: "edrvfl+", Summary: "ensemble deep RVFL with privileged columns in every layer", ClosedForm: true,
	Privileged: true, Plain: "edrvfl", Parity: true,
	Params:    append([]param.Param{param.Layers}, rvflPlusKind.Params...),
	Tuned:     rvflPlusKind.Tuned,
	Solvers:   rvflPlusKind.Solvers,
	Estimator: deep{average{deep: true}},
}

var cascadeKind = Kind{
	Name: "cmcrvfl+", Summary: "cascade of layers of RVFL+, each trained with the predictions of the layer before",
	Privileged: true, PrivOptional: true, Plain: "rvfl-ensemble", Parity: true,
	Params: []param.Param{
		param.Members, param.Layers, param.C, param.Gamma, param.Hidden, param.PrivHidden, param.U, param.Activation,
		param.Init, param.Linear, param.Center,
	},
	Tuned:     rvflPlusKind.Tuned,
	Solvers:   []string{"primal", "dual"},
	Estimator: columns{average{}},
}

var kernelCascadeKind = Kind{
	Name: "ckrvfl+", Summary: "cascade of KRVFL+, each trained with the predictions of the one before", Kernels: true,
	Privileged: true, PrivOptional: true, Plain: "krvfl", Parity: true,
	Params:    append([]param.Param{param.Layers, param.C, param.Gamma, param.Linear, param.Center}, kernelParams...),
	Tuned:     tuned(param.C, param.Gamma, param.Width),
	Solvers:   krvflPlusKind.Solvers,
	Estimator: kernelCascade{kernels{}},
}

// average is what the kinds share whose models are an ensemble.Model.
type average struct{ deep bool }

func (a average) Complete(c param.Config) param.Config {
	if c = (layers{}).Complete(c); a.deep {
		c.Layers = cmp.Or(c.Layers, ensemble.DefaultDeepConfig().Layers)
	}
	return c
}

func (average) Validate(param.Config) error { return nil }

// Resolved implements Estimator. Each layer of edrvfl+ chooses the second stage of learn.Projected for itself.
func (average) Resolved(c param.Config, _ learn.Model) param.Config { return c }

// Networks implements Several.
func (a average) Networks(c param.Config) int {
	if a.deep {
		return c.Layers
	}
	return c.Members
}

// prefix begins the names of the tensors and of the random streams of network k, from 0.
func (a average) prefix(k int) string {
	if a.deep {
		return fmt.Sprintf("layer%d.", k+1)
	}
	return fmt.Sprintf("member%d.", k+1)
}

func (a average) Tensors(m learn.Model, _ bool) []Tensor {
	p := m.(*ensemble.Model).Parts()
	tensors := []Tensor{VectorTensor(outputOffset, p.Offset)}
	for k, member := range p.Members {
		name := a.prefix(k)
		tensors = append(tensors, MatrixTensor(name+hiddenWeight, member.Hidden.Weight),
			VectorTensor(name+hiddenBias, member.Hidden.Bias), MatrixTensor(name+outputWeight, member.Weight))
	}
	return tensors
}

func (a average) Model(c param.Config, t *Tensors) (learn.Model, error) {
	act, err := activation.ByName(c.Activation)
	if err != nil {
		return nil, bad("config: %v", err)
	}
	p := ensemble.Parts{Deep: a.deep, Offset: t.Vector(outputOffset)}
	for k := 0; k < a.Networks(c) && t.Err == nil; k++ {
		name := a.prefix(k)
		weight, bias := t.Matrix(name+hiddenWeight), t.Vector(name+hiddenBias)
		p.Members = append(p.Members, ensemble.Member{
			Hidden: rvfl.Layer{Weight: weight, Bias: bias, Activation: act, Direct: c.Linear},
			Weight: t.Matrix(name + outputWeight),
		})
	}
	if t.Err != nil {
		return nil, t.Err
	}
	return ensemble.FromParts(p)
}

func (average) Facts(m learn.Model) Facts {
	nodes := m.(*ensemble.Model).Parts().Members[0].Hidden.Weight.Rows
	return Facts{Hidden: nodes, PrivWidth: -1, PrivRows: -1}
}

func (average) Weights(m learn.Model) (weight blas.Matrix, offset []float64) {
	return m.(*ensemble.Model).Weights()
}

func (average) WithWeights(m learn.Model, weight blas.Matrix, offset []float64) (learn.Model, error) {
	return m.(*ensemble.Model).WithWeights(weight, offset)
}

// independent is the estimator of rvfl-ensemble.
type independent struct{ average }

func (independent) Trainer(c param.Config, t Targets) learn.Trainer {
	return trainerOfLayers(c, t, func(c param.Config) learn.Trainer {
		return ensemble.Config{Network: layers{}.config(c, t), Members: c.Members}
	})
}

// HeldOut averages those of the members, which are drawn as package ensemble draws them.
func (i independent) HeldOut(
	ctx context.Context, e *heldout.Evaluator, configs []param.Config, t Targets,
) ([]*mat.Dense, error) {
	if lacksRelevance(configs[0]) {
		return byRefitting(ctx, e, i, configs, t)
	}
	var sum []*mat.Dense
	share := 1 / float64(configs[0].Members)
	for k := range configs[0].Members {
		out, err := layers{}.byLayers(ctx, e, configs, t, i.prefix(k))
		if err != nil {
			return nil, err
		}
		if out == nil {
			return byRefitting(ctx, e, i, configs, t)
		}
		for j, o := range out {
			if k == 0 {
				rows, cols := o.Dims()
				sum = append(sum, mat.NewDense(rows, cols, nil))
			}
			sum[j].Apply(func(r, c int, v float64) float64 { return v + share*o.At(r, c) }, sum[j])
		}
	}
	return sum, nil
}

// deep is the estimator of edrvfl and edrvfl+.
type deep struct{ average }

func (deep) Trainer(c param.Config, t Targets) learn.Trainer {
	return ensemble.DeepConfig{Network: layers{}.config(c, t), Layers: c.Layers}
}

// Validate implements Estimator.
func (deep) Validate(c param.Config) error { return notFromRows(c) }

// columns is the estimator of cmcrvfl+.
type columns struct{ average }

func (c columns) Complete(config param.Config) param.Config {
	config = c.average.Complete(config)
	config.Layers = cmp.Or(config.Layers, ensemble.DefaultCascadeConfig().Layers)
	return config
}

// Trainer leaves the correction as it is in cascades: ensemble.DefaultCascadeConfig says why.
func (columns) Trainer(c param.Config, t Targets) learn.Trainer {
	return trainerOfLayers(c, t, func(c param.Config) learn.Trainer {
		config := ensemble.DefaultCascadeConfig()
		correction := config.Network.Correction
		config.Network, config.Members, config.Layers = layers{}.config(c, t), c.Members, c.Layers
		config.Network.Correction = correction
		return config
	})
}

// kernelCascade is the estimator of ckrvfl+. Its models are those of krvfl.
type kernelCascade struct{ Estimator }

func (k kernelCascade) Complete(c param.Config) param.Config {
	c = k.Estimator.Complete(c)
	c.Layers = cmp.Or(c.Layers, ensemble.DefaultKernelCascadeConfig().Layers)
	return c
}

func (kernelCascade) Trainer(c param.Config, t Targets) learn.Trainer {
	config := ensemble.DefaultKernelCascadeConfig()
	config.Layers = c.Layers
	n := &config.Network
	n.C, n.Gamma, n.Kernel, n.Linear, n.Seed = c.C, c.Gamma, c.Kernel, c.Linear, c.Seed
	n.Center = c.Center && !t.Classification
	return config
}

// Resolved leaves the kernel of predictions out, which no parameter names.
func (k kernelCascade) Resolved(c param.Config, m learn.Model) param.Config {
	c = k.Estimator.Resolved(c, m)
	c.PrivKernel = nil
	return c
}

// Tensors implements Estimator. The privileged part of the last layer takes predictions, which nobody has in use.
func (k kernelCascade) Tensors(m learn.Model, _ bool) []Tensor { return k.Estimator.Tensors(m, false) }

// Facts leaves the privileged rows out: they are of predictions.
func (kernelCascade) Facts(learn.Model) Facts { return Facts{PrivWidth: -1, PrivRows: -1} }
