package pipeline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/blas"
	"rvflplus/internal/prep"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/learn"
	"rvflplus/svm"
)

// foreignSolver is the Report.Solver of a model that LIBSVM trained.
const foreignSolver = "libsvm"

// FromLIBSVM wraps what svm.ReadLIBSVM returned: a model of columns f1, f2, … as
// they are, and a column target, as dataset/libsvm names them. What it was trained
// with and on is not known.
func FromLIBSVM(m learn.Model, labels []int) *Model {
	features, _ := m.Dims()
	out := &Model{Estimator: m, Coder: &target.Coder{Task: target.Regression, Names: []string{"target"}}}
	out.Settings = Settings{Kind: "svr", Scale: "none", Impute: "none"}
	out.Report = Report{Solver: foreignSolver}
	switch e := m.(type) {
	case *svm.Classifier:
		sorted := slices.Sorted(slices.Values(labels))
		for _, label := range sorted {
			out.Coder.Classes = append(out.Coder.Classes, strconv.Itoa(label))
		}
		out.Coder.Task, out.Coder.Encoding = target.Classification, "onehot"
		out.Settings.Kind, out.Settings.Encoding = "svm", out.Coder.Encoding
		out.Estimator = inOrder(e, labels, sorted)
		out.foreignKernel(e.Parts().Kernel, e.Parts().Support)
	case *svm.Regressor:
		out.foreignKernel(e.Parts().Kernel, e.Parts().Support)
	}
	out.Settings.Task = string(out.Coder.Task)
	out.setFeatures(features)
	return out
}

// Foreign reports whether the model was trained by LIBSVM.
func (m *Model) Foreign() bool { return m.Report.Solver == foreignSolver }

// inOrder returns the classifier with its classes numbered in the order of their
// labels; class i has labels[i] before.
func inOrder(m *svm.Classifier, labels, sorted []int) *svm.Classifier {
	p := m.Parts()
	p.Order = slices.Clone(p.Order)
	for place, class := range p.Order {
		p.Order[place] = slices.Index(sorted, labels[class])
	}
	return must(svm.ClassifierFromParts(p))
}

// must is for parts that were sound before they were rearranged.
func must[M any](m M, err error) M {
	if err != nil {
		panic("pipeline: " + err.Error())
	}
	return m
}

func (m *Model) foreignKernel(k kernel.Kernel, support blas.Matrix) {
	m.Settings.setKernels(k, nil)
	m.Report.SystemSize = support.Rows
}

// setFeatures names n numeric columns that are taken as they are.
func (m *Model) setFeatures(n int) {
	m.Normal, m.Schema = &prep.Space{Scale: "none", Impute: "none"}, Schema{Privileged: []SchemaColumn{}}
	for i := range n {
		c := prep.Column{Name: fmt.Sprint("f", i+1), Scale: 1, Min: -math.MaxFloat64, Max: math.MaxFloat64}
		m.Normal.Columns = append(m.Normal.Columns, c)
		m.Schema.Normal = append(m.Schema.Normal, SchemaColumn{c.Name, ColumnType(c)})
	}
}

// Widened returns the model with the features f1, f2, … that are among the names of
// columns: a file of LIBSVM tells only of features that a support vector has, and
// kernels look at the others too. Models that were trained here are as wide as
// their schema says.
func (m *Model) Widened(names []string) *Model {
	if !m.Foreign() {
		return m
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = strings.HasPrefix(name, "f")
	}
	features := len(m.Schema.Normal)
	n := features
	for known[fmt.Sprint("f", n+1)] {
		n++
	}
	if n == features {
		return m
	}
	out := *m
	switch e := m.Estimator.(type) {
	case *svm.Classifier:
		p := e.Parts()
		p.Support = widen(p.Support, n)
		out.Estimator = must(svm.ClassifierFromParts(p))
	case *svm.Regressor:
		p := e.Parts()
		p.Support = widen(p.Support, n)
		out.Estimator = must(svm.RegressorFromParts(p))
	}
	out.setFeatures(n)
	return &out
}

// widen adds columns of zeros.
func widen(x blas.Matrix, columns int) blas.Matrix {
	out := blas.New(x.Rows, columns)
	for i := range x.Rows {
		copy(blas.Row(out, i), blas.Row(x, i))
	}
	return out
}
