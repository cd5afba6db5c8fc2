package bound_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/fault"
	"rvflplus/internal/bound"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
)

var ctx = context.Background()

// recomputed is what testdata/recompute.py found with NumPy.
type recomputed struct {
	Model      string     `json:"model"`
	Loss       bound.Loss `json:"loss"`
	Delta      float64    `json:"delta"`
	Z          float64    `json:"Z"`
	B          float64    `json:"B"`
	Risk       float64    `json:"empirical_risk"`
	Paper      float64    `json:"paper"`
	Trace      float64    `json:"trace"`
	MonteCarlo float64    `json:"monte_carlo"`
	SE         float64    `json:"se"`
	Bound      float64    `json:"bound"`
	Posteriori *float64   `json:"bound_posteriori"`
}

func TestPartsEqualNumPy(t *testing.T) {
	var all []recomputed
	text, err := os.ReadFile("testdata/numbers.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) < 6 {
		t.Fatalf("%d cases, %v", len(all), err)
	}
	table := readCSV(t, "testdata/data.csv")
	for _, want := range all {
		m, err := modelfile.Load(filepath.Join("testdata", want.Model))
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Bound(ctx, table, []*dataset.Column{table.Find("y")},
			bound.Options{Loss: want.Loss, Delta: want.Delta})
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string][2]float64{
			"Z": {got.Z, want.Z}, "B": {got.B, want.B}, "the empirical risk": {got.EmpiricalRisk, want.Risk},
			"ZB/√N": {got.Rademacher.Paper, want.Paper}, "the trace bound": {got.Rademacher.Trace, want.Trace},
			"the bound":              {got.Bound, want.Bound},
			"the a-posteriori bound": {number(got.Posteriori), number(want.Posteriori)},
		} {
			if !(math.Abs(v[0]-v[1]) <= 1e-9*(1+math.Abs(v[1]))) {
				t.Errorf("%s, %s: %s is %.15g, NumPy says %.15g", want.Model, want.Loss, name, v[0], v[1])
			}
		}
		// NumPy drew other signs.
		if d := math.Abs(got.Rademacher.MonteCarlo - want.MonteCarlo); d > 4*math.Hypot(got.Rademacher.SE, want.SE) {
			t.Errorf("%s: Monte-Carlo %.6g ± %.2g, NumPy %.6g ± %.2g", want.Model, got.Rademacher.MonteCarlo,
				got.Rademacher.SE, want.MonteCarlo, want.SE)
		}
	}
}

func number(v *float64) float64 {
	if v == nil {
		return -1
	}
	return *v
}

func readCSV(t *testing.T, path string) *dataset.Table {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := csv.NewReader(f, csv.Options{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	table, err := dataset.Collect(ctx, r, make([]dataset.ReadAs, len(r.Fields())))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// synthetic is the generated data set with the sign of y as the class.
func synthetic(t *testing.T, rows int, seed uint64) *roles.Data {
	t.Helper()
	table, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.3, Seed: seed}.Table()
	class := dataset.Column{Name: "class", Levels: []string{"low", "high"}, Codes: make([]int, rows)}
	for i, y := range table.Find("y").Numbers {
		if y > 0 {
			class.Codes[i] = 1
		}
	}
	table.Columns = append(table.Columns, class)
	d, err := roles.Assign(table, dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func train(t *testing.T, d *roles.Data, c param.Config) *pipeline.Model {
	t.Helper()
	m, err := pipeline.Train(ctx, d, c, pipeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// With few rows every choice of signs can be tried.
func TestMonteCarloNearsTheExpectation(t *testing.T) {
	d := synthetic(t, 10, 1)
	for _, c := range []param.Config{param.With(func(c *param.Config) { c.Kind, c.Hidden = "rvfl", 5 }),
		param.With(func(c *param.Config) { c.Kind = "krvfl+" })} {
		c.Encoding = "sign"
		m := train(t, d, c)
		r, err := m.Bound(ctx, d.Table, d.Pick(d.Roles.Target), bound.Options{Draws: 4000, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		x, _, err := m.Encode(d.Table, d.Pick(d.Roles.Target))
		if err != nil {
			t.Fatal(err)
		}
		want := r.B / 10 * expectation(t, m, x)
		if math.Abs(r.Rademacher.MonteCarlo-want) > 4*r.Rademacher.SE || r.Rademacher.SE > 0.05*want {
			t.Errorf("%s: %.5g ± %.2g, the expectation is %.5g", c.Kind, r.Rademacher.MonteCarlo, r.Rademacher.SE, want)
		}
		if !(want <= r.Rademacher.Trace && r.Rademacher.Trace <= r.Rademacher.Paper*(1+1e-12)) {
			t.Errorf("%s: %g, trace bound %g, paper %g are not in order", c.Kind, want, r.Rademacher.Trace,
				r.Rademacher.Paper)
		}
	}
}

func expectation(t *testing.T, m *pipeline.Model, x *mat.Dense) float64 {
	t.Helper()
	s, err := m.BoundSpace()
	if err != nil {
		t.Fatal(err)
	}
	n := x.RawMatrix().Rows
	signs := blas.New(n, 1<<n)
	for k := range 1 << n {
		for i := range n {
			signs.Data[i*signs.Stride+k] = 1 - 2*float64(bits.OnesCount(uint(k)&(1<<i)))
		}
	}
	lengths, err := s.SquaredSums(ctx, x.RawMatrix(), signs, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, v := range lengths {
		sum += math.Sqrt(max(0, v))
	}
	return sum / float64(len(lengths))
}

func TestBoundsAreAboveTheTestRisk(t *testing.T) {
	for seed := range uint64(5) {
		d, fresh := synthetic(t, 80, seed), synthetic(t, 2000, seed+100)
		for _, kind := range []string{"rvfl", "rvfl+", "krvfl", "krvfl+"} {
			for _, strength := range []float64{1e-4, 1, 100} {
				m := train(t, d, param.With(func(c *param.Config) {
					c.Kind, c.C, c.Hidden, c.Encoding = kind, strength,
						30, "sign"
				}))
				for _, l := range []bound.Loss{bound.Ramp, bound.Absolute} {
					r, err := m.Bound(ctx, d.Table, d.Pick(d.Roles.Target), bound.Options{Loss: l, Draws: 50})
					if err != nil {
						t.Fatal(err)
					}
					risk, err := m.Risk(fresh.Table, fresh.Pick(fresh.Roles.Target), l)
					if err != nil {
						t.Fatal(err)
					}
					if risk > r.Bound || r.Posteriori != nil && risk > *r.Posteriori {
						t.Errorf("%s, C = %g, %s, seed %d: risk %g, bound %g, a posteriori %g", kind, strength, l,
							seed, risk, r.Bound, number(r.Posteriori))
					}
				}
			}
		}
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	d := synthetic(t, 600, 2)
	for _, kind := range []string{"rvfl", "krvfl"} {
		m := train(t, d, param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Encoding = kind, 30, "sign" }))
		var want string
		for _, threads := range []int{1, 3} {
			runtime.GOMAXPROCS(threads)
			r, err := m.Bound(ctx, d.Table, d.Pick(d.Roles.Target), bound.Options{Draws: 100})
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%x", []float64{r.Rademacher.MonteCarlo, r.Rademacher.SE, r.B, r.Z, r.Bound})
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: other bits with %d threads", kind, threads)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	d := synthetic(t, 30, 1)
	targets := d.Pick(d.Roles.Target)
	sign := train(t, d, param.With(func(c *param.Config) { c.Kind, c.Hidden, c.Encoding = "rvfl", 3, "sign" }))
	for name, o := range map[string]bound.Options{"delta": {Delta: 1}, "negative": {Delta: -0.1}, "draws": {Draws: 1},
		"loss": {Loss: "hinge"}} {
		if _, err := sign.Bound(ctx, d.Table, targets, o); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	onehot := train(t, d, param.With(func(c *param.Config) { c.Kind = "krvfl" }))
	if _, err := onehot.Bound(ctx, d.Table, targets, bound.Options{}); !errors.Is(err, fault.Usage) ||
		fault.HintOf(err) != "train it with encoding=sign" {
		t.Errorf("one output a class: %v", err)
	}
	machine := train(t, d, param.With(func(c *param.Config) { c.Kind = "svm" }))
	if _, err := machine.Bound(ctx, d.Table, targets, bound.Options{}); !errors.Is(err, fault.Usage) ||
		fault.HintOf(err) != "" {
		t.Errorf("a support vector machine: %v, hint %q that does not help", err, fault.HintOf(err))
	}
	strange := dataset.Column{Name: "class", Levels: []string{"other"}, Codes: make([]int, 30)}
	if _, err := sign.Bound(ctx, d.Table, []*dataset.Column{&strange}, bound.Options{}); !errors.Is(err, fault.Data) {
		t.Errorf("an unknown class: %v", err)
	}
	if _, err := sign.Bound(ctx, d.Subset(nil), targets, bound.Options{}); !errors.Is(err, fault.Data) {
		t.Errorf("no rows: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := sign.Bound(cancelled, d.Table, targets, bound.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
