package ensemble

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// Model is an average of networks, f(x) = Σₖ[x, Hₖ]wₖ/K + ȳ, where Hₖ are the enhancement nodes of member k. The nodes
// of every member see x; those of a deep network's layer k > 1 see [x, Hₖ₋₁]. It is immutable and safe for concurrent
// use.
type Model struct{ parts Parts }

// Parts are the numbers a model consists of. They share the model's memory and must not be written.
type Parts struct {
	Deep    bool
	Members []Member  // at least one, all with as many nodes
	Offset  []float64 // ȳ, m
}

// Member is one network of an average, or one layer of a deep network.
type Member struct {
	// Hidden holds the enhancement nodes. Its Direct says whether Weight begins with the weights of x.
	Hidden rvfl.Layer
	Weight blas.Matrix // (n+P)×m, or P×m without direct links
}

// Parts returns the model's parts.
func (m *Model) Parts() Parts { return m.parts }

// FromParts returns the model of the given parts, or a fault.Data error when their shapes do not fit together.
func FromParts(p Parts) (*Model, error) {
	if len(p.Members) == 0 || len(p.Offset) == 0 {
		return nil, fault.New(fault.Data, "an average has no members or no outputs")
	}
	first := p.Members[0].Hidden
	for k, m := range p.Members {
		inputs, width := first.Weight.Cols, m.Hidden.Weight.Rows
		if p.Deep && k > 0 {
			inputs += width
		}
		if m.Hidden.Direct {
			width += first.Weight.Cols
		}
		h := m.Hidden
		if first.Weight.Cols == 0 || h.Weight.Rows != first.Weight.Rows || h.Weight.Cols != inputs ||
			len(h.Bias) != h.Weight.Rows || h.Direct != first.Direct {
			return nil, fault.New(fault.Data, "the enhancement nodes of member %d have %d×%d weights and %d biases, "+
				"the first member's ask for %d×%d", k+1, h.Weight.Rows, h.Weight.Cols, len(h.Bias), first.Weight.Rows,
				inputs)
		}
		if m.Weight.Rows != width || m.Weight.Cols != len(p.Offset) {
			return nil, fault.New(fault.Data, "the output weights of member %d are %d×%d, its nodes and output.offset "+
				"ask for %d×%d", k+1, m.Weight.Rows, m.Weight.Cols, width, len(p.Offset))
		}
	}
	return &Model{p}, nil
}

// Dims returns the number of features and of outputs.
func (m *Model) Dims() (features, outputs int) {
	return m.parts.Members[0].Hidden.Weight.Cols, len(m.parts.Offset)
}

// PredictTo sets row i of dst to f(row i of x). Cost K·2P(n+m) operations a row, of a deep network 2P(n+P+m) a layer.
func (m *Model) PredictTo(dst, x *mat.Dense) {
	learn.CheckPredict(m, dst, x)
	in, out := x.RawMatrix(), dst.RawMatrix()
	rows, width := min(learn.PredictBlock, in.Rows), in.Cols+m.parts.Members[0].Hidden.Weight.Rows
	room := [2]blas.Matrix{blas.New(rows, width), blas.New(rows, width)}
	for lo := 0; lo < in.Rows; lo += learn.PredictBlock {
		hi := min(lo+learn.PredictBlock, in.Rows)
		h := [2]blas.Matrix{blas.View(room[0], 0, hi-lo, 0, width), blas.View(room[1], 0, hi-lo, 0, width)}
		m.predictBlock(blas.View(out, lo, hi, 0, out.Cols), blas.View(in, lo, hi, 0, in.Cols), h)
	}
}

// predictBlock sets out to the outputs for x. room is for [x, H] of two members in turn.
func (m *Model) predictBlock(out, x blas.Matrix, room [2]blas.Matrix) {
	for i := range out.Rows {
		clear(blas.Row(out, i))
		copy(blas.Row(room[0], i), blas.Row(x, i))
		copy(blas.Row(room[1], i), blas.Row(x, i))
	}
	input := x
	for k, member := range m.parts.Members {
		h, ctx := room[k%2], context.Background()
		_ = nodesTo(ctx, member.Hidden, input, h, x.Cols)
		_ = blas.Gemm(ctx, false, false, 1, features(h, x.Cols, member.Hidden.Direct), member.Weight, 1, out)
		if m.parts.Deep {
			input = h
		}
	}
	for i := range out.Rows {
		row := blas.Row(out, i)
		for j, v := range row {
			row[j] = v/float64(len(m.parts.Members)) + m.parts.Offset[j]
		}
	}
}

// nodesTo sets the columns of h from n on to the enhancement nodes of the layer for its inputs.
func nodesTo(ctx context.Context, layer rvfl.Layer, inputs, h blas.Matrix, n int) error {
	links := feature.Links{Weight: layer.Weight, Bias: layer.Bias, Activation: layer.Activation, NoDirect: true}
	return links.To(ctx, blas.View(h, 0, h.Rows, n, h.Cols), inputs)
}

// features returns what the output weights apply to: h = [x, H], or H alone without direct links to the n columns of x.
func features(h blas.Matrix, n int, direct bool) blas.Matrix {
	if direct {
		return h
	}
	return blas.View(h, 0, h.Rows, n, h.Cols)
}

// Weights returns the output weights of all members, one member below the other, and the offset.
func (m *Model) Weights() (weight blas.Matrix, offset []float64) {
	d := m.parts.Members[0].Weight.Rows
	weight = blas.New(d*len(m.parts.Members), len(m.parts.Offset))
	for k, member := range m.parts.Members {
		for i := range d {
			copy(blas.Row(weight, k*d+i), blas.Row(member.Weight, i))
		}
	}
	return weight, m.parts.Offset
}

// WithWeights returns the model with other weights, as Weights returns them, and another offset. The number of outputs
// may be another one. Other shapes are a fault.Data error.
func (m *Model) WithWeights(weight blas.Matrix, offset []float64) (*Model, error) {
	d := m.parts.Members[0].Weight.Rows
	if weight.Rows != d*len(m.parts.Members) {
		return nil, fault.New(fault.Data, "there are weights of %d features, expected %d for each of %d members",
			weight.Rows, d, len(m.parts.Members))
	}
	p := Parts{Deep: m.parts.Deep, Offset: offset}
	for k, member := range m.parts.Members {
		member.Weight = blas.View(weight, k*d, (k+1)*d, 0, weight.Cols)
		p.Members = append(p.Members, member)
	}
	return FromParts(p)
}
