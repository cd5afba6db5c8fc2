package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/rng"
	"rvflplus/internal/roles"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
)

func synthetic(t *testing.T, rows int, sel dataset.Selection) *roles.Data {
	t.Helper()
	table, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.3, Seed: 4}.Table()
	kind := dataset.Column{Name: "kind", Levels: []string{"low", "high"}, Codes: make([]int, rows)}
	for i, y := range table.Find("y").Numbers {
		if y > 0 {
			kind.Codes[i] = 1
		}
	}
	table.Columns = append(table.Columns, kind)
	d, err := roles.Assign(table, sel)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var (
	numbers = dataset.Selection{Target: "y", Priv: "lab_*", Drop: "kind"}
	classes = dataset.Selection{Target: "kind", Priv: "lab_*", Drop: "y"}
	quick   = Options{Splits: 3, Permutations: 19, Methods: []string{"krvfl", "krvfl+", "rvfl"}, NoAuto: true}
)

// answer is the JSON of a comparison without its times.
func answer(t *testing.T, c *Comparison) string {
	t.Helper()
	out := *c
	out.Seconds = 0
	out.Methods = slices.Clone(c.Methods)
	for i := range out.Methods {
		out.Methods[i].Seconds = 0
	}
	b, err := json.Marshal(&out)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestThreadsDoNotChangeTheResult(t *testing.T) {
	for _, sel := range []dataset.Selection{numbers, classes} {
		var got []string
		for _, threads := range []int{1, 3} {
			old := runtime.GOMAXPROCS(threads)
			c, err := Compare(context.Background(), synthetic(t, 40, sel),
				param.With(func(c *param.Config) { c.Seed, c.Hidden = 3, 20 }), quick)
			runtime.GOMAXPROCS(old)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, answer(t, c))
		}
		if got[0] != got[1] {
			t.Errorf("one thread:\n%s\nthree:\n%s", got[0], got[1])
		}
	}
}

// mean predicts the targets' mean: the smallest trainer that can join.
type mean struct{}

type meanModel struct {
	y        []float64
	features int
}

func (mean) Train(_ context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	rows, n := p.X.Dims()
	_, m := p.Y.Dims()
	model := meanModel{make([]float64, m), n}
	for i := range rows {
		for j := range model.y {
			model.y[j] += p.Y.At(i, j) / float64(rows)
		}
	}
	return model, learn.Report{}, nil
}

func (m meanModel) Dims() (features, outputs int) { return m.features, len(m.y) }

func (m meanModel) PredictTo(dst, x *mat.Dense) {
	for i := range dst.RawMatrix().Rows {
		dst.SetRow(i, m.y)
	}
}

func TestAnyTrainerJoins(t *testing.T) {
	o := quick
	o.More = []Method{{Name: "mean", Role: Baseline, Candidates: func(learn.Problem) ([]Candidate, error) {
		return []Candidate{{Trainer: mean{}}, {Trainer: mean{}}}, nil
	}}}
	c, err := Compare(context.Background(), synthetic(t, 60, classes), param.Default(), o)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(c.Methods, func(s Score) bool { return s.Name == "mean" })
	if i < 0 || len(c.Methods[i].Values) != o.Splits || c.Methods[i].Difference.Mean >= 0 {
		t.Errorf("the mean is as good as a model: %+v", c.Methods)
	}
	if c.PValue("mean") != "" {
		t.Error("a method that is not in closed form was permuted")
	}
}

// The scaling of the normal columns is chosen on the training rows of each split, that of the privileged ones is held:
// what permutes them must not have been chosen for them.
func TestAComparisonHoldsThePrivilegedScaling(t *testing.T) {
	d := synthetic(t, 60, numbers)
	for _, name := range []string{"x1", "lab_1"} {
		for i, v := range d.Find(name).Numbers {
			d.Find(name).Numbers[i] = math.Exp(3 * v)
		}
	}
	config := param.With(func(c *param.Config) { c.Scale = param.AutoScale })
	r := &run{Options: quick, config: config, data: d}
	r.Rows, r.Test = 200, 0.25
	if err := r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := func(note fault.Text) bool { return strings.Contains(note.String(), "scaling of the normal columns: ") }
	if !slices.ContainsFunc(r.notes, told) {
		t.Errorf("notes %q", r.notes)
	}
	for i := range 3 {
		p, err := r.newPart(t.Context(), i, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		if c := p.train.Config(); c.Scale == "standard" || c.PrivScale != "standard" {
			t.Errorf("split %d: %s, %q", i, c.Scale, c.PrivScale)
		}
	}
	config.PrivScale = "quantile"
	if c, err := Compare(t.Context(), d, config, quick); err != nil || len(c.Methods) == 0 {
		t.Errorf("a given scaling: %v", err)
	}
	config.PrivScale = param.AutoScale
	if _, err := Compare(t.Context(), d, config, quick); !errors.Is(err, fault.Usage) {
		t.Errorf("a chosen scaling: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	for name, o := range map[string]Options{
		"methods":      {Methods: []string{"krvfl", "nothing"}},
		"no baseline":  {Methods: []string{"krvfl+"}},
		"correction":   {Methods: []string{"krvfl", "krvfl+:best"}},
		"twice":        {Methods: []string{"krvfl", "krvfl+", "krvfl+:paper"}},
		"none":         {Methods: []string{"krvfl:paper", "krvfl+"}},
		"splits":       {Splits: 1},
		"permutations": {Permutations: 5},
		"test":         {Test: 1.5},
		"few to train": {Test: 0.9},
	} {
		if _, err := Compare(ctx, synthetic(t, 40, numbers), param.Default(), o); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Compare(ctx, synthetic(t, 12, numbers), param.Default(), quick); !errors.Is(err, fault.Data) {
		t.Errorf("12 rows: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Compare(cancelled, synthetic(t, 40, numbers), param.Default(), quick); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Rows beyond the limit are tested on, rows without privileged values trained on.
func TestManyRowsAndMissingValues(t *testing.T) {
	d := synthetic(t, 90, numbers)
	d.Find("lab_1").Numbers[7] = math.NaN()
	o := quick
	o.Rows = 30
	if _, err := Compare(context.Background(), d, param.Default(), o); !errors.Is(err, fault.Data) {
		t.Errorf("a missing cell: %v", err)
	}
	c, err := Compare(context.Background(), d,
		param.With(func(c *param.Config) { c.AllowMissingPriv, c.Hidden = true, 20 }), o)
	if err != nil {
		t.Fatal(err)
	}
	if c.TrainRows != 30 || c.TestRows != 10 || c.Permutation.Rows != 30 || c.Rows != 90 {
		t.Errorf("%d training, %d test rows, %d permuted of %d", c.TrainRows, c.TestRows, c.Permutation.Rows, c.Rows)
	}
	if text := fmt.Sprint(c.Notes); !strings.Contains(text, "30 of 90") || !strings.Contains(text, "no upper bound") {
		t.Error(text)
	}
	if b := answer(t, c); !strings.Contains(b, `"recovered":null`) {
		t.Error(b)
	}
}

// Shuffled residuals keep what the normal columns tell of the privileged ones, and
// leave nothing to shuffle of an exact copy.
func TestResiduals(t *testing.T) {
	r := rng.New(1, "test")
	const n = 60
	x, priv := mat.NewDense(n, 2, nil), mat.NewDense(n, 3, nil)
	has := make([]bool, n)
	for i := range n {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
		has[i] = i%5 != 0
		priv.SetRow(i, []float64{x.At(i, 0), x.At(i, 1) + 0.1*r.NormFloat64(), r.NormFloat64()})
	}
	left, err := new(run).newResiduals(context.Background(), learn.Problem{X: x, Priv: priv, HasPriv: has}, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := left.shuffled(r)
	var copied, near, far float64
	for i := range n {
		if !has[i] {
			if slices.Max(out.RawRowView(i)) != 0 {
				t.Fatalf("row %d has no privileged values, but got %v", i, out.RawRowView(i))
			}
			continue
		}
		copied = max(copied, math.Abs(out.At(i, 0)-priv.At(i, 0)))
		near = max(near, math.Abs(out.At(i, 1)-priv.At(i, 1)))
		far = max(far, math.Abs(out.At(i, 2)-priv.At(i, 2)))
	}
	if copied > 0.05 || near < 0.05 || near > 1 || far < 1 {
		t.Errorf("a copy moved by %g, a noisy copy by %g, noise by %g", copied, near, far)
	}
}

// A row of weight 0 takes no part.
func TestRowsWithoutWeight(t *testing.T) {
	d := synthetic(t, 60, numbers)
	weight := make([]float64, 60)
	for i := range 40 {
		weight[i] = 1 + float64(i%2)
	}
	weighted := *d.Table
	weighted.Columns = append(slices.Clone(d.Columns), dataset.Column{Name: "weight", Numbers: weight})
	sel := numbers
	sel.Weight = "weight"
	d, err := roles.Assign(&weighted, sel)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Compare(context.Background(), d, param.Default(),
		Options{Splits: 2, Permutations: 19, Methods: []string{"krvfl", "krvfl+:paper"}, NoAuto: true})
	if err != nil {
		t.Fatal(err)
	}
	if c.Rows != 40 || c.TrainRows != 30 || c.TestRows != 10 {
		t.Errorf("%d rows, %d to train, %d to test", c.Rows, c.TrainRows, c.TestRows)
	}
}

// Support vector machines are tuned by the metric, in folds, and measured on held-out rows.
func TestSupportVectorMachinesJoin(t *testing.T) {
	for name, sel := range map[string]dataset.Selection{"svm": classes, "svm+": classes, "svr": numbers} {
		o := quick
		o.Splits, o.Methods = 2, append([]string{name}, "krvfl", "krvfl+:additive")
		c, err := Compare(context.Background(), synthetic(t, 60, sel), param.Default(), o)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(c.Methods, func(s Score) bool { return s.Name == name })
		if c.PValue(name) != "" || len(c.Methods[i].Values) != 2 || !(c.Methods[i].Seconds > 0) ||
			math.Abs(c.Methods[i].Difference.Mean) > 0.5 {
			t.Errorf("%s: %+v", name, c.Methods[i])
		}
	}
}

// The price and the tube of a support vector regression follow the target's scale: its
// error does too.
func TestRegressionMachinesFollowTheScale(t *testing.T) {
	var errs []float64
	for _, factor := range []float64{1, 1e4} {
		d := synthetic(t, 60, numbers)
		y := d.Find("y").Numbers
		for i := range y {
			y[i] *= factor
		}
		o := quick
		o.Splits, o.Methods = 2, []string{"svr", "krvfl", "krvfl+:additive"}
		c, err := Compare(context.Background(), d, param.Default(), o)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(c.Methods, func(s Score) bool { return s.Name == "svr" })
		errs = append(errs, c.Methods[i].Mean/factor)
	}
	if math.Abs(errs[0]/errs[1]-1) > 1e-2 {
		t.Errorf("RMSE %g, and %g of a target 10,000 times as large", errs[0], errs[1])
	}
}

// kinds makes estimators as the kinds do.
type kinds struct{}

func (kinds) Trainer(c param.Config) (learn.Trainer, error) {
	c, k, err := kind.Complete(c)
	return k.Trainer(c, kind.Targets{}), err
}

func TestCandidatesCoverAutomaticWidthsOnly(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 3})
	p := learn.Problem{X: x, Priv: x, Y: x}
	for text, want := range map[string][]string{
		"rbf":         {"rbf:width=1", "rbf:width=4", "rbf:width=16"},
		"rbf:width=3": {"rbf:width=3"},
		"rbf:width=3+laplacian": {"rbf:width=3+laplacian:width=0.5", "rbf:width=3+laplacian:width=2",
			"rbf:width=3+laplacian:width=8"},
	} {
		methods, err := Methods([]string{"krvfl", "krvfl+:paper"},
			param.With(func(c *param.Config) { c.Kernel = kernel.Must(text) }), kinds{}, kind.Targets{})
		if err != nil {
			t.Fatal(err)
		}
		plus := slices.IndexFunc(methods, func(m Method) bool { return m.Name == "krvfl+:paper" })
		candidates, err := methods[plus].Candidates(p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range candidates {
			if k := c.Trainer.(krvfl.Config).Kernel.String(); !slices.Contains(got, k) {
				got = append(got, k)
			}
		}
		if !slices.Equal(got, want) || len(candidates) != len(want)*len(gammas)*len(kernelC) {
			t.Errorf("%s: %d candidates of kernels %v, want %v", text, len(candidates), got, want)
		}
	}
}

// What is compared unless something else is asked for must suit every task.
func TestDefaultMethodsSuitEveryTask(t *testing.T) {
	for _, name := range DefaultMethods() {
		k, _, err := methodNamed(name)
		if err != nil || k.Task != "" || !k.ClosedForm {
			t.Errorf("%s: %+v, %v", name, k.Name, err)
		}
	}
	if len(DefaultMethods()) < 4 {
		t.Errorf("only %v", DefaultMethods())
	}
}
