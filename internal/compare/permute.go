package compare

import (
	"context"
	"fmt"
	"math"

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
}

// permute computes T and its distribution under permuted residuals, every method
// tuned anew each time.
func (r *run) permute(ctx context.Context) error {
	full, err := newView(r.all.Problem(), r.all.Truth(), r.config.Seed)
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
	for j, m := range tested {
		test := Test{Method: m.Name, Statistic: t.Without - null[0][j]}
		for _, losses := range null[1:] {
			test.Null = append(test.Null, t.Without-losses[j])
		}
		test.P = permutationP(test.Statistic, test.Null)
		t.Tests = append(t.Tests, test)
	}
	return nil
}

// nullLosses returns the least loss of every method with the privileged features as
// they are, followed by those of every permutation.
func (r *run) nullLosses(ctx context.Context, full view, tested []Method) ([][]float64, error) {
	left, err := newResiduals(ctx, full.problem, r.config.Seed)
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
	losses := make([][]float64, 1+r.Permutations)
	return losses, each(ctx, len(losses), func(b int) error {
		v := full
		if b > 0 {
			var err error
			if v, err = full.withPriv(left.shuffled(r.random(fmt.Sprintf("permutation %d", b)))); err != nil {
				return err
			}
		}
		losses[b] = make([]float64, len(tested))
		for g, group := range all {
			own, err := v.losses(ctx, learn.Gather(tested, group), nulls[g])
			if err != nil {
				return err
			}
			for k, i := range group {
				losses[b][i] = own[k]
			}
		}
		r.tell(r.permutationCost(tested))
		return nil
	})
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
