package kind

import (
	"context"
	"slices"

	"rvflplus/internal/param"
	"rvflplus/learn"
)

// Auto is the name under which users ask for the kind that training chooses.
const Auto = "auto"

// ofLayers and ofKernels are the parameters that tell what a model is built on.
var (
	ofLayers  = []param.Param{param.Hidden, param.PrivHidden, param.U, param.Activation, param.Init, param.Solver}
	ofKernels = append([]param.Param{param.PrivKernel, param.PrivWidth, param.ProjectKernel}, kernelParams...)
)

// ForAuto returns the kind that is trained when none is named, and the base it is built on where that is asked for.
// given lists the parameters that the user gave. It is the stack where training chooses (tune) and the stack has all of
// the parameters; else a kind with documented constants that has them.
func ForAuto(given []param.Param, privileged, tune bool) (k Kind, base string) {
	layers, kernels := containsAny(given, ofLayers), containsAny(given, ofKernels)
	std := slices.Contains(given, param.Param(param.Std)) // which kernel machines alone have
	kernels = kernels || std
	all := func(k Kind) bool { return !slices.ContainsFunc(given, func(p param.Param) bool { return !k.Takes(p) }) }
	if tune && !std && all(stackKind) && !heldBy(given, privileged, kernels) {
		base = "auto"
		switch {
		case layers && !kernels:
			base = "rvfl"
		case kernels:
			base = "krvfl"
		}
		return stackKind, base
	}
	candidates := []Kind{rvflKind, krvflKind}
	if privileged {
		candidates = []Kind{rvflPlusKind, krvflPlusKind}
	}
	if kernels && !layers {
		slices.Reverse(candidates)
	}
	if !all(candidates[0]) && all(candidates[1]) {
		return candidates[1], ""
	}
	return candidates[0], ""
}

func containsAny(given, of []param.Param) bool {
	return slices.ContainsFunc(given, func(p param.Param) bool { return slices.Contains(of, p) })
}

// heldBy reports whether C and γ, and of kernels the width, are given: then nothing is left that training chooses.
func heldBy(given []param.Param, gamma, width bool) bool {
	has := func(p param.Param) bool { return slices.Contains(given, p) }
	return has(param.C) && (!gamma || has(param.Gamma)) && (!width || has(param.Width))
}

// FreeOf lists the hyper-parameters of k that training chooses where given are held; none when these fix C and γ, and
// of kernels the width. A scaling other than the default is held.
func (k Kind) FreeOf(given []param.Param, c param.Config) (free []param.Param) {
	width := k.Has(param.Width) && c.Kernel.HasAutomaticWidth() && !(k.Has(param.Base) && c.Base == "rvfl")
	if heldBy(given, k.Has(param.Gamma), width) || c.Solver == "pinv" {
		return nil
	}
	chosen := k.Chosen
	for _, t := range k.Tuned {
		chosen = append(chosen, t.Param)
	}
	for _, p := range chosen {
		if !slices.Contains(given, p) {
			free = append(free, p)
		}
	}
	if k.ChoosesScale && !slices.Contains(given, param.Param(param.Scale)) && c.Scale == param.Scale.Default() {
		free = append(free, param.Scale)
	}
	return free
}

// Chooser is an Estimator that chooses free hyper-parameters (param.Config.Free) itself, by exact leave-one-out.
type Chooser interface {
	// Chooses reports whether it does so for a config; otherwise a search has to.
	Chooses(c param.Config, privileged bool) bool
	// Choose returns the config with the hyper-parameters chosen on a problem, and what was tried.
	Choose(ctx context.Context, c param.Config, p learn.Problem, t Targets) (param.Config, *learn.Outcome, error)
}

// ChoosesItself reports whether training a config chooses its free hyper-parameters without a search.
func (k Kind) ChoosesItself(c param.Config, privileged bool) bool {
	if len(k.Chosen) > 0 {
		return true
	}
	own, is := k.Estimator.(Chooser)
	return is && own.Chooses(c, privileged)
}

// chooseRidge chooses the free hyper-parameters of krvfl, krvfl+, rvfl and rvfl+.
func chooseRidge(ctx context.Context, base string, c param.Config, p learn.Problem, t Targets) (
	param.Config, *learn.Outcome, error) {
	c.Base = base
	m := method{name: "tuned"}
	if p.Priv != nil {
		m.name = "projected"
	}
	config := m.config(c, t)
	config.Printed = true
	chosen, outcome, err := config.Choose(ctx, p)
	if err != nil {
		return c, nil, err
	}
	c.C, c.Free = chosen.C, nil
	if p.Priv != nil {
		c.Gamma = chosen.Gamma
	}
	if base == "rvfl" {
		c.U = chosen.U
		return c, outcome, nil
	}
	c.Kernel = chosen.Kernel
	if p.Priv != nil {
		c.PrivKernel = chosen.PrivKernel
	}
	return c, outcome, nil
}

func choosesRidge(c param.Config, privileged bool) bool {
	return c.Solver != "pinv" && (!privileged || c.Correction == learn.Projected)
}

// Chooses implements Chooser.
func (kernels) Chooses(c param.Config, privileged bool) bool { return choosesRidge(c, privileged) }

// Choose implements Chooser.
func (kernels) Choose(ctx context.Context, c param.Config, p learn.Problem, t Targets) (
	param.Config, *learn.Outcome, error) {
	return chooseRidge(ctx, "krvfl", c, p, t)
}

// Chooses implements Chooser.
func (layers) Chooses(c param.Config, privileged bool) bool { return choosesRidge(c, privileged) }

// Choose implements Chooser.
func (layers) Choose(ctx context.Context, c param.Config, p learn.Problem, t Targets) (
	param.Config, *learn.Outcome, error) {
	c, err := withRelevance(ctx, c, p, t)
	if err != nil {
		return c, nil, err
	}
	return chooseRidge(ctx, "rvfl", c, p, t)
}
