package lupi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// advised is a problem of n rows with two normal and two privileged features and two targets.
func advised(n int, seed uint64) learn.Problem {
	r := rand.New(rand.NewPCG(seed, 1))
	p := learn.Problem{X: mat.NewDense(n, 2, nil), Priv: mat.NewDense(n, 2, nil), Y: mat.NewDense(n, 2, nil)}
	for i := range n {
		x, z := []float64{r.NormFloat64(), r.NormFloat64()}, []float64{r.NormFloat64(), 0}
		z[1] = math.Sin(x[0]) + 0.3*r.NormFloat64()
		p.X.SetRow(i, x)
		p.Priv.SetRow(i, z)
		p.Y.SetRow(i, []float64{math.Sin(2*x[0]) + z[0] + 0.1*r.NormFloat64(), 100 * (x[1] + z[1] + r.NormFloat64())})
	}
	return p
}

// free is a config that chooses everything.
func free() Config {
	g := Free()
	return Config{
		Method: "stack", Kernel: kernel.Must("rbf"), Linear: true, Printed: true, Seed: 1,
		Gamma: g.Gamma, Widths: g.Scales, PrivWidths: []float64{1},
	}
}

// held is a config with a single setting.
func held() Config {
	return Config{
		Method: "stack", Kernel: kernel.Must("rbf:width=1.5"), PrivKernel: kernel.Must("rbf:width=2"),
		Linear: true, Printed: true,
		C: []float64{3}, Gamma: []float64{0.5}, Widths: []float64{1}, PrivWidths: []float64{1},
	}
}

// gram returns the inner products of some rows under the kernel of a spec and a linear one.
func gram(t *testing.T, spec string, m *mat.Dense) *mat.Dense {
	t.Helper()
	raw := m.RawMatrix()
	k, err := kernel.Must(spec).ResolveWith(true, raw, 0)
	if err != nil {
		t.Fatal(err)
	}
	out, err := kernel.NewMatrices(raw).Matrix(context.Background(), k)
	if err != nil {
		t.Fatal(err)
	}
	return mat.NewDense(out.Rows, out.Cols, out.Data)
}

// refitted returns the predictions of every fold by a ridge regression on the other rows, whose targets are centred.
func refitted(t *testing.T, omega *mat.Dense, y *mat.Dense, weight []float64, c float64, folds [][]int) *mat.Dense {
	t.Helper()
	n, m := y.Dims()
	out := mat.NewDense(n, m, nil)
	for _, fold := range folds {
		rest := split.Others(n, fold)
		system, right := mat.NewDense(len(rest), len(rest), nil), mat.NewDense(len(rest), m, nil)
		mean, total := make([]float64, m), 0.0
		for _, i := range rest {
			total += weight[i]
			for j := range m {
				mean[j] += weight[i] * y.At(i, j)
			}
		}
		for a, i := range rest {
			for b, k := range rest {
				system.Set(a, b, omega.At(i, k))
			}
			system.Set(a, a, system.At(a, a)+1/(c*weight[i]))
			for j := range m {
				right.Set(a, j, y.At(i, j)-mean[j]/total)
			}
		}
		var alpha mat.Dense
		if err := alpha.Solve(system, right); err != nil {
			t.Fatal(err)
		}
		for _, i := range fold {
			for j := range m {
				v := mean[j] / total
				for a, k := range rest {
					v += omega.At(i, k) * alpha.At(a, j)
				}
				out.Set(i, j, v)
			}
		}
	}
	return out
}

// Every loss equals that of refits without each row, or without each group, also with weights and with privileged
// values that some rows lack: such rows are not looked at.
func TestLossesEqualRefits(t *testing.T) {
	const n = 24
	p := advised(n, 1)
	weight, group := make([]float64, n), make([]int, n)
	for i := range n {
		weight[i], group[i] = 1+float64(i%3), i/2
	}
	for name, groups := range map[string][]int{"rows": nil, "groups": group} {
		t.Run(name, func(t *testing.T) {
			own := p
			own.Weight, own.Group = weight, groups
			got, err := held().Losses(context.Background(), withRowsLacking(own))
			if err != nil {
				t.Fatal(err)
			}
			f := &fit{Config: held(), all: own}
			if err := f.setUp(); err != nil {
				t.Fatal(err)
			}
			folds := f.folds
			if folds == nil {
				for i := range n {
					folds = append(folds, []int{i})
				}
			}
			loss := func(omega, y *mat.Dense) float64 {
				mean, _ := f.mean(f.losses(refitted(t, omega, y, weight, 3, folds)))
				return mean
			}
			normal, priv := gram(t, "rbf:width=1.5", p.X), gram(t, "rbf:width=2", p.Priv)
			var both, sum mat.Dense
			both.Augment(p.X, p.Priv)
			sum.Scale(1/0.5, priv)
			sum.Add(normal, &sum)
			r2 := 0.0
			for j := range 2 {
				column := columnsOf(p.Priv, []int{j})
				out := refitted(t, normal, column, weight, 3, folds)
				share, _ := f.mean(metric.SquaredErrors(column.RawMatrix(), out.RawMatrix(), []float64{1}))
				var centre, spread, total float64
				for i, w := range weight {
					centre, total = centre+w*column.At(i, 0), total+w
				}
				for i, w := range weight {
					d := column.At(i, 0) - centre/total
					spread += w * d * d / total
				}
				r2 += (1 - share/spread) / 2
			}
			for what, pair := range map[string][2]float64{
				"normal":     {got.Normal.Value, loss(normal, p.Y)},
				"privileged": {got.Privileged.Value, loss(priv, p.Y)},
				"all":        {got.All.Value, min(loss(gram(t, "rbf:width=1.5", &both), p.Y), loss(&sum, p.Y))},
				"R2":         {got.R2.Value, r2},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-9*(1+math.Abs(pair[1])) {
					t.Errorf("%s: %v, by refits %v", what, pair[0], pair[1])
				}
			}
			if got.Rows != n || got.Used != n || got.Features != 2 {
				t.Errorf("%d rows, %d used, %d features", got.Rows, got.Used, got.Features)
			}
		})
	}
}

// withRowsLacking adds, between the rows of p, rows without privileged values and rows of weight 0.
func withRowsLacking(p learn.Problem) learn.Problem {
	n := p.X.RawMatrix().Rows
	out := learn.Problem{X: mat.NewDense(3*n, 2, nil), Priv: mat.NewDense(3*n, 2, nil), Y: mat.NewDense(3*n, 2, nil),
		Weight: make([]float64, 3*n), HasPriv: make([]bool, 3*n)}
	if p.Group != nil {
		out.Group = make([]int, 3*n)
	}
	for i := range 3 * n {
		if i%3 > 0 {
			out.X.Set(i, 0, 7)
			out.Y.Set(i, 0, 99)
			out.Weight[i], out.HasPriv[i] = float64(i%3-1), i%3 == 1
			continue
		}
		out.X.SetRow(i, p.X.RawRowView(i/3))
		out.Priv.SetRow(i, p.Priv.RawRowView(i/3))
		out.Y.SetRow(i, p.Y.RawRowView(i/3))
		out.Weight[i], out.HasPriv[i] = p.Weight[i/3], true
		if p.Group != nil {
			out.Group[i] = p.Group[i/3]
		}
	}
	return out
}

// The standard error of a ratio is that of the jackknife, and doubled rows that are one group change nothing of it.
func TestStandardErrorOfRatio(t *testing.T) {
	const n = 200
	r := rand.New(rand.NewPCG(3, 1))
	one := &fit{weight: ones(n)}
	two := &fit{weight: ones(2 * n)}
	var above, below, twice, below2 []float64
	for i := range n {
		b := r.ExpFloat64()
		above, below = append(above, b*(0.5+r.Float64())), append(below, b)
		twice, below2 = append(twice, above[i], above[i]), append(below2, b, b)
		two.rows.Group = append(two.rows.Group, i, i)
	}
	got := one.ratio(above, below, 0)
	var sumA, sumB float64
	for i := range n {
		sumA, sumB = sumA+above[i], sumB+below[i]
	}
	var square float64
	for i := range n {
		d := (sumA-above[i])/(sumB-below[i]) - sumA/sumB
		square += d * d * (n - 1) / n
	}
	if want := math.Sqrt(square); math.Abs(got.SE-want) > 0.03*want {
		t.Errorf("standard error %v, by the jackknife %v", got.SE, want)
	}
	if doubled := two.ratio(twice, below2, 0); math.Abs(doubled.SE-got.SE) > 1e-12 {
		t.Errorf("standard error %v, with rows doubled in groups %v", got.SE, doubled.SE)
	}
}

func TestNegligibleLossesAreEqual(t *testing.T) {
	f := &fit{weight: ones(3)}
	tiny, large := []float64{1e-14, 0, 0}, []float64{1, 2, 3}
	if r := f.ratio(tiny, tiny, 1e-9); r != (Estimate{Value: 1}) {
		t.Errorf("the ratio of two losses that are nothing is %v", r)
	}
	if r := f.ratio(large, tiny, 1e-9); !(r.Value > 1e8) || math.IsInf(r.Value, 0) || math.IsNaN(r.SE) {
		t.Errorf("the ratio of a loss to nothing is %v", r)
	}
}

// More columns than rows, all noise: the form of the leave-one-out trap, and more features than R2 looks at.
func TestLossesWithThousandsOfColumns(t *testing.T) {
	const n, d = 60, 3000
	p := advised(n, 5)
	r := rand.New(rand.NewPCG(6, 1))
	p.Priv = mat.NewDense(n, d, nil)
	p.Priv.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, p.Priv)
	got, err := free().Losses(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got.Features != mostPredicted || got.AllToNormal.Value < 0.95-2*got.AllToNormal.SE ||
		got.Privileged.Value < 0.9*got.Constant.Value || got.R2.Value > 0.1 {
		t.Errorf("%d columns of noise: %+v", d, *got)
	}
}

func TestLossesDoNotDependOnThreads(t *testing.T) {
	p := advised(90, 7)
	var texts []string
	for _, threads := range []int{1, 4} {
		before := runtime.GOMAXPROCS(threads)
		got, err := free().Losses(context.Background(), p)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, fmt.Sprintf("%b", *got))
	}
	if texts[0] != texts[1] {
		t.Errorf("one thread: %s\nfour threads: %s", texts[0], texts[1])
	}
}

func TestLossesSampleManyRows(t *testing.T) {
	p := advised(mostChosenOn+5, 8)
	p.Unlabelled = &learn.Unlabelled{X: mat.NewDense(7, 2, nil), Priv: mat.NewDense(7, 2, nil)}
	c := held()
	got, err := c.Losses(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != mostChosenOn+5 || got.Used != mostChosenOn || got.Unlabelled != 7 {
		t.Errorf("%d rows, %d used, %d without a target", got.Rows, got.Used, got.Unlabelled)
	}
}

func TestLossesProgress(t *testing.T) {
	p := advised(20, 9)
	last, sum := 0, 0
	p.Progress = func(_ string, done, total int) {
		if done < last {
			t.Errorf("%d settings after %d", done, last)
		}
		last, sum = done, total
	}
	if _, err := free().Losses(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if last != sum || sum == 0 {
		t.Errorf("%d of %d settings are told of in the end", last, sum)
	}
}

func TestLossesRefuse(t *testing.T) {
	good := advised(20, 10)
	for name, c := range map[string]struct {
		spoil func(p *learn.Problem)
		want  fault.Kind
	}{
		"no privileged features": {func(p *learn.Problem) { p.Priv = nil }, fault.Usage},
		"two rows":               {func(p *learn.Problem) { *p = p.Only([]int{3, 4}) }, fault.Data},
		"no privileged values":   {func(p *learn.Problem) { p.HasPriv = make([]bool, 20) }, fault.Data},
		"one target value":       {func(p *learn.Problem) { p.Y = mat.NewDense(20, 1, nil) }, fault.Data},
		"one group":              {func(p *learn.Problem) { p.Group = make([]int, 20) }, fault.Usage},
		"not a number":           {func(p *learn.Problem) { p.X.Set(0, 0, math.NaN()) }, fault.Data},
	} {
		p := good.Only([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
		c.spoil(&p)
		if _, err := free().Losses(context.Background(), p); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want an error of kind %v", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := free().Losses(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A privileged column that never varies is no reason to fail: nothing can be learnt from it.
func TestConstantPrivilegedColumn(t *testing.T) {
	p := advised(30, 11)
	p.Priv = mat.NewDense(30, 1, nil)
	got, err := free().Losses(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got.R2 != (Estimate{Value: 1}) || got.Features != 0 || got.AllToNormal.Value < 0.95 {
		t.Errorf("%+v", *got)
	}
}
