package heldout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/ridge"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

var ctx = context.Background()

func withKernels(change func(*krvfl.Config)) krvfl.Config {
	c := krvfl.DefaultConfig()
	change(&c)
	return c
}

func withLayers(change func(*rvfl.Config)) rvfl.Config {
	c := rvfl.DefaultConfig()
	change(&c)
	return c
}

func layersOf(c rvfl.Config) Layers {
	return Layers{feature.Layers{
		Hidden: c.Hidden, PrivHidden: cmp.Or(c.PrivHidden, c.Hidden), U: c.U, Init: c.Init, Activation: c.Activation,
		Direct: c.Direct, Seed: c.Seed,
	}, c.Solver, c.Center}
}

// heldOut evaluates the estimators' configs in closed form, where there is one.
func heldOut(e *Evaluator, t learn.Trainer) (*mat.Dense, error) {
	var out []*mat.Dense
	var err error
	switch c := t.(type) {
	case krvfl.Config:
		out, err = e.ByKernels(ctx, Kernels{c.Kernel, c.PrivKernel, c.Linear, c.Seed},
			[]ridge.Params{{C: c.C, Gamma: c.Gamma, Correction: c.Correction, Center: c.Center}})
	case rvfl.Config:
		if c.Solver != "pinv" {
			out, err = e.ByLayers(ctx, layersOf(c),
				[]ridge.Params{{C: c.C, Gamma: c.Gamma, Correction: c.Correction, Center: c.Center}})
		}
	}
	if err != nil || out != nil {
		return slices.Concat(out, []*mat.Dense{nil})[0], err
	}
	return e.Refit(ctx, t)
}

// plain hides a trainer's type, so that it is refitted, and its leave-one-out.
type plain struct{ learn.Trainer }

func (p plain) Train(ctx context.Context, q learn.Problem) (learn.Model, learn.Report, error) {
	q.LeaveOneOut = learn.Never
	return p.Trainer.Train(ctx, q)
}

func random(n int, weights, lacking bool) learn.Problem {
	r := rand.New(rand.NewPCG(11, uint64(n)))
	p := learn.Problem{X: mat.NewDense(n, 3, nil), Priv: mat.NewDense(n, 2, nil), Y: mat.NewDense(n, 2, nil)}
	for _, m := range []*mat.Dense{p.X, p.Priv, p.Y} {
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
	}
	p.Y.Apply(func(i, j int, v float64) float64 { return v + p.X.At(i, 0)*float64(j+1) + p.Priv.At(i, 1) + 3 }, p.Y)
	for i := range n {
		if weights {
			p.Weight = append(p.Weight, 0.5+r.Float64())
		}
		if lacking {
			p.HasPriv = append(p.HasPriv, i%4 != 1)
		}
	}
	return p
}

func schemes(n int) map[string]Folds {
	folds, twice := make(Folds, 4), make(Folds, 3)
	for i := range n {
		folds[(i*7)%4] = append(folds[(i*7)%4], i)
		twice[i*3/n] = append(twice[i*3/n], n-1-i)
	}
	return map[string]Folds{"rows": nil, "folds": folds, "repeated": append(twice, folds...),
		"validation": {{n - 1, 2, 5}}}
}

// rightHandSides are the corrections that Path and PrimalPath know. The projected form is fitted whole.
var rightHandSides = []learn.Correction{learn.Additive, learn.Paper, learn.Derived}

func trainers(c learn.Correction) map[string]learn.Trainer {
	all := map[string]learn.Trainer{
		"krvfl": withKernels(func(d *krvfl.Config) {
			d.C, d.Gamma, d.Correction, d.Kernel, d.PrivKernel = 5, 2, c, kernel.Must("rbf:width=3"),
				kernel.Must("laplacian:width=2")
		}),
		"no centre": withKernels(func(d *krvfl.Config) {
			d.C, d.Gamma, d.Correction, d.Kernel, d.Linear, d.Center = 50, 0.1, c, kernel.Must("rbf:width=1"), false,
				false
		}),
		"pinv": withLayers(func(c *rvfl.Config) { c.Hidden, c.Solver = 3, "pinv" }),
	}
	for _, solver := range []string{"auto", "primal", "dual"} {
		all["rvfl "+solver] = withLayers(func(d *rvfl.Config) {
			d.C, d.Gamma, d.Correction, d.Hidden, d.PrivHidden, d.Solver, d.Seed = 5, 2, c, 6, 4, solver, 3
		})
	}
	return all
}

// Closed forms predict what refitting does, to 1e-9. With rows that lack privileged
// values the share by which they count is held fixed, so it is not refitted here.
func TestHeldOutEqualsRefitting(t *testing.T) {
	for _, weights := range []bool{false, true} {
		p := random(30, weights, false)
		for scheme, folds := range schemes(30) {
			for _, c := range rightHandSides {
				for name, trainer := range trainers(c) {
					q := p
					if name == "pinv" {
						q.Priv = nil
					}
					e, err := New(q, folds)
					if err != nil {
						t.Fatal(err)
					}
					compare(t, fmt.Sprint(scheme, " ", name, " ", c, " weights ", weights), e, trainer, plain{trainer})
				}
			}
		}
	}
}

func compare(t *testing.T, what string, e *Evaluator, a, b learn.Trainer) {
	t.Helper()
	got, err := heldOut(e, a)
	if err != nil {
		t.Fatal(what, err)
	}
	want, err := heldOut(e, b)
	if err != nil {
		t.Fatal(what, err)
	}
	near(t, what, got, want)
}

func near(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	var diff mat.Dense
	diff.Sub(got, want)
	if d := mat.Norm(&diff, math.Inf(1)); !(d <= 1e-9*(1+mat.Norm(want, math.Inf(1)))) {
		t.Errorf("%s: differs by %g", what, d)
	}
}

// Rows without privileged values: the three forms agree, and with the estimators' own
// leave-one-out.
func TestHeldOutWithoutPrivilegedValues(t *testing.T) {
	p := random(40, true, true)
	for scheme, folds := range schemes(40) {
		e, err := New(p, folds)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range rightHandSides {
			primal := withLayers(func(d *rvfl.Config) {
				d.C, d.Gamma, d.Correction, d.Hidden, d.PrivHidden, d.Solver = 5, 2, c, 6, 4, "primal"
			})
			dual := primal
			dual.Solver = "dual"
			compare(t, scheme+" "+string(c), e, primal, dual)
			if folds == nil {
				k := withKernels(func(d *krvfl.Config) { d.C, d.Gamma, d.Correction = 5, 2, c })
				compare(t, "own "+string(c), e, k, own{k})
				compare(t, "own "+string(c), e, primal, own{primal})
			}
		}
	}
}

// own hides a trainer's type only.
type own struct{ learn.Trainer }

// The same bits for any number of threads, and whatever was asked before.
func TestHeldOutIsDeterministic(t *testing.T) {
	p := random(150, true, true)
	for scheme, folds := range schemes(150) {
		for name, trainer := range trainers(learn.Paper) {
			if name == "pinv" {
				continue
			}
			var first *mat.Dense
			for threads := 1; threads <= 4; threads += 3 {
				before := runtime.GOMAXPROCS(threads)
				e, err := New(p, folds)
				if err != nil {
					t.Fatal(err)
				}
				out, err := heldOut(e, trainer)
				runtime.GOMAXPROCS(before)
				if err != nil {
					t.Fatal(err)
				}
				if first != nil && !mat.Equal(first, out) {
					t.Errorf("%s %s: other bits with %d threads", scheme, name, threads)
				}
				again, err := heldOut(e, trainer)
				if err != nil || !mat.Equal(out, again) {
					t.Errorf("%s %s: other bits the second time (%v)", scheme, name, err)
				}
				first = out
			}
		}
	}
}

func TestWithPriv(t *testing.T) {
	p, other := random(30, false, false), random(31, false, false)
	e, err := New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := p
	q.Priv = mat.DenseCopyOf(other.Priv.Slice(0, 30, 0, 2))
	for _, priv := range []*mat.Dense{q.Priv, nil} {
		q.Priv = priv
		fresh, err := New(q, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, trainer := range trainers(learn.Additive) {
			if name == "pinv" {
				continue
			}
			if _, err := heldOut(e, trainer); err != nil {
				t.Fatal(err)
			}
			swapped, err := e.WithPriv(priv)
			if err != nil {
				t.Fatal(err)
			}
			got, err1 := heldOut(swapped, trainer)
			want, err2 := heldOut(fresh, trainer)
			if err := errors.Join(err1, err2); err != nil || !mat.Equal(got, want) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Leave-one-out of some rows is that of all rows, of these rows alone; a trainer without a closed form is trained for
// these rows only.
func TestNewAlone(t *testing.T) {
	p, rows := random(30, true, false), []int{7, 2, 19}
	all, err := New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	some, err := NewAlone(p, rows)
	if err != nil {
		t.Fatal(err)
	}
	if without, err := some.WithPriv(nil); err != nil || !slices.Equal(without.Held(), rows) {
		t.Errorf("without privileged features %v are left out (%v)", without.Held(), err)
	}
	for name, trainer := range trainers(learn.Additive) {
		if name == "pinv" {
			continue // it has no privileged part
		}
		want, err := heldOut(all, trainer)
		if err != nil {
			t.Fatal(err)
		}
		for what, trainer := range map[string]learn.Trainer{"": trainer, "own": own{trainer}, "plain": plain{trainer}} {
			got, err := heldOut(some, trainer)
			if err != nil {
				t.Fatal(err)
			}
			near(t, name+" "+what, got, learn.GatherRows(want, rows))
		}
	}
	for _, bad := range [][]int{{}, {1, 1}, {30}, {-1}} {
		if _, err := NewAlone(p, bad); !errors.Is(err, fault.Usage) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestBadFolds(t *testing.T) {
	p := random(5, false, false)
	for name, folds := range map[string]Folds{
		"none": {}, "empty": {{}}, "twice": {{1, 1}}, "outside": {{5}}, "negative": {{-1}}, "all": {{0, 1, 2, 3, 4}},
	} {
		if _, err := New(p, folds); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.Weight = []float64{1, 1, 0, 1, 1}
	if _, err := New(p, nil); !errors.Is(err, fault.Usage) {
		t.Errorf("weight 0: %v", err)
	}
}

func TestMemoryIsJudgedFirst(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(200 << 20))
	p := random(2000, false, false)
	e, err := New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := heldOut(e, krvfl.DefaultConfig()); !errors.Is(err, fault.Resource) {
		t.Errorf("kernels: %v", err)
	}
	// Layers that do not fit are left to the estimator, which streams.
	p.Priv = nil
	if e, err = New(p, Folds{{1, 2}}); err != nil {
		t.Fatal(err)
	}
	c := withLayers(func(c *rvfl.Config) { c.Hidden = 5 })
	if _, err := heldOut(e, c); err != nil ||
		e.layersFit(layersOf(withLayers(func(c *rvfl.Config) { c.Hidden = 20000 }))) {
		t.Errorf("layers: %v", err)
	}
}
