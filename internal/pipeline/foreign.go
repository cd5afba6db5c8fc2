package pipeline

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"rvflplus/internal/kind"
	"rvflplus/internal/prep"
	"rvflplus/internal/target"
)

// foreignSolver is the Report.Solver of a model that LIBSVM trained.
const foreignSolver = "libsvm"

// ReadLIBSVM reads a model file of LIBSVM: a model of columns f1, f2, … as they are, and a
// column target, as dataset/libsvm names them. What it was trained with and on is not known.
func ReadLIBSVM(r io.Reader, name string) (*Model, error) {
	m, labels, c, err := kind.ReadLIBSVM(r, name)
	if err != nil {
		return nil, err
	}
	k, err := kind.ByName(c.Kind)
	if err != nil {
		return nil, err
	}
	out := &Model{Kind: k, Config: c, Estimator: m, Coder: &target.Coder{Task: k.Task, Names: []string{"target"}}}
	out.Report = Report{Solver: foreignSolver, SystemSize: kind.SupportVectors(m)}
	if k.Task == target.Classification {
		for _, label := range labels {
			out.Coder.Classes = append(out.Coder.Classes, strconv.Itoa(label))
		}
		out.Coder.Encoding = c.Encoding
	}
	out.Config.Task = string(k.Task)
	features, _ := m.Dims()
	out.setFeatures(features)
	return out, nil
}

// Foreign reports whether the model was trained by LIBSVM.
func (m *Model) Foreign() bool { return m.Report.Solver == foreignSolver }

// setFeatures names n numeric columns that are taken as they are.
func (m *Model) setFeatures(n int) {
	m.Normal, m.Schema = &prep.Space{Scale: "none", Impute: "none"}, Schema{Privileged: []SchemaColumn{}}
	for i := range n {
		c := prep.Column{Name: fmt.Sprint("f", i+1), Scale: 1, Min: -math.MaxFloat64, Max: math.MaxFloat64}
		m.Normal.Columns = append(m.Normal.Columns, c)
		m.Schema.Normal = append(m.Schema.Normal, SchemaColumn{Name: c.Name, Type: ColumnType(c)})
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
	out.Estimator = kind.Widen(m.Estimator, n)
	out.setFeatures(n)
	return &out
}
