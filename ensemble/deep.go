package ensemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/memory"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// Train fits edRVFL (Q. Shi, R. Katuwal, P. N. Suganthan, M. Tanveer, "Random vector functional link neural network
// based ensemble deep learning", Pattern Recognition 117, 2021), and edRVFL+ when p has privileged features. The
// enhancement nodes of layer 1 see x, those of layer l > 1 see [x, Hₗ₋₁]; each layer has an output [x, Hₗ]wₗ of its own
// by ridge regression, and the outputs are averaged. With privileged features each wₗ is that of RVFL+ on [x̃, H̃ₗ],
// where H̃ₗ are the layers of a second deep network, on x̃.
//
// The random weights of layer l are scaled by √(n/inputs), so that U means in every layer what it means in the first.
//
// Cost L trainings of package rvfl with n+P features and NP² operations a layer; memory for 3N(n+P+d+P̃) numbers.
func (c DeepConfig) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	if err := errors.Join(c.Validate(), p.Check()); err != nil {
		return nil, learn.Report{}, err
	}
	c.Layers = cmp.Or(c.Layers, deepLayers)
	normal, priv, err := c.spaces(p)
	if err != nil {
		return nil, learn.Report{}, err
	}
	if priv == nil {
		p.Unlabelled = nil // they teach by their privileged features alone
	}
	a := average{deep: true}
	for l := 1; l <= c.Layers; l++ {
		layer := p
		layer.Progress = told(p.Progress, fmt.Sprintf("layer %d of %d: ", l, c.Layers))
		nodes, x, unlabelled, err := normal.next(ctx, l)
		if err != nil {
			return nil, learn.Report{}, err
		}
		layer.X, layer.Columns, layer.PrivColumns = x, nil, nil // outputs of random layers
		var linksPriv *rvfl.Layer
		if priv != nil {
			var unlabelledPriv *mat.Dense
			if _, layer.Priv, unlabelledPriv, err = priv.next(ctx, l); err != nil {
				return nil, learn.Report{}, err
			}
			linksPriv = links(layer.Priv)
			if p.Unlabelled != nil {
				layer.Unlabelled = &learn.Unlabelled{X: unlabelled, Priv: unlabelledPriv}
			}
		}
		m, report, err := c.Network.TrainWith(ctx, layer, links(x), linksPriv)
		if err != nil {
			return nil, learn.Report{}, err
		}
		a.add(*nodes, m, report)
	}
	return a.result()
}

// links returns the layer that hands its inputs on as they are: it has direct links alone.
func links(h *mat.Dense) *rvfl.Layer {
	_, width := h.Dims()
	return &rvfl.Layer{Weight: blas.New(0, width), Direct: true}
}

// spaces returns the normal space and the privileged one, which is nil without privileged features.
func (c DeepConfig) spaces(p learn.Problem) (normal, priv *space, err error) {
	n, d := widths(p)
	rows, m := p.Y.Dims()
	var x, xPriv *mat.Dense // of rows without targets
	if p.Unlabelled != nil && d > 0 {
		x, xPriv = p.Unlabelled.X, p.Unlabelled.Priv
		rows += x.RawMatrix().Rows
	}
	nodes, privNodes := c.Network.Hidden, cmp.Or(c.Network.PrivHidden, c.Network.Hidden)
	if err := checkMemory(c.Layers, nodes, n, m, n+nodes, fault.Name("layers")); err != nil {
		return nil, nil, err
	}
	width := float64(n + nodes)
	if d > 0 {
		width += float64(d + privNodes)
	}
	if err := memory.Check(24*float64(rows)*width, "a deep network on all rows", "use fewer rows or smaller %s",
		fault.Name("hidden")); err != nil {
		return nil, nil, err
	}
	if normal, err = c.space(p.X, x, nil, nodes, "hidden"); err != nil || d == 0 {
		return normal, nil, err
	}
	priv, err = c.space(p.Priv, xPriv, p.HasPriv, privNodes, "priv.hidden")
	return normal, priv, err
}

// space is one space on its way through the layers.
type space struct {
	c      rvfl.Config
	nodes  int
	act    activation.Func
	stream string // without the number of the layer
	rows   int    // with targets; the others follow
	x      blas.Matrix
	h      [2]blas.Matrix // [x, H] of the layers with odd and with even numbers
}

// space returns the space of x and of rows without targets, which may be nil. Rows of x that has says false of, unless
// it is nil, are not read: they are rows of zeros.
func (c DeepConfig) space(x, unlabelled *mat.Dense, has []bool, nodes int, stream string) (*space, error) {
	act, err := activation.ByName(c.Network.Activation)
	if err != nil {
		return nil, err
	}
	rows, n := x.Dims()
	all := rows
	if unlabelled != nil {
		all += unlabelled.RawMatrix().Rows
	}
	s := &space{c: c.Network, nodes: nodes, act: act, stream: stream, rows: rows}
	for k := range s.h {
		s.h[k] = blas.New(all, n+nodes)
		for i := range all {
			switch {
			case i >= rows:
				copy(blas.Row(s.h[k], i), unlabelled.RawRowView(i-rows))
			case has == nil || has[i]:
				copy(blas.Row(s.h[k], i), x.RawRowView(i))
			}
		}
	}
	s.x = blas.View(s.h[0], 0, all, 0, n)
	return s, nil
}

// next draws layer l, from 1, whose nodes see the layer before. It returns the layer and the features [x, H] of its
// output, or H without direct links, of the rows with targets and of the others (nil if there are none). The features
// are good until the layer after the next one.
func (s *space) next(ctx context.Context, l int) (drawn *rvfl.Layer, labelled, others *mat.Dense, err error) {
	inputs, n := s.x, s.x.Cols
	if l > 1 {
		inputs = s.h[l%2]
	}
	nodes, err := feature.Draw{
		Nodes: s.nodes, U: s.c.U * math.Sqrt(float64(n)/float64(inputs.Cols)), Init: s.c.Init, Activation: s.act,
		NoDirect: !s.c.Direct, Seed: s.c.Seed, Stream: fmt.Sprintf("layer%d.%s", l, s.stream),
	}.New(feature.Sample{X: inputs})
	if err != nil {
		return nil, nil, nil, err
	}
	h := s.h[(l+1)%2]
	drawn = layerOf(nodes)
	if err := nodesTo(ctx, *drawn, inputs, h, n); err != nil {
		return nil, nil, nil, err
	}
	if s.c.Direct {
		n = 0
	}
	all := mat.NewDense(h.Rows, h.Cols, h.Data).Slice(0, h.Rows, n, h.Cols).(*mat.Dense)
	if s.rows < h.Rows {
		others = learn.Rows(all, s.rows, h.Rows)
	}
	return drawn, learn.Rows(all, 0, s.rows), others, nil
}
