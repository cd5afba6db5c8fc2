package kind

import (
	"context"
	"slices"

	"rvflplus/internal/lupi"
	"rvflplus/internal/param"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Together is methods that choose their settings on one problem together, and Null the same for permutation tests.
type (
	Together = lupi.Config
	Selected = lupi.Selected
	Null     = lupi.Null
)

// RowLosses are the losses of rows, each left out of what predicts it.
type RowLosses = lupi.RowLosses

// TunedLosses returns the losses of rows left out of the KRVFL of kernel rbf whose C and width are chosen by them. Of c
// its Center and Seed count.
func TunedLosses(ctx context.Context, c param.Config, p learn.Problem, t Targets) (RowLosses, error) {
	return lupi.Config{
		Base: "krvfl", Kernel: kernel.Must("rbf"), Linear: true, Widths: lupi.Free().Scales,
		Center: c.Center && !t.Classification, Classes: t.Classification, Seed: c.Seed,
	}.TunedLosses(ctx, p)
}

// printed is the base of krvfl and krvfl+, whose linear kernel is that of the paper; see lupi.Config.Printed.
const printed = "printed"

// Member returns what package lupi calls the method that kind k is with a correction ("" for kinds without one), and
// the base that the method is built on; "" where package lupi has no such method.
func (k Kind) Member(correction learn.Correction) (name, base string) {
	_, own := k.Estimator.(method)
	switch {
	case own:
		return k.Name, "krvfl"
	case k.Name == krvflKind.Name:
		return "tuned", printed
	case k.Name == krvflPlusKind.Name && (correction == learn.Projected || correction == learn.Additive):
		return string(correction), printed
	case k.Name == rvflPlusKind.Name && correction == learn.Projected:
		return "projected", "rvfl"
	}
	return "", ""
}

// BestOfNormal returns the trainer of what training without flags makes of normal columns alone: the kind averaged with
// every hyper-parameter free, kernels and widths of columns included. Of c its encoding, Center and Seed count.
func BestOfNormal(c param.Config, t Targets) learn.Trainer {
	c.Kind, c.Base, c.Free = averagedKind.Name, "krvfl", averagedKind.Chosen
	return method{name: averagedKind.Name}.config(averagedKind.Complete(c), t)
}

// ChooseTogether returns the methods of a base with every hyper-parameter free that a method chooses.
func ChooseTogether(c param.Config, base string, t Targets) Together {
	c.Kind = stackKind.Name
	c = stackKind.Complete(c)
	c.Base = base
	isKernel := func(p param.Param) bool { return p == param.Param(param.Kernel) }
	c.Free = slices.DeleteFunc(slices.Clone(stackKind.Chosen), isKernel)
	if base == printed {
		c.Base = "krvfl"
	}
	config := method{name: "stack"}.config(c, t)
	config.Printed = base == printed
	return config
}
