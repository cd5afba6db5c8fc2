// Package feature holds explicit feature maps h(x): functions that turn a row of n prepared features into a longer
// row, on which a linear model is fitted.
package feature

import (
	"context"
	"strings"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/parallel"
	"rvflplus/internal/rng"
)

// Links is the random functional-link layer of an RVFL network (the paper's
// eq:2): the features themselves (direct links) followed by P enhancement nodes,
// h(x) = [x, G(x·Aᵀ + b)].
type Links struct {
	Weight     blas.Matrix // A, P×n
	Bias       []float64   // b, P
	Activation activation.Func
	NoDirect   bool // leaves the direct links out
}

// Draw says how the enhancement nodes of a Links are drawn. The same values give
// the same layer on every machine.
type Draw struct {
	Nodes      int             // P ≥ 1
	U          float64         // scale of weights and biases, > 0
	Init       string          // one of Inits
	Relevance  []float64       // of Init Relevance: a factor ≥ 0 for each feature; nil means 1
	Activation activation.Func //
	NoDirect   bool
	Seed       uint64
	Stream     string // names the purpose; different names give independent layers
}

// Ways of drawing the weights that need more than the number of features.
const (
	Relevance   = "relevance"
	Differences = "differences"
)

// Inits lists the distributions of weights: "uniform" draws weights from
// U[-u, u], "gaussian" from N(0, u²); "relevance" multiplies the uniform ones of each
// feature by its relevance. Biases are U[0, u] in all of them. "differences" takes weights
// and biases from pairs of rows with different targets.
func Inits() []string { return []string{"uniform", "gaussian", Relevance, Differences} }

// Sample is the rows that a layer is drawn for. Differences are taken from them; the other
// distributions look at the number of features alone.
type Sample struct {
	X, Y   blas.Matrix // N×n, N×m
	Weight []float64   // all > 0; nil means 1
}

// Inputs returns n.
func (l *Links) Inputs() int { return l.Weight.Cols }

// Width returns the length of h(x): n+P, or P without direct links.
func (l *Links) Width() int { return l.direct() + l.Weight.Rows }

// direct returns the number of direct links.
func (l *Links) direct() int {
	if l.NoDirect {
		return 0
	}
	return l.Weight.Cols
}

// New draws the layer for rows: all weights, node by node, then all biases.
func (d Draw) New(rows Sample) (*Links, error) {
	r := rng.New(d.Seed, d.Stream)
	weight := func() float64 { return d.U * (2*r.Float64() - 1) }
	switch d.Init {
	case "uniform":
	case "gaussian":
		weight = func() float64 { return d.U * r.NormFloat64() }
	case Relevance:
		if d.Relevance != nil && len(d.Relevance) != rows.X.Cols {
			return nil, fault.New(fault.Usage, "%s has %d numbers for %d features", fault.Set("init", Relevance),
				len(d.Relevance), rows.X.Cols)
		}
	case Differences:
		return d.differences(rows), nil
	default:
		return nil, fault.Param("init", "one of "+strings.Join(Inits(), ", "), d.Init)
	}
	l := &Links{Activation: d.Activation, NoDirect: d.NoDirect}
	l.Weight, l.Bias = blas.New(d.Nodes, rows.X.Cols), make([]float64, d.Nodes)
	for i := range l.Weight.Data {
		l.Weight.Data[i] = weight()
	}
	for i := range l.Bias {
		l.Bias[i] = d.U * r.Float64()
	}
	if d.Init == Relevance {
		l.scale(d.Relevance)
	}
	return l, nil
}

// scale multiplies the weights of each feature by its factor.
func (l *Links) scale(factors []float64) {
	for i := range l.Weight.Rows {
		node := blas.Row(l.Weight, i)
		for j, factor := range factors {
			node[j] *= factor
		}
	}
}

// To sets row i of dst to h(row i of x). A row's bits do not depend on the other
// rows. Cost 2·n·P operations a row.
func (l *Links) To(ctx context.Context, dst, x blas.Matrix) error {
	if x.Cols != l.Inputs() || dst.Cols != l.Width() || dst.Rows != x.Rows {
		panic("feature: dimension mismatch")
	}
	nodes := blas.View(dst, 0, dst.Rows, l.direct(), dst.Cols)
	if err := blas.Gemm(ctx, false, true, 1, x, l.Weight, 0, nodes); err != nil {
		return err
	}
	return parallel.Blocks(ctx, dst.Rows, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if !l.NoDirect {
				copy(blas.Row(dst, i), blas.Row(x, i))
			}
			row := blas.Row(nodes, i)
			blas.Axpy(1, l.Bias, row)
			l.Activation.Apply(row)
		}
	})
}
