package feature

import (
	"fmt"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/learn"
)

// Layers says how the random layers of both spaces are drawn.
type Layers struct {
	Hidden, PrivHidden int     // enhancement nodes of the normal and the privileged space
	U                  float64 // see Draw
	Init               string
	// Relevance and PrivRelevance hold, for Init Relevance, a factor for each feature of both spaces. The privileged
	// ones may be nil, for 1 each.
	Relevance, PrivRelevance []float64
	Activation               string // a name of package activation
	Direct                   bool   // with direct links
	Seed                     uint64
	Prefix                   string // of the names of the streams; different ones give independent layers
}

// Draw draws the layers for the rows of a problem. The two are independent; priv is nil without privileged features.
func (l Layers) Draw(rows learn.Ordered) (normal, priv *Links, err error) {
	d := rows.Priv.Cols
	if err := l.checkMemory(rows.X.Cols, d); err != nil {
		return nil, nil, err
	}
	if normal, err = l.Space(Sample{rows.X, rows.Y, rows.Weight}, false); err != nil || d == 0 {
		return normal, nil, err
	}
	priv, err = l.Space(Sample{
		blas.View(rows.Priv, 0, rows.Complete, 0, d), blas.View(rows.Y, 0, rows.Complete, 0, rows.Y.Cols),
		rows.Weight[:rows.Complete],
	}, true)
	return normal, priv, err
}

// Space draws the layer of one space, normal or privileged, for rows of its features.
func (l Layers) Space(rows Sample, priv bool) (*Links, error) {
	act, err := activation.ByName(l.Activation)
	if err != nil {
		return nil, err
	}
	if err := l.checkMemory(rows.X.Cols, 0); err != nil {
		return nil, err
	}
	if l.Init == Relevance && l.Relevance == nil {
		return nil, fault.New(fault.Usage, "%s needs the relevance of the features, which is not known",
			fault.Set("init", Relevance)).WithHint("use %s", fault.Set("init", "uniform"))
	}
	draw := Draw{Nodes: l.Hidden, U: l.U, Init: l.Init, Relevance: l.Relevance, Activation: act, NoDirect: !l.Direct,
		Seed: l.Seed, Stream: l.Prefix + "hidden"}
	if priv {
		draw.Nodes, draw.Relevance, draw.Stream = l.PrivHidden, l.PrivRelevance, l.Prefix+"priv.hidden"
	}
	return draw.New(rows)
}

// checkMemory judges the weights of layers for n normal and d privileged features.
func (l Layers) checkMemory(n, d int) error {
	need := 8 * (float64(l.Hidden)*float64(n+1) + float64(l.PrivHidden)*float64(d+1))
	return memory.Check(need, fmt.Sprintf("a model with %d + %d enhancement nodes", l.Hidden, l.PrivHidden),
		"use fewer enhancement nodes (%s, %s)", fault.Name("hidden"), fault.Name("priv-hidden"))
}
