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
	Remedy:    svmKind.Remedy,
	Solvers:   []string{"dual"},
	Estimator: kernels{},
}

var krvflPlusKind = Kind{
	Name: "krvfl+", Summary: "kernel RVFL with privileged columns", ClosedForm: true, Kernels: true, Posterior: true,
	Privileged: true, Plain: "krvfl",
	Params: append([]param.Param{
		param.C, param.Gamma, param.Correction, param.Linear, param.Center, param.PrivKernel, param.PrivWidth,
	}, kernelParams...),
	Accepts:   []param.Param{param.Solver},
	Tuned:     tuned(param.C, param.Gamma, param.Width, param.PrivWidth),
	Remedy:    privilegedRemedy,
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
	if !priv {
		c.PrivKernel = nil
	} else if c.PrivKernel == nil {
		c.PrivKernel = c.Kernel
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
		C: c.C, Gamma: c.Gamma, Correction: c.Correction, Kernel: c.Kernel, PrivKernel: c.PrivKernel,
		Linear: c.Linear, Center: c.Center && !t.Classification, Seed: c.Seed,
	}
}

func (kernels) HeldOut(
	ctx context.Context, e *heldout.Evaluator, configs []param.Config, t Targets,
) ([]*mat.Dense, error) {
	c := configs[0]
	k := heldout.Kernels{Normal: c.Kernel, Priv: c.PrivKernel, Linear: c.Linear, Seed: c.Seed}
	return e.ByKernels(ctx, k, ridgeParams(configs, t))
}

func (kernels) KernelsOf(m learn.Model, linear bool) (normal, priv kernel.Spec) {
	p := m.(*krvfl.Model).Parts()
	bare := func(k kernel.Kernel) kernel.Spec {
		if k == nil {
			return nil
		}
		if sum, ok := k.(kernel.Sum); ok && linear {
			return sum[1].Spec()
		}
		return k.Spec()
	}
	return bare(p.Kernel), bare(p.PrivKernel)
}

func (kernels) Tensors(m learn.Model, keepPrivileged bool) []Tensor {
	p := m.(*krvfl.Model).Parts()
	tensors := []Tensor{MatrixTensor(supportX, p.Support), MatrixTensor(outputAlpha, p.Alpha),
		VectorTensor(outputOffset, p.Offset)}
	if keepPrivileged && p.PrivKernel != nil {
		tensors = append(tensors, MatrixTensor(privSupportX, p.PrivSupport), MatrixTensor(privOutputAlpha, p.PrivAlpha))
	}
	if p.Scale != nil {
		tensors = append(tensors, MatrixTensor(spreadFactor, p.Factor), VectorTensor(spreadScale, p.Scale))
	}
	return tensors
}

// restoreKernels returns the kernels of c, which must have no automatic widths; priv is nil
// where c has none.
func restoreKernels(c param.Config) (normal, priv kernel.Kernel, err error) {
	restore := func(s kernel.Spec) (kernel.Kernel, error) {
		k, err := s.Kernel()
		switch {
		case err != nil:
			return nil, bad("config: %v", err)
		case c.Linear:
			return kernel.Sum{kernel.Linear{}, k}, nil
		}
		return k, nil
	}
	if normal, err = restore(c.Kernel); err != nil || c.PrivKernel == nil {
		return normal, nil, err
	}
	priv, err = restore(c.PrivKernel)
	return normal, priv, err
}

func (k kernels) Model(c param.Config, t *Tensors) (learn.Model, error) {
	normal, priv, err := restoreKernels(c)
	if err != nil {
		return nil, err
	}
	p := krvfl.Parts{Kernel: normal, Support: t.Matrix(supportX), Alpha: t.Matrix(outputAlpha),
		Offset: t.Vector(outputOffset)}
	if t.Has(privSupportX) {
		if !k.priv {
			return nil, bad("config names no privileged kernel, but there are privileged tensors")
		}
		p.PrivKernel, p.PrivSupport, p.PrivAlpha = priv, t.Matrix(privSupportX), t.Matrix(privOutputAlpha)
	}
	if t.Has(spreadFactor) {
		p.Factor, p.Scale = t.Matrix(spreadFactor), t.Vector(spreadScale)
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

func (kernels) Weights(m learn.Model) (weight blas.Matrix, offset []float64) {
	p := m.(*krvfl.Model).Parts()
	return p.Alpha, p.Offset
}

func (kernels) WithWeights(m learn.Model, weight blas.Matrix, offset []float64) (learn.Model, error) {
	p := m.(*krvfl.Model).Parts()
	return krvfl.FromParts(krvfl.Parts{Kernel: p.Kernel, Support: p.Support, Alpha: weight, Offset: offset})
}

func (kernels) Space(m learn.Model) (space bound.Space, offset []float64, form string) {
	p := m.(*krvfl.Model).Parts()
	return bound.Kernel(p.Kernel, p.Support, p.Alpha), p.Offset, "Σk(x,xᵢ)αᵢ"
}
