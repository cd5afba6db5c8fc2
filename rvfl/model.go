package rvfl

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/learn"
)

// Model is a trained RVFL or RVFL+ network, f(x) = h(x)w + ȳ. It is immutable and
// safe for concurrent use.
type Model struct {
	hidden     *feature.Links
	weight     blas.Matrix // w, D×m
	offset     []float64   // ȳ, m
	priv       *feature.Links
	privWeight blas.Matrix // w̃, D̃×m
	projectC   float64
}

// Layer is a layer of random functional links (the paper's eq:2): the features themselves
// where there are direct links, followed by P enhancement nodes G(x·Weightᵀ + Bias).
type Layer struct {
	Weight     blas.Matrix // P×n
	Bias       []float64   // P
	Activation activation.Func
	Direct     bool
}

func (l *Layer) links() *feature.Links {
	if l == nil {
		return nil
	}
	return &feature.Links{Weight: l.Weight, Bias: l.Bias, Activation: l.Activation, NoDirect: !l.Direct}
}

func layerOf(l *feature.Links) *Layer {
	if l == nil {
		return nil
	}
	return &Layer{l.Weight, l.Bias, l.Activation, !l.NoDirect}
}

// Parts are the numbers a model consists of. They share the model's memory and
// must not be written.
type Parts struct {
	Hidden *Layer
	Weight blas.Matrix // (n+P)×m, direct links first
	Offset []float64   // m
	// PrivHidden and PrivWeight are the correcting function g(x̃) = h̃(x̃)w̃, such
	// that y = f(x) + g(x̃) + ε; nil and empty without privileged features or when
	// the model was saved without them.
	PrivHidden *Layer
	PrivWeight blas.Matrix
	ProjectC   float64 // regularisation of the second stage of learn.Projected, else 0
}

// Parts returns the model's parts.
func (m *Model) Parts() Parts {
	return Parts{layerOf(m.hidden), m.weight, m.offset, layerOf(m.priv), m.privWeight, m.projectC}
}

// FromParts returns the model of the given parts, or a fault.Data error when
// their shapes do not fit together.
func FromParts(p Parts) (*Model, error) {
	hidden, priv := p.Hidden.links(), p.PrivHidden.links()
	switch {
	case hidden == nil || len(hidden.Bias) != hidden.Weight.Rows:
		return nil, fault.New(fault.Data, "hidden.weight and hidden.bias have different numbers of enhancement nodes")
	case p.Weight.Rows != hidden.Width() || p.Weight.Cols != len(p.Offset) || len(p.Offset) == 0:
		return nil, fault.New(fault.Data, "output.weight is %d×%d, the layer and output.offset ask for %d×%d",
			p.Weight.Rows, p.Weight.Cols, hidden.Width(), len(p.Offset))
	case priv != nil && (len(priv.Bias) != priv.Weight.Rows || p.PrivWeight.Rows != priv.Width() ||
		p.PrivWeight.Cols != len(p.Offset)):
		return nil, fault.New(fault.Data, "the privileged layer and priv.output.weight do not fit together")
	}
	return &Model{hidden, p.Weight, p.Offset, priv, p.PrivWeight, p.ProjectC}, nil
}

// Dims returns the number of features and of outputs.
func (m *Model) Dims() (features, outputs int) { return m.hidden.Inputs(), m.weight.Cols }

// PredictTo sets row i of dst to f(row i of x). Cost 2·P·(n+m) operations a row.
func (m *Model) PredictTo(dst, x *mat.Dense) {
	learn.CheckPredict(m, dst, x)
	in, out := x.RawMatrix(), dst.RawMatrix()
	room := blas.New(min(learn.PredictBlock, in.Rows), m.hidden.Width())
	for lo := 0; lo < in.Rows; lo += learn.PredictBlock {
		hi := min(lo+learn.PredictBlock, in.Rows)
		h, f := blas.View(room, 0, hi-lo, 0, room.Cols), blas.View(out, lo, hi, 0, out.Cols)
		for i := range f.Rows {
			copy(blas.Row(f, i), m.offset)
		}
		_ = m.hidden.To(context.Background(), h, blas.View(in, lo, hi, 0, in.Cols))
		_ = blas.Gemm(context.Background(), false, false, 1, h, m.weight, 1, f)
	}
}
