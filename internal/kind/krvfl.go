package kind

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/bound"
	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
)

var krvflKind = Kind{
	Name: "krvfl", Summary: "kernel RVFL", ClosedForm: true, Kernels: true, Posterior: true,
	Params:    append([]param.Param{param.C, param.Linear, param.Center}, kernelParams...),
	Accepts:   []param.Param{param.Solver},
	Tuned:     tuned(param.C, param.Width),
	Solvers:   []string{"dual"},
	Estimator: kernels{},
}

var krvflPlusKind = Kind{
	Name: "krvfl+", Summary: "kernel RVFL with privileged columns", ClosedForm: true, Kernels: true, Posterior: true,
	Privileged: true, Plain: "krvfl",
	Params: append([]param.Param{
		param.C, param.Gamma, param.Correction, param.ProjectC, param.ProjectKernel, param.Linear, param.Center,
		param.PrivKernel, param.PrivWidth,
	}, kernelParams...),
	Accepts:   []param.Param{param.Solver},
	Tuned:     tuned(param.C, param.Gamma, param.Width, param.PrivWidth),
	Solvers:   []string{"dual"},
	Estimator: kernels{priv: true},
}

// kernelParams are the parameters of the normal kernel.
var kernelParams = []param.Param{
	param.Kernel, param.Width, param.Degree, param.Offset, param.Dilation, param.Frequency,
}

// kernels is the estimator of krvfl and krvfl+.
type kernels struct{ priv bool }

func (k kernels) Complete(c param.Config) param.Config { return completeKernels(c, k.priv) }

// completeKernels spells the kernel of the privileged space out; kinds without one have none.
func completeKernels(c param.Config, priv bool) param.Config {
	if c.PrivKernel = c.PrivKernel.Or(c.Kernel); !priv {
		c.PrivKernel = nil
	}
	return c
}

func (kernels) Validate(c param.Config) error {
	if c.Solver == "primal" || c.Solver == "pinv" {
		return fault.New(fault.Usage, "%s does not exist for kind %s: kernels are solved in the dual",
			fault.Set("solver", c.Solver), c.Kind).
			WithHint("leave %s out, or use %s or %s", fault.Name("solver"), fault.Set("kind", "rvfl+"),
				fault.Set("kind", "rvfl"))
	}
	return nil
}

func (kernels) Trainer(c param.Config, t Targets) learn.Trainer {
	return krvfl.Config{
		C: c.C, Gamma: c.Gamma, Correction: c.Correction, ProjectC: c.ProjectC, ProjectKernel: c.ProjectKernel,
		Kernel: c.Kernel, PrivKernel: c.PrivKernel, Linear: c.Linear, Center: c.Center && !t.Classification,
		Seed: c.Seed,
	}
}

func (k kernels) HeldOut(
	ctx context.Context, e *heldout.Evaluator, configs []param.Config, t Targets,
) ([]*mat.Dense, error) {
	if c := configs[0]; c.Kernel.LearnsRelevance() || c.PrivKernel.LearnsRelevance() {
		return byRefitting(ctx, e, k, configs, t) // widths are learned from the rows that are left
	}
	return splitProjected(ctx, e, k, configs, t, func(configs []param.Config) ([]*mat.Dense, error) {
		c := configs[0]
		spaces := heldout.Kernels{Normal: c.Kernel, Priv: c.PrivKernel, Linear: c.Linear, Seed: c.Seed}
		return e.ByKernels(ctx, spaces, ridgeParams(configs, t))
	})
}

func (kernels) Resolved(c param.Config, m learn.Model) param.Config {
	p := m.(*krvfl.Model).Parts()
	c.Kernel, c.ProjectC = bareKernel(p.Terms[0].Kernel, c.Linear), p.ProjectC
	if c.PrivKernel, c.ProjectKernel = nil, nil; p.PrivKernel != nil {
		c.PrivKernel = bareKernel(p.PrivKernel, c.Linear)
	}
	if len(p.Terms) > 1 {
		c.ProjectKernel = bareKernel(p.Terms[1].Kernel, c.Linear)
	}
	return c
}

// bareKernel returns a kernel without the linear part that a kind adds.
func bareKernel(k kernel.Kernel, linear bool) kernel.Spec {
	if sum, ok := k.(kernel.Sum); ok && linear {
		return sum[1].Spec()
	}
	return k.Spec()
}

func (kernels) Tensors(m learn.Model, keepPrivileged bool) []Tensor {
	p := m.(*krvfl.Model).Parts()
	first := p.Terms[0]
	tensors := []Tensor{MatrixTensor(supportX, p.Support), MatrixTensor(outputAlpha, first.Alpha),
		VectorTensor(outputOffset, p.Offset)}
	if keepPrivileged && p.PrivKernel != nil {
		tensors = append(tensors, MatrixTensor(privSupportX, p.PrivSupport), MatrixTensor(privOutputAlpha, p.PrivAlpha))
	}
	if first.Scale != nil {
		tensors = append(tensors, MatrixTensor(spreadFactor, first.Factor), VectorTensor(spreadScale, first.Scale))
	}
	for _, t := range p.Terms[1:] {
		tensors = append(tensors, MatrixTensor(projectAlpha, t.Alpha))
		if t.Scale != nil {
			tensors = append(tensors, MatrixTensor(projectSpreadFactor, t.Factor),
				VectorTensor(projectSpreadScale, t.Scale))
		}
	}
	return tensors
}

// restoreKernels returns the kernels of c, which must have no automatic widths; priv is nil
// where c has none.
func restoreKernels(c param.Config) (normal, priv kernel.Kernel, err error) {
	if normal, err = restoreKernel(c.Kernel, c.Linear); err != nil || c.PrivKernel == nil {
		return normal, nil, err
	}
	priv, err = restoreKernel(c.PrivKernel, c.Linear)
	return normal, priv, err
}

func restoreKernel(s kernel.Spec, linear bool) (kernel.Kernel, error) {
	k, err := s.Kernel()
	switch {
	case err != nil:
		return nil, bad("config: %v", err)
	case linear:
		return kernel.Sum{kernel.Linear{}, k}, nil
	}
	return k, nil
}

func (k kernels) Model(c param.Config, t *Tensors) (learn.Model, error) {
	normal, priv, err := restoreKernels(c)
	if err != nil {
		return nil, err
	}
	p := krvfl.Parts{Support: t.Matrix(supportX), Offset: t.Vector(outputOffset), ProjectC: c.ProjectC}
	first := krvfl.Term{Kernel: normal, Alpha: t.Matrix(outputAlpha)}
	if t.Has(privSupportX) {
		if !k.priv {
			return nil, bad("config names no privileged kernel, but there are privileged tensors")
		}
		p.PrivKernel, p.PrivSupport, p.PrivAlpha = priv, t.Matrix(privSupportX), t.Matrix(privOutputAlpha)
	}
	if t.Has(spreadFactor) {
		first.Factor, first.Scale = t.Matrix(spreadFactor), t.Vector(spreadScale)
	}
	p.Terms = []krvfl.Term{first}
	if c.ProjectKernel != nil && c.Correction == learn.Projected {
		second := krvfl.Term{Alpha: t.Matrix(projectAlpha)}
		if second.Kernel, err = restoreKernel(c.ProjectKernel, c.Linear); err != nil {
			return nil, err
		}
		second.From = p.Support.Rows - second.Alpha.Rows
		if t.Has(projectSpreadFactor) {
			second.Factor, second.Scale = t.Matrix(projectSpreadFactor), t.Vector(projectSpreadScale)
		}
		p.Terms = append(p.Terms, second)
	}
	if t.Err != nil {
		return nil, t.Err
	}
	return krvfl.FromParts(p)
}

func (kernels) Facts(m learn.Model) Facts {
	p := m.(*krvfl.Model).Parts()
	f := Facts{PrivWidth: -1, PrivRows: -1}
	if p.PrivKernel != nil {
		f.PrivWidth, f.PrivRows = p.PrivSupport.Cols, p.PrivSupport.Rows
	}
	return f
}

// Weights returns the rows of all terms below each other.
func (kernels) Weights(m learn.Model) (weight blas.Matrix, offset []float64) {
	p := m.(*krvfl.Model).Parts()
	if len(p.Terms) == 1 {
		return p.Terms[0].Alpha, p.Offset
	}
	rows := 0
	for _, t := range p.Terms {
		rows += t.Alpha.Rows
	}
	weight = blas.New(rows, len(p.Offset))
	at := 0
	for _, t := range p.Terms {
		for i := range t.Alpha.Rows {
			copy(blas.Row(weight, at), blas.Row(t.Alpha, i))
			at++
		}
	}
	return weight, p.Offset
}

func (kernels) WithWeights(m learn.Model, weight blas.Matrix, offset []float64) (learn.Model, error) {
	p := m.(*krvfl.Model).Parts()
	var terms []krvfl.Term
	at := 0
	for _, t := range p.Terms {
		to := at + t.Alpha.Rows
		if to > weight.Rows {
			return nil, bad("the models without one row each have %d weights, the model has more", weight.Rows)
		}
		own := blas.View(weight, at, to, 0, weight.Cols)
		terms = append(terms, krvfl.Term{Kernel: t.Kernel, From: t.From, Alpha: own})
		at = to
	}
	if at != weight.Rows {
		return nil, bad("the models without one row each have %d weights, the model has %d", weight.Rows, at)
	}
	return krvfl.FromParts(krvfl.Parts{Support: p.Support, Terms: terms, Offset: offset})
}

func (kernels) Space(m learn.Model) (space bound.Space, offset []float64, form string) {
	p := m.(*krvfl.Model).Parts()
	var spaces []bound.Space
	for _, t := range p.Terms {
		support := blas.View(p.Support, t.From, t.From+t.Alpha.Rows, 0, p.Support.Cols)
		spaces = append(spaces, bound.Kernel(t.Kernel, support, t.Alpha))
	}
	if len(spaces) == 1 {
		return spaces[0], p.Offset, "Σk(x,xᵢ)αᵢ"
	}
	return bound.Sum(spaces), p.Offset, "Σk(x,xᵢ)αᵢ + Σk₂(x,xᵢ)βᵢ"
}
