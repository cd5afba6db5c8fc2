package ensemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/memory"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// Train fits the average of K networks, of RVFL+ when p has privileged features. Cost K trainings of package rvfl, and
// the memory of one beside the K members.
func (c Config) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	if err := errors.Join(c.Validate(), p.Check()); err != nil {
		return nil, learn.Report{}, err
	}
	return c.average(ctx, p, "")
}

func (c Config) average(ctx context.Context, p learn.Problem, prefix string) (learn.Model, learn.Report, error) {
	var a average
	if err := c.each(ctx, p, prefix, a.add); err != nil {
		return nil, learn.Report{}, err
	}
	return a.result()
}

// each trains the members one after the other and hands them to use. The names of the members' random streams begin
// with prefix.
func (c Config) each(ctx context.Context, p learn.Problem, prefix string,
	use func(rvfl.Layer, *rvfl.Model, learn.Report)) error {
	rows := p.CompleteFirst()
	n, m := rows.X.Cols, rows.Y.Cols
	if err := checkMemory(c.Members, c.Network.Hidden, n, m, n, fault.Name("members")); err != nil {
		return err
	}
	for k := 1; k <= c.Members; k++ {
		drawn := feature.Layers{
			Hidden: c.Network.Hidden, PrivHidden: cmp.Or(c.Network.PrivHidden, c.Network.Hidden), U: c.Network.U,
			Init: c.Network.Init, Relevance: c.Network.Relevance, PrivRelevance: c.Network.PrivRelevance,
			Activation: c.Network.Activation, Direct: c.Network.Direct, Seed: c.Network.Seed,
			Prefix: fmt.Sprintf("%smember%d.", prefix, k),
		}
		normal, priv, err := drawn.Draw(rows)
		if err != nil {
			return err
		}
		one := p
		one.Progress = told(p.Progress, fmt.Sprintf("network %d of %d: ", k, c.Members))
		m, report, err := c.Network.TrainWith(ctx, one, layerOf(normal), layerOf(priv))
		if err != nil {
			return err
		}
		use(*layerOf(normal), m, report)
	}
	return nil
}

// widths returns the number of normal and of privileged features.
func widths(p learn.Problem) (normal, priv int) {
	_, normal = p.X.Dims()
	if p.Priv != nil {
		_, priv = p.Priv.Dims()
	}
	return normal, priv
}

// checkMemory judges the members that a model keeps: count members of the given nodes, each of which has inputs, and
// of n features and m outputs.
func checkMemory(count, nodes, n, m, inputs int, fewer any) error {
	need := 8 * float64(count) * (float64(nodes)*float64(inputs+1) + float64(n+nodes)*float64(m))
	return memory.Check(need, fmt.Sprintf("a model of %d networks with %d enhancement nodes", count, nodes),
		"use smaller %s or %s", fewer, fault.Name("hidden"))
}

// layerOf returns the layer as package rvfl takes it; nil stays nil.
func layerOf(l *feature.Links) *rvfl.Layer {
	if l == nil {
		return nil
	}
	return &rvfl.Layer{Weight: l.Weight, Bias: l.Bias, Activation: l.Activation, Direct: !l.NoDirect}
}
