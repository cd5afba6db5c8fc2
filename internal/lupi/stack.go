package lupi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/internal/split"
	"rvflplus/learn"
)

// stack is the super-learner: a convex mixture of the averaged ridge regression, which knows nothing privileged, and of
// the privileged methods, shrunk towards the averaged one,
//
//	f = f_avg + κ(f_stack − f_avg),  κ = max(0, 1 − 1/z²),
//
// with z the mean paired difference of their losses of rows left out over its standard error, 0 where it is negative.
// With Single it is instead the simplest member that is not worse than the best one by more than one standard error.
func (f *fit) stack(ctx context.Context) (*member, error) {
	f.expect(f.plan())
	members, err := f.stacked(ctx)
	if err != nil {
		return nil, err
	}
	if f.Single {
		f.chosen = f.simplest(members)
	} else {
		f.chosen, f.kappa = f.mixStack(members)
	}
	switch {
	case !f.Nested || f.late():
	case f.learnedAll != nil && f.test == nil && !f.Single:
		f.nested = f.estimateMixed()
	default:
		f.nested, err = f.estimate(ctx)
		if ctx.Err() == nil && (errors.Is(err, fault.NotSolved) || errors.Is(err, fault.Data)) {
			err = nil // the rows outside a fold are too few to choose on
		}
	}
	return f.chosen, err
}

// plan returns the number of settings of all members, those of the nested estimate included.
func (f *fit) plan() int {
	scales, hidden := len(f.kernels())*len(f.Widths), len(f.PrivWidths)
	joint := scales * hidden
	if f.Base == "rvfl" {
		scales, hidden, joint = len(f.U), len(f.U), len(f.U)
		if f.large {
			joint = 1
		}
	}
	n := (scales + 1) * len(f.C)
	for _, name := range f.memberNames() {
		switch name {
		case "projected", "label":
			n += joint * len(f.Gamma) * len(f.C)
		case "distill":
			n += (scales + hidden) * len(f.C)
		case "transfer":
			n += 3 * scales * len(f.C)
		case "weigh":
			n += (hidden + scales*len(f.Powers)) * len(f.C)
		}
	}
	if f.Nested && f.sampled == nil && len(f.toLearn()) == 0 {
		n *= nestedFolds + 1
	}
	n += len(f.toLearn()) * (f.learnedFolds() + 1)
	return n
}

// memberNames lists the privileged members.
func (f *fit) memberNames() []string {
	if f.Members != nil {
		return f.Members
	}
	return f.possible()
}

// stacked makes the members: the averaged one first.
func (f *fit) stacked(ctx context.Context) ([]*member, error) {
	var members []*member
	for _, name := range append([]string{"averaged"}, f.memberNames()...) {
		m, err := f.methods()[name](ctx)
		if err == nil {
			m, err = f.onFolds(ctx, m)
		}
		if err != nil && ctx.Err() == nil && len(members) > 0 && f.passOver(err) {
			continue // what cannot be solved is no member
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(members, m) {
			members = append(members, m)
		}
	}
	f.stackedOn = members
	return members, nil
}

// passOver reports whether a member that failed is left out of the stack. Where the members are not named, and in the
// nested estimate, rows or a kernel that do not suit one are no mistake of the user's.
func (f *fit) passOver(err error) bool {
	return errors.Is(err, fault.NotSolved) || (f.Members == nil || f.parent != nil) && !errors.Is(err, fault.Resource)
}

// possible lists the privileged methods that the rows allow.
func (f *fit) possible() []string {
	if f.rows.Priv == nil || f.complete < fewest {
		return nil
	}
	names := []string{"projected"}
	if f.canDistill() == nil {
		names = append(names, "distill")
	}
	if f.Base == "krvfl" {
		names = append(names, "transfer")
	}
	return names
}

// mixStack returns the shrunk mixture of the members, of which the first is the averaged one.
func (f *fit) mixStack(members []*member) (*member, float64) {
	averaged := members[0]
	if len(members) == 1 {
		return averaged, 0
	}
	weights, kappa := f.mixStackWeights(members)
	return &member{name: "stack", privileged: kappa > 0, out: mixed(members, weights), parts: mixture(members, weights),
		shares: sharesOf(members, weights)}, kappa
}

// mixStackWeights returns the weights of the shrunk mixture, and κ.
func (f *fit) mixStackWeights(members []*member) (weights []float64, kappa float64) {
	weights = f.simplex(members)
	if _, z := f.gain(members[0].out, mixed(members, weights)); z > 0 {
		kappa = max(0, 1-1/(z*z))
	}
	for k := range weights {
		weights[k] *= kappa
	}
	weights[0] += 1 - kappa
	return weights, kappa
}

func sharesOf(members []*member, weights []float64) []share {
	var out []share
	for k, m := range members {
		out = append(out, share{m.name, weights[k]})
	}
	return out
}

// gain returns the mean by which the losses of the second predictions are less than those of the first, and that over
// its standard error.
func (f *fit) gain(first, second *mat.Dense) (mean, z float64) {
	a, b := f.losses(first), f.losses(second)
	for i := range a {
		a[i] -= b[i]
	}
	mean, se := f.mean(a)
	scale, _ := f.mean(b)
	return mean, mean / (se + 1e-12*scale + math.SmallestNonzeroFloat64)
}

// simplest returns the first of the constant, the tuned, the averaged and the privileged members that is not worse
// than the best of them by more than one standard error of the paired difference.
func (f *fit) simplest(members []*member) *member {
	all := append([]*member{f.constant(), f.members["tuned"]}, members...)
	best := all[0]
	for _, m := range all[1:] {
		if f.loss(m) < f.loss(best) {
			best = m
		}
	}
	for _, m := range all {
		worse, z := f.gain(m.out, best.out)
		if worse <= 0 || z <= 1 {
			return m
		}
	}
	return best
}

func (f *fit) loss(m *member) float64 {
	mean, _ := f.mean(f.losses(m.out))
	return mean
}

// constant predicts the mean of the targets.
func (f *fit) constant() *member {
	n, m := f.rows.Y.Dims()
	out := mat.NewDense(n, m, nil)
	folds := f.folds
	for i := 0; f.folds == nil && i < n; i++ {
		folds = append(folds, []int{i})
	}
	sums, total := f.weighted(slices.Concat(folds...))
	for _, fold := range folds {
		own, left := f.weighted(fold)
		left = total - left
		for _, i := range fold {
			for j := range m {
				mean := (sums[j] - own[j]) / left
				if !(left > 1e-12*total) { // the fold has all the weight
					mean = sums[j] / total
				}
				out.Set(i, j, mean)
			}
		}
	}
	return &member{name: "constant", out: out, parts: []part{{key: "constant", weight: 1, train: trainConstant}}}
}

// weighted returns the weighted sums of the targets of some rows, and their weight.
func (f *fit) weighted(rows []int) (sums []float64, total float64) {
	sums = make([]float64, f.rows.Y.RawMatrix().Cols)
	for _, i := range rows {
		total += f.weight[i]
		for j := range sums {
			sums[j] += f.weight[i] * f.rows.Y.At(i, j)
		}
	}
	return sums, total
}

// nestedFolds is the number of folds of the nested estimate.
const nestedFolds = 5

// estimate measures what was chosen on rows that had no part in choosing: the rows outside the sample, or, without a
// sample, five folds, each of which is predicted by what is chosen on the others.
func (f *fit) estimate(ctx context.Context) (*learn.Nested, error) {
	p, e := f.rows, &learn.Nested{}
	var folds [][]int
	if f.test != nil {
		p, folds = f.all, [][]int{f.test}
		e.How = fmt.Sprintf("%d rows outside the sample", len(f.test))
	} else {
		var err error
		if folds, err = f.outerFolds(); err != nil {
			return nil, err
		}
		e.How = fmt.Sprintf("%d folds, each predicted by what the others choose", len(folds))
	}
	var chosen, tuned, averaged, weight []float64
	for _, fold := range folds {
		inner, scale := f, f.scale
		if f.test == nil {
			own, err := f.chooseAnew(ctx, p.Only(split.Others(p.X.RawMatrix().Rows, fold)))
			if err != nil {
				return nil, err
			}
			inner = own
		}
		held := p.Only(fold)
		for _, part := range []struct {
			m  *member
			to *[]float64
		}{{inner.chosen, &chosen}, {inner.members["tuned"], &tuned}, {inner.members["averaged"], &averaged}} {
			model, err := inner.refit(ctx, part.m, inner.chosenOn())
			if err != nil {
				return nil, err
			}
			out := mat.NewDense(len(fold), len(scale), nil)
			model.PredictTo(out, held.X)
			*part.to = append(*part.to, metric.SquaredErrors(held.Y.RawMatrix(), out.RawMatrix(), scale)...)
		}
		weight = append(weight, weightsOf(held)...)
	}
	e.Rows = len(chosen)
	e.Loss, e.SE = metric.WeightedMean(chosen, weight)
	e.Tuned, e.TunedSE = metric.WeightedMean(tuned, weight)
	e.Averaged, _ = metric.WeightedMean(averaged, weight)
	for i := range averaged {
		averaged[i] -= chosen[i]
	}
	e.Gain, e.GainSE = metric.WeightedMean(averaged, weight)
	return e, nil
}

// The nested estimate takes rows outside the sample where there are at least fewestTested, and at most mostTested.
const fewestTested, mostTested = 100, 5000

// outside returns those of the given rows, which are not in the sample, on which the nested estimate is taken: none of
// a group that has rows in the sample; nil where few are left.
func (f *fit) outside(rows []int) []int {
	if f.all.Group != nil {
		seen := map[int]bool{}
		for _, g := range f.rows.Group {
			seen[g] = true
		}
		rows = slices.DeleteFunc(rows, func(i int) bool { return seen[f.all.Group[i]] })
		if len(rows) < fewestTested {
			return nil
		}
	}
	return rows[:min(len(rows), mostTested)]
}

func (f *fit) outerFolds() ([][]int, error) {
	if f.rows.Group != nil {
		return split.Groups(f.rows.Group, min(nestedFolds, len(split.Members(f.rows.Group))), f.Seed+1)
	}
	return dealt(f.rows.X.RawMatrix().Rows, nestedFolds, f.Seed+1)
}

// chooseAnew makes the same choices on other rows.
func (f *fit) chooseAnew(ctx context.Context, p learn.Problem) (*fit, error) {
	own := &fit{Config: f.Config, all: p, parent: f, deadline: f.deadline, widths: f.widths}
	own.Nested = false
	if err := own.setUp(); err != nil {
		return nil, err
	}
	_, err := own.stack(ctx)
	return own, err
}
