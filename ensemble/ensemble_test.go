package ensemble

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/learntest"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

var ctx = context.Background()

// small returns the defaults with few nodes.
func small(solver string, correction learn.Correction) rvfl.Config {
	c := rvfl.DefaultConfig()
	c.Hidden, c.PrivHidden, c.C, c.Gamma, c.Seed, c.Solver, c.Correction = 7, 5, 3, 2, 11, solver, correction
	return c
}

// Leave-one-out and the models without each row are compared with refits there.
func TestEstimatorPromises(t *testing.T) {
	for _, solver := range []string{"primal", "dual"} {
		c := small(solver, learn.Additive)
		t.Run(solver, func(t *testing.T) {
			learntest.Run(t, learntest.Estimator{Trainer: Config{c, 3}})
			learntest.Run(t, learntest.Estimator{Trainer: DeepConfig{c, 3}})
			learntest.Run(t, learntest.Estimator{Trainer: DeepConfig{c, 3}, NoPriv: true})
		})
		t.Run(solver+" derived", func(t *testing.T) {
			learntest.Run(t, learntest.Estimator{Trainer: DeepConfig{small(solver, learn.Derived), 2}})
		})
		projected := small(solver, learn.Projected)
		projected.ProjectC = 4
		t.Run(solver+" projected", func(t *testing.T) {
			learntest.Run(t, learntest.Estimator{Trainer: DeepConfig{projected, 3}})
		})
	}
	nodesAlone := small("auto", learn.Additive)
	nodesAlone.Direct, nodesAlone.Center, nodesAlone.Activation = false, false, "tanh"
	t.Run("nodes alone", func(t *testing.T) {
		learntest.Run(t, learntest.Estimator{Trainer: Config{nodesAlone, 2}, NoPriv: true})
		learntest.Run(t, learntest.Estimator{Trainer: DeepConfig{nodesAlone, 4}})
	})
	pinv := small("pinv", learn.Additive)
	pinv.Hidden = 3
	t.Run("pinv", func(t *testing.T) {
		learntest.Run(t, learntest.Estimator{Trainer: Config{pinv, 2}, NoPriv: true})
		learntest.Run(t, learntest.Estimator{Trainer: DeepConfig{pinv, 2}, NoPriv: true})
	})
}

func TestCascadesKeepThePromises(t *testing.T) {
	c := CascadeConfig{small("auto", learn.Additive), 3, 3}
	k := DefaultKernelCascadeConfig()
	k.Network.Kernel, k.Network.PrivKernel, k.Network.Gamma = kernel.Must("rbf:width=2"), kernel.Must("rbf:width=3"), 2
	for _, noPriv := range []bool{false, true} {
		learntest.Run(t, learntest.Estimator{Trainer: c, NoPriv: noPriv, NoLeaveOneOut: true, LearnsLeftOut: true})
		learntest.Run(t, learntest.Estimator{Trainer: k, NoPriv: noPriv, NoLeaveOneOut: true, LearnsLeftOut: true})
	}
}

func draw(seed uint64, rows, cols int) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(rows, cols, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
	return m
}

func problem(rows int) learn.Problem {
	return learn.Problem{X: draw(1, rows, 4), Priv: draw(2, rows, 3), Y: draw(3, rows, 2)}
}

func predict(m learn.Model, x *mat.Dense) *mat.Dense {
	rows, _ := x.Dims()
	_, outputs := m.Dims()
	out := mat.NewDense(rows, outputs, nil)
	m.PredictTo(out, x)
	return out
}

func train(t *testing.T, c learn.Trainer, p learn.Problem) (learn.Model, learn.Report) {
	t.Helper()
	m, report, err := c.Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	return m, report
}

func near(t *testing.T, what string, got, want mat.Matrix, tolerance float64) {
	t.Helper()
	if !mat.EqualApprox(got, want, tolerance) {
		t.Errorf("%s:\n%v\nwant\n%v", what, mat.Formatted(got), mat.Formatted(want))
	}
}

// Members are RVFLs with independent layers: the average of networks that package rvfl trains on these layers.
func TestMembersAreIndependentNetworks(t *testing.T) {
	c, p := Config{small("auto", learn.Additive), 4}, problem(30)
	m, _ := train(t, c, p)
	want := mat.NewDense(30, 2, nil)
	for k, member := range m.(*Model).Parts().Members {
		for _, other := range m.(*Model).Parts().Members[:k] {
			if slices.Equal(other.Hidden.Weight.Data, member.Hidden.Weight.Data) {
				t.Errorf("member %d has the nodes of another one", k+1)
			}
		}
		own := p
		own.Priv = nil
		one, _, err := c.Network.TrainWith(ctx, own, &member.Hidden, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := predict(one, p.X)
		out.Scale(0.25, out)
		want.Add(want, out)
	}
	plain := p
	plain.Priv = nil
	m, _ = train(t, c, plain)
	near(t, "the average", predict(m, p.X), want, 1e-11)
}

// edRVFL+ written out: nodes of the layer before, features [x, H], eq:12 with the additive form, outputs averaged.
func TestDeepNetworkByHand(t *testing.T) {
	const rows, layers = 12, 3
	c, p := DeepConfig{small("dual", learn.Additive), layers}, problem(rows)
	c.Network.Center = false
	m, _ := train(t, c, p)
	x := draw(9, 5, 4)
	sigmoid, err := activation.ByName("sigmoid")
	if err != nil {
		t.Fatal(err)
	}
	nodes := func(layer int, stream string, u float64, nodes int, in mat.Matrix) *mat.Dense {
		_, inputs := in.Dims()
		l, err := feature.Draw{Nodes: nodes, U: u, Init: "uniform", Activation: sigmoid, Seed: 11,
			Stream: "layer" + string(rune('0'+layer)) + "." + stream}.New(feature.Sample{X: blas.New(0, inputs)})
		if err != nil {
			t.Fatal(err)
		}
		var out mat.Dense
		out.Mul(in, mat.NewDense(nodes, inputs, l.Weight.Data).T())
		out.Apply(func(_, j int, v float64) float64 { return 1 / (1 + math.Exp(-v-l.Bias[j])) }, &out)
		return &out
	}
	beside := func(a, b mat.Matrix) *mat.Dense {
		var out mat.Dense
		out.Augment(a, b)
		return &out
	}
	want := mat.NewDense(5, 2, nil)
	h, priv, test := p.X, p.Priv, x
	for l := 1; l <= layers; l++ {
		u, uPriv := 1.0, 1.0
		if l > 1 {
			u, uPriv = math.Sqrt(4.0/11), math.Sqrt(3.0/8)
		}
		h, test = beside(p.X, nodes(l, "hidden", u, 7, h)), beside(x, nodes(l, "hidden", u, 7, test))
		priv = beside(p.Priv, nodes(l, "priv.hidden", uPriv, 5, priv))
		var system, omega, omegaPriv, alpha, w, out mat.Dense
		omega.Mul(h, h.T())
		omegaPriv.Mul(priv, priv.T())
		omegaPriv.Scale(0.5, &omegaPriv) // 1/γ
		system.Add(&omega, &omegaPriv)
		for i := range rows {
			system.Set(i, i, system.At(i, i)+1.0/3) // 1/C
		}
		if err := alpha.Solve(&system, p.Y); err != nil {
			t.Fatal(err)
		}
		w.Mul(h.T(), &alpha)
		out.Mul(test, &w)
		out.Scale(1.0/layers, &out)
		want.Add(want, &out)
	}
	near(t, "edRVFL+", predict(m, x), want, 1e-10)
}

// Rows without targets pass through the layers too.
func TestDeepNetworkLearnsFromRowsWithoutTargets(t *testing.T) {
	p := problem(20)
	p.HasPriv = slices.Repeat([]bool{true, true, false, true}, 5)
	p.Unlabelled = &learn.Unlabelled{X: draw(4, 30, 4), Priv: draw(5, 30, 3)}
	c := DeepConfig{small("dual", learn.Projected), 1}
	m, _ := train(t, c, p)
	sigmoid, err := activation.ByName("sigmoid")
	if err != nil {
		t.Fatal(err)
	}
	priv, err := feature.Draw{Nodes: 5, U: 1, Init: "uniform", Activation: sigmoid, Seed: 11,
		Stream: "layer1.priv.hidden"}.New(feature.Sample{X: blas.New(0, 3)})
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := c.Network.TrainWith(ctx, p, &m.(*Model).Parts().Members[0].Hidden, layerOf(priv))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "one layer", predict(m, p.X), predict(want, p.X), 1e-9)

	c.Layers = 3
	m, _ = train(t, c, p)
	turned := p
	turned.Unlabelled = &learn.Unlabelled{X: mat.NewDense(30, 4, nil), Priv: mat.NewDense(30, 3, nil)}
	for i := range 30 {
		turned.Unlabelled.X.SetRow(i, p.Unlabelled.X.RawRowView(29-i))
		turned.Unlabelled.Priv.SetRow(i, p.Unlabelled.Priv.RawRowView(29-i))
	}
	again, _ := train(t, c, turned)
	near(t, "other order of rows", predict(again, p.X), predict(m, p.X), 1e-8)
	p.Unlabelled = nil
	without, _ := train(t, c, p)
	if mat.EqualApprox(predict(without, p.X), predict(m, p.X), 1e-3) {
		t.Error("rows without targets change nothing")
	}
}

// The last layer of a cascade is the average of RVFL+ networks whose privileged features are the standardised
// leave-one-out predictions of the layer before, never the predictions in training.
func TestCascadeStepByStep(t *testing.T) {
	c, p := CascadeConfig{small("auto", learn.Additive), 2, 2}, problem(25)
	p.Weight = make([]float64, 25)
	for i := range p.Weight {
		p.Weight[i] = float64(i % 3)
	}
	m, _ := train(t, c, p)
	first := p
	first.LeaveOneOut = learn.Always
	var columns []*mat.Dense
	err := c.columns().each(ctx, first, "layer1.", func(_ rvfl.Layer, m *rvfl.Model, r learn.Report) {
		columns = append(columns, r.LeaveOneOut)
	})
	if err != nil {
		t.Fatal(err)
	}
	second := p
	second.Priv = standardised(columns, p.Weight)
	want, _, err := c.columns().average(ctx, second, "layer2.")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "two layers", predict(m, p.X), predict(want, p.X), 0)
	one, _ := train(t, CascadeConfig{c.Network, 2, 1}, p)
	if mat.Equal(predict(m, p.X), predict(one, p.X)) {
		t.Error("a second layer changes nothing")
	}
}

func TestKernelCascadeStepByStep(t *testing.T) {
	c, p := DefaultKernelCascadeConfig(), problem(25)
	c.Layers, c.Network.Gamma, p.Priv = 3, 0.5, nil
	m, _ := train(t, c, p)
	for range 2 {
		own := p
		own.LeaveOneOut = learn.Always
		_, report, err := c.Network.Train(ctx, own)
		if err != nil {
			t.Fatal(err)
		}
		p.Priv = standardised([]*mat.Dense{report.LeaveOneOut}, nil)
	}
	want, _, err := c.Network.Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "three layers", predict(m, p.X), predict(want, p.X), 0)
	if _, is := m.(*krvfl.Model); !is {
		t.Errorf("the model is a %T", m)
	}
}

func TestPredictionsAreStandardised(t *testing.T) {
	p := mat.NewDense(4, 2, []float64{1000, 7, 3000, 7, 2000, 7, 9e9, 7})
	got := standardised([]*mat.Dense{p}, []float64{1, 1, 2, 0})
	root := math.Sqrt(2)
	for i, want := range []float64{-root, root, 0} {
		if math.Abs(got.At(i, 0)-want) > 1e-12 || got.At(i, 1) != 0 {
			t.Errorf("row %d is %v, want %v and 0", i+1, got.RawRowView(i), want)
		}
	}
}

// Targets in another unit give predictions in that unit.
func TestCascadesDoNotDependOnTheUnit(t *testing.T) {
	p := problem(30)
	scaled := p
	scaled.Y = mat.DenseCopyOf(p.Y)
	scaled.Y.Scale(1e6, scaled.Y)
	for name, c := range map[string]learn.Trainer{
		"cmcRVFL+": CascadeConfig{small("auto", learn.Additive), 2, 3}, "cKRVFL+": DefaultKernelCascadeConfig(),
	} {
		a, _ := train(t, c, p)
		b, _ := train(t, c, scaled)
		out := predict(b, p.X)
		out.Scale(1e-6, out)
		near(t, name, out, predict(a, p.X), 1e-7)
	}
}

func TestCascadeSaysWhyItHasNoLeaveOneOut(t *testing.T) {
	p := problem(10)
	p.LeaveOneOut = learn.Always
	_, _, err := DefaultKernelCascadeConfig().Train(ctx, p)
	if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), "have seen the row") {
		t.Error(err)
	}
}

func TestConfigsOutOfRange(t *testing.T) {
	p := problem(10)
	drawn := rvfl.DefaultConfig()
	drawn.Init = "differences"
	for name, c := range map[string]learn.Trainer{
		"init":     DeepConfig{drawn, 2},
		"members":  Config{rvfl.DefaultConfig(), 0},
		"C":        Config{Members: 2},
		"layers":   DeepConfig{rvfl.DefaultConfig(), -1},
		"columns":  CascadeConfig{rvfl.DefaultConfig(), 0, 2},
		"depth":    CascadeConfig{rvfl.DefaultConfig(), 2, -1},
		"kernels":  KernelCascadeConfig{krvfl.DefaultConfig(), -1},
		"no gamma": KernelCascadeConfig{krvfl.Config{C: 1}, 1},
	} {
		if _, _, err := c.Train(ctx, p); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Layers 0 stands for the default.
func TestDefaultLayers(t *testing.T) {
	p := problem(20)
	network := small("auto", learn.Additive)
	a, _ := train(t, DeepConfig{network, 0}, p)
	if got := len(a.(*Model).Parts().Members); got != DefaultDeepConfig().Layers {
		t.Errorf("a deep network has %d layers", got)
	}
	a, _ = train(t, CascadeConfig{network, 2, 0}, p)
	b, _ := train(t, CascadeConfig{network, 2, DefaultCascadeConfig().Layers}, p)
	near(t, "a cascade", predict(a, p.X), predict(b, p.X), 0)
}

func TestMemoryIsJudgedBeforehand(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(200 << 20))
	network := rvfl.DefaultConfig()
	p := problem(10)
	for name, c := range map[string]learn.Trainer{
		"members": Config{network, math.MaxInt32}, "layers": DeepConfig{network, 100},
		"columns": CascadeConfig{network, math.MaxInt32, 2},
	} {
		if _, _, err := c.Train(ctx, p); !errors.Is(err, fault.Resource) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := (DeepConfig{network, 2}).Train(ctx, problem(30_000)); !errors.Is(err, fault.Resource) {
		t.Errorf("rows: %v", err)
	}
}

func TestPartsThatDoNotFit(t *testing.T) {
	m, _ := train(t, DeepConfig{small("auto", learn.Additive), 3}, problem(20))
	for name, spoil := range map[string]func(*Parts){
		"none":    func(p *Parts) { p.Members = nil },
		"outputs": func(p *Parts) { p.Offset = nil },
		"offset":  func(p *Parts) { p.Offset = []float64{1} },
		"depth":   func(p *Parts) { p.Deep = false },
		"bias":    func(p *Parts) { p.Members[1].Hidden.Bias = nil },
		"direct":  func(p *Parts) { p.Members[1].Hidden.Direct = false },
		"weights": func(p *Parts) { p.Members[2].Weight = blas.New(3, 2) },
	} {
		p := m.(*Model).Parts()
		p.Members = slices.Clone(p.Members)
		spoil(&p)
		if _, err := FromParts(p); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := m.(*Model).WithWeights(blas.New(10, 2), []float64{0, 0}); !errors.Is(err, fault.Data) {
		t.Errorf("other weights: %v", err)
	}
}

// A stage says which network it belongs to.
func TestProgressNamesTheNetwork(t *testing.T) {
	for prefix, c := range map[string]learn.Trainer{
		"network 2 of 2: ":               Config{small("primal", learn.Additive), 2},
		"layer 3 of 3: ":                 DeepConfig{small("primal", learn.Additive), 3},
		"layer 2 of 2, network 1 of 2: ": CascadeConfig{small("primal", learn.Additive), 2, 2},
	} {
		var stages []string
		p := problem(20)
		p.Progress = func(stage string, _, _ int) { stages = append(stages, stage) }
		train(t, c, p)
		if !slices.ContainsFunc(stages, func(s string) bool { return strings.HasPrefix(s, prefix) }) {
			t.Errorf("no stage begins with %q: %q", prefix, stages)
		}
	}
}
