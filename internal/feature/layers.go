package feature

import (
	"fmt"

	"rvflplus/activation"
	"rvflplus/fault"
	"rvflplus/internal/memory"
)

// Layers says how the random layers of both spaces are drawn.
type Layers struct {
	Hidden, PrivHidden int     // enhancement nodes of the normal and the privileged space
	U                  float64 // see Draw
	Init               string
	Activation         string // a name of package activation
	Direct             bool   // with direct links
	Seed               uint64
	Prefix             string // of the names of the streams; different ones give independent layers
}

// Draw draws the layers for n normal and d privileged features; the two are independent,
// and priv is nil for d = 0.
func (l Layers) Draw(n, d int) (normal, priv *Links, err error) {
	act, err := activation.ByName(l.Activation)
	if err != nil {
		return nil, nil, err
	}
	need := 8 * (float64(l.Hidden)*float64(n+1) + float64(l.PrivHidden)*float64(d+1))
	err = memory.Check(need, fmt.Sprintf("a model with %d + %d enhancement nodes", l.Hidden, l.PrivHidden),
		"use fewer enhancement nodes (%s, %s)", fault.Name("hidden"), fault.Name("priv-hidden"))
	if err != nil {
		return nil, nil, err
	}
	draw := Draw{Nodes: l.Hidden, U: l.U, Init: l.Init, Activation: act, NoDirect: !l.Direct, Seed: l.Seed}
	draw.Stream = l.Prefix + "hidden"
	if normal, err = draw.New(n); err != nil || d == 0 {
		return normal, nil, err
	}
	draw.Nodes, draw.Stream = l.PrivHidden, l.Prefix+"priv.hidden"
	priv, err = draw.New(d)
	return normal, priv, err
}
