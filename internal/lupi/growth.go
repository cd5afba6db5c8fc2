package lupi

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// A C that is chosen on a sample of the rows may regularise all rows too much. So the C of the tuned ridge regression
// is chosen once more on all rows, by exact leave-one-out of a few multiples, and the C of every other method grows by
// the same factor when it is trained on all rows. A C that is held does not grow.

// growths are the multiples of C that are tried on all rows.
var growths = []float64{1, 10, 100}

// grow chooses the factor for all rows.
func (f *fit) grow(ctx context.Context) error {
	held := len(f.C) == 1
	if f.sampled == nil || f.large || f.choices == nil || held || f.late() {
		return nil
	}
	best := f.choices[least(f.choices)]
	path, t, err := f.wholePath(ctx, best)
	if err != nil || path == nil {
		return err
	}
	f.expect(len(growths))
	least := math.Inf(1)
	for _, factor := range growths {
		out, err := t.predict(ctx, path, best.c*factor)
		f.tell(1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		if loss := t.loss(out); loss < least {
			least, f.growth = loss, factor
		}
	}
	return nil
}

// wholePath returns the path over C of a choice on all rows, nil where its memory is not there.
func (f *fit) wholePath(ctx context.Context, best choice) (*ridge.Path, target, error) {
	x := f.all.X.RawMatrix()
	need := 8*float64(x.Rows)*float64(x.Rows) + ridge.PathBytes(x.Rows)
	if memory.Check(need, "", "") != nil {
		return nil, target{}, nil
	}
	k, err := f.normal.specs[best.r].ResolveWith(f.Linear && f.Printed, x, f.Seed)
	if err != nil {
		return nil, target{}, err
	}
	omega := blas.New(x.Rows, x.Rows)
	if err := kernel.AddSymmetric(ctx, k, 1, x, omega, nil); err != nil {
		return nil, target{}, err
	}
	blas.Mirror(omega)
	t := target{y: f.all.Y.RawMatrix(), weight: weightsOf(f.all), center: f.Center, scale: f.scale}
	if g := f.all.Group; g != nil {
		if t.folds, err = split.Groups(g, min(mostGroups, len(split.Members(g))), f.Seed); err != nil {
			return nil, t, err
		}
	}
	return ridge.NewPath(ridge.PathProblem{Omega: omega, Y: t.y, Weight: t.weight, Sets: t.folds}), t, nil
}

// grown is a kernel ridge regression whose C was chosen on a sample.
type grown struct {
	f  *fit
	c  float64
	of func(c float64) learn.Trainer
}

// Train implements learn.Trainer.
func (g grown) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	return g.of(g.f.grownC(g.c, p)).Train(ctx, p)
}

// grownC returns a C that was chosen on a sample for training on the rows of p.
func (f *fit) grownC(c float64, p learn.Problem) float64 {
	if f.growth > 0 && p.X.RawMatrix().Rows > mostChosenOn {
		return c * f.growth
	}
	return c
}
