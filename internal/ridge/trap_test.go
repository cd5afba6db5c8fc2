package ridge

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/gram"
)

// centredFeatures returns n random rows whose columns sum to 0, and targets ±1 of noise, as many of each.
func centredFeatures(n, features int) (x, y blas.Matrix) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(features)))
	x, y = blas.New(n, features), blas.New(n, 1)
	for j := range features {
		var mean float64
		for i := range n {
			x.Data[i*features+j] = r.NormFloat64()
			mean += x.Data[i*features+j] / float64(n)
		}
		for i := range n {
			x.Data[i*features+j] -= mean
		}
	}
	for i, at := range r.Perm(n) {
		y.Data[at] = float64(i%2*2 - 1)
	}
	return x, y
}

func productsOf(t *testing.T, x blas.Matrix) blas.Matrix {
	t.Helper()
	out := blas.New(x.Rows, x.Rows)
	if err := blas.Syrk(ctx, false, 1, x, 0, out); err != nil {
		t.Fatal(err)
	}
	blas.Mirror(out)
	return out
}

// closedForms returns leave-one-out of a ridge regression on features x by every closed form that there is.
func closedForms(t *testing.T, x, y blas.Matrix, p Params) map[string]error {
	t.Helper()
	omega, none := productsOf(t, x), blas.New(x.Rows, 0)
	out := map[string]error{}
	path := NewPath(PathProblem{Omega: omega, Y: y, Weight: ones(x.Rows)})
	out["path"] = path.HeldOut(ctx, p, blas.New(y.Rows, y.Cols))
	primal, err := NewPrimalPath(ctx, PrimalPathProblem{H: x, Priv: none, Y: y, Weight: ones(x.Rows), Center: p.Center})
	if err != nil {
		t.Fatal(err)
	}
	out["primal path"] = primal.HeldOut(ctx, p, blas.New(y.Rows, y.Cols))
	_, out["dual"] = FitDual(ctx, DualProblem{Omega: Linear{x}, Y: y, Weight: ones(x.Rows), Params: p,
		LeaveOneOut: true})
	_, out["dual with models"] = FitDual(ctx, DualProblem{Omega: Linear{x}, Y: y, Weight: ones(x.Rows), Params: p,
		LeaveOneOut: true, LeftOut: true})
	teacher, err := NewTeacher(ctx, identity(x.Rows), y, ones(x.Rows), p)
	if err != nil {
		t.Fatal(err)
	}
	_, _, out["student"] = teacher.Student(ctx, omega, p)
	projected, err := NewProjected(ctx, ProjectedProblem{Omega: omega, Priv: blas.New(x.Rows, x.Rows), Complete: x.Rows,
		Y: y, Weight: ones(x.Rows), Params: Params{C: p.C, Gamma: 1, Center: p.Center}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := projected.Project(ctx, omega, blas.New(0, x.Rows), 1e-6); err != nil {
		t.Fatal(err)
	}
	_, out["projected"] = projected.LeaveOneOut(ctx)
	out["primal projected"] = primalProjected(t, x, y, Params{C: p.C, Gamma: 1, Center: p.Center})
	return out
}

func primalProjected(t *testing.T, x, y blas.Matrix, p Params) error {
	t.Helper()
	s := gram.New(x.Cols, 1, y.Cols)
	b := s.Block(x.Rows)
	for i := range x.Rows {
		copy(blas.Row(b.H, i), blas.Row(x, i))
		copy(blas.Row(b.Y, i), blas.Row(y, i))
	}
	if err := s.Add(ctx, b, nil); err != nil {
		t.Fatal(err)
	}
	f, err := NewPrimalProjected(ctx, s, nil, nil, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Project(ctx, 1e-6); err != nil {
		t.Fatal(err)
	}
	if err := f.LeaveOneOut(ctx, b, nil, false, 0, blas.New(y.Rows, y.Cols)); err != nil {
		return err
	}
	return f.Trapped()
}

func identity(n int) blas.Matrix {
	m := blas.New(n, n)
	for i := range n {
		m.Data[i*n+i] = 1
	}
	return m
}

// Centred features, balanced targets, as many features as rows and a large C: a refit without a row predicts the row's
// own target, of pure noise. Every closed form says so instead of giving residuals of 0.
func TestLeaveOneOutThatSaysNothingIsRefused(t *testing.T) {
	for _, features := range []int{19, 20, 40} {
		x, y := centredFeatures(20, features)
		p := Params{C: 1e7, Gamma: 1}
		for i := range x.Rows {
			if f := withoutRow(t, x, y, p, i); math.Abs(f-y.Data[i]) > 1e-3 {
				t.Errorf("%d features: a refit without row %d predicts %g, which is %g", features, i, f, y.Data[i])
			}
		}
		for form, err := range closedForms(t, x, y, p) {
			if !errors.Is(err, fault.NotSolved) {
				t.Errorf("%d features, %s: %v", features, form, err)
			}
		}
		classes := blas.New(20, 2) // every output is told up to a constant
		for i, v := range y.Data {
			classes.Data[2*i], classes.Data[2*i+1] = (1-v)/2, (1+v)/2
		}
		for form, err := range closedForms(t, x, classes, p) {
			if !errors.Is(err, fault.NotSolved) {
				t.Errorf("%d features, one output a class, %s: %v", features, form, err)
			}
		}
	}
	x, y := centredFeatures(20, 19)
	if _, err := FitPinv(ctx, x, y, ones(20), false, 20); !errors.Is(err, fault.NotSolved) {
		t.Errorf("least norm: %v", err)
	}
}

// withoutRow returns the prediction for row i of the ridge regression on the other rows.
func withoutRow(t *testing.T, x, y blas.Matrix, p Params, i int) float64 {
	t.Helper()
	rest := without(x.Rows, []int{i})
	d, err := FitDual(ctx, DualProblem{Omega: Linear{blas.Gather(x, rest)}, Y: blas.Gather(y, rest),
		Weight: ones(len(rest)), Params: p})
	if err != nil {
		t.Fatal(err)
	}
	f := d.Offset[0]
	for k, j := range rest {
		f += blas.Dot(blas.Row(x, i), blas.Row(x, j)) * d.Alpha.Data[k*d.Alpha.Stride]
	}
	return f
}

// Leave-one-out stays where it says something: with a mean that is taken anew, with a strong ridge, with a constant
// feature, with a feature that is not centred, with fewer features than rows, and where the fit is exact because the
// target is linear.
func TestLeaveOneOutThatSaysSomethingStays(t *testing.T) {
	wide, y := centredFeatures(20, 40)
	constant := blas.New(20, 41)
	for i := range 20 {
		copy(blas.Row(constant, i), blas.Row(wide, i))
		constant.Data[i*41+40] = 1
	}
	few, fewY := centredFeatures(60, 3)
	linear := blas.New(60, 1)
	for i := range 60 {
		linear.Data[i] = 2*few.Data[3*i] - few.Data[3*i+1]
	}
	most, mostY := centredFeatures(20, 15)
	for name, c := range map[string]struct {
		x, y blas.Matrix
		p    Params
	}{
		"centred targets":    {wide, y, Params{C: 1e7, Gamma: 1, Center: true}},
		"a strong ridge":     {wide, y, Params{C: 1e-3, Gamma: 1}},
		"a constant feature": {constant, y, Params{C: 1e7, Gamma: 1}},
		"few features":       {few, fewY, Params{C: 1e7, Gamma: 1}},
		"an exact fit":       {few, linear, Params{C: 1e7, Gamma: 1}},
		"five left over":     {most, mostY, Params{C: 1e7, Gamma: 1}},
	} {
		for form, err := range closedForms(t, c.x, c.y, c.p) {
			if err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
			}
		}
	}
}

// The sum of the shares counts the directions that a fit leaves over.
func TestSharesCountTheDirectionsLeftOver(t *testing.T) {
	for _, features := range []int{5, 15, 18, 19} {
		x, _ := centredFeatures(20, features)
		p := Params{C: 1e7, Gamma: 1}
		inverse, err := inverseOf(ctx, productsOf(t, x), ones(20), p)
		if err != nil {
			t.Fatal(err)
		}
		var told trap
		for i := range 20 {
			row := blas.Row(inverse, i)
			told.add(sum(row) / row[i])
		}
		if want := float64(20 - features); math.Abs(told.shares-want) > 1e-3 || told.escapes {
			t.Errorf("%d features: %g directions left over, want %g", features, told.shares, want)
		}
		if got, want := told.err(p) != nil, features >= 18; got != want {
			t.Errorf("%d features: refused %v", features, got)
		}
	}
}
