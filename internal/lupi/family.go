package lupi

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/internal/feature"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// space is the rows of one kind of features in several representations: under kernels of several widths, or after
// random layers of several scales.
type space struct {
	specs  []kernel.Spec // kernels without automatic widths, nil for layers
	us     []float64     // scales of layers
	inner  []blas.Matrix // of each representation, the inner products of all rows
	linear blas.Matrix   // inner products of the features themselves
}

// newSpace computes the representations of rows x. priv says that the features are privileged.
func (f *fit) newSpace(ctx context.Context, x blas.Matrix, priv bool) (*space, error) {
	s := &space{}
	if f.large {
		s.us = f.U // sums over rows take the place of inner products
		return s, nil
	}
	var err error
	if f.Base == "rvfl" {
		if s.linear, err = products(ctx, x); err != nil {
			return nil, err
		}
		s.us = f.U
		for _, u := range f.U {
			h, err := f.layer(ctx, x, u, priv)
			if err != nil {
				return nil, err
			}
			inner, err := products(ctx, h)
			if err != nil {
				return nil, err
			}
			s.inner = append(s.inner, inner)
		}
		return s, nil
	}
	kernels, widths, constant := f.kernels(), f.Widths, 1.0
	if priv {
		kernels, widths, constant = []kernel.Spec{f.PrivKernel}, f.PrivWidths, 0 // the constant belongs to f
	}
	for _, own := range kernels {
		specs, err := f.scaled(own, widths, x, constant)
		if err != nil {
			return nil, err
		}
		s.specs = append(s.specs, specs...)
	}
	matrices := kernel.NewMatrices(x)
	if s.linear, err = matrices.Matrix(ctx, kernel.Affine{Slope: 1 / float64(x.Cols), Offset: 1}); err != nil {
		return nil, err
	}
	blas.Mirror(s.linear)
	for _, spec := range s.specs {
		k, err := spec.ResolveWith(f.Linear && f.Printed, x, f.Seed)
		if err != nil {
			return nil, err
		}
		inner, err := matrices.Matrix(ctx, k)
		if err != nil {
			return nil, err
		}
		s.inner = append(s.inner, inner)
	}
	return s, nil
}

// kernels lists the kernels on normal features that are chosen from.
func (f *fit) kernels() []kernel.Spec {
	if f.Kernels != nil {
		return f.Kernels
	}
	return []kernel.Spec{f.Kernel}
}

// manyJoint is the number of rows above which methods with privileged features stand on two kernels alone: each setting
// of both spaces is a factorisation.
const manyJoint = 300

// memberSpace returns the representations of the normal features that methods with privileged features stand on: all,
// or of many rows those under Kernel and under the kernel of the tuned ridge regression.
func (f *fit) memberSpace(ctx context.Context) (*space, error) {
	if f.Kernels == nil || f.Base != "krvfl" || f.rows.X.RawMatrix().Rows <= manyJoint {
		return f.normalSpace(ctx)
	}
	if _, err := f.tuned(ctx); err != nil {
		return nil, err
	}
	last := func(spec kernel.Spec) string { return spec[len(spec)-1].Name }
	names := []string{last(f.Kernel), last(f.normal.specs[least(f.choices)])}
	own := &space{linear: f.normal.linear}
	for r, spec := range f.normal.specs {
		if slices.Contains(names, last(spec)) {
			own.specs, own.inner = append(own.specs, spec), append(own.inner, f.normal.inner[r])
		}
	}
	return own, nil
}

// scaled returns a kernel with its automatic widths times each of factors; one kernel where the widths are given. With
// Linear the linear kernel and a constant are added to each.
func (f *fit) scaled(own kernel.Spec, factors []float64, x blas.Matrix, constant float64) ([]kernel.Spec, error) {
	if f.Linear && !f.Printed {
		own = withLinear(own, x.Cols, constant)
	}
	k, err := own.Resolve(x, f.Seed)
	if err != nil {
		return nil, fmt.Errorf("normal features: %w", err)
	}
	if !own.HasAutomaticWidth() {
		return []kernel.Spec{k.Spec()}, nil
	}
	var specs []kernel.Spec
	for _, factor := range factors {
		specs = append(specs, own.ScaleWidths(k.Spec(), factor))
	}
	return specs, nil
}

// withLinear adds x·y/n and a constant to a kernel of n features. Standardised features have x·x = n on average:
// without the factor the linear part of many features would outweigh kernels whose values are at most 1, for every C.
func withLinear(own kernel.Spec, features int, constant float64) kernel.Spec {
	if len(own) == 0 {
		own = kernel.Must("rbf")
	}
	return append(kernel.Affine{Slope: 1 / float64(features), Offset: constant}.Spec(), own...)
}

// layer returns rows x, all that settings are chosen on or the first of them, after the random layer of scale u. Layers
// are those that training on these rows draws; where rows are held out together, training on the others.
func (f *fit) layer(ctx context.Context, x blas.Matrix, u float64, priv bool) (blas.Matrix, error) {
	l := f.Layers
	l.U, l.Seed, l.Direct = u, f.Seed, f.Linear
	links, err := l.Space(f.sample(x), priv)
	if err != nil {
		return blas.Matrix{}, err
	}
	h := blas.New(x.Rows, links.Width())
	return h, links.To(ctx, h, x)
}

// sample returns rows x with their targets and weights, without those that are held out together.
func (f *fit) sample(x blas.Matrix) feature.Sample {
	p := f.chosenOn()
	y := p.Y.RawMatrix()
	s := feature.Sample{X: x, Y: blas.View(y, 0, x.Rows, 0, y.Cols), Weight: weightsOf(p)[:x.Rows]}
	if !f.large || f.Layers.Init != feature.Differences {
		return s
	}
	rest := split.Others(x.Rows, slices.DeleteFunc(slices.Clone(f.held), func(i int) bool { return i >= x.Rows }))
	return feature.Sample{X: blas.Gather(s.X, rest), Y: blas.Gather(s.Y, rest), Weight: learn.Gather(s.Weight, rest)}
}

// products returns XXᵀ, both triangles.
func products(ctx context.Context, x blas.Matrix) (blas.Matrix, error) {
	out := blas.New(x.Rows, x.Rows)
	err := blas.Syrk(ctx, false, 1, x, 0, out)
	blas.Mirror(out)
	return out, err
}

// size returns the number of representations.
func (s *space) size() int { return max(len(s.specs), len(s.us)) }

// omega returns the inner products under representation r: none of many rows, where sums take their place.
func (s *space) omega(r int) blas.Matrix {
	if s.inner == nil {
		return blas.Matrix{}
	}
	return s.inner[r]
}

// setting words representation r.
func (s *space) setting(r int) learn.Setting {
	if s.specs == nil {
		return number("u", s.us[r])
	}
	return set("kernel", shortKernel(s.specs[r]))
}

// shortKernel writes a kernel with widths of four digits, and without the linear part of withLinear.
func shortKernel(spec kernel.Spec) string {
	var short kernel.Spec
	for _, t := range spec {
		if t.Name == "affine" && len(spec) > 1 {
			continue
		}
		own := kernel.Term{Name: t.Name, Params: map[string]float64{}}
		for key, v := range t.Params {
			own.Params[key], _ = strconv.ParseFloat(digits(v), 64)
		}
		short = append(short, own)
	}
	return short.String()
}

func set(name, value string) learn.Setting { return learn.Setting{Name: name, Value: value} }

func number(name string, v float64) learn.Setting { return set(name, digits(v)) }

// digits writes a number for people.
func digits(v float64) string { return fmt.Sprintf("%.4g", v) }

// trainer returns the ridge regression on representation r of a space.
func (f *fit) trainer(s *space, r int, c float64) learn.Trainer {
	return f.trainerOf(s, r, c, f.Center)
}

func (f *fit) trainerOf(s *space, r int, c float64, center bool) learn.Trainer {
	if s.specs != nil {
		return grown{f, c, func(c float64) learn.Trainer {
			config := kernelRidge(s.specs[r], c, center, f.Seed)
			config.Linear = f.Linear && f.Printed
			return config
		}}
	}
	config := f.network(s.us[r], c)
	config.Center = center
	return config
}

func (f *fit) network(u, c float64) rvfl.Config {
	config := rvfl.DefaultConfig()
	config.C, config.U, config.Hidden, config.PrivHidden = c, u, f.Layers.Hidden, f.Layers.PrivHidden
	config.Activation, config.Init, config.Direct = f.Layers.Activation, f.Layers.Init, f.Linear
	config.Relevance, config.PrivRelevance = f.Layers.Relevance, f.Layers.PrivRelevance
	config.Center, config.Seed = f.Center, f.Seed
	return config
}

// linearTrainer returns the ridge regression on the normal features themselves.
func (f *fit) linearTrainer(c float64) learn.Trainer {
	if f.Base == "krvfl" {
		line := kernel.Affine{Slope: 1 / float64(f.rows.X.RawMatrix().Cols), Offset: 1}
		return grown{f, c, func(c float64) learn.Trainer {
			return kernelRidge(line.Spec(), c, f.Center, f.Seed)
		}}
	}
	config := f.network(1, c)
	config.Direct = true
	return straight{config}
}

// straight trains a network of direct links alone.
type straight struct{ rvfl.Config }

// Train implements learn.Trainer.
func (s straight) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	p = p.WithPriv(nil)
	act, err := activation.ByName(s.Activation)
	if err != nil {
		return nil, learn.Report{}, err
	}
	none := &rvfl.Layer{Weight: blas.New(0, p.X.RawMatrix().Cols), Activation: act, Direct: true}
	m, report, err := s.TrainWith(ctx, p, none, nil)
	if err != nil {
		return nil, report, err
	}
	return m, report, nil
}
