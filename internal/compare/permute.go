package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"rvflplus/internal/kind"
	"rvflplus/learn"
)

// Permutation is the test behind the verdict.
type Permutation struct {
	Rounds, Rows int
	// Without is the least leave-one-out loss of a tuned method without privileged columns, Baseline: the mean over
	// rows of the squared error of the outputs. The averaged method is not looked at, because the weights of its
	// mixture are fitted to the very predictions that its loss is of.
	Without  float64
	Baseline string
	Tests    []Test // one for each privileged method in closed form

	plain []plainLoss
}

// plainLoss is the loss of a method without privileged columns.
type plainLoss struct {
	method string
	loss   float64
}

// Test is the permutation test of one method.
type Test struct {
	Method    string
	Statistic float64   // T, the gain in leave-one-out loss over Without
	Null      []float64 // T with residuals permuted
	P, Holm   float64   // the p-value, and adjusted for the number of methods, those judged on held-out rows included
	form      bool      // of the correction
}

// permute computes T and its distribution under permuted residuals, every method
// tuned anew each time.
func (r *run) permute(ctx context.Context) error {
	full, err := newView(r.grouped(r.all.Problem(), r.allRows), r.all.Truth(), r.metric, r.config.Seed)
	if err != nil {
		return err
	}
	plain, err := full.withPriv(nil)
	if err != nil {
		return err
	}
	t := &r.permutation
	t.Rounds, t.Rows, t.Without = r.Permutations, r.all.Problem().X.RawMatrix().Rows, math.Inf(1)
	plainMethods, tested := r.inClosedForm(Baseline), r.only(Method.permutes)
	best, err := plain.tune(ctx, plainMethods)
	if err != nil {
		return err
	}
	for j, b := range best {
		name := plainMethods[j].Name
		t.plain = append(t.plain, plainLoss{name, b.loss})
		if (name != averaged || len(best) == 1) && b.loss < t.Without {
			t.Without, t.Baseline = b.loss, name
		}
	}
	r.tell(r.cost(plainMethods, t.Rows))
	if len(tested) == 0 {
		t.Rounds = 0
		return nil
	}
	null, err := r.nullLosses(ctx, full, tested)
	if err != nil {
		return err
	}
	for _, m := range tested {
		t.Tests = append(t.Tests, Test{Method: m.Name, form: m.correction != ""})
	}
	for first := 0; first <= r.Permutations; {
		end := r.Permutations + 1
		if r.Early && first == 0 {
			end = min(end, 1+fewPermutations)
		}
		losses, err := null(first, end)
		if err != nil {
			return err
		}
		t.add(losses, first == 0)
		first = end
		if r.Early && !r.mayHelp() {
			break
		}
	}
	return nil
}

// fewPermutations are made first where a comparison may end early.
const fewPermutations = 39

// add adds the losses of the methods, those of the observed data first if they are among them.
func (t *Permutation) add(losses [][]float64, observed bool) {
	if observed {
		t.Rounds = 0
	}
	for j := range t.Tests {
		test, others := &t.Tests[j], losses
		if observed {
			test.Statistic, others = t.Without-losses[0][j], losses[1:]
		}
		for _, loss := range others {
			test.Null = append(test.Null, t.Without-loss[j])
		}
		t.Rounds = len(test.Null)
		test.P = permutationP(test.Statistic, test.Null)
	}
}

// mayHelp reports whether the verdict can still be helps: whether an adjusted p-value would be small enough if no
// further permutation reached the statistic, or that of a method judged on held-out rows is.
func (r *run) mayHelp() bool {
	c := r.conclude()
	left := float64(r.permutation.Rounds+1) / float64(r.Permutations+1)
	permuted := func(t Test) bool { return t.Statistic > 0 && t.Holm*left <= level }
	heldOut := func(t HeldOutTest) bool { return t.Holm <= level }
	return slices.ContainsFunc(c.Permutation.Tests, permuted) || slices.ContainsFunc(c.HeldOut, heldOut)
}

// nullLosses returns a function for the least losses of every method in permutations first … end-1. Permutation 0 is
// the privileged features as they are.
func (r *run) nullLosses(ctx context.Context, full view, tested []Method) (
	func(first, end int) ([][]float64, error), error,
) {
	left, err := r.newResiduals(ctx, full.problem, r.config.Seed)
	if err != nil {
		return nil, err
	}
	all := groups(tested)
	nulls := make([]*kind.Null, len(all))
	for g, group := range all {
		if m := tested[group[0]]; m.member != "" {
			if nulls[g], err = m.together().NewNull(ctx, full.problem); err != nil {
				return nil, err
			}
		}
	}
	one := func(b int) ([]float64, error) {
		v := full
		if b > 0 {
			var err error
			if v, err = full.withPriv(left.shuffled(r.random(fmt.Sprintf("permutation %d", b)))); err != nil {
				return nil, err
			}
		}
		losses := make([]float64, len(tested))
		for g, group := range all {
			own, err := v.losses(ctx, learn.Gather(tested, group), nulls[g])
			if err != nil {
				return nil, err
			}
			for k, i := range group {
				losses[i] = own[k]
			}
		}
		r.tell(r.permutationCost(tested))
		return losses, nil
	}
	return func(first, end int) ([][]float64, error) {
		losses := make([][]float64, end-first)
		return losses, each(ctx, end-first, func(k int) (err error) {
			losses[k], err = one(first + k)
			return err
		})
	}, nil
}

// losses returns the least loss of each of some methods that are tuned together; null evaluates those of package lupi.
func (v view) losses(ctx context.Context, methods []Method, null *kind.Null) ([]float64, error) {
	var losses []float64
	if null != nil {
		means, err := null.Losses(ctx, v.problem.Priv, members(methods))
		for _, mean := range means {
			losses = append(losses, v.sum(mean))
		}
		return losses, err
	}
	best, err := v.tuneGroup(ctx, methods)
	for _, t := range best {
		losses = append(losses, t.loss)
	}
	return losses, err
}

// inClosedForm returns the methods of a role that are tuned by leave-one-out.
func (r *run) inClosedForm(role Role) []Method {
	return r.only(func(m Method) bool { return m.Closed && m.Role == role })
}

// only returns the methods that fit.
func (r *run) only(fits func(Method) bool) []Method {
	var methods []Method
	for _, m := range r.methods {
		if fits(m) {
			methods = append(methods, m)
		}
	}
	return methods
}
