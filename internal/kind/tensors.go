package kind

import (
	"rvflplus/blas"
	"rvflplus/fault"
)

// Tensor is a named array of float64, row by row.
type Tensor struct {
	Name  string
	Shape []int
	Rows  blas.Matrix // shape [r, c], or 1×c for shape [c]
}

// MatrixTensor returns the tensor of shape [m.Rows, m.Cols].
func MatrixTensor(name string, m blas.Matrix) Tensor {
	return Tensor{name, []int{m.Rows, m.Cols}, m}
}

// VectorTensor returns the tensor of shape [len(v)].
func VectorTensor(name string, v []float64) Tensor {
	return Tensor{name, []int{len(v)}, blas.Matrix{Rows: 1, Cols: len(v), Stride: max(1, len(v)), Data: v}}
}

// Tensors hands out the tensors of a file by name and keeps the first error.
type Tensors struct {
	All map[string]Tensor
	// Description is the text that describes the model, see Described; "" where there is none.
	Description string
	Err         error
}

// Has reports whether there is a tensor of that name.
func (t *Tensors) Has(name string) bool {
	_, has := t.All[name]
	return has
}

// Matrix returns the tensor of two dimensions called name.
func (t *Tensors) Matrix(name string) blas.Matrix { return t.take(name, 2) }

// Vector returns the tensor of one dimension called name.
func (t *Tensors) Vector(name string) []float64 { return t.take(name, 1).Data }

func (t *Tensors) take(name string, dims int) blas.Matrix {
	v, ok := t.All[name]
	if !ok || len(v.Shape) != dims {
		t.Fail("tensor %q of %d dimensions is missing", name, dims)
		return blas.Matrix{}
	}
	return v.Rows
}

// Whole returns a vector of small whole numbers.
func (t *Tensors) Whole(name string) []int {
	var out []int
	for _, v := range t.Vector(name) {
		if v != float64(int32(v)) {
			t.Fail("tensor %q holds %v, expected whole numbers", name, v)
		}
		out = append(out, int(int32(v)))
	}
	return out
}

// Fail keeps a fault.Data error, unless there is one already.
func (t *Tensors) Fail(format string, args ...any) {
	if t.Err == nil {
		t.Err = bad(format, args...)
	}
}

func bad(format string, args ...any) error { return fault.New(fault.Data, format, args...) }

func floats(v []int) []float64 {
	out := make([]float64, len(v))
	for i, n := range v {
		out[i] = float64(n)
	}
	return out
}

// Names of the tensors: a public promise, see docs/model-file.md.
const (
	hiddenWeight     = "hidden.weight"
	hiddenBias       = "hidden.bias"
	outputWeight     = "output.weight"
	outputOffset     = "output.offset"
	outputAlpha      = "output.alpha"
	supportX         = "support.x"
	dualCoef         = "dual.coef"
	dualOffset       = "dual.offset"
	classSupport     = "class.support"
	classOrder       = "class.order"
	probaPairs       = "proba.pairs"
	privHiddenWeight = "priv.hidden.weight"
	privHiddenBias   = "priv.hidden.bias"
	privOutputWeight = "priv.output.weight"
	privOutputAlpha  = "priv.output.alpha"
	privSupportX     = "priv.support.x"
	spreadFactor     = "spread.factor"
	spreadScale      = "spread.scale"

	projectAlpha        = "project.alpha"
	projectSpreadFactor = "project.spread.factor"
	projectSpreadScale  = "project.spread.scale"
)
