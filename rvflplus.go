// Package rvflplus trains and uses models that learn with privileged information: columns that exist when a model is
// trained and not when it is used, such as a later lab result, a better sensor or an expert's note.
//
// A program has a Table, names its Columns by role, and calls
//
//   - Compare to learn whether the privileged columns help,
//   - Tune to choose hyper-parameters, or Train to train with a given Config,
//   - CrossValidate to learn how well such models predict rows that they have not seen,
//   - Predict, PredictRow or PredictMatrix of the Model, and Explain to learn what its columns are worth,
//   - Save and Load, or Encode and Decode.
//
// A Config starts from DefaultConfig, whose fields are literal values. Options structs are different: the zero value
// of each of their fields stands for its default.
//
// Errors that a user can cause are of package fault: errors.Is(err, fault.Usage) tells a wrong parameter or column
// name, fault.Data a bad table or model file, fault.NotSolved a problem without a usable solution, fault.Resource a
// lack of memory or disk; fault.HintOf(err) is the remedy, if there is one. A cancelled context ends every function
// that takes one with the context's error. The same input and seed give the same bits, whatever the number of
// threads.
//
// The estimators on matrices are in packages rvfl, krvfl, svm and svmplus; readers of file formats in packages below
// dataset.
package rvflplus

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/search"
	"rvflplus/kernel"
	"rvflplus/learn"
)

//go:generate go run ./internal/param/generate

// LeaveOneOut says when exact leave-one-out scores are computed: LeaveOneOutAuto (the zero value), LeaveOneOutNever or
// LeaveOneOutAlways.
type LeaveOneOut int

const (
	// LeaveOneOutAuto computes them where they cost less than ten times the fit, fit into memory, and are defined.
	// They come in closed form, at 2 to 8 times the cost of the fit; support vector machines have none.
	LeaveOneOutAuto LeaveOneOut = iota
	// LeaveOneOutNever leaves them out.
	LeaveOneOutNever
	// LeaveOneOutAlways computes them, or training fails. Kinds without a closed form refuse it.
	LeaveOneOutAlways
)

// internal returns the value as the other packages take it.
func (l LeaveOneOut) internal() (learn.LeaveOneOut, error) {
	switch l {
	case LeaveOneOutAuto:
		return learn.WhenCheap, nil
	case LeaveOneOutNever:
		return learn.Never, nil
	case LeaveOneOutAlways:
		return learn.Always, nil
	}
	return 0, fault.Param("LeaveOneOut", "LeaveOneOutAuto, LeaveOneOutNever or LeaveOneOutAlways", int(l))
}

// TrainOptions say how a model is trained, beside the Config that shapes it. The zero value serves.
type TrainOptions struct {
	// LeaveOneOut says whether the model's Report has exact leave-one-out scores.
	LeaveOneOut LeaveOneOut
	// AllowMissingPrivileged trains also on rows in which a privileged cell is missing (with imputation: in which all
	// are), as rows without privileged values. Otherwise such rows are a fault.Data error. Kinds that learn from no
	// privileged columns have no use for it.
	AllowMissingPrivileged bool
	// Tune chooses C, γ, automatic widths, u, λ and the power of row weights, where the kind has them, by leave-one-out
	// or by folds, unless Fixed names them: then the Config's value holds. Config.Kind "" always chooses.
	Tune  bool
	Fixed []string // names of hyper-parameters, such as "C" and "gamma"
	// Single keeps, where Config.Kind is "" or "stack", the simplest method within one standard error of the best,
	// instead of the shrunk stack.
	Single bool
	// Budget, when > 0, is the time after which no further setting is tried. The result then depends on the speed of
	// the machine. Without it the settings are a fixed number.
	Budget time.Duration
	// Progress, when not nil, is told that done of total units of the named stage are done. It is called from one
	// goroutine at a time.
	Progress func(stage string, done, total int)
	// Announce, when not nil, is told before a long computation how long it will take and what memory it holds, as a
	// sentence.
	Announce func(text string)
}

// Model is a trained model. It is immutable and safe for concurrent use.
type Model struct {
	p           *pipeline.Model
	categorical string    // the first normal column that is categorical, "" if there is none
	rows        sync.Pool // of *pipeline.Row
}

func newModel(p *pipeline.Model) *Model {
	m := &Model{p: p}
	m.rows.New = func() any { return p.NewRow() }
	if i := slices.IndexFunc(p.Schema.Normal, isCategorical); i >= 0 {
		m.categorical = p.Schema.Normal[i].Name
	}
	return m
}

func isCategorical(c pipeline.SchemaColumn) bool { return c.Type == "categorical" }

// Train trains a model on the rows of t. With Config.Kind "" it is a stack of methods, each with the hyper-parameters
// that leave-one-out chooses, and never knowingly worse than the model without privileged columns; a named kind has the
// Config's hyper-parameters unless TrainOptions.Tune is set. Columns that look as if they give the target away, and a
// model that is no better than a constant, are told by the warnings of its Report. The preparation (filling, scaling,
// one-hot) is fitted on these rows, for normal and privileged columns separately; rows of weight 0 are left out first.
//
// Cost: for rvfl and rvfl+ proportional to N·D² with D the columns plus enhancement nodes, or to N³ if that is less;
// for krvfl and krvfl+ to N³, with memory for some N×N matrices; both told as fault.Resource before memory is taken
// that there is not.
func Train(ctx context.Context, t *Table, columns Columns, c Config, o TrainOptions) (*Model, error) {
	data, err := t.with(columns)
	if err != nil {
		return nil, err
	}
	leaveOneOut, err := o.LeaveOneOut.internal()
	if err != nil {
		return nil, err
	}
	config := c.internal()
	config.AllowMissingPriv = o.AllowMissingPrivileged
	if config, err = o.choose(config, len(data.Roles.Priv) > 0); err != nil {
		return nil, err
	}
	p, err := search.Train(ctx, data, config, pipeline.Options{
		LeaveOneOut: leaveOneOut, Progress: o.Progress, Announce: o.Announce,
	})
	if err != nil {
		return nil, err
	}
	return newModel(p), nil
}

// choose sets what training chooses itself.
func (o TrainOptions) choose(c param.Config, privileged bool) (param.Config, error) {
	var fixed []param.Param
	for _, name := range o.Fixed {
		p := param.ByName(name)
		if p == nil {
			return c, fault.Param("a fixed hyper-parameter", "a name such as C or gamma", fmt.Sprintf("%q", name))
		}
		fixed = append(fixed, p)
	}
	tune := o.Tune
	if c.Kind == "" || c.Kind == kind.Auto {
		var own kind.Kind
		if own, c.Base = kind.ForAuto(fixed, privileged, true); c.Base == "" {
			c.Base = "auto"
		}
		c.Kind, tune = own.Name, true
	}
	if !tune {
		return c, nil
	}
	complete, k, err := kind.Complete(c)
	if err != nil {
		return c, err
	}
	c.Free, c.Single, c.Budget, c.Nested = k.FreeOf(fixed, complete), o.Single, o.Budget, true
	return c, nil
}

// Load reads the model file path, which Save or the rvfl command wrote, or a model file of LIBSVM (its features are
// then called f1, f2, … and its target "target"). A file that cannot be read, or is not a sound model, is a
// fault.Data error that begins with path.
func Load(path string) (*Model, error) {
	p, err := modelfile.Load(path)
	if err != nil {
		return nil, err
	}
	return newModel(p), nil
}

// Decode reads a model from r to its end: what Encode wrote, or what Load reads. It trusts nothing: what a damaged or
// hostile input claims takes no memory before it has come, and is a fault.Data error.
func Decode(r io.Reader) (*Model, error) {
	p, err := modelfile.Decode(r, modelfile.UnknownSize)
	if err != nil {
		return nil, err
	}
	return newModel(p), nil
}

// SaveOptions say what is stored of a model. The zero value stores what prediction needs.
type SaveOptions struct {
	// KeepPrivileged stores the privileged layer or rows, their weights and preparation too.
	KeepPrivileged bool
}

// Save writes the model to path, as a whole or not at all: to a temporary file that is renamed. The file is a
// safetensors file without times, paths or host names: the same model gives the same bytes. A model of LIBSVM is a
// fault.Usage error.
func (m *Model) Save(ctx context.Context, path string, o SaveOptions) error {
	return modelfile.Save(ctx, path, m.p, o.KeepPrivileged)
}

// Encode writes to w the bytes that Save writes to a file.
func (m *Model) Encode(w io.Writer, o SaveOptions) error {
	return modelfile.Encode(w, m.p, o.KeepPrivileged)
}

// Config returns the config that the model was trained with: with the kind and the task, and with the widths of
// kernels that were taken from the data.
func (m *Model) Config() Config { return configOf(m.p.Config) }

// Task returns what the model predicts: "classification" or "regression".
func (m *Model) Task() string { return string(m.p.Coder.Task) }

// Targets returns the names of the target columns: one for a classification.
func (m *Model) Targets() []string { return slices.Clone(m.p.Coder.Names) }

// Classes returns the classes of a classification, numbers in order of size before texts in alphabetical order; nil
// for a regression. A class's place in it is its number in Predictions.
func (m *Model) Classes() []string { return slices.Clone(m.p.Coder.Classes) }

// Feature is a normal column as a model knows it.
type Feature struct {
	Name string
	// Categories are the categories that training had, sorted; nil for numbers.
	Categories []string
	// Grouped are those of them that count as one category, sorted; nil without any: see Config.MinCategory.
	Grouped []string
	// Min and Max are the range of the numbers in training.
	Min, Max float64
	// Imputed says that a missing cell is filled; otherwise it is an error. Indicator says that the model also looks at
	// whether the cell is missing.
	Imputed, Indicator bool
	// Constant says that all training cells were equal, so that prediction does not depend on the column.
	Constant bool
}

// Columns returns the normal columns, which prediction needs, in the order of the schema: that of PredictMatrix.
func (m *Model) Columns() []Feature {
	var out []Feature
	for _, c := range m.p.Normal.Columns {
		out = append(out, Feature{
			Name: c.Name, Categories: c.Categories(), Grouped: slices.Clone(c.Rare), Min: c.Min, Max: c.Max,
			Imputed: c.Fill != nil || c.FillLevel != nil, Indicator: c.Indicator, Constant: !c.Varies(),
		})
	}
	return out
}

// PrivilegedColumns returns the names of the privileged columns that the model was trained with; prediction does not
// look at them.
func (m *Model) PrivilegedColumns() []string {
	var out []string
	for _, c := range m.p.Schema.Privileged {
		out = append(out, c.Name)
	}
	return out
}

// cloneKernel returns a copy that shares no memory with s.
func cloneKernel(s kernel.Spec) kernel.Spec {
	out := slices.Clone(s)
	for i := range out {
		out[i].Params, out[i].Relevance = maps.Clone(out[i].Params), slices.Clone(out[i].Relevance)
	}
	return out
}

// texts writes messages with parameters by their names.
func texts(all []fault.Text) []string {
	var out []string
	for _, t := range all {
		out = append(out, t.String())
	}
	return out
}
