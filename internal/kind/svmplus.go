package kind

import (
	"rvflplus/internal/param"
	"rvflplus/internal/target"
	"rvflplus/learn"
	"rvflplus/svmplus"
)

var svmPlusKind = Kind{
	Name: "svm+", Summary: "support vector classification with privileged columns", Kernels: true, Privileged: true,
	Plain: "svm", Task: target.Classification, OtherTask: "krvfl+",
	WeighsClasses: true,
	Params: append([]param.Param{
		param.C, param.Gamma, param.PrivKernel, param.PrivWidth, param.Tol, param.MaxIter, param.SVMSolver,
	}, kernelParams...),
	Tuned: append([]Tuned{
		{Param: param.C, Range: marginRange}, {Param: param.Gamma, Range: marginRange},
	}, tuned(param.Width, param.PrivWidth)...),
	Solvers:   svmplus.Solvers(),
	Estimator: plus{},
}

// plus is the estimator of svm+.
type plus struct{}

func (plus) Complete(c param.Config) param.Config {
	return completeMargin(c, svmplus.DefaultConfig().Tolerance, true)
}

func (k plus) Validate(c param.Config) error { return k.config(c, Targets{}).Validate() }

func (plus) config(c param.Config, t Targets) svmplus.Config {
	return svmplus.Config{
		C: c.C, Gamma: c.Gamma, Solver: c.SVMSolver, Kernel: c.Kernel, PrivKernel: c.PrivKernel,
		Tolerance: c.Tol, MaxIterations: c.MaxIter, ClassWeight: t.ClassWeight, Seed: c.Seed,
	}
}

func (k plus) Trainer(c param.Config, t Targets) learn.Trainer { return k.config(c, t) }

func (plus) Resolved(c param.Config, m learn.Model) param.Config {
	p := m.(*svmplus.Model).Parts()
	c.Kernel, c.PrivKernel = p.Kernel.Spec(), nil
	if p.PrivKernel != nil {
		c.PrivKernel = p.PrivKernel.Spec()
	}
	return c
}

// Tensors implements Estimator: the weights of a linear kernel, or support vectors.
func (plus) Tensors(m learn.Model, _ bool) []Tensor {
	p := m.(*svmplus.Model).Parts()
	if p.Linear() {
		return []Tensor{MatrixTensor(outputWeight, p.Weight), VectorTensor(outputOffset, p.Offset)}
	}
	return []Tensor{MatrixTensor(supportX, p.Support), MatrixTensor(outputAlpha, p.Alpha),
		VectorTensor(outputOffset, p.Offset)}
}

func (plus) Model(c param.Config, t *Tensors) (learn.Model, error) {
	normal, priv, err := restoreKernels(c)
	if err != nil {
		return nil, err
	}
	p := svmplus.Parts{Kernel: normal, PrivKernel: priv, Offset: t.Vector(outputOffset)}
	if t.Has(outputWeight) {
		p.Weight = t.Matrix(outputWeight)
	} else {
		p.Support, p.Alpha = t.Matrix(supportX), t.Matrix(outputAlpha)
	}
	if t.Err != nil {
		return nil, t.Err
	}
	return svmplus.FromParts(p)
}

func (plus) Facts(learn.Model) Facts { return Facts{PrivWidth: -1, PrivRows: -1} }
