package lupi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/metric"
	"rvflplus/internal/oracle"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/learn"
)

var ctx = context.Background()

// small returns a config with short lists.
func small(method string, change ...func(*Config)) Config {
	c := Config{
		Method: method, Base: "krvfl", Kernel: kernel.Must("rbf"), Linear: true, Center: true, Seed: 1,
		Layers: feature.Layers{Hidden: 12, PrivHidden: 8, Init: "uniform", Activation: "sigmoid"},
		C:      []float64{0.1, 1, 10}, Gamma: []float64{0.1, 1, 10}, Widths: []float64{0.25, 1, 4},
		PrivWidths: []float64{1}, U: []float64{0.5, 2}, Lambdas: lambdaGrid, Powers: powerGrid,
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

// made is generated data: targets of the normal features and of privileged ones that the normal ones do not tell, the
// second target in another unit.
type made struct {
	n, unlabelled, outputs int
	weights, lacking       bool
	noisy                  bool // privileged features of other rows
	seed                   uint64
}

func (o made) problem() learn.Problem {
	r := rand.New(rand.NewPCG(o.seed, uint64(o.n)))
	draw := func(rows, cols int) *mat.Dense {
		m := mat.NewDense(rows, cols, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
		return m
	}
	all := o.n + o.unlabelled
	x, priv := draw(all, 3), draw(all, 2)
	y := mat.NewDense(o.n, max(1, o.outputs), nil)
	for i := range all {
		hidden := 0.5*priv.At(i, 0) + math.Sin(2*x.At(i, 0))
		priv.Set(i, 0, hidden)
		for j := 0; i < o.n && j < max(1, o.outputs); j++ {
			y.Set(i, j, math.Pow(50, float64(j))*(hidden+0.3*x.At(i, 1)*float64(j)+0.1*r.NormFloat64()+4))
		}
	}
	if o.noisy {
		priv = learn.GatherRows(priv, r.Perm(all))
	}
	p := learn.Problem{X: mat.DenseCopyOf(x.Slice(0, o.n, 0, 3)), Priv: mat.DenseCopyOf(priv.Slice(0, o.n, 0, 2)), Y: y}
	if o.unlabelled > 0 {
		p.Unlabelled = &learn.Unlabelled{X: mat.DenseCopyOf(x.Slice(o.n, all, 0, 3)),
			Priv: mat.DenseCopyOf(priv.Slice(o.n, all, 0, 2))}
	}
	for i := range o.n {
		if o.weights {
			p.Weight = append(p.Weight, 0.5+float64(i%3))
		}
		if o.lacking {
			p.HasPriv = append(p.HasPriv, i%5 != 2)
		}
	}
	return p
}

func train(t *testing.T, c Config, p learn.Problem) (learn.Model, learn.Report) {
	t.Helper()
	m, report, err := c.Train(ctx, p)
	if err != nil {
		t.Fatalf("%s: %v", c.Method, err)
	}
	return m, report
}

func predict(m learn.Model, x *mat.Dense) *mat.Dense {
	_, outputs := m.Dims()
	out := mat.NewDense(x.RawMatrix().Rows, outputs, nil)
	m.PredictTo(out, x)
	return out
}

// near fails unless both are equal to the tolerance, relative to the largest element.
func near(t *testing.T, what string, got, want *mat.Dense, tolerance float64) {
	t.Helper()
	var worst, largest float64
	rows, cols := want.Dims()
	for i := range rows {
		for j := range cols {
			largest = max(largest, math.Abs(want.At(i, j)))
			if d := math.Abs(got.At(i, j) - want.At(i, j)); !(d <= worst) {
				worst = d
			}
		}
	}
	if !(worst <= tolerance*largest) {
		t.Errorf("%s: off by %.2g of its largest element", what, worst/largest)
	}
}

// begun returns the run of a method whose member is made.
func begun(t *testing.T, c Config, p learn.Problem) (*fit, *member) {
	t.Helper()
	f, _, err := c.begin(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := map[string]func(context.Context) (*member, error){"tuned": f.tuned, "averaged": f.averaged,
		"projected": f.projected, "label": f.projected, "distill": f.distill, "transfer": f.transfer, "weigh": f.weigh,
		"stack": f.stack}[c.Method](ctx)
	if err != nil {
		t.Fatalf("%s: %v", c.Method, err)
	}
	return f, m
}

// refits returns the predictions of every fold by the member trained on the other rows.
func refits(t *testing.T, f *fit, m *member, folds [][]int) *mat.Dense {
	t.Helper()
	out, err := f.withoutFolds(ctx, folds, func(ctx context.Context, p learn.Problem) (learn.Model, error) {
		return f.refit(ctx, m, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func alone(n int) [][]int {
	var folds [][]int
	for i := range n {
		folds = append(folds, []int{i})
	}
	return folds
}

func TestWeightsAgreeWithTheReference(t *testing.T) {
	for _, v := range oracle.ReadVectors(t) {
		y := v.Y.Dense()
		n, m := y.Dims()
		f := &fit{rows: learn.Problem{Y: y}, weight: ones(n), scale: ones(m), members: map[string]*member{}}
		var members []*member
		for _, loo := range v.Stack.Members {
			members = append(members, &member{out: loo.Dense()})
		}
		weights := f.simplex(members)
		for k, w := range v.Stack.Weights {
			if !(math.Abs(weights[k]-w) < 1e-8) {
				t.Errorf("%s: weights %v, want %v", v.Name, weights, v.Stack.Weights)
				break
			}
		}
		oracle.Near(t, v.Name+": stack", mixed(members, weights), v.Stack.Loo)
		_, z := f.gain(members[0].out, mixed(members, weights))
		shrunk, kappa := f.mixStack(members)
		if !(math.Abs(z-v.Shrunk.Z) < 1e-8*(1+math.Abs(v.Shrunk.Z))) || !(math.Abs(kappa-v.Shrunk.Kappa) < 1e-8) {
			t.Errorf("%s: z %.12g and κ %.12g, want %.12g and %.12g", v.Name, z, kappa, v.Shrunk.Z, v.Shrunk.Kappa)
		}
		oracle.Near(t, v.Name+": shrunk stack", shrunk.out, v.Shrunk.Loo)
	}
}

// The predictions that methods are chosen by are those of the method trained without each row, settings held.
func TestLeftOutPredictionsEqualRefits(t *testing.T) {
	second := func(c *Config) { c.ProjectC, c.ProjectKernel = 3, kernel.Must("rbf:width=5") }
	layers := func(c *Config) { c.Base, c.ProjectC = "rvfl", 3 }
	plain := func(c *Config) { c.Linear = false } // the mean of Ω̃'s diagonal is then 1 without any row
	whole := func(c *Config) { c.Center = false }
	lambda := func(v float64) func(*Config) { return func(c *Config) { c.Lambdas = []float64{v} } }
	other := func(c *Config) { c.PrivKernel = kernel.Must("laplacian") }
	for name, k := range map[string]struct {
		c Config
		d made
	}{
		"tuned":                    {small("tuned"), made{n: 24, weights: true, outputs: 2}},
		"averaged":                 {small("averaged"), made{n: 24, weights: true, outputs: 2}},
		"averaged of layers":       {small("averaged", layers), made{n: 24, weights: true, outputs: 2}},
		"averaged, not centred":    {small("averaged", whole), made{n: 24}},
		"projected":                {small("projected", second), made{n: 24, weights: true, outputs: 2}},
		"projected, lacking":       {small("projected", second, plain), made{n: 24, weights: true, lacking: true}},
		"projected of layers":      {small("projected", layers), made{n: 24, weights: true, outputs: 2}},
		"projected, not centred":   {small("projected", second, whole), made{n: 24}},
		"label":                    {small("label", second), made{n: 24, unlabelled: 20, weights: true, outputs: 2}},
		"label, lacking":           {small("label", second, plain), made{n: 24, unlabelled: 9, lacking: true}},
		"label of layers":          {small("label", layers), made{n: 24, unlabelled: 20, outputs: 2}},
		"distill":                  {small("distill"), made{n: 24, weights: true, outputs: 2}},
		"distill, not centred":     {small("distill", whole), made{n: 24, weights: true}},
		"distill, teacher alone":   {small("distill", lambda(1)), made{n: 24, outputs: 2}},
		"distill, targets alone":   {small("distill", lambda(0)), made{n: 24}},
		"distill of other kernels": {small("distill", other), made{n: 24}},
	} {
		t.Run(name, func(t *testing.T) {
			f, m := begun(t, k.c, k.d.problem())
			near(t, "left out", m.out, refits(t, f, m, alone(k.d.n)), 1e-8)
			if !slices.ContainsFunc(m.parts, func(p part) bool { return p.weight > 0 }) {
				t.Error("no part has a weight")
			}
		})
	}
}

// Whole groups leave together: predictions of a group are those of models that saw none of its rows.
func TestGroupsLeaveTogether(t *testing.T) {
	for _, method := range []string{"tuned", "averaged", "projected", "transfer", "stack"} {
		p := made{n: 30}.problem()
		for i := range 30 {
			p.Group = append(p.Group, i%7)
		}
		second := func(c *Config) { c.ProjectC, c.ProjectKernel = 3, kernel.Must("rbf:width=5") }
		f, m := begun(t, small(method, second), p)
		of := map[int]int{}
		for k, fold := range f.folds {
			for _, i := range fold {
				if g, seen := of[f.rows.Group[i]]; seen && g != k {
					t.Fatalf("%s: group %d is in two folds", method, f.rows.Group[i])
				}
				of[f.rows.Group[i]] = k
			}
		}
		near(t, method, m.out, refits(t, f, m, f.folds), 1e-8)
	}
	p := made{n: 30}.problem()
	p.Group = make([]int, 30)
	if _, _, err := small("averaged").Train(ctx, p); !errors.Is(err, fault.Usage) {
		t.Errorf("one group: %v", err)
	}
}

// naive is a kernel ridge regression with centred targets by its definition.
type naive struct {
	alpha, mean []float64
}

func ridgeOf(t *testing.T, k *mat.Dense, y, weight []float64, c float64) naive {
	t.Helper()
	n := len(y)
	m := naive{mean: []float64{0}}
	var total float64
	for i, v := range weight {
		m.mean[0] += v * y[i]
		total += v
	}
	m.mean[0] /= total
	a, b := mat.DenseCopyOf(k), mat.NewVecDense(n, nil)
	for i := range n {
		a.Set(i, i, a.At(i, i)+1/(c*weight[i]))
		b.SetVec(i, y[i]-m.mean[0])
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		t.Fatal(err)
	}
	m.alpha = x.RawVector().Data
	return m
}

func (m naive) of(row []float64) float64 {
	f := m.mean[0]
	for i, v := range row {
		f += v * m.alpha[i]
	}
	return f
}

// kernelOf returns 1 + x·y/n + exp(−|x−y|²/width) of n features.
func kernelOf(a, b *mat.Dense, width float64) *mat.Dense {
	out := mat.NewDense(a.RawMatrix().Rows, b.RawMatrix().Rows, nil)
	out.Apply(func(i, j int, _ float64) float64 {
		var inner, square float64
		for k, v := range a.RawRowView(i) {
			w := b.At(j, k)
			inner, square = inner+v*w, square+(v-w)*(v-w)
		}
		return 1 + inner/float64(a.RawMatrix().Cols) + math.Exp(-square/width)
	}, out)
	return out
}

// Transfer by its definition, with leave-one-out of the first stage by refits, predicts what its folds were chosen by.
func TestTransferEqualsItsDefinition(t *testing.T) {
	for _, features := range []string{"both", "predicted"} {
		d := made{n: 26, weights: true, lacking: features == "both", seed: 4}
		p := d.problem()
		c := small("transfer", func(c *Config) {
			c.Kernel, c.C = kernel.Must("rbf:width=3"), []float64{2}
		})
		f, _, err := c.begin(p)
		if err != nil {
			t.Fatal(err)
		}
		first, err := f.firstStage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		fold := []int{1, 7, 20}
		rest := f.rows.Only(split.Others(26, fold))
		tr := transferrer{fit: f, first: first, both: features == "both", factor: 1, c: 2}
		m, _, err := tr.Train(ctx, rest)
		if err != nil {
			t.Fatal(err)
		}
		held := learn.GatherRows(f.rows.X, fold)
		got := predict(m, held)

		n, dp := rest.Priv.Dims()
		learned, used := mat.NewDense(n, dp, nil), mat.NewDense(len(fold), dp, nil)
		var complete []int
		for i := range n {
			if rest.HasPriv == nil || rest.HasPriv[i] {
				complete = append(complete, i)
			}
		}
		for j := range dp {
			y := func(rows []int) (v, w []float64) {
				for _, i := range rows {
					v, w = append(v, rest.Priv.At(i, j)), append(w, rest.Weight[i])
				}
				return v, w
			}
			model := func(rows []int, x *mat.Dense) []float64 {
				v, w := y(rows)
				basis := learn.GatherRows(rest.X, rows)
				one := ridgeOf(t, kernelOf(basis, basis, 3), v, w, 2)
				k := kernelOf(x, basis, 3)
				var out []float64
				for i := range x.RawMatrix().Rows {
					out = append(out, one.of(k.RawRowView(i)))
				}
				return out
			}
			used.SetCol(j, model(complete, held))
			learned.SetCol(j, model(complete, rest.X))
			for _, i := range complete {
				without := slices.DeleteFunc(slices.Clone(complete), func(k int) bool { return k == i })
				learned.Set(i, j, model(without, learn.GatherRows(rest.X, []int{i}))[0])
			}
			var mean, sd float64
			for _, i := range complete {
				mean += learned.At(i, j) / float64(len(complete))
			}
			for _, i := range complete {
				sd += (learned.At(i, j) - mean) * (learned.At(i, j) - mean) / float64(len(complete))
			}
			unit := func(v float64) float64 { return min(max((v-mean)/math.Sqrt(sd), -5), 5) }
			for i := range n {
				learned.Set(i, j, unit(learned.At(i, j)))
			}
			for i := range fold {
				used.Set(i, j, unit(used.At(i, j)))
			}
		}
		if features == "both" {
			var a, b mat.Dense
			a.Augment(rest.X, learned)
			b.Augment(held, used)
			learned, used = &a, &b
		}
		last := ridgeOf(t, kernelOf(learned, learned, 3), mat.Col(nil, 0, rest.Y), rest.Weight, 2)
		k, want := kernelOf(used, learned, 3), mat.NewDense(len(fold), 1, nil)
		for i := range fold {
			want.Set(i, 0, last.of(k.RawRowView(i)))
		}
		near(t, features, got, want, 1e-9)
	}
}

// What transfer is chosen by are the predictions of its own folds.
func TestTransferIsChosenByItsFolds(t *testing.T) {
	// The privileged column tells the target whole and is a simple function of the normal ones.
	p := made{n: 60, seed: 5}.problem()
	for i := range 60 {
		p.Priv.Set(i, 0, math.Sin(2*p.X.At(i, 0))+0.05*p.Priv.At(i, 1))
		p.Y.Set(i, 0, math.Copysign(1, p.Priv.At(i, 0)))
	}
	f, m := begun(t, small("transfer"), p)
	if m.settings[0].Value == "normal" {
		t.Fatalf("settings %v", m.settings)
	}
	first := map[int]bool{}
	var folds [][]int
	dealt, err := f.transferFolds()
	if err != nil {
		t.Fatal(err)
	}
	for _, fold := range dealt {
		folds = append(folds, fold)
		for _, i := range fold {
			if first[i] {
				t.Fatal("a row is in two folds")
			}
			first[i] = true
		}
	}
	near(t, "folds", m.out, refits(t, f, m, folds), 1e-9)
}

// Privileged row weights: the predictions of rows left out are those with the weights held.
func TestWeightedRowsEqualRefits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	p := learn.Problem{X: mat.NewDense(80, 1, nil), Priv: mat.NewDense(80, 1, nil), Y: mat.NewDense(80, 1, nil)}
	for i := range 80 {
		x, noise := r.NormFloat64(), r.NormFloat64()
		p.X.Set(i, 0, x)
		p.Priv.Set(i, 0, noise)
		p.Y.Set(i, 0, x+0.3*math.Exp(1.5*noise)*r.NormFloat64())
		p.Weight = append(p.Weight, 1+float64(i%2))
	}
	c := small("weigh", func(c *Config) {
		c.Kernel, c.C, c.Powers = kernel.Must("rbf:width=2"), []float64{1}, []float64{1}
	})
	f, m := begun(t, c, p)
	if m.settings[0].Value != "1" {
		t.Fatalf("settings %v", m.settings)
	}
	losses := f.losses(f.members["tuned"].out)
	w, err := f.noise(ctx, losses)
	if err != nil || w == nil {
		t.Fatal(w, err)
	}
	v, err := w.reliability(ctx, f.rows, losses)
	if err != nil {
		t.Fatal(err)
	}
	if ratio := slices.Max(v) / slices.Min(v); !(ratio > 2 && ratio <= widest*widest) {
		t.Errorf("reliabilities differ by %g", ratio)
	}
	want := mat.NewDense(80, 1, nil)
	all := kernelOf(p.X, p.X, 2)
	for i := range 80 {
		rest := split.Others(80, []int{i})
		k := mat.NewDense(79, 79, nil)
		var y, weight, row []float64
		for a, s := range rest {
			for b, u := range rest {
				k.Set(a, b, all.At(s, u))
			}
			y, weight, row = append(y, p.Y.At(s, 0)), append(weight, p.Weight[s]*v[s]), append(row, all.At(i, s))
		}
		want.Set(i, 0, ridgeOf(t, k, y, weight, 1).of(row))
	}
	near(t, "weighted", m.out, want, 1e-9)
	counts := raised(v, 1, f.weight)
	for name, counts := range map[string][]float64{"weighted": counts, "plain": f.weight} {
		before, _ := metric.WeightedMean(losses, counts)
		if after, _ := metric.WeightedMean(f.losses(m.out), counts); after >= before {
			t.Errorf("%s loss %g, before %g", name, after, before)
		}
	}
	for i := range 80 { // features that tell nothing of the noise
		p.Priv.Set(i, 0, math.Sin(float64(i*i)))
	}
	if _, m := begun(t, c, p); m.settings[0].Value != "0" && m.settings[0].Value != "1" {
		t.Errorf("settings %v", m.settings)
	}
}

// A stack gains from privileged features that help, and next to nothing from noise.
func TestAStackGainsOnlyWhereThereIsSomething(t *testing.T) {
	gain := func(noisy bool) (gain, kappa float64) {
		for seed := range uint64(6) {
			train1 := made{n: 50, noisy: noisy, unlabelled: 100, seed: seed}.problem()
			test := made{n: 300, noisy: noisy, seed: seed + 100}.problem()
			c := small("stack", func(c *Config) { c.C, c.Gamma = cGrid, gammaGrid })
			stack, report := train(t, c, train1)
			plain, _ := train(t, small("averaged", func(c *Config) { c.C = cGrid }), train1)
			var a, b float64
			for i := range 300 {
				a += math.Pow(predict(plain, test.X).At(i, 0)-test.Y.At(i, 0), 2)
				b += math.Pow(predict(stack, test.X).At(i, 0)-test.Y.At(i, 0), 2)
			}
			gain, kappa = gain+(a-b)/a/6, kappa+report.Outcome.Kappa/6
		}
		return gain, kappa
	}
	if g, kappa := gain(false); g < 0.05 || kappa < 0.3 {
		t.Errorf("informative: gain %.3f, κ %.2f", g, kappa)
	}
	if g, kappa := gain(true); math.Abs(g) > 0.02 || kappa > 0.3 {
		t.Errorf("noise: gain %.3f, κ %.2f", g, kappa)
	}
}

func TestCombinedModelsPredictWeightedSums(t *testing.T) {
	p := made{n: 40, unlabelled: 10, outputs: 2, lacking: true}.problem()
	whole := made{n: 40, outputs: 2}.problem()
	var models []learn.Model
	problems := map[string]learn.Problem{"label": p, "tuned": p, "averaged": p, "distill": whole, "transfer": whole}
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		m, _ := train(t, small(name), problems[name])
		models = append(models, m)
	}
	layers, _ := train(t, small("averaged", func(c *Config) { c.Base = "rvfl" }), p)
	models = append(models, layers, Combine([]float64{0.5, 0.5}, []learn.Model{layers, models[0]}))
	weights := []float64{0.3, 0.1, 0.2, 0.15, 0.05, 0.12, 0.08}
	want := mat.NewDense(40, 2, nil)
	for k, m := range models {
		var one mat.Dense
		one.Scale(weights[k], predict(m, p.X))
		want.Add(want, &one)
	}
	sum := Combine(weights, models)
	all := predict(sum, p.X)
	near(t, "sum", all, want, 1e-13)
	for i := range 40 {
		if one := predict(sum, learn.GatherRows(p.X, []int{i})); !slices.Equal(one.RawRowView(0), all.RawRowView(i)) {
			t.Errorf("row %d has other bits alone", i)
		}
	}
	if _, err := NewSum(nil); !errors.Is(err, fault.Data) {
		t.Errorf("no parts: %v", err)
	}
	if _, err := NewSum([]learn.Model{layers, narrow(t)}); !errors.Is(err, fault.Data) {
		t.Errorf("parts that do not fit: %v", err)
	}
	for what, sd := range map[string][]float64{"no": nil, "negative": {-1}} {
		if _, err := NewTransfer(narrow(t), []float64{0}, sd, true, narrow(t)); !errors.Is(err, fault.Data) {
			t.Errorf("%s deviations: %v", what, err)
		}
	}
}

// narrow is a model of one feature and one output.
func narrow(t *testing.T) learn.Model {
	p := made{n: 10}.problem()
	p.X, p.Priv = mat.DenseCopyOf(p.X.Slice(0, 10, 0, 1)), nil
	m, _ := train(t, small("tuned"), p)
	return m
}

// every calls use for every method with data it takes.
func every(t *testing.T, use func(t *testing.T, name string, c Config, p learn.Problem), n int) {
	for _, base := range []string{"krvfl", "rvfl"} {
		for _, method := range Methods() {
			if base == "rvfl" && (method == "distill" || method == "transfer") {
				continue
			}
			d := made{n: n, weights: true, outputs: 2, seed: 7}
			if method == "label" {
				d.unlabelled = 20
			}
			t.Run(method+" "+base, func(t *testing.T) {
				use(t, method, small(method, func(c *Config) { c.Base, c.Nested = base, true }), d.problem())
			})
		}
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	every(t, func(t *testing.T, name string, c Config, p learn.Problem) {
		var want []float64
		p.LeaveOneOut = learn.WhenCheap
		for _, threads := range []int{1, 2, 3, 4} {
			before := runtime.GOMAXPROCS(threads)
			m, report := train(t, c, p)
			runtime.GOMAXPROCS(before)
			got := slices.Concat(predict(m, p.X).RawMatrix().Data, report.LeaveOneOut.RawMatrix().Data)
			if want == nil {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("%d threads give other bits", threads)
			}
		}
	}, 40)
}

// Where rows are not dealt to folds their order does not matter.
func TestRowOrderDoesNotMatter(t *testing.T) {
	order := rand.New(rand.NewPCG(1, 2)).Perm(40)
	every(t, func(t *testing.T, name string, c Config, p learn.Problem) {
		c.Nested, c.Members = false, nil
		if name == "stack" {
			c.Members = []string{"projected"}
		}
		shuffled := p.Only(order)
		if name == "transfer" { // its folds deal rows by their numbers; whole groups leave together in any order
			p.Group = make([]int, 40)
			for i := range p.Group {
				p.Group[i] = i / 8
			}
			shuffled = p.Only(order)
		}
		a, _ := train(t, c, p)
		b, _ := train(t, c, shuffled)
		near(t, "shuffled", predict(b, p.X), predict(a, p.X), 1e-9)
	}, 40)
}

// A budget that is used up at once leaves one setting of each search, and says so.
func TestABudgetKeepsOneSetting(t *testing.T) {
	every(t, func(t *testing.T, name string, c Config, p learn.Problem) {
		c.Budget = time.Nanosecond
		m, report := train(t, c, p)
		finite(t, m, p.X)
		if report.Outcome.Nested != nil {
			t.Error("a nested estimate after the budget")
		}
		cut := false
		for _, candidate := range report.Outcome.Candidates {
			cut = cut || candidate.Tried < candidate.Of
			for _, s := range candidate.Settings {
				if s.Name == "C" && s.Value != "0.1" {
					t.Errorf("%s: C %s was not tried", candidate.Name, s.Value)
				}
			}
		}
		if !cut {
			t.Errorf("all settings tried: %+v", report.Outcome.Candidates)
		}
	}, 40)
}

func finite(t *testing.T, m learn.Model, x *mat.Dense) {
	t.Helper()
	for _, v := range predict(m, x).RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("a prediction of %v", v)
		}
	}
}

// A cancelled training ends within a second and leaves nothing running.
func TestCancellationEndsSoon(t *testing.T) {
	before := runtime.NumGoroutine()
	every(t, func(t *testing.T, name string, c Config, p learn.Problem) {
		c.C, c.Gamma = cGrid, gammaGrid
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var at time.Time
		p.Progress = func(_ string, done, _ int) {
			if done >= 3 && at.IsZero() {
				at = time.Now()
				cancel()
			}
		}
		if _, _, err := c.Train(ctx, p); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(at); took > time.Second {
			t.Errorf("ended after %v", took)
		}
	}, 1000)
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestKernelsOfManyRowsAreRefusedEarly(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	p := learn.Problem{X: mat.NewDense(100_000, 1, nil), Y: mat.NewDense(100_000, 1, nil)}
	for i := range 100_000 {
		p.X.Set(i, 0, float64(i))
	}
	start := time.Now()
	_, _, err := small("averaged").Train(ctx, p)
	if !errors.Is(err, fault.Resource) || time.Since(start) > time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	if hint := fault.HintText(err).String(); !strings.Contains(hint, "rvfl") {
		t.Errorf("the remedy is %q", hint)
	}
}

// Problems at the edge give a sound model or an error, and never a panic.
func TestProblemsAtTheEdge(t *testing.T) {
	constant := func(m *mat.Dense, v float64) { m.Apply(func(int, int, float64) float64 { return v }, m) }
	for what, spoil := range map[string]func(p *learn.Problem){
		"constant target":      func(p *learn.Problem) { constant(p.Y, 3) },
		"target 0":             func(p *learn.Problem) { constant(p.Y, 0) },
		"constant priv":        func(p *learn.Problem) { constant(p.Priv, 2) },
		"constant x":           func(p *learn.Problem) { constant(p.X, 1) },
		"huge targets":         func(p *learn.Problem) { p.Y.Scale(1e150, p.Y) },
		"huge features":        func(p *learn.Problem) { p.X.Scale(1e120, p.X) },
		"huge priv":            func(p *learn.Problem) { p.Priv.Scale(1e160, p.Priv) },
		"tiny targets":         func(p *learn.Problem) { p.Y.Scale(1e-160, p.Y) },
		"far targets":          func(p *learn.Problem) { far(p.Y) },
		"equal rows":           func(p *learn.Problem) { constant(p.X, 1); constant(p.Priv, 1) },
		"one row has it all":   func(p *learn.Problem) { p.Weight = ones(p.X.RawMatrix().Rows); p.Weight[0] = 1e20 },
		"weight 0":             func(p *learn.Problem) { p.Weight = ones(p.X.RawMatrix().Rows); p.Weight[0] = 0 },
		"three with priv":      func(p *learn.Problem) { lackingAfter(p, 3) },
		"one with priv":        func(p *learn.Problem) { lackingAfter(p, 1) },
		"none with priv":       func(p *learn.Problem) { lackingAfter(p, 0) },
		"two groups":           func(p *learn.Problem) { groupsOf(p, 2) },
		"three groups":         func(p *learn.Problem) { groupsOf(p, 3) },
		"groups without priv":  func(p *learn.Problem) { groupsOf(p, 3); lackingAfter(p, 3) },
		"as it is":             func(p *learn.Problem) {},
		"rows without targets": func(p *learn.Problem) { p.Unlabelled = &learn.Unlabelled{X: p.X, Priv: p.Priv} },
	} {
		for _, n := range []int{1, 2, 3, 4, 12} {
			every(t, func(t *testing.T, name string, c Config, _ learn.Problem) {
				p := made{n: n, outputs: 1 + n%2, seed: 3}.problem()
				p.Priv = mat.DenseCopyOf(p.Priv.Slice(0, n, 0, 1))
				if name == "label" {
					p.Unlabelled = &learn.Unlabelled{X: p.X, Priv: p.Priv}
				}
				spoil(&p)
				p.LeaveOneOut = learn.WhenCheap
				for _, single := range []bool{false, true} {
					c.Single, c.Classes = single, single
					c.Center = !single
					m, report, err := c.Train(ctx, p)
					if err != nil {
						known := func(kind error) bool { return errors.Is(err, kind) }
						if !slices.ContainsFunc([]error{fault.Usage, fault.Data, fault.NotSolved}, known) {
							t.Errorf("%s, %d rows: %v", what, n, err)
						}
						continue
					}
					x := mat.DenseCopyOf(p.X)
					finite(t, m, x)
					soundOutcome(t, fmt.Sprintf("%s, %d rows", what, n), report.Outcome)
				}
			}, 3)
		}
	}
}

func soundOutcome(t *testing.T, what string, o *learn.Outcome) {
	t.Helper()
	for _, c := range o.Candidates {
		if math.IsNaN(c.Loss+c.SE+c.Weight) || math.IsInf(c.Loss+c.SE, 0) {
			t.Errorf("%s: candidate %+v", what, c)
		}
	}
	if n := o.Nested; n != nil && (math.IsNaN(n.Loss+n.Gain+n.GainSE) || math.IsInf(n.Loss+n.Gain+n.GainSE, 0)) {
		t.Errorf("%s: nested %+v", what, n)
	}
}

func far(m *mat.Dense) { m.Apply(func(_, _ int, v float64) float64 { return v + 1e12 }, m) }

func lackingAfter(p *learn.Problem, complete int) {
	p.HasPriv = make([]bool, p.X.RawMatrix().Rows)
	for i := range p.HasPriv {
		p.HasPriv[i] = i < complete
	}
}

func groupsOf(p *learn.Problem, k int) {
	p.Group = make([]int, p.X.RawMatrix().Rows)
	for i := range p.Group {
		p.Group[i] = i % k
	}
}

// What a method needs and is not there is named.
func TestWhatIsMissingIsRefused(t *testing.T) {
	p := made{n: 20}.problem()
	bare := p
	bare.Priv = nil
	lacking := made{n: 20, lacking: true}.problem()
	for name, k := range map[string]struct {
		c    Config
		p    learn.Problem
		kind error
	}{
		"no method":       {small("x"), p, fault.Usage},
		"no columns":      {small("projected"), bare, fault.Usage},
		"no rows":         {small("label"), p, fault.Data},
		"rows lack":       {small("distill"), lacking, fault.Data},
		"rows lack too":   {small("weigh"), lacking, fault.Data},
		"no kernels":      {small("transfer", func(c *Config) { c.Base = "rvfl" }), p, fault.Usage},
		"no kernels too":  {small("distill", func(c *Config) { c.Base = "rvfl" }), p, fault.Usage},
		"no such member":  {small("stack", func(c *Config) { c.Members = []string{"averaged"} }), p, fault.Usage},
		"member's rows":   {small("stack", func(c *Config) { c.Members = []string{"label"} }), p, fault.Data},
		"member's column": {small("stack", func(c *Config) { c.Members = []string{"distill"} }), bare, fault.Usage},
	} {
		if _, _, err := k.c.Train(ctx, k.p); !errors.Is(err, k.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
