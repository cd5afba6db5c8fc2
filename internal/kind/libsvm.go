package kind

import (
	"io"
	"math"
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/learn"
	"rvflplus/svm"
)

// ReadLIBSVM reads a model file of LIBSVM. The classes of the model are in the order of
// labels, which is nil for a regression; c tells the kind and the kernel.
func ReadLIBSVM(r io.Reader, name string) (m learn.Model, labels []int, c param.Config, err error) {
	m, labels, err = svm.ReadLIBSVM(r, name, 0)
	if err != nil {
		return nil, nil, c, err
	}
	c = param.Default()
	c.Kind, c.Scale, c.Linear = svrKind.Name, "none", false
	c.C, c.Epsilon, c.Tol = math.NaN(), math.NaN(), math.NaN() // not known
	if e, is := m.(*svm.Classifier); is {
		c.Kind = svmKind.Name
		sorted := slices.Sorted(slices.Values(labels))
		p := e.Parts()
		p.Order = slices.Clone(p.Order)
		for place, class := range p.Order {
			p.Order[place] = slices.Index(sorted, labels[class])
		}
		m, labels = must(svm.ClassifierFromParts(p)), sorted
	}
	return m, labels, must(ByName(c.Kind)).Resolved(c, m), nil
}

// must is for what was sound before it was rearranged.
func must[T any](v T, err error) T {
	if err != nil {
		panic("kind: " + err.Error())
	}
	return v
}

// SupportVectors returns the number of support vectors of a model that ReadLIBSVM read.
func SupportVectors(m learn.Model) int {
	switch e := m.(type) {
	case *svm.Classifier:
		return e.Parts().Support.Rows
	case *svm.Regressor:
		return e.Parts().Support.Rows
	}
	return 0
}

// Widen returns a model that ReadLIBSVM read with more features, which are 0 in all
// support vectors: the file tells only of features that one of them has.
func Widen(m learn.Model, features int) learn.Model {
	widen := func(x blas.Matrix) blas.Matrix {
		out := blas.New(x.Rows, features)
		for i := range x.Rows {
			copy(blas.Row(out, i), blas.Row(x, i))
		}
		return out
	}
	switch e := m.(type) {
	case *svm.Classifier:
		p := e.Parts()
		p.Support = widen(p.Support)
		return must(svm.ClassifierFromParts(p))
	case *svm.Regressor:
		p := e.Parts()
		p.Support = widen(p.Support)
		return must(svm.RegressorFromParts(p))
	}
	return m
}

// WriteLIBSVM writes a model as LIBSVM's model file; labels stand for the classes. Kinds and
// kernels that LIBSVM lacks are fault.Usage errors.
func WriteLIBSVM(w io.Writer, k Kind, m learn.Model, labels []int) error {
	if err := k.CheckLIBSVM(); err != nil {
		return err
	}
	return svm.WriteLIBSVM(w, m, labels)
}

// CheckLIBSVM returns a fault.Usage error for kinds that have no form in LIBSVM.
func (k Kind) CheckLIBSVM() error {
	if k.Name != svmKind.Name && k.Name != svrKind.Name {
		return fault.New(fault.Usage, "kind %s has no form in LIBSVM", k.Name).WithHint("svm and svr have one")
	}
	return nil
}
