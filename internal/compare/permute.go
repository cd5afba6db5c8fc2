package compare

import (
	"context"
	"fmt"
	"math"
)

// Permutation is the test behind the verdict.
type Permutation struct {
	Rounds, Rows int
	// Without is the least leave-one-out loss without privileged columns: the mean over
	// rows of the squared error of the outputs.
	Without float64
	Tests   []Test // one for each privileged method in closed form

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
	P, Holm   float64   // the p-value, and adjusted for the number of methods
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
	plainMethods, tested := r.inClosedForm(Baseline), r.inClosedForm(Privileged)
	best, err := plain.tune(ctx, plainMethods)
	if err != nil {
		return err
	}
	for j, b := range best {
		t.Without, t.plain = min(t.Without, b.loss), append(t.plain, plainLoss{plainMethods[j].Name, b.loss})
		r.tell(b.tried)
	}
	null, err := r.nullLosses(ctx, full, tested)
	if err != nil {
		return err
	}
	var ps []float64
	for j, m := range tested {
		test := Test{Method: m.Name, Statistic: t.Without - null[0][j]}
		for _, losses := range null[1:] {
			test.Null = append(test.Null, t.Without-losses[j])
		}
		test.P = permutationP(test.Statistic, test.Null)
		t.Tests, ps = append(t.Tests, test), append(ps, test.P)
	}
	for j, p := range Holm(ps) {
		t.Tests[j].Holm = p
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
	losses := make([][]float64, 1+r.Permutations)
	return losses, each(ctx, len(losses), func(b int) error {
		v := full
		if b > 0 {
			var err error
			if v, err = full.withPriv(left.shuffled(r.random(fmt.Sprintf("permutation %d", b)))); err != nil {
				return err
			}
		}
		best, err := v.tune(ctx, tested)
		for _, t := range best {
			losses[b] = append(losses[b], t.loss)
			r.tell(t.tried)
		}
		return err
	})
}

// inClosedForm returns the methods of a role that are tuned by leave-one-out.
func (r *run) inClosedForm(role Role) []Method {
	var methods []Method
	for _, m := range r.methods {
		if m.Closed && m.Role == role {
			methods = append(methods, m)
		}
	}
	return methods
}
