package lupi

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/internal/rng"
	"rvflplus/internal/split"
	"rvflplus/learn"
)

// With many rows and random layers, settings are chosen by sums over rows: they are formed once for each scale of the
// random weights, over all rows but some that are held out, and every (C, γ) is then one factorisation. Settings chosen
// on a small sample would regularise many rows too much.

const (
	// mostSummedOn bounds the rows that settings are chosen on: their layers are held in memory.
	mostSummedOn = 20_000
	mostHeld     = 5_000
	heldShare    = 5  // one row in so many is held out
	testShare    = 10 // one row in so many has no part in choosing
)

// largeCGrid goes further than layerCGrid: more rows need less regularisation.
var largeCGrid = append(slices.Clone(layerCGrid), 100, 1000, 1e4)

// setUpLarge divides the rows: those that sums are formed over, those that are held out to choose by (rows), and those
// that have no part in choosing. Groups stay whole.
func (f *fit) setUpLarge() error {
	n := f.all.X.RawMatrix().Rows
	if err := f.checkLayers(min(n, mostSummedOn)); err != nil {
		return err
	}
	order, err := f.shuffled(n)
	if err != nil {
		return err
	}
	test := f.wholeGroups(order, min(n/testShare, mostTested))
	f.test = order[:test]
	basis := slices.Clone(order[test:min(n, test+mostSummedOn)])
	held := f.wholeGroups(basis, min(n/heldShare, mostHeld))
	left := map[int]bool{}
	for _, i := range basis[:held] {
		left[i] = true
	}
	slices.Sort(basis)
	f.sampled, f.basis = basis, f.all.Only(basis)
	for k, i := range basis {
		if left[i] {
			f.held = append(f.held, k)
		}
	}
	f.rows = f.basis.Only(f.held)
	return nil
}

// checkLayers estimates the memory of the layers of both spaces for some rows, and of their sums.
func (f *fit) checkLayers(rows int) error {
	width := f.Layers.Hidden + f.all.X.RawMatrix().Cols
	if f.all.Priv != nil {
		width += f.Layers.PrivHidden + f.all.Priv.RawMatrix().Cols
	}
	need := 8*float64(rows)*float64(width) + ridge.PrimalPathBytes(width, 1)
	return memory.Check(need, "choosing hyper-parameters with random layers",
		"use fewer enhancement nodes (%s, %s), or give %s and %s",
		fault.Name("hidden"), fault.Name("priv-hidden"), fault.Name("C"), fault.Name("gamma"))
}

// shuffled returns the rows in random order, whole groups after each other.
func (f *fit) shuffled(n int) ([]int, error) {
	if f.all.Group == nil {
		return rng.New(f.Seed, "choose").Perm(n), nil
	}
	groups := split.Members(f.all.Group)
	if len(groups) < 3 {
		return nil, split.FewGroups(len(groups))
	}
	var order []int
	for _, g := range rng.New(f.Seed, "choose").Perm(len(groups)) {
		order = append(order, groups[g]...)
	}
	return order, nil
}

// wholeGroups returns the first end of a group at or after the given place of rows in which groups follow each other,
// but before the last group.
func (f *fit) wholeGroups(order []int, at int) int {
	g := f.all.Group
	if g == nil {
		return at
	}
	boundary := func(k int) bool { return g[order[k-1]] != g[order[k]] }
	for k := at; k < len(order); k++ {
		if boundary(k) {
			return k
		}
	}
	for at--; at > 1 && !boundary(at); at-- {
	}
	return at
}

// heldOut returns the predictions of the rows held out under each C, nil where a system cannot be solved, by ridge
// regressions on features h of the basis; priv are privileged features of the rows that have them, and joint asks for
// predictions from both.
func (f *fit) heldOut(ctx context.Context, h, priv blas.Matrix, params []ridge.Params, joint bool,
	use func(k int, out *mat.Dense)) error {
	path, err := ridge.NewPrimalPath(ctx, ridge.PrimalPathProblem{
		H: h, Priv: priv, Y: f.basis.Y.RawMatrix(), Weight: weightsOf(f.basis), Sets: [][]int{f.held},
		Center: f.Center, Joint: joint,
	})
	if err != nil {
		return err
	}
	return f.each(ctx, len(params), f.basis.X.RawMatrix().Rows, 1, func(k int) {
		out := blas.New(path.HeldRows(), f.basis.Y.RawMatrix().Cols)
		if path.HeldOut(ctx, params[k], out) != nil || learn.CheckWeights(out) != nil {
			use(k, nil)
			return
		}
		use(k, mat.NewDense(out.Rows, out.Cols, out.Data))
	})
}

// overCs returns the best C of ridge regressions on features h.
func (f *fit) overCs(ctx context.Context, h blas.Matrix, r int) (choice, error) {
	var params []ridge.Params
	for _, c := range f.C {
		params = append(params, ridge.Params{C: c})
	}
	t, best := f.targets(), choice{r: r, loss: math.Inf(1)}
	err := f.heldOut(ctx, h, blas.Matrix{}, params, false, func(k int, out *mat.Dense) {
		if out == nil {
			return
		}
		if loss := t.loss(out); loss < best.loss {
			best = choice{r, f.C[k], loss, out}
		}
	})
	return best, err
}

// largeRidges is ridges for the scales of random layers, and for the features themselves as the last choice.
func (f *fit) largeRidges(ctx context.Context) ([]choice, error) {
	x := f.basis.X.RawMatrix()
	var choices []choice
	for r, u := range f.U {
		h, err := f.layer(ctx, x, u, false)
		if err != nil {
			return nil, err
		}
		best, err := f.overCs(ctx, h, r)
		if err != nil {
			return nil, err
		}
		choices = append(choices, best)
	}
	linear, err := f.overCs(ctx, x, 0)
	return append(choices, linear), err
}

// largeJoint chooses C and γ of the projected form by the loss of f(x) + g(x̃); the scale of the random weights is that
// of the tuned ridge regression.
func (f *fit) largeJoint(ctx context.Context) (pair, error) {
	best := pair{r: f.choices[least(f.choices[:len(f.U)])].r, loss: math.Inf(1)}
	best.priv = best.r
	u := f.U[best.r]
	h, err := f.layer(ctx, f.basis.X.RawMatrix(), u, false)
	if err != nil {
		return best, err
	}
	all := f.basis.Priv.RawMatrix()
	complete := all.Rows
	if f.basis.HasPriv != nil {
		complete = countTrue(f.basis.HasPriv)
	}
	priv, err := f.layer(ctx, blas.View(all, 0, complete, 0, all.Cols), u, true)
	if err != nil {
		return best, err
	}
	var params []ridge.Params
	for _, gamma := range f.Gamma {
		for _, c := range f.jointCs() {
			params = append(params, ridge.Params{C: c, Gamma: gamma, Correction: learn.Additive})
		}
	}
	t := f.targets()
	before := f.skipped
	err = f.heldOut(ctx, h, priv, params, true, func(k int, out *mat.Dense) {
		if out == nil {
			return
		}
		if loss := t.loss(out); loss < best.loss {
			best.c, best.gamma, best.loss = params[k].C, params[k].Gamma, loss
		}
	})
	best.tried, best.of = len(params)-(f.skipped-before), len(params)
	if math.IsInf(best.loss, 1) {
		best.c, best.gamma = params[0].C, params[0].Gamma // its fit says why it cannot be solved
	}
	return best, err
}

// jointCs lists the C that the projected form is chosen from: what the privileged features explain is no noise for it,
// so that its C is hardly less than that of the tuned ridge regression.
func (f *fit) jointCs() []float64 {
	tuned := f.choices[least(f.choices)].c
	return slices.DeleteFunc(slices.Clone(f.C), func(c float64) bool { return c < tuned/20 })
}

// withoutHeld returns the predictions of the rows held out by a model of the other rows of the basis.
func (f *fit) withoutHeld(ctx context.Context, train func(context.Context, learn.Problem) (learn.Model, error)) (
	*mat.Dense, error) {
	rest := f.basis.Only(split.Others(f.basis.X.RawMatrix().Rows, f.held))
	model, err := train(ctx, rest)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(len(f.held), f.basis.Y.RawMatrix().Cols, nil)
	model.PredictTo(out, f.rows.X)
	return out, nil
}

// chosenOn returns the rows that settings are chosen on, those held out included.
func (f *fit) chosenOn() learn.Problem {
	if f.large {
		return f.basis
	}
	return f.rows
}
