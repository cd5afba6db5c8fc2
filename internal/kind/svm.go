package kind

import (
	"cmp"

	"rvflplus/blas"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/param"
	"rvflplus/internal/target"
	"rvflplus/learn"
	"rvflplus/svm"
)

// marginRange is that of C and γ of support vector machines: a larger C makes their
// solvers slow and seldom a better model.
var marginRange = param.Range{Low: 1e-2, High: 1e3}

var svmKind = Kind{
	Name: "svm", Summary: "support vector classification", Kernels: true, Task: target.Classification, OtherTask: "svr",
	OwnProba: true, WeighsClasses: true,
	Params:    append([]param.Param{param.C, param.Tol, param.MaxIter}, kernelParams...),
	Tuned:     append([]Tuned{{Param: param.C, Range: marginRange}}, tuned(param.Width)...),
	Solvers:   []string{"smo"},
	Estimator: classifier{},
}

var svrKind = Kind{
	Name: "svr", Summary: "support vector regression", Kernels: true, Task: target.Regression, OtherTask: "svm",
	Params: append([]param.Param{param.C, param.Epsilon, param.Tol, param.MaxIter}, kernelParams...),
	Tuned: append([]Tuned{
		{Param: param.C, Range: marginRange, OfTarget: true},
		{Param: param.Epsilon, Range: param.Epsilon.About().Tuned, OfTarget: true},
	}, tuned(param.Width)...),
	Solvers:   []string{"smo"},
	Estimator: regressor{},
}

// classifier is the estimator of svm.
type classifier struct{}

func (classifier) Complete(c param.Config) param.Config {
	return completeMargin(c, svm.DefaultConfig().Tolerance, false)
}

// completeMargin fills in the tolerance unless it is 0; kernels of support vector machines are bare.
func completeMargin(c param.Config, tolerance float64, priv bool) param.Config {
	c.Tol, c.Linear = cmp.Or(c.Tol, tolerance), false
	return completeKernels(c, priv)
}

func (k classifier) Validate(c param.Config) error { return k.config(c, Targets{}).Validate() }

func (classifier) config(c param.Config, t Targets) svm.Config {
	out := svm.DefaultConfig()
	out.C, out.Kernel, out.Tolerance, out.MaxIterations, out.Seed = c.C, c.Kernel, c.Tol, c.MaxIter, c.Seed
	out.Probability, out.ClassWeight = c.Proba != "", t.ClassWeight
	return out
}

func (k classifier) Trainer(c param.Config, t Targets) learn.Trainer { return k.config(c, t) }

func (classifier) Resolved(c param.Config, m learn.Model) param.Config {
	c.Kernel, c.PrivKernel = m.(*svm.Classifier).Parts().Kernel.Spec(), nil
	return c
}

func (classifier) Tensors(m learn.Model, _ bool) []Tensor {
	p := m.(*svm.Classifier).Parts()
	tensors := []Tensor{
		MatrixTensor(supportX, p.Support), MatrixTensor(dualCoef, p.Coef), VectorTensor(dualOffset, p.Offset),
		VectorTensor(classSupport, floats(p.Count)), VectorTensor(classOrder, floats(p.Order)),
	}
	if p.Sigmoids != nil {
		tensors = append(tensors, SigmoidTensor(probaPairs, sigmoids(p.Sigmoids)))
	}
	return tensors
}

// SigmoidTensor writes curves as rows A, B.
func SigmoidTensor(name string, curves []calibrate.Sigmoid) Tensor {
	rows := blas.New(len(curves), 2)
	for i, c := range curves {
		rows.Data[2*i], rows.Data[2*i+1] = c.A, c.B
	}
	return MatrixTensor(name, rows)
}

// Sigmoids takes what SigmoidTensor wrote.
func (t *Tensors) Sigmoids(name string) []calibrate.Sigmoid {
	m := t.Matrix(name)
	if m.Cols != 2 {
		t.Fail("tensor %q has %d columns, expected 2", name, m.Cols)
	}
	var curves []calibrate.Sigmoid
	for i := 0; i < m.Rows && t.Err == nil; i++ {
		curves = append(curves, calibrate.Sigmoid{A: m.Data[2*i], B: m.Data[2*i+1]})
	}
	return curves
}

func (classifier) Model(c param.Config, t *Tensors) (learn.Model, error) {
	k, _, err := restoreKernels(c)
	if err != nil {
		return nil, err
	}
	p := svm.ClassifierParts{
		Kernel: k, Support: t.Matrix(supportX), Coef: t.Matrix(dualCoef), Offset: t.Vector(dualOffset),
		Count: t.Whole(classSupport), Order: t.Whole(classOrder),
	}
	if c.Proba != "" {
		for _, s := range t.Sigmoids(probaPairs) {
			p.Sigmoids = append(p.Sigmoids, svm.Sigmoid(s))
		}
	}
	if t.Err != nil {
		return nil, t.Err
	}
	p.Outputs = len(p.Order)
	if c.Encoding == "sign" {
		p.Outputs = 1
	}
	return svm.ClassifierFromParts(p)
}

func sigmoids(v []svm.Sigmoid) []calibrate.Sigmoid {
	var out []calibrate.Sigmoid
	for _, s := range v {
		out = append(out, calibrate.Sigmoid(s))
	}
	return out
}

func (classifier) Facts(m learn.Model) Facts {
	return Facts{PrivWidth: -1, PrivRows: -1, Sigmoids: sigmoids(m.(*svm.Classifier).Parts().Sigmoids)}
}

// regressor is the estimator of svr.
type regressor struct{}

// Complete implements Estimator. The default tolerance follows the targets, which are not known yet.
func (regressor) Complete(c param.Config) param.Config { return completeMargin(c, 0, false) }

func (k regressor) Validate(c param.Config) error { return k.config(c).Validate() }

func (regressor) config(c param.Config) svm.RegressionConfig {
	out := svm.DefaultRegressionConfig()
	out.C, out.Epsilon, out.Kernel, out.Tolerance, out.MaxIterations, out.Seed = c.C, c.Epsilon, c.Kernel, c.Tol,
		c.MaxIter, c.Seed
	return out
}

func (k regressor) Trainer(c param.Config, _ Targets) learn.Trainer { return k.config(c) }

// Resolved implements Estimator: it fills in the tolerance that the targets decided.
func (regressor) Resolved(c param.Config, m learn.Model) param.Config {
	r := m.(*svm.Regressor)
	c.Kernel, c.PrivKernel, c.Tol = r.Parts().Kernel.Spec(), nil, cmp.Or(c.Tol, r.Tolerance())
	return c
}

func (regressor) Tensors(m learn.Model, _ bool) []Tensor {
	p := m.(*svm.Regressor).Parts()
	return []Tensor{MatrixTensor(supportX, p.Support), MatrixTensor(dualCoef, p.Coef),
		VectorTensor(dualOffset, p.Offset)}
}

func (regressor) Model(c param.Config, t *Tensors) (learn.Model, error) {
	k, _, err := restoreKernels(c)
	if err != nil {
		return nil, err
	}
	p := svm.RegressorParts{Kernel: k, Support: t.Matrix(supportX), Coef: t.Matrix(dualCoef),
		Offset: t.Vector(dualOffset)}
	if t.Err != nil {
		return nil, t.Err
	}
	return svm.RegressorFromParts(p)
}

func (regressor) Facts(learn.Model) Facts { return Facts{PrivWidth: -1, PrivRows: -1} }
